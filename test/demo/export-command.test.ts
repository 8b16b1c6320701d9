/** `firn export`, compared with the recordings. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { openRecording, type Recording } from '../../src/source/recording.ts'
import { runCommand } from '../firn-command.ts'
import { freshFolder, until } from '../firn-process.ts'
import { demoFirn } from './demo-firn.ts'

const small = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const { signal } = new AbortController()
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** ERC-20 transfers of `holder` in the recording: hash, log index and raw amount. */
async function recordedTransfers(holder: string): Promise<string[]> {
  const word = `0x${holder.slice(2).toLowerCase().padStart(64, '0')}`
  const recording = openRecording(small)
  return recording.blocks(
    recording.heights,
    (units) =>
      units.flatMap(({ receipts }) =>
        receipts.flatMap((receipt) =>
          listOf(objectOf(receipt, 'receipt')['logs'], 'logs').flatMap((item) => {
            const { topics, data, transactionHash, logIndex } = objectOf(item, 'log')
            const list = listOf(topics, 'topics').map(String)
            const isOurs = list[0] === transferTopic && list.length === 3
            return isOurs && list.slice(1).includes(word)
              ? [`${String(transactionHash)} ${Number(logIndex)} ${BigInt(String(data))}`]
              : []
          }),
        ),
      ),
    signal,
  )
}

void test('export: transfers and transactions are all there, with exact amounts', async (t) => {
  const firn = await demoFirn()
  const url = ['--url', firn.apiUrl]
  const holder = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const chain = ['--chain', '51002', '--address', holder]
  await until('tokens', async () => {
    const { erc20TokenBalances: list } = await firn.get(
      `/v1/chains/51002/addresses/${holder}/balances:listErc20`,
    )
    return listOf(list, 'balances').every((item) => objectOf(item, 'token')['symbol'] !== '')
  })
  const csv = await runCommand('export', 'transfers', ...chain, ...url)
  assert.equal(csv.code, 0, csv.stderr)
  const [head = '', ...lines] = csv.stdout.trim().split('\r\n')
  const columns = head.split(',')
  assert.ok(columns.includes('amount') && columns.includes('date'), head)

  const json = await runCommand('export', 'transfers', ...chain, ...url, '--format', 'jsonl')
  const rows = json.stdout
    .trim()
    .split('\n')
    .map((text) => objectOf(JSON.parse(text), 'row'))
  assert.equal(rows.length, lines.length)
  assert.deepEqual(Object.keys(rows[0] ?? {}), columns)
  const decimals = new Map<unknown, number>()
  const told = rows
    .filter(({ standard }) => standard === 'ERC-20')
    .map(({ txHash, logIndex, amount, token, date }) => {
      assert.match(String(date), /^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const places = decimals.get(token) ?? decimalsOf(String(token))
      decimals.set(token, places)
      const [whole = '', fraction = ''] = String(amount).split('.')
      return `${String(txHash)} ${String(logIndex)} ${BigInt(whole + fraction.padEnd(places, '0'))}`
    })
  const truth = await recordedTransfers(holder)
  assert.ok(truth.length > 20, 'the recording has transfers')
  assert.deepEqual(told.toSorted(), truth.toSorted())

  // A chain has one number in a file, whatever it was called.
  const { blockchainId } = [...listOf((await firn.get('/status'))['chains'], 'chains')]
    .map((item) => objectOf(item, 'chain'))
    .find(({ evmChainId }) => evmChainId === 51_002) ?? { blockchainId: '' }
  const byId = ['--chain', String(blockchainId), '--address', holder, ...url]
  assert.equal((await runCommand('export', 'transfers', ...byId)).stdout, csv.stdout)
  assert.equal(
    (await runCommand('export', 'internals', ...byId)).stdout,
    (await runCommand('export', 'internals', ...chain, ...url)).stdout,
  )

  const all = await runCommand('export', 'transactions', '--chain', '51002', ...url)
  const recording = openRecording(small)
  const count = await recording.blocks(
    recording.heights,
    (units) => units.reduce((sum, { receipts }) => sum + receipts.length, 0),
    signal,
  )
  assert.equal(all.stdout.trim().split('\n').length, count + 1)
  const folder = await freshFolder(t)
  assert.deepEqual(await parquetOf('blocks', { folder, url }), await recordedBlocks(recording))
  const transactions = await parquetOf('transactions', { folder, url })
  assert.equal(transactions.length, count)
  const withoutFile = ['export', 'blocks', '--chain', '51002', '--format', 'parquet', ...url]
  const refused = await runCommand(...withoutFile)
  assert.equal(refused.stderr, 'firn: a Parquet file is no stream: give its name with --out\n')
  assert.equal(refused.code, 2)
  const late = ['--from', '2999-01-01', ...url]
  for (const [what, ...words] of [
    ['transactions', ...chain],
    ['transfers', ...chain],
    ['internals', ...chain],
    ['primary-transactions', '--chain', 'P'],
    ['rewards', '--address', 'P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'],
  ]) {
    const none = await runCommand('export', String(what), ...words, ...late)
    assert.equal(none.code, 0, none.stderr)
    assert.match(none.stdout, /^date,[A-Za-z,]+\r\n$/, String(what))
    const bare = await runCommand('export', String(what), ...words, ...late, '--format', 'jsonl')
    assert.deepEqual([bare.code, bare.stdout], [0, ''], String(what))
  }

  const ended = await firn.get('/v1/networks/fuji/delegators?delegationStatus=completed')
  const owners = listOf(ended['delegators'], 'delegators').flatMap((item) =>
    listOf(objectOf(item, 'delegator')['rewardAddresses'], 'addresses').map(String),
  )
  const owner = ['--address', owners.join(','), ...url]
  const rewards = await runCommand('export', 'rewards', ...owner, '--format', 'jsonl')
  const paid = rewards.stdout
    .trim()
    .split('\n')
    .map((line) => objectOf(JSON.parse(line), 'row'))
  assert.ok(paid.length > 0)
  const years = new Set(paid.map(({ date }) => String(date).slice(0, 4)))
  let inYears = 0
  for (const year of years) {
    const own = ['--year', year, '--currency', 'EUR', '--format', 'jsonl']
    const { stdout } = await runCommand('export', 'rewards', ...owner, ...own)
    inYears += stdout.trim().split('\n').length
  }
  assert.equal(inYears, paid.length)
  for (const words of [
    ['--year', '26'],
    ['--year', '2026', '--from', '2026-01-01'],
  ])
    assert.equal(
      (await runCommand('export', 'rewards', ...owner, ...words)).code,
      2,
      words.join(' '),
    )

  // Nothing is made or lost: over all owners, what is spent is received or burned.
  const ofP = ['primary-transactions', '--chain', 'P', ...url, '--format', 'jsonl']
  const primary = await runCommand('export', ...ofP)
  const base = primary.stdout
    .trim()
    .split('\n')
    .map((text) => objectOf(JSON.parse(text), 'row'))
    .filter(({ type }) => type === 'BaseTx')
  assert.ok(base.length > 10)
  const nano = (text: unknown): bigint => {
    const [whole = '', fraction = ''] = String(text).split('.')
    return BigInt(whole + fraction.padEnd(9, '0'))
  }
  for (const { spent, received, burned, txHash } of base)
    assert.equal(nano(spent), nano(received) + nano(burned), String(txHash))

  // Any period of it, without an address.
  const dates = base.map(({ date }) => String(date)).toSorted()
  const [from = '', end = ''] = [dates[3], dates.at(-3)]
  const period = await runCommand('export', ...ofP, '--from', from, '--until', end)
  assert.equal(period.code, 0, period.stderr)
  const within = period.stdout.split('\n').filter((line) => line.includes('"BaseTx"'))
  assert.equal(within.length, dates.filter((date) => from <= date && date < end).length)

  const wrong = await runCommand('export', 'transfers', '--chain', '51002', ...url)
  assert.deepEqual([wrong.code, wrong.stderr.trim()], [2, 'firn: this export needs --address'])
  for (const date of ['20250131', '2025-02-31', '01/02/2025', '2025']) {
    const misread = await runCommand('export', 'transfers', ...chain, ...url, '--from', date)
    assert.equal(misread.code, 2, date)
    assert.match(misread.stderr, /^firn: --from must be a date like 2025-01-31/, date)
  }
  const unknown = await runCommand('export', 'transactions', '--chain', '7', ...url)
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /chain is not served here: 7/)
})

