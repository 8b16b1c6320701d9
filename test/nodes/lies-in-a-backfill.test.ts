/**
 * A node that lies in one of twenty replies while an honest one is beside it: what is handed on
 * during a backfill is what the honest one says, whatever is altered and wherever the head is.
 *
 * Each lie agrees with itself as far as one reply goes; only hashes, and what the other reply about
 * the same block says, can tell.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { type Lie, ran } from '../support/nodes/bad-node.ts'
import { drawsOf } from '../support/processes/draws.ts'

type Fields = Record<string, unknown>

/** Changes one reply, or gives it back where it has nothing of the kind. */
type Kind = (reply: unknown, draw: () => number) => unknown

const kinds: Readonly<Record<string, readonly [method: 'block' | 'receipts' | 'traces', Kind]>> = {
  time: ['block', (block) => ({ ...fields(block), timestamp: more(fields(block)['timestamp']) })],
  'log dropped': ['receipts', inReceipts((receipt) => ({ logs: logsOf(receipt).slice(0, -1) }))],
  amount: ['receipts', inLogs((log) => ({ data: digitChanged(log['data'], -1) }))],
  sender: ['block', inTxs(() => ({ from: `0x${'5e'.repeat(20)}` }))],
  gas: ['receipts', inReceipts((receipt) => ({ gasUsed: more(receipt['gasUsed']) }))],
  'gas price': [
    'receipts',
    inReceipts((receipt) => ({ effectiveGasPrice: more(receipt['effectiveGasPrice']) })),
  ],
  'created contract': [
    'receipts',
    inReceipts(({ contractAddress }) => ({
      contractAddress: contractAddress === null ? `0x${'c0'.repeat(20)}` : null,
    })),
  ],
  'log order': ['receipts', inReceipts((receipt) => ({ logs: swapped(logsOf(receipt)) }))],
  'flipped digit': ['receipts', flippedDigit],
  value: ['block', inTxs((tx) => ({ value: more(tx['value']) }))],
  status: ['receipts', inReceipts(({ status }) => ({ status: status === '0x1' ? '0x0' : '0x1' }))],
  'flipped bit': ['block', flippedDigit],
  'trace dropped': ['traces', (traces) => listOf(traces).slice(0, -1)],
  'trace of another transaction': ['traces', inTraces({ txHash: `0x${'77'.repeat(32)}` })],
  'sender of a trace': ['traces', inTops(() => ({ from: `0x${'5e'.repeat(20)}` }))],
  'receiver of a trace': ['traces', inTops(() => ({ to: `0x${'5e'.repeat(20)}` }))],
  'value of a trace': ['traces', inTops(({ value }) => ({ value: more(value ?? '0x0') }))],
  'gas of a trace': ['traces', inTops(({ gasUsed }) => ({ gasUsed: more(gasUsed) }))],
}

for (const [name, [method, change]] of Object.entries(kinds))
  void test(`one reply of twenty lies in a backfill, ${name}: nothing of it is stored`, async () => {
    let lies = 0
    for (let seed = 1; lies < 2; seed++) {
      assert.ok(seed < 40, 'the seeds tell lies')
      const draw = drawsOf(seed).number
      const lie: Lie = (call, result) => {
        if (call.params[1] === false || methodOf(call.method) !== method) return result
        if (result === null || Number(call.params[0]) === 0 || draw() > 0.05) return result
        const before = JSON.stringify(result)
        const changed = change(structuredClone(result), draw)
        if (JSON.stringify(changed) !== before) lies++
        return changed
      }
      const run = await ran({ lie, honest: true })
      run.isWhole()
    }
  })

function methodOf(method: string): string {
  if (method === 'eth_getBlockByNumber') return 'block'
  if (method === 'debug_traceBlockByNumber') return 'traces'
  return method === 'eth_getBlockReceipts' ? 'receipts' : ''
}

function fields(value: unknown): Fields {
  return { ...objectOf(value, 'reply') }
}

function inTxs(change: (tx: Fields) => Fields): Kind {
  return (reply, draw) => {
    const block = fields(reply)
    return { ...block, transactions: oneChanged(listOf(block['transactions']), change, draw) }
  }
}

function inTraces(change: Fields): Kind {
  return (reply, draw) => oneChanged(listOf(reply), () => change, draw)
}

/** Changes the top frame of one trace. */
function inTops(change: (frame: Fields) => Fields): Kind {
  return (reply, draw) =>
    oneChanged(
      listOf(reply),
      ({ result }) => ({ result: { ...fields(result), ...change(fields(result)) } }),
      draw,
    )
}

function inReceipts(change: (receipt: Fields) => Fields): Kind {
  return (reply, draw) => oneChanged(listOf(reply), change, draw)
}

function inLogs(change: (log: Fields) => Fields): Kind {
  return (reply, draw) => {
    const receipts = listOf(reply)
    const withLogs = receipts.filter((receipt) => logsOf(receipt).length > 0)
    const chosen = withLogs[Math.floor(draw() * withLogs.length)]
    return receipts.map((receipt) =>
      receipt === chosen
        ? { ...receipt, logs: oneChanged(logsOf(receipt), change, draw) }
        : receipt,
    )
  }
}

function oneChanged(
  list: readonly Fields[],
  change: (one: Fields) => Fields,
  draw: () => number,
): Fields[] {
  const chosen = Math.floor(draw() * list.length)
  return list.map((one, at) => (at === chosen ? { ...one, ...change(one) } : one))
}

function listOf(value: unknown): Fields[] {
  assert.ok(Array.isArray(value))
  return value.map(fields)
}

function logsOf(receipt: Fields): Fields[] {
  return listOf(receipt['logs'])
}

/** The content of two logs, each in the place of the other. */
function swapped(logs: readonly Fields[]): Fields[] {
  return logs.map((log, at) => {
    const other = logs[logs.length - 1 - at]
    return { ...log, address: other?.['address'], topics: other?.['topics'], data: other?.['data'] }
  })
}

function more(quantity: unknown): string {
  return `0x${(BigInt(String(quantity)) + 1n).toString(16)}`
}

function digitChanged(hex: unknown, at: number): string {
  const text = String(hex)
  if (text.length < 3) return text
  return `${text.slice(0, at)}${text.at(at) === '7' ? '8' : '7'}`
}

/** One digit of one long value anywhere in the reply, as a bit flipped on the way would. */
function flippedDigit(reply: unknown, draw: () => number): unknown {
  const text = JSON.stringify(reply)
  const places = [...text.matchAll(/"0x[0-9a-f]{8,}"/g)].map(({ index }) => index)
  const from = places[Math.floor(draw() * places.length)]
  if (from === undefined) return reply
  const at = from + 3 + Math.floor(draw() * 8)
  const digit = (Number.parseInt(text.charAt(at), 16) ^ 1).toString(16)
  const changed: unknown = JSON.parse(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`)
  return changed
}
