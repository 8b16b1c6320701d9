/**
 * Makes a recording from a dump of a chain.
 *
 *     node scripts/make-demo.ts <chain>.ndjson.gz <state>.ndjson.gz <meta>.json <name> <symbol> <out>.firnrec
 *
 * The dump has one line `{"block","receipts","traces"}` per block from height 0; the state file
 * one line `{"method","params","result"|"error"}` per call made after the last block.
 */

import { createReadStream } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

import { objectOf } from '../src/codec/evm/raw.ts'
import type { StateCall } from '../src/source/evm-source.ts'
import { openingBytes, partBytes, partKinds } from '../src/source/recorded/recording-file.ts'
import { stateKey } from '../src/source/recorded/recording.ts'

const level = 19
const blocksPerPart = 64
const answersPerPart = 100_000

const [chainFile = '', stateFile = '', metaFile = '', name = '', symbol = '', out = ''] =
  process.argv.slice(2)
const meta = objectOf(JSON.parse(await readFile(metaFile, 'utf8')), 'meta')
await writeFile(
  out,
  openingBytes(
    {
      chainId: Number(meta['chainId']),
      blockchainId: String(meta['blockchainId']),
      name,
      symbol,
      nodeVersion: 'anvil 1.7.1',
    },
    level,
  ),
)

let from = 0
let blocks: string[] = []
let traces: string[] = []
for await (const line of linesOf(chainFile)) {
  const unit = objectOf(JSON.parse(line), 'line')
  blocks.push(JSON.stringify({ block: unit['block'], receipts: unit['receipts'] }))
  traces.push(JSON.stringify(unit['traces']))
  if (blocks.length === blocksPerPart) await flush()
}
await flush()

let answers: string[] = []
for await (const line of linesOf(stateFile)) answers.push(answerLine(line))
for (; answers.length > 0; answers = answers.slice(answersPerPart))
  await appendFile(
    out,
    partBytes(
      { kind: partKinds.state, from: 0, until: 0 },
      answers.slice(0, answersPerPart),
      level,
    ),
  )

async function flush(): Promise<void> {
  if (blocks.length === 0) return
  const range = { from, until: from + blocks.length }
  await appendFile(out, partBytes({ kind: partKinds.blocks, ...range }, blocks, level))
  await appendFile(out, partBytes({ kind: partKinds.traces, ...range }, traces, level))
  from = range.until
  blocks = []
  traces = []
}

function answerLine(line: string): string {
  const { method, params, result } = objectOf(JSON.parse(line), 'state line')
  const target: unknown = Array.isArray(params) ? params[0] : undefined
  const key = stateKey(callOf(method, target))
  return JSON.stringify(result === undefined ? [key] : [key, result])
}

function callOf(method: unknown, target: unknown): StateCall {
  if (method !== 'eth_call' && method !== 'eth_getBalance' && method !== 'eth_getCode')
    throw new Error(`unexpected method: ${String(method)}`)
  if (typeof target === 'string') return { method, target }
  const call = objectOf(target, 'call')
  return { method, target: { to: String(call['to']), data: String(call['data']) } }
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file).pipe(createGunzip()) })
}
