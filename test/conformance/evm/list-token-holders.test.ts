/** Holders of every ERC-20 token of the demo chains, against the recorded node and the raw logs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toChecksumAddress } from '../../../src/core/address.ts'
import { fromHex, toBigint } from '../../../src/core/bytes.ts'
import { evmService } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { busiest, expectedTransfers } from './replay.ts'

const chain = 51002
const embedded = await evmService({ chains: [chain] })
const scaled = await evmService({
  chains: [chain],
  engine: 'postgres',
})

/** Source: WETH9; the wrapped coin logs these and no Transfer when coins become it or back. */
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const zero = `0x${'0'.repeat(40)}`

type Change = {
  readonly height: number
  readonly timestamp: number
  readonly token: string
  readonly holder: string
  readonly by: bigint
}

/** Every change of a balance in order of history. */
const changes: Change[] = expectedTransfers(chain)
  .filter(({ standard }) => standard === 20)
  .flatMap(({ height, timestamp, token, from, to, value = '0' }) => [
    { height, timestamp, token, holder: from, by: -BigInt(value) },
    { height, timestamp, token, holder: to, by: BigInt(value) },
  ])
const tokens = busiest(changes.map(({ token }) => token))
for (const { block, receipts } of rawChain(chain))
  for (const { address, topics, data } of receipts.flatMap(({ logs }) => logs)) {
    const sign = topics[0] === deposit ? 1n : topics[0] === withdrawal ? -1n : undefined
    if (sign === undefined || topics.length !== 2) continue
    changes.push({
      height: Number(block.number),
      timestamp: Number(block.timestamp),
      token: address.toLowerCase(),
      holder: `0x${topics[1]!.slice(-40)}`,
      by: sign * BigInt(data),
    })
  }
changes.sort((a, b) => a.height - b.height)

/** Balances of a token after the last block not younger than `time`. */
function balancesOf(token: string, time = Number.MAX_SAFE_INTEGER): Map<string, bigint> {
  const balances = new Map<string, bigint>()
  for (const change of changes) {
    if (change.token !== token || change.holder === zero || change.timestamp > time) continue
    balances.set(change.holder, (balances.get(change.holder) ?? 0n) + change.by)
  }
  return balances
}

/** Balances of a token now, as the recorded node has them, of every address in its logs. */
async function nodeBalances(token: string): Promise<[string, bigint][]> {
  const { state } = embedded.chains[0]!
  const { signal } = new AbortController()
  const names = [...balancesOf(token).keys()]
  const calls = names.map((holder) => ({
    to: fromHex(token),
    data: fromHex(`0x70a08231${holder.slice(2).padStart(64, '0')}`),
  }))
  const answers = await state.calls(calls, undefined, signal)
  return names.map((holder, at) => [holder, toBigint(answers[at] ?? new Uint8Array())])
}

const shown = (balances: Iterable<readonly [string, bigint]>): string[] =>
  [...balances].map(([holder, value]) => `${toChecksumAddress(fromHex(holder))} ${value}`).sort()

const listOf = (token: string): string => `/v2/chains/${chain}/contracts/${token}/balances`

for (const [engine, service] of Object.entries({ embedded, scaled })) {
  const holders = async (token: string, query: string): Promise<string[]> => {
    const rows = await service.readAll(`${listOf(token)}?${query}`, 'addresses')
    assert.equal(new Set(rows.map(({ address }) => address)).size, rows.length, 'each once')
    return rows.map(({ address, sortKey }) => `${address} ${sortKey}`).sort()
  }

  void test(`token holders: all of every token on ${engine}, also those who only deposited`, async () => {
    assert.ok(tokens.length >= 10)
    for (const token of tokens) {
      const wanted = shown((await nodeBalances(token)).filter(([, value]) => value > 0n))
      const query = 'compared=true&threshold=0&pageSize=7'
      assert.deepEqual(await holders(token, query), wanted, token)
      assert.deepEqual(await holders(token, 'compared=true'), wanted, token)
      const { headers } = await service.get(listOf(token))
      assert.equal(headers.get('x-balances'), 'compared at block 152')
    }
  })

  void test(`token holders: above a threshold means more than it, on ${engine}`, async () => {
    for (const token of tokens) {
      const balances = await nodeBalances(token)
      const values = balances.map(([, value]) => value).sort((a, b) => (a < b ? -1 : 1))
      const middle = values[Math.floor(values.length / 2)]!
      const threshold = middle < 0n ? 0n : middle
      const wanted = balances.filter(([, value]) => value > threshold)
      const query = `compared=true&threshold=${threshold}&pageSize=5`
      assert.deepEqual(await holders(token, query), shown(wanted))
    }
  })

  void test(`token holders: within a range of time whoever held enough once, on ${engine}`, async () => {
    const times = [...new Set(changes.map(({ timestamp }) => timestamp))].sort((a, b) => a - b)
    const start = times[Math.floor(times.length / 3)]!
    const end = times[Math.floor((times.length * 2) / 3)]!
    let gone = 0
    for (const token of tokens) {
      const moments = [start, ...times.filter((time) => time > start && time <= end)]
      const most = new Map<string, bigint>()
      for (const time of moments)
        for (const [holder, value] of balancesOf(token, time))
          if (value > (most.get(holder) ?? 0n)) most.set(holder, value)
      const last = balancesOf(token, end)
      // What somebody had left who once had more.
      const [left = 5n] = [...most].flatMap(([holder, value]) => {
        const own = last.get(holder) ?? 0n
        return own >= 0n && own < value ? [own] : []
      })
      const threshold = left
      const ever = [...most].flatMap(([holder, value]) => (value > threshold ? [holder] : []))
      gone += ever.filter((holder) => (last.get(holder) ?? 0n) <= threshold).length
      const wanted = ever.map((holder) => [holder, last.get(holder) ?? 0n] as const)
      const query = `threshold=${threshold}&startTimestamp=${start}&endTimestamp=${end}&pageSize=6`
      assert.deepEqual(await holders(token, query), shown(wanted), token)
    }
    assert.ok(gone > 0, 'some held enough once and not at the end')
  })
}

void test('token holders: an address that is no token has none, and errors name bad parameters', async () => {
  const { status, body } = await embedded.get(listOf(`0x${'11'.repeat(20)}`))
  assert.deepEqual([status, body], [200, { addresses: [] }])
  for (const [query, words] of [
    ['threshold=-1', /threshold/],
    ['threshold=0x5', /threshold/],
    ['pageSize=5001', /pageSize/],
    ['startTimestamp=soon', /startTimestamp/],
    ['pageToken=none', /pageToken/],
  ] as const) {
    const reply = await embedded.get(`${listOf(tokens[0]!)}?${query}`)
    assert.equal(reply.status, 400, query)
    assert.match(reply.body.message, words)
  }
})

provesOperations([embedded], ['getAddressesByBalanceOverTime'])
