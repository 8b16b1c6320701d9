import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { StateReader } from '../../../src/api/operation/chain-directory.ts'
import { fromHex, to0x, toBigint, toHex } from '../../../src/core/bytes.ts'
import { newTokens } from '../../../src/indexing/evm/write/transfer-rows.ts'
import { statement } from '../../../src/store/engine/database.ts'
import { addressId } from '../../../src/store/query/evm/addresses.ts'
import { balance, token } from '../../../src/store/schema/evm.ts'
import { type EvmService, evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { busiest, expectedTransfers, sample } from './replay.ts'

const chain = 51002
const zeroAddress = `0x${'0'.repeat(40)}`
const transfers = expectedTransfers(chain).filter(({ standard }) => standard === 20)
const holders = busiest(transfers.flatMap(({ from, to }) => [from, to])).filter(
  (address) => address !== zeroAddress,
)
const tokens = busiest(transfers.map(({ token: address }) => address))
/** The wrapped coin, and who turned coins into it or back: no Transfer is logged for that. */
const wrapped = '0x610178da211fef7d417bc0e6fed39f05609ad788'
const wrappers = new Set(
  rawChain(chain)
    .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
    .filter(({ address, topics }) => address.toLowerCase() === wrapped && topics.length === 2)
    .map(({ topics }) => `0x${topics[1]!.slice(-40)}`),
)
const listOf = (address: string): string =>
  `/v1/chains/${chain}/addresses/${address}/balances:listErc20`

/** As the recording has it: state of the last block only. */
const service = await evmService({ chains: [chain] })

/**
 * A node that also has the native balances of the past, and records its calls. Its past
 * native balances are one made-up number: no test compares them with anything else.
 */
const calls: { to: string; height: number | undefined }[] = []
const pastBalance = 77n
const archive = await evmService({
  chains: [chain],
  state: (own: StateReader): StateReader => ({
    ...own,
    balance: async (address, height, signal) =>
      height === undefined ? own.balance(address, height, signal) : pastBalance,
    calls: async (batch, height, signal) => {
      for (const { to } of batch) calls.push({ to: toHex(to), height })
      return own.calls(batch, height, signal)
    },
  }),
})

/** `balanceOf` at the node after the last block. */
async function nodeBalance(contract: string, holder: string): Promise<bigint | undefined> {
  const data = fromHex(`0x70a08231${holder.slice(2).padStart(64, '0')}`)
  const answer = await service.chains[0]!.state.call(
    fromHex(contract),
    data,
    undefined,
    new AbortController().signal,
  )
  return answer === undefined ? undefined : toBigint(answer)
}

/** Marks a token as one whose logs do not tell its balances. */
async function markInexact(target: EvmService, contract: string): Promise<void> {
  const { store } = target.chains[0]!
  const id = (await addressId(store, fromHex(contract))) ?? 0
  await store.transaction((writer) => writer.update(token, { id: [id], inexact_height: [1] }))
}

const byAddress = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1)
const plain = (items: readonly Json[]): [string, string][] =>
  items.map((item): [string, string] => [item.address.toLowerCase(), item.balance]).sort(byAddress)

async function expectedNow(holder: string, among = tokens): Promise<[string, string][]> {
  const touched = new Set(
    transfers.flatMap((row) => (row.from === holder || row.to === holder ? [row.token] : [])),
  )
  if (wrappers.has(holder)) touched.add(wrapped)
  const held: [string, string][] = []
  for (const contract of among) {
    if (!touched.has(contract)) continue
    const balance = await nodeBalance(contract, holder)
    if (balance !== undefined && balance > 0n) held.push([contract, balance.toString()])
  }
  return held.sort(byAddress)
}

void test('balances: now, every token held with the balance of its contract', async () => {
  for (const holder of sample(holders, 15)) {
    const items = await service.readAll(
      `${listOf(holder)}?filterSpamTokens=false&pageSize=3`,
      'erc20TokenBalances',
    )
    assert.deepEqual(plain(items), await expectedNow(holder), holder)
    const { headers } = await service.get(`${listOf(holder)}?filterSpamTokens=false`)
    const said = items.length > 0 ? 'compared at block 152' : 'from logs until block 152'
    assert.equal(headers.get('x-balances'), said)
  }
})

