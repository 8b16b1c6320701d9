/** The recipes of `docs/guide/files.md`, each run by the program it is for; what they find is what the raw blocks say. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { expectedTransactions, expectedTransfers } from '../conformance/evm/replay.ts'
import {
  freshFolder,
  indexedFolder,
  startFirn,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import type { Json } from '../support/services/evm-service.ts'

const python = join(import.meta.dirname, 'node_modules/.python/bin/python')
const guide = readFileSync(new URL('../../docs/guide/files.md', import.meta.url), 'utf8')

/** Runs every statement of a file of recipes; prints the rows of each as a line of JSON. */
const runner = `import json, pathlib, sys
import duckdb, duckdb_extension_httpfs
of = pathlib.Path(duckdb_extension_httpfs.__file__).parent
connection = duckdb.connect()
connection.execute(f"LOAD '{next(of.rglob('*.duckdb_extension'))}'")
for statement in json.load(open('statements.json')):
    answer = connection.execute(statement)
    names = [column[0] for column in answer.description]
    print(json.dumps([dict(zip(names, row)) for row in answer.fetchall()], default=str))
`

const transactions = expectedTransactions(51_002)
const sum = (values: readonly string[]): bigint =>
  values.reduce((all, one) => all + BigInt(one), 0n)
/** Whole coins with 18 places, or rewards with as many, in the smallest unit. */
const units = (text: unknown, places = 18): bigint => {
  const [whole = '', fraction = ''] = String(text).split('.')
  return BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
}

void test('files: each recipe of the guide runs, and finds what is in the blocks', async (t) => {
  const folder = await freshFolder(t)
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  await untilAllServed(firn)
  const { delegators } = (await firn.get(
    '/v1/networks/fuji/delegators?delegationStatus=completed&pageSize=100',
  )) as { delegators: { rewardAddresses: string[]; netReward?: string }[] }
  const owner = delegators.find(({ netReward = '0' }) => netReward !== '0')?.rewardAddresses[0]
  assert.ok(owner !== undefined)
  const recipes = (language: string): string[] =>
    [...guide.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) =>
      text.replaceAll('http://127.0.0.1:8080', firn.apiUrl).replaceAll('P-fuji1…', `P-${owner}`),
    )
  const run = async (program: string, ...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, words, { cwd: folder, maxBuffer: 2 ** 26 })).stdout

  // A spreadsheet asks with nothing but the address.
  const [, sheet = ''] = /IMPORTDATA\("([^"]+)"\)/.exec(recipes('')[0] ?? '') ?? []
  const inSheet = await fetch(sheet)
  assert.match(inSheet.headers.get('content-type') ?? '', /^text\/csv/)
  const token = /tokens\/(0x\w+)/.exec(sheet)?.[1]?.toLowerCase()
  const moved = expectedTransfers(51_002).filter((one) => one.token === token)
  assert.equal((await inSheet.text()).trimEnd().split('\r\n').length, 1 + moved.length)

  for (const command of recipes('sh')) await run('sh', '-c', command)
  const statements = recipes('sql')
  assert.equal(statements.length, 5)
  writeFileSync(join(folder, 'statements.json'), JSON.stringify(statements))
  const lines = (await run(python, '-c', runner)).trim().split('\n')
  const [days = [], blocks = [], flows = []]: Json[][] = lines.map((line) => JSON.parse(line))
  assert.equal(
    days.reduce((all: number, day) => all + day.transactions, 0),
    transactions.length,
  )
  assert.equal(
    sum(days.map((day) => String(units(day.moved)))),
    sum(transactions.map(({ value }) => value)),
  )
  assert.equal(
    sum(days.map((day) => String(units(day.fees)))),
    sum(transactions.map(({ gasUsed, gasPrice }) => String(BigInt(gasUsed) * BigInt(gasPrice)))),
  )
  assert.equal(blocks[0].transactions, transactions.length)

  // What an address has is what it received less what it spent.
  const [{ balances }] = [
    (await firn.get(`/v1/networks/fuji/blockchains/p-chain/balances?addresses=P-${owner}`)) as Json,
  ]
  const has = Object.values(balances)
    .flat()
    .filter((asset: Json) => asset.symbol === 'AVAX' && asset.sharedWithChainId === undefined)
    .reduce((all: bigint, asset: Json) => all + BigInt(asset.amount), 0n)
  const change = flows
    .filter(({ asset }) => asset === 'AVAX')
    .reduce((all, row) => all + Math.round(row.change * 1e9), 0)
  assert.equal(BigInt(change), has)

  const { historicalRewards } = (await firn.get(
    `/v1/networks/fuji/rewards?addresses=P-${owner}&pageSize=100`,
  )) as { historicalRewards: Json[] }
  const rewards = historicalRewards.toSorted((a, b) => a.endTimestamp - b.endTimestamp)
  assert.ok(rewards.length > 0)
  const rowsOf = (name: string): string[][] =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','))
  const [koinlyHead, ...koinly] = rowsOf('koinly.csv')
  assert.deepEqual(koinlyHead, ['Koinly Date', 'Amount', 'Currency', 'Label', 'TxHash'])
  assert.deepEqual(
    koinly.map(([date, amount, ...rest]) => [
      Date.parse(String(date).replace(' UTC', 'Z')) / 1_000,
      units(amount, 9),
      ...rest,
    ]),
    rewards.map(({ endTimestamp, reward, rewardTxHash }) => [
      endTimestamp,
      BigInt(reward.amount),
      'AVAX',
      'Reward',
      rewardTxHash,
    ]),
  )
  const [, ...coinTracking] = rowsOf('cointracking.csv')
  assert.deepEqual(
    coinTracking.map(([type, amount, currency]) => [type, units(amount, 9), currency]),
    rewards.map(({ reward }) => ['Staking', BigInt(reward.amount), 'AVAX']),
  )

  const [program = ''] = recipes('python')
  const printed = await run(python, '-c', program)
  const counts = [...printed.matchAll(/^\d{4}-\d\d-\d\d +(\d+)/gm)].map(([, count]) =>
    Number(count),
  )
  assert.equal(
    counts.reduce((all, count) => all + count, 0),
    transactions.length,
  )
})

void test('Grafana: every query of the dashboard of a chain is answered with what it selects', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  await untilAllServed(firn)
  const file = new URL('../../deploy/grafana-chain-dashboard.json', import.meta.url)
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: Json[] }
  const last = Number(transactions.at(-1)?.blockTimestamp)
  for (const { title, targets } of panels)
    for (const { url, root_selector: root, columns } of targets) {
      const path = url
        .replace('${firn}', '')
        .replace('${chain}', '51002')
        .replace('${__from:date:seconds}', String(last - 90 * 86_400))
        .replace('${__to:date:seconds}', String(last))
      const rows = ((await firn.get(path)) as Json)[root]
      assert.ok(Array.isArray(rows) && rows.length > 1, title)
      for (const { selector, type } of columns)
        for (const row of rows)
          if (type === 'string') assert.equal(typeof row[selector], 'string', title)
          else assert.ok(Number.isFinite(Number(row[selector])), `${title}: ${selector}`)
    }
})
