/** `firn export`: the bytes of the API, of lists of every kind, from any page on. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { runCommand } from '../support/processes/firn-command.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { demoFirn } from './demo-firn.ts'

const holder = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const lists = [
  '/v1/chains/51002/blocks',
  '/v1/chains/51002/transactions',
  `/v1/chains/51002/addresses/${holder}/transactions:listErc20`,
  `/v1/chains/51002/addresses/${holder}/transactions:listInternals`,
  '/v1/networks/fuji/blockchains/p-chain/transactions',
  '/v1/chains',
]

void test('export: each list is what the API writes, byte for byte', async (t) => {
  const firn = await demoFirn()
  const folder = await freshFolder(t)
  const url = ['--url', firn.apiUrl]
  for (const list of lists)
    for (const format of ['csv', 'ndjson', 'parquet']) {
      const path = join(folder, format)
      const words = ['export', list, '--format', format, '--out', path, ...url]
      const { code, stderr } = await runCommand(...words)
      assert.equal(code, 0, stderr)
      assert.match(stderr, /^[1-9]\d* rows in /, list)
      const listUrl = `${firn.apiUrl}${list}${list.includes('?') ? '&' : '?'}format=${format}`
      const answer = Buffer.from(await (await fetch(listUrl)).arrayBuffer())
      assert.ok(answer.equals(await readFile(path)), `${list} as ${format}`)
    }

  // Without a name it goes to standard output, and all blocks of the recording are in it.
  const csv = await runCommand('export', '/v1/chains/51002/blocks', ...url)
  const small = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
  const recording = openRecording(small)
  const { signal } = new AbortController()
  const blocks = await recording.blocks(recording.heights, (units) => units, signal)
  const rows = csv.stdout.trim().split('\r\n').slice(1).toReversed()
  assert.deepEqual(
    rows.map((row) => row.split(',')[1]),
    blocks.map(({ block }) => String(Number(objectOf(block, 'block')['number']))),
  )
  const path = join(folder, 'blocks.parquet')
  await runCommand('export', lists[0] ?? '', '--format', 'parquet', '--out', path, ...url)
  const inParquet = await parquetReadObjects({ file: await asyncBufferFromFile(path) })
  assert.equal(inParquet.length, blocks.length)

  // A page token goes on where an export ended.
  const page = await fetch(`${firn.apiUrl}/v1/chains/51002/blocks?pageSize=30`)
  const { nextPageToken } = (await page.json()) as { nextPageToken: string }
  const rest = ['--page-token', nextPageToken, ...url]
  const { stdout } = await runCommand('export', '/v1/chains/51002/blocks', ...rest)
  assert.equal(stdout, csv.stdout.split('\r\n').slice(31).join('\r\n'))
})

void test('export: a bad argument or path is an error, and leaves no file', async () => {
  const firn = await demoFirn()
  const url = ['--url', firn.apiUrl]
  for (const [words, error, code] of [
    [['/v1/chains/51002/blocks', '--format', 'parquet'], /no stream: give its name with --out/, 2],
    [['/v1/chains/51002/blocks', '--format', 'xml'], /--format must be csv, ndjson or parquet/, 2],
    [['/v1/chains/51002/blocks/1'], /no list of the API is at this path: /, 2],
    [['/v1/chains/7/blocks'], /chain is not served here: 7/, 1],
    [['/v1/chains/51002/blocks?sort=asc'], /sort is no parameter of this operation/, 1],
  ] as const) {
    const answer = await runCommand('export', ...words, ...url)
    assert.match(answer.stderr, error)
    assert.equal(answer.code, code, answer.stderr)
  }
})