void test('balances: the native one is on every page, as the node tells it', async () => {
  const holder = holders[0]!
  const first = await service.get(`${listOf(holder)}?pageSize=1`)
  const second = await service.get(
    `${listOf(holder)}?pageSize=1&pageToken=${first.body.nextPageToken}`,
  )
  assert.deepEqual(second.body.nativeTokenBalance, first.body.nativeTokenBalance)
  const own = await service.chains[0]!.state.balance(
    fromHex(holder),
    undefined,
    new AbortController().signal,
  )
  assert.equal(first.body.nativeTokenBalance.balance, own.toString())
  assert.equal(first.body.nativeTokenBalance.chainId, String(chain))
})

void test('balances: spam is left out unless the request includes it', async () => {
  const spam = new Set([
    '0xb7f8bc63bbcad18155201308c8f3540b07f84f5e',
    '0xa51c1fc2f0d1a1b8494ed1fe312d7c3a78ed91c0',
    '0x0dcd1bf9a1b36ce34237eeafef220932846bcd82',
  ])
  let hidden = 0
  for (const holder of holders.slice(0, 60)) {
    const all = await service.readAll(
      `${listOf(holder)}?filterSpamTokens=false`,
      'erc20TokenBalances',
    )
    const kept = await service.readAll(listOf(holder), 'erc20TokenBalances')
    const isSpam = ({ address }: Json): boolean => spam.has(address.toLowerCase())
    hidden += all.filter(isSpam).length
    assert.deepEqual(
      kept,
      all.filter((item) => !isSpam(item)),
      holder,
    )
  }
  assert.ok(hidden > 0, 'somebody was sent spam')
})

