/** Forty ways in which a node's reply about a block can be false, each made from a true reply. */

import { objectOf } from '../../src/codec/evm/raw.ts'

type Fields = Record<string, unknown>
type Draw = () => number

/** Changes one reply; gives it back equal where it has nothing of the kind. */
export type Change = (reply: unknown, draw: Draw) => unknown

/** A kind of lie, and the reply it changes. */
export type LieKind = {
  readonly name: string
  readonly method: 'block' | 'receipts' | 'traces'
  readonly change: Change
  /** True where only a second endpoint could tell: nothing in the block commits to it. */
  readonly isUnseen?: true
}

/** All kinds. */
export const lieKinds: readonly LieKind[] = [
  ...headerLies(),
  ...transactionLies(),
  ...receiptLies(),
  ...replyLies(),
  ...traceLies(),
]

function headerLies(): LieKind[] {
  const field = (name: string, change: (value: unknown, draw: Draw) => unknown): LieKind => ({
    name: `header: ${name}`,
    method: 'block',
    change: (reply, draw) => {
      const block = fields(reply)
      return name in block ? { ...block, [name]: change(block[name], draw) } : block
    },
  })
  return [
    field('timestamp', more),
    field('gasUsed', more),
    field('gasLimit', more),
    field('baseFeePerGas', more),
    field('miner', digit),
    field('parentHash', digit),
    field('stateRoot', digit),
    field('transactionsRoot', digit),
    field('receiptsRoot', digit),
    field('logsBloom', digit),
    field('nonce', digit),
    field('mixHash', digit),
    field('hash', digit),
    field('number', more),
  ]
}

function transactionLies(): LieKind[] {
  const field = (name: string, change: (value: unknown, draw: Draw) => unknown): LieKind => ({
    name: `transaction: ${name}`,
    method: 'block',
    change: inTransactions((tx, draw) =>
      typeof tx[name] === 'string' ? { ...tx, [name]: change(tx[name], draw) } : tx,
    ),
  })
  return [
    field('from', digit),
    field('to', digit),
    field('value', more),
    field('input', digit),
    field('nonce', more),
    field('gas', more),
    field('hash', digit),
    field('r', digit),
  ]
}

function receiptLies(): LieKind[] {
  const field = (name: string, change: (value: unknown, draw: Draw) => unknown): LieKind => ({
    name: `receipt: ${name}`,
    method: 'receipts',
    change: inReceipts((receipt, draw) =>
      typeof receipt[name] === 'string'
        ? { ...receipt, [name]: change(receipt[name], draw) }
        : receipt,
    ),
  })
  const logs = (name: string, change: (logs: Fields[], draw: Draw) => Fields[]): LieKind => ({
    name: `log: ${name}`,
    method: 'receipts',
    change: inReceipts((receipt, draw) => ({
      ...receipt,
      logs: change(listOf(receipt['logs']), draw),
    })),
  })
  return [
    field('status', (status) => (status === '0x1' ? '0x0' : '0x1')),
    field('gasUsed', more),
    field('cumulativeGasUsed', more),
    field('effectiveGasPrice', more),
    field('contractAddress', digit),
    field('from', digit),
    field('transactionHash', digit),
    logs('dropped', (all) => all.slice(0, -1)),
    logs('listed twice', (all) => [...all, ...all.slice(-1)]),
    logs('in another order', reordered),
    logs('address', (all, draw) =>
      oneOf(all, draw, (log) => ({ ...log, address: digit(log['address'], draw) })),
    ),
    logs('amount', (all, draw) =>
      oneOf(all, draw, (log) => ({ ...log, data: digit(log['data'], draw) })),
    ),
    logs('topic', (all, draw) =>
      oneOf(all, draw, (log) => {
        const topics = Array.isArray(log['topics']) ? log['topics'] : []
        return {
          ...log,
          topics: topics.map((topic, at) =>
            at === topics.length - 1 ? digit(topic, draw) : topic,
          ),
        }
      }),
    ),
  ]
}

