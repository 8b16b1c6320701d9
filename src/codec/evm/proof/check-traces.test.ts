import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { fromHex } from '../../../core/bytes.ts'
import { callsOf, checkTraces } from './check-traces.ts'

const hash = `0x${'ab'.repeat(32)}`
const sender = `0x${'11'.repeat(20)}`

/** Of a refused deployment, as subnet-evm gives it: the tracer was never told of a call. */
const empty = {
  from: `0x${'0'.repeat(40)}`,
  gas: '0x0',
  gasUsed: '0xdbba0',
  input: '0x',
  type: 'STOP',
}

function check(frame: object, of: { isFailedCreation?: boolean; to?: string } = {}): void {
  const { isFailedCreation = true, to } = of
  const transaction = {
    hash: fromHex(hash),
    from: fromHex(sender),
    to: to === undefined ? undefined : fromHex(to),
    value: new Uint8Array(),
    gasUsed: 900_000,
    isFailedCreation,
  }
  checkTraces([{ txHash: hash, result: frame }], [transaction], { height: 5, gas: 'equal' })
}

void test('traces: a creation that was refused before it began has an empty frame, and no calls', () => {
  check(empty)
  check(empty, { to: `0x${'22'.repeat(20)}` })
  assert.deepEqual(callsOf({ txHash: hash, result: empty }, { most: 10, gas: 900_000 }), {
    calls: [],
    count: 0,
  })
})

void test('traces: what differs from that frame, or from such a creation, is refused', () => {
  assert.throws(() => check(empty, { isFailedCreation: false }), /sender of a trace/)
  assert.throws(() => check({ ...empty, gasUsed: '0xdbb9f' }), /gas used of a trace/)
  for (const change of [
    { from: `0x${'22'.repeat(20)}` },
    { gas: '0x1' },
    { input: '0x00' },
    { type: 'CREATE' },
    { to: sender },
    { value: '0x0' },
    { error: 'execution reverted' },
    { calls: [{ ...empty, type: 'CALL' }] },
  ])
    assert.throws(() => check({ ...empty, ...change }), /sender of a trace/, JSON.stringify(change))
  check({ ...empty, type: 'CREATE', from: sender, gas: '0xdbba0', input: '0x6000', value: '0x0' })
})

type Recorded = Readonly<Record<string, string>>
type RecordedBlock = {
  readonly block: { readonly number: string; readonly transactions: readonly Recorded[] }
  readonly receipts: readonly Recorded[]
  readonly traces: readonly { readonly txHash: string; readonly result: Recorded }[]
}

void test('traces: those of a node whose chain has every allow list are taken, block by block', () => {
  const file = new URL('../../../../vectors/evm/allow-lists.json', import.meta.url)
  const { blocks } = JSON.parse(readFileSync(file, 'utf8')) as { blocks: RecordedBlock[] }
  const errors: string[] = []
  for (const { block, receipts, traces } of blocks) {
    const transactions = block.transactions.map(
      ({ hash: id = '', from = '', to, value = '' }, at) => {
        const { status, gasUsed = '', contractAddress } = receipts[at] ?? {}
        const receiver = to ?? contractAddress
        const hex = value === '0x0' ? '' : value.slice(2)
        return {
          hash: fromHex(id),
          from: fromHex(from),
          to: receiver ? fromHex(receiver) : undefined,
          value: fromHex(hex.padStart(hex.length + (hex.length % 2), '0')),
          gasUsed: Number(gasUsed),
          isFailedCreation: status === '0x0' && to === null,
        }
      },
    )
    checkTraces(traces, transactions, { height: Number(block.number), gas: 'equal' })
    for (const [at, trace] of traces.entries()) {
      const isFailed = receipts[at]?.['status'] === '0x0'
      const { calls, count } = callsOf(trace, { most: 10, gas: Number(receipts[at]?.['gasUsed']) })
      assert.equal(count === 0, isFailed && trace.result['from'] === `0x${'0'.repeat(40)}`)
      for (const { isReverted } of calls) assert.equal(isReverted, isFailed)
      if (isFailed) errors.push(calls[0]?.error ?? 'never entered')
    }
  }
  const refused = /^cannot modify allow list/
  const kinds = errors.map((error) => (refused.test(error) ? 'refused' : error))
  assert.deepEqual(kinds, [
    'never entered',
    'out of gas',
    'invalid opcode: INVALID',
    ...Array.from({ length: 5 }, () => 'refused'),
  ])
})

// Answers of anvil 1.7.1 to debug_traceBlockByNumber for a block of three transactions, and their receipts.
void test("traces: gas that anvil counts from the first transaction of the block on is each one's own", () => {
  const frameOf = (gasUsed: number): object => {
    const amounts = { gas: '0x30000', gasUsed: `0x${gasUsed.toString(16)}`, value: '0x0' }
    return { type: 'CALL', from: sender, to: sender, input: '0x', ...amounts }
  }
  const own = [43_247, 26_147, 21_335]
  const transactions = own.map((gasUsed) => ({
    hash: fromHex(hash),
    from: fromHex(sender),
    to: fromHex(sender),
    value: new Uint8Array(),
    isFailedCreation: false,
    gasUsed,
  }))
  const of = { height: 5, gas: 'equal' } as const
  const given = [43_247, 69_394, 90_729].map((gas) => ({ txHash: hash, result: frameOf(gas) }))
  const checked = checkTraces(given, transactions, of)
  assert.deepEqual(
    checked.map(({ result }) => result),
    own.map(frameOf),
  )
  for (const [at, trace] of given.entries()) {
    const { calls } = callsOf(trace, { most: 1, gas: own[at] ?? 0 })
    assert.equal(calls[0]?.gasUsed, String(own[at]))
  }
  const other = given.with(2, { txHash: hash, result: frameOf(90_730) })
  assert.throws(() => checkTraces(other, transactions, of), /gas used of a trace/)
})