void test('balances: contractAddresses keeps the named ones, blanks and doubles allowed', async () => {
  const holder = holders[0]!
  const [one, two] = (await expectedNow(holder)).map(([address]) => address)
  const list = [one, ` ${two!.toUpperCase().replace('0X', '0x')}`, '', one, `0x${'ab'.repeat(20)}`]
  const path = `${listOf(holder)}?filterSpamTokens=false&contractAddresses=${encodeURIComponent(list.join(','))}`
  const { body } = await service.get(path)
  assert.deepEqual(plain(body.erc20TokenBalances), await expectedNow(holder, [one!, two!]))
  const bad = await service.get(`${listOf(holder)}?contractAddresses=0x12`)
  assert.equal(bad.status, 400)
  const many = Array.from({ length: 101 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
  const tooMany = await service.get(`${listOf(holder)}?contractAddresses=${many.join(',')}`)
  assert.equal(tooMany.status, 400)
})

void test('balances: addresses that are no tokens hide none of the tokens named with them', async () => {
  // A row is made up in tables, where none of a frozen height is.
  const own = await evmService({ chains: [chain], frozen: [] })
  const { store } = own.chains[0]!
  const holder = holders[0]!
  const [id, bytes] = (await store.get(
    statement('select id, bytes from address order by id desc limit 1'),
  ))!
  // The recorded tokens are all older than the accounts: one of the last address is made up.
  const zero = [0]
  const key = { address_id: [(await addressId(store, fromHex(holder))) ?? 0], token_id: [id!] }
  await store.transaction(async (writer) => {
    await writer.insert(token, newTokens([{ id: Number(id), standard: 20, height: 0 }]))
    await writer.insert(balance, {
      ...key,
      height: zero,
      value: [Uint8Array.of(9)],
      negative: zero,
    })
  })
  const loggers = new Set(
    rawChain(chain)
      .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
      .map(({ address }) => address.toLowerCase()),
  )
  const last = to0x(bytes as Uint8Array)
  const others = holders.filter((address) => !loggers.has(address) && address !== last)
  const named = [...others.slice(0, 63), last].join(',')
  const items = await own.readAll(
    `${listOf(holder)}?filterSpamTokens=false&pageSize=1&contractAddresses=${named}`,
    'erc20TokenBalances',
  )
  assert.deepEqual(plain(items), [[last, '9']])
})

void test('balances: a page may hold 500, not 501', async () => {
  assert.equal((await service.get(`${listOf(holders[0]!)}?pageSize=500`)).status, 200)
  const { status, body } = await service.get(`${listOf(holders[0]!)}?pageSize=501`)
  assert.equal(status, 400)
  assert.equal(body.message, 'pageSize must be an integer from 1 to 500: 501')
})

void test('balances: in the past, where no node has the state, they come from logs, and the answer says so', async () => {
  // Their state is the sum of their logs: ordinary tokens. The others make or take silently.
  const exact = [
    '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
    '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
    '0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9',
  ]
  for (const holder of sample(holders, 6)) {
    for (const height of [0, 4, 40, 99, 151]) {
      const path = `${listOf(holder)}?blockNumber=${height}&contractAddresses=${exact.join(',')}`
      const { headers } = await archive.get(path)
      assert.equal(headers.get('x-balances'), `from logs until block ${height}`)
      const items = await archive.readAll(`${path}&pageSize=2`, 'erc20TokenBalances')
      const sums = new Map<string, bigint>()
      for (const row of transfers) {
        if (row.height > height || !exact.includes(row.token)) continue
        const before = sums.get(row.token) ?? 0n
        const value = BigInt(row.value ?? '0')
        const change = (row.to === holder ? value : 0n) - (row.from === holder ? value : 0n)
        sums.set(row.token, before + change)
      }
      const wanted = [...sums]
        .filter(([, sum]) => sum !== 0n)
        .map(([key, sum]): [string, string] => [key, String(sum)])
      assert.deepEqual(plain(items), wanted.sort(byAddress), `${holder} at ${height}`)
    }
  }
})

void test('balances: in the past, a token whose logs do not show them is read from the node or refused', async () => {
  const holder = holders[0]!
  const rebase = '0x8a791620dd6260079bf849dc5567adc3f2fdc318'
  await markInexact(archive, rebase)
  calls.length = 0
  const { status, body, headers } = await archive.get(
    `${listOf(holder)}?blockNumber=100&contractAddresses=${rebase}`,
  )
  assert.deepEqual(calls, [{ to: rebase.slice(2), height: 100 }])
  assert.equal(status, 503)
  assert.match(body.message, /recording has state at height 152 only/)
  assert.ok(Number(headers.get('retry-after')) > 0)
})

void test('balances: a native balance no node can tell is 503, never left out or guessed', async () => {
  const { status, body } = await service.get(`${listOf(holders[0]!)}?blockNumber=100`)
  assert.equal(status, 503)
  assert.equal(body.error, 'Service Unavailable')
})

void test('balances: one that a recording does not have is 503, and the error names it', async () => {
  const stranger = `0x${'12'.repeat(20)}`
  const { status, body } = await service.get(listOf(stranger))
  assert.equal(status, 503)
  assert.equal(body.message, `the recording does not hold the balance of ${stranger}`)
})

void test('balances: a block that is not indexed yet is 404', async () => {
  const { status, body } = await service.get(`${listOf(holders[0]!)}?blockNumber=153`)
  assert.equal(status, 404)
  assert.equal(body.message, 'block is not known here, the newest is 152: 153')
  assert.equal((await service.get(`${listOf(holders[0]!)}?blockNumber=-1`)).status, 400)
  assert.equal((await service.get(`${listOf(holders[0]!)}?blockNumber=0x10`)).status, 400)
})

void test('balances: the last block by number is the same as now', async () => {
  const now = await service.get(`${listOf(holders[3]!)}?pageSize=500`)
  const last = await service.get(`${listOf(holders[3]!)}?pageSize=500&blockNumber=152`)
  assert.deepEqual(last.body, now.body)
})

void test('balances: currencies are those of the document', async () => {
  assert.equal((await service.get(`${listOf(holders[0]!)}?currency=nzd`)).status, 200)
  const { status, body } = await service.get(`${listOf(holders[0]!)}?currency=USD`)
  assert.equal(status, 400)
  assert.match(body.message, /^currency must be one of usd, eur, /)
})
