/**
 * The node of `backfill.ts`: answers blocks and receipts of a file of lines, as bytes of the file.
 *
 * Started with the path; prints its port. Knows what an indexer without traces asks, one call or
 * many, and says of everything else that there is no such method.
 *
 * Started with a height as well, it admits to have the blocks up to there, and grows when it reads a
 * line `interval count`: `count` blocks, one each `interval` milliseconds. Each one it prints with
 * the time, by the machine's clock, from which on it has it.
 *
 * Started with milliseconds after that, it has traces too, each after so long, as a node that is
 * busy with executing the block; an empty word: it has none. With milliseconds after these it answers
 * one call after the other, each after so long, as an endpoint with a limit counts those of a batch.
 */

import { openSync, readSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

import { linesOf } from './lines-of.ts'
import { traceText } from './trace-text.ts'

/** Where the two values of a line lie: block, then receipts. */
type Place = { readonly start: number; readonly middle: number; readonly end: number }

type Call = { readonly id: unknown; readonly method: string; readonly params?: unknown }

const blockKey = '{"block":'
const receiptsKey = ',"receipts":'

const path = process.argv[2] ?? ''
const places: Place[] = []
const [traceMs, callMs] = process.argv
  .slice(4)
  .map((word) => (word === '' ? undefined : Number(word)))
const traces: Buffer[] = []
let offset = 0
for await (const line of linesOf(path)) {
  if (traceMs !== undefined) traces.push(traceText(JSON.parse(line.toString('latin1'))))
  const middle = offset + line.lastIndexOf(receiptsKey)
  places.push({ start: offset, middle, end: offset + line.length })
  offset += line.length + 1
}
const file = openSync(path, 'r')
let freeAt = 0
let head = Math.min(places.length - 1, Number(process.argv[3] ?? places.length))

createInterface({ input: process.stdin }).on('line', (line) => {
  const [interval = 0, count = 0] = line.split(' ').map(Number)
  const last = Math.min(head + count, places.length - 1)
  const timer = setInterval(() => {
    if (head === last) clearInterval(timer)
    else process.stdout.write(`head ${++head} ${Date.now()}\n`)
  }, interval)
})

const server = createServer((request, reply) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const asked = JSON.parse(Buffer.concat(parts).toString('latin1'))
    reply.setHeader('content-type', 'application/json')
    if (traceMs !== undefined && asked.method === 'debug_traceBlockByNumber')
      setTimeout(() => send(reply, asked), traceMs)
    else if (callMs === undefined) send(reply, asked)
    else {
      freeAt = Math.max(freeAt, performance.now()) + callMs * callsOf(asked)
      setTimeout(() => send(reply, asked), freeAt - performance.now())
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${port}\n`)
})

function callsOf(asked: Call | readonly Call[]): number {
  return 'method' in asked ? 1 : asked.length
}

function send(reply: ServerResponse, asked: Call | readonly Call[]): void {
  reply.end('method' in asked ? answer(asked) : listOf(asked.map(answer)))
}

function listOf(answers: readonly Buffer[]): Buffer {
  const parts = answers.flatMap((part, at) => [Buffer.from(at === 0 ? '[' : ','), part])
  return Buffer.concat([...parts, Buffer.from(']')])
}

function answer(call: Call): Buffer {
  const result = resultOf(call.method, Array.isArray(call.params) ? call.params : [])
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},`
  if (result === undefined)
    return Buffer.from(`${head}"error":{"code":-32601,"message":"no such method"}}`)
  return Buffer.concat([Buffer.from(`${head}"result":`), result, Buffer.from('}')])
}

function resultOf(method: string, params: readonly unknown[]): Buffer | undefined {
  const height =
    typeof params[0] === 'string' && params[0].startsWith('0x') ? Number(params[0]) : head
  const place = height > head ? undefined : places[height]
  switch (method) {
    case 'eth_chainId':
      return Buffer.from('"0x1e240"')
    case 'web3_clientVersion':
      return Buffer.from('"bench"')
    case 'eth_blockNumber':
      return Buffer.from(`"0x${head.toString(16)}"`)
    case 'eth_getBlockByNumber':
      return place && read(place.start + blockKey.length, place.middle)
    case 'eth_getBlockReceipts':
      return place && read(place.middle + receiptsKey.length, place.end - 1)
    case 'debug_traceBlockByNumber':
      return height > head ? undefined : traces[height]
    default:
      return undefined
  }
}

function read(from: number, until: number): Buffer {
  const bytes = Buffer.allocUnsafe(until - from)
  readSync(file, bytes, 0, bytes.length, from)
  return bytes
}