/** Decimals of a token in the recording. */
function decimalsOf(token: string): number {
  const answer = openRecording(small).answers().get(`eth_call ${token.toLowerCase()} 0x313ce567`)
  return answer?.kind === 'value' && answer.value !== '0x' ? Number(answer.value) : 0
}

/** An export of chain 51002, read by a Parquet reader; oldest first. */
async function parquetOf(
  what: string,
  of: { readonly folder: string; readonly url: readonly string[] },
): Promise<Record<string, unknown>[]> {
  const path = join(of.folder, `${what}.parquet`)
  const words = ['--chain', '51002', '--format', 'parquet', '--out', path]
  const { code, stderr } = await runCommand('export', what, ...words, ...of.url)
  assert.equal(code, 0, stderr)
  return (await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toReversed()
}

/** The blocks as the node told them, in the types of the file. */
async function recordedBlocks(recording: Recording): Promise<Record<string, unknown>[]> {
  const units = await recording.blocks(recording.heights, (read) => read, signal)
  return units.map(({ block: of, receipts }) => {
    const block = objectOf(of, 'block')
    const number = (name: string): bigint => {
      const value = block[name]
      return BigInt(typeof value === 'string' ? value : 0)
    }
    const fees = receipts.map((one) => {
      const { gasUsed, effectiveGasPrice } = objectOf(one, 'receipt')
      return BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice))
    })
    return {
      date: new Date(Number(number('timestamp')) * 1_000),
      chainId: '51002',
      blockNumber: number('number'),
      blockHash: block['hash'],
      parentHash: block['parentHash'],
      txCount: BigInt(receipts.length),
      gasUsed: number('gasUsed'),
      gasLimit: number('gasLimit'),
      baseFee: String(number('baseFeePerGas')),
      feesSpent: String(fees.reduce((sum, fee) => sum + fee, 0n)),
    }
  })
}
