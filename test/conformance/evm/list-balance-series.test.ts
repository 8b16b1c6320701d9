/** Balances at regular moments: of exact tokens what raw logs add up to, else what a node tells. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { StateReader } from '../../../src/api/operation/chain-directory.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { addressId } from '../../../src/store/query/evm/addresses.ts'
import { token } from '../../../src/store/schema/evm.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import { type EvmService, evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { busiest, expectedTransfers } from './replay.ts'

const chain = 51002
const raw = rawChain(chain)
const endSeconds = Number(raw.at(-1)?.block.timestamp)
const clock = manualClock(endSeconds * 1_000)
const zero = `0x${'0'.repeat(40)}`
const transfers = expectedTransfers(chain).filter(({ standard }) => standard === 20)

/** Sum of the transfers of a token for a holder after a block. */
function summed(contract: string, holder: string, height: number): bigint {
  let sum = 0n
  for (const { token: of, from, to, value = '0', height: at } of transfers) {
    if (of !== contract || at > height) continue
    if (to === holder) sum += BigInt(value)
    if (from === holder) sum -= BigInt(value)
  }
  return sum
}

/**
 * Returns whether nobody but the zero address ever gives more than it has; `own` is in the order of
 * logs.
 */
function neverNegative(own: typeof transfers): boolean {
  const held = new Map<string, bigint>()
  return own.every(({ from, to, value = '0' }) => {
    held.set(from, (held.get(from) ?? 0n) - BigInt(value))
    held.set(to, (held.get(to) ?? 0n) + BigInt(value))
    return from === zero || (held.get(from) ?? 0n) >= 0n
  })
}

/** A token whose transfers never leave anybody with less than nothing, and who moved most of it. */
const [contract = '', holder = ''] = busiest(transfers.map(({ token: of }) => of)).flatMap((of) => {
  const own = transfers.filter(({ token: each }) => each === of)
  const people = busiest(own.flatMap(({ from, to }) => [from, to])).filter((who) => who !== zero)
  const isSound = neverNegative(own)
  return isSound && own.length > 5 ? [of, people[0] ?? ''] : []
})

/** Nodes as they are: the state of the newest block only, or of every block. */
const pruned = await evmService({ chains: [chain], parts: { clock }, state: prunedState })
const archive = await evmService({ chains: [chain], parts: { clock }, state: archiveState })
const scaled = await evmService({
  chains: [chain],
  engine: 'postgres',
  parts: { clock },
  state: archiveState,
})

function prunedState(own: StateReader): StateReader {
  const newest = (height: number | undefined): number | undefined =>
    height === raw.length - 1 ? undefined : height
  return {
    ...own,
    balance: (address, height, signal) => own.balance(address, newest(height), signal),
    calls: (calls, height, signal) => own.calls(calls, newest(height), signal),
  }
}

/** Its coins are the heights: a point read at another block would show. */
function archiveState(own: StateReader): StateReader {
  return {
    ...own,
    balance: async (_address, height) => BigInt(height ?? -1),
    calls: async (calls, height) =>
      calls.map(() =>
        fromHex(
          `0x${summed(contract, holder, height ?? -1)
            .toString(16)
            .padStart(64, '0')}`,
        ),
      ),
  }
}

async function markInexact({ chains }: EvmService): Promise<void> {
  const [{ store }] = chains as [EvmService['chains'][number]]
  const id = await addressId(store, fromHex(contract))
  await store.transaction((writer) => writer.update(token, { id: [id ?? 0], inexact_height: [1] }))
}

/** The last block that is not younger than a moment. */
function blockAt(seconds: number): number {
  return raw.findLastIndex(({ block }) => Number(block.timestamp) <= seconds)
}

const first = Number(raw[0]?.block.timestamp)
const path = `/v1/chains/${chain}/addresses/${holder}/balances:listSeries`
const whole = `?startTimestamp=${first}&timeInterval=day&contractAddresses=${contract}`

void test('balance series: logs of an exact token and a node of every block, on both engines', async () => {
  for (const service of [archive, scaled]) {
    const { status, body, headers } = await service.get(path + whole)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.notTold, undefined)
    assert.equal(headers.get('x-indexed-height'), String(raw.length - 1))
    assert.ok(body.series.length > 1)
    const seen = new Set<string>()
    for (const { timestamp, blockNumber, nativeBalance, erc20Balances } of body.series) {
      const height = blockAt(timestamp)
      assert.equal(blockNumber, String(height))
      assert.equal(nativeBalance, String(height))
      const [{ contractAddress, balance }] = erc20Balances
      assert.equal(contractAddress.toLowerCase(), contract)
      assert.equal(balance, String(summed(contract, holder, height)))
      seen.add(balance)
    }
    assert.ok(seen.size > 1, 'the balance moved')
    assert.equal(body.series.at(-1).timestamp, endSeconds)
  }
})

void test('balance series: balances that logs do not show come from a node, and are absent where no node has them', async () => {
  const { body: logged, headers } = await pruned.get(path + whole)
  assert.match(String(headers.get('x-balances')), /^from logs until block /)
  for (const { timestamp, erc20Balances } of logged.series)
    assert.equal(erc20Balances[0].balance, String(summed(contract, holder, blockAt(timestamp))))
  await markInexact(pruned)
  const { body: theirs } = await pruned.get(path + whole)
  for (const { blockNumber, nativeBalance, erc20Balances } of theirs.series) {
    const isNewest = Number(blockNumber) === raw.length - 1
    assert.equal(nativeBalance !== undefined, isNewest)
    assert.equal(erc20Balances[0].balance !== undefined, isNewest)
  }
  assert.deepEqual(theirs.notTold.map((text: Json) => text.split(':')[0]).toSorted(), [
    `balance of ${theirs.series[0].erc20Balances[0].contractAddress}`,
    'nativeBalance',
  ])
  const now = await pruned.get(`/v1/chains/${chain}/addresses/${holder}/balances:getNative`)
  assert.equal(theirs.series.at(-1).nativeBalance, now.body.nativeTokenBalance.balance)
})

void test('balance series: unknown tokens and too many points are refused', async () => {
  const noToken = await archive.get(`${path}?contractAddresses=0x${'11'.repeat(20)}`)
  assert.equal(noToken.status, 404)
  const many = await archive.get(`${path}?timeInterval=hour&startTimestamp=1`)
  assert.equal(many.status, 400)
  assert.match(many.body.message, /at most this many points: 100/)
  const wrong = await archive.get(`${path}?contractAddresses=0x12`)
  assert.match(wrong.body.message, /contractAddresses/)
})

provesOperations([archive], ['listEvmBalanceSeries'])