function replyLies(): LieKind[] {
  return [
    {
      name: 'reply: a transaction left out',
      method: 'block',
      change: (reply) => {
        const block = fields(reply)
        return { ...block, transactions: listOf(block['transactions']).slice(0, -1) }
      },
    },
    {
      name: 'reply: a receipt left out',
      method: 'receipts',
      change: (reply) => listOf(reply).slice(0, -1),
    },
    {
      name: 'reply: receipts in another order',
      method: 'receipts',
      change: (reply) => listOf(reply).toReversed(),
    },
    { name: 'reply: a flipped digit in a block', method: 'block', change: flippedDigit },
    { name: 'reply: a flipped digit in receipts', method: 'receipts', change: flippedDigit },
    { name: 'reply: another kind of value', method: 'receipts', change: () => 'none' },
  ]
}

function traceLies(): LieKind[] {
  const top = (name: string, change: (value: unknown, draw: Draw) => unknown): LieKind => ({
    name: `trace: ${name} of the transaction`,
    method: 'traces',
    change: inTraces((frame, draw) =>
      typeof frame[name] === 'string' ? { ...frame, [name]: change(frame[name], draw) } : frame,
    ),
  })
  return [
    top('from', digit),
    top('to', digit),
    top('value', more),
    {
      name: 'trace: one left out',
      method: 'traces',
      change: (reply) => listOf(reply).slice(0, -1),
    },
    {
      name: 'trace: value of an inner call',
      method: 'traces',
      isUnseen: true,
      change: inTraces((frame, draw) => {
        const calls = Array.isArray(frame['calls']) ? frame['calls'].map(fields) : []
        const changed = oneOf(calls, draw, (call) =>
          typeof call['value'] === 'string' ? { ...call, value: more(call['value']) } : call,
        )
        return calls.length === 0 ? frame : { ...frame, calls: changed }
      }),
    },
  ]
}

function inTransactions(change: (tx: Fields, draw: Draw) => Fields): Change {
  return (reply, draw) => {
    const block = fields(reply)
    const transactions = oneOf(listOf(block['transactions']), draw, (tx) => change(tx, draw))
    return { ...block, transactions }
  }
}

function inReceipts(change: (receipt: Fields, draw: Draw) => Fields): Change {
  return (reply, draw) => oneOf(listOf(reply), draw, (receipt) => change(receipt, draw))
}

function inTraces(change: (frame: Fields, draw: Draw) => Fields): Change {
  return (reply, draw) =>
    oneOf(listOf(reply), draw, (each) => ({
      ...each,
      result: change(fields(each['result']), draw),
    }))
}

function oneOf(list: readonly Fields[], draw: Draw, change: (one: Fields) => Fields): Fields[] {
  const chosen = Math.floor(draw() * list.length)
  return list.map((one, at) => (at === chosen ? change(one) : one))
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...objectOf(value, 'reply') } : {}
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : []
}

/** The content of the logs in reverse, each in the place of the other. */
function reordered(logs: readonly Fields[]): Fields[] {
  return logs.map((log, at) => {
    const other = logs[logs.length - 1 - at]
    return { ...log, address: other?.['address'], topics: other?.['topics'], data: other?.['data'] }
  })
}

function more(quantity: unknown): string {
  return `0x${(BigInt(String(quantity)) + 1n).toString(16)}`
}

/** One digit changed, by one bit. */
function digit(hex: unknown, draw: Draw): string {
  const text = String(hex)
  if (!/^0x[0-9a-f]+$/i.test(text)) return text
  const at = 2 + Math.floor(draw() * (text.length - 2))
  const changed = (Number.parseInt(text.charAt(at), 16) ^ 1).toString(16)
  return `${text.slice(0, at)}${changed}${text.slice(at + 1)}`
}

/** One digit of one long value anywhere in the reply, as a bit flipped on the way would. */
function flippedDigit(reply: unknown, draw: Draw): unknown {
  const text = JSON.stringify(reply)
  const places = [...text.matchAll(/"0x[0-9a-f]{8,}"/g)].map(({ index }) => index)
  const from = places[Math.floor(draw() * places.length)]
  if (from === undefined) return reply
  const at = from + 3 + Math.floor(draw() * 8)
  const changed = (Number.parseInt(text.charAt(at), 16) ^ 1).toString(16)
  const parsed: unknown = JSON.parse(`${text.slice(0, at)}${changed}${text.slice(at + 1)}`)
  return parsed
}
