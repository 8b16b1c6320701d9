import assert from 'node:assert/strict'
import { test } from 'node:test'

import { addressPage, subjectOf } from '../../../src/api/evm/address-list.ts'
import {
  type Participation,
  participationPage,
} from '../../../src/api/evm/transactions/list-address-transactions.ts'
import { partsOf } from '../../support/services/evm-context.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { stillClock } from '../../support/stores/demo-store.ts'
import {
  busiest,
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
  internalOf,
  sample,
  shownOf,
  transactionOf,
  transferOf,
} from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain] })
const transactions = expectedTransactions(chain)
const transfers = expectedTransfers(chain)
const internals = expectedInternals(chain)
const zeroAddress = `0x${'0'.repeat(40)}`
const parties = busiest([
  ...transactions.flatMap(({ from, to }) => [from, to]),
  ...transfers.flatMap(({ from, to }) => [from, to]),
  ...internals.flatMap(({ from, to }) => [from, to]),
]).filter((address) => address !== zeroAddress)
const listOf = (address: string): string => `/v1/chains/${chain}/addresses/${address}/transactions`

/** Transactions of an address in order of history, each with the entries that touch it. */
function expectedOf(address: string): object[] {
  const touches = ({ from, to }: { from: string; to: string }): boolean =>
    from === address || to === address
  const moved = Map.groupBy(transfers.filter(touches), ({ txHash }) => txHash)
  const calls = Map.groupBy(internals.filter(touches), ({ txHash }) => txHash)
  return transactions
    .filter(
      (row) =>
        row.from === address ||
        row.created === address ||
        (row.to === address && row.callType !== 'CONTRACT_CREATION') ||
        moved.has(row.txHash) ||
        calls.has(row.txHash),
    )
    .map((row) => ({
      transaction: shownOf(row),
      transfers: [20, 721, 1155].flatMap((standard) =>
        (moved.get(row.txHash) ?? []).filter((each) => each.standard === standard),
      ),
      internals: calls.get(row.txHash) ?? [],
    }))
}

function plain(view: Json): object {
  const { blockNumber, blockTimestamp, blockHash, txHash } = view.nativeTransaction
  const place = { blockNumber, blockTimestamp, blockHash, txHash }
  const lists = [view.erc20Transfers, view.erc721Transfers, view.erc1155Transfers]
  for (const list of [...lists, view.internalTransactions])
    assert.ok(list === undefined || list.length > 0, 'no list is empty')
  return {
    transaction: transactionOf(view.nativeTransaction),
    transfers: lists.flatMap((list) =>
      (list ?? []).map((each: Json) => transferOf({ ...place, ...each })),
    ),
    internals: (view.internalTransactions ?? []).map((each: Json) =>
      internalOf({ ...place, ...each }),
    ),
  }
}

void test('address transactions: all an address took part in, newest first, in pages', async () => {
  for (const address of sample(parties.slice(5), 5)) {
    const items = await service.readAll(`${listOf(address)}?pageSize=47`, 'transactions')
    assert.deepEqual(items.map(plain), expectedOf(address).reverse(), address)
  }
})

void test('address transactions: asc is the same list backwards', async () => {
  for (const address of sample(parties.slice(5), 2)) {
    const items = await service.readAll(
      `${listOf(address)}?sortOrder=asc&pageSize=23`,
      'transactions',
    )
    assert.deepEqual(items.map(plain), expectedOf(address), address)
  }
})

void test('address transactions: a page with too many entries ends early, and none is lost', async () => {
  const chains = service.chains
  const parts = partsOf(chains, stillClock)
  const address = parties[0]!
  const subject = await subjectOf(parts, { chainId: String(chain), address })
  for (const sortOrder of ['asc', 'desc'] as const) {
    const pages: Participation[][] = []
    let pageToken: string | undefined
    do {
      const query = { sortOrder, pageToken, pageSize: 100 }
      const request = { route: 'test', query, maxEntries: 12 }
      const page = await participationPage(parts, subject, request)
      pages.push([...page.rows])
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    const counts = pages.map((page) =>
      page.map(({ transfers, internals }) => transfers.length + internals.length),
    )
    for (const page of counts)
      assert.ok(page.slice(0, -1).reduce((sum, count) => sum + count, 0) < 12, String(page))
    assert.ok(pages.length > 20 && counts.flat().some((count) => count > 1))
    const wanted = expectedOf(address).map((each: Json) => [
      each.transaction.txHash,
      each.transfers.length + each.internals.length,
    ])
    assert.deepEqual(
      pages.flat().map(({ transaction }, at) => [transaction.hash, counts.flat()[at]]),
      sortOrder === 'asc' ? wanted : wanted.reverse(),
    )
  }
})

void test('address lists: a counterparty with few rows is found among thousands at once', async () => {
  const parts = partsOf(service.chains, stillClock)
  const [busy, rare, third] = parties as [string, string, string]
  const idOf = async (address: string): Promise<number> =>
    (await subjectOf(parts, { chainId: String(chain), address })).id ?? -1
  const [id, other, another] = [await idOf(busy), await idOf(rare), await idOf(third)]
  // The oldest rows are those of both; of a creation no row says what was created.
  const rows = Array.from({ length: 6_000 }, (_, pos) => {
    if (pos > 5) return { pos, fromId: another, toId: id, ids: [another, id] }
    if (pos === 5) return { pos, fromId: other, toId: another, ids: [other, another] }
    if (pos === 3) return { pos, fromId: other, toId: undefined, ids: [other, id] }
    if (pos === 2) return { pos, fromId: other, toId: undefined, ids: [other] }
    return { pos, fromId: id, toId: other, ids: [id, other] }
  }).toReversed()
  let queries = 0
  const pageOf = async (counterparty: string): Promise<object> => {
    const { page } = await addressPage(parts, {
      route: 'test',
      path: { chainId: String(chain), address: busy },
      query: { counterparty },
      rows: async (_store, { addressId, range: { from, until }, limit }) => {
        queries++
        return rows
          .filter(({ pos, ids }) => pos >= from && pos < until && ids.includes(addressId))
          .slice(0, limit)
      },
    })
    return { ...page, rows: page.rows.map(({ pos }) => pos) }
  }
  assert.deepEqual(await pageOf(rare), { rows: [4, 3, 1, 0] })
  assert.ok(queries <= 5, `${queries} questions`)
  assert.deepEqual(await pageOf(`0x${'12'.repeat(20)}`), { rows: [] })
  const { nextPageToken, ...busiest }: Json = await pageOf(third)
  assert.deepEqual(busiest, { rows: Array.from({ length: 10 }, (_, at) => 5_999 - at) })
  assert.ok(nextPageToken)
})

void test('address transactions: the block range bounds the list', async () => {
  const address = parties[0]!
  for (const order of ['asc', 'desc']) {
    const path = `${listOf(address)}?startBlock=10&endBlock=20&sortOrder=${order}&pageSize=5`
    const items = (await service.readAll(path, 'transactions')).map(plain)
    const wanted = expectedOf(address).filter((each: Json) => {
      const height = Number(each.transaction.blockNumber)
      return height >= 10 && height < 20
    })
    assert.ok(wanted.length > 5)
    assert.deepEqual(order === 'asc' ? items : items.reverse(), wanted, order)
  }
})

void test('address transactions: version 2 rates tokens and hides transfers of spam', async () => {
  const spam = new Set([
    '0xb7f8bc63bbcad18155201308c8f3540b07f84f5e',
    '0xa51c1fc2f0d1a1b8494ed1fe312d7c3a78ed91c0',
    '0x0dcd1bf9a1b36ce34237eeafef220932846bcd82',
  ])
  const victim = transfers.find(({ token, to }) => spam.has(token) && to !== zeroAddress)!.to
  const path = listOf(victim).replace('/v1/', '/v2/')
  const open = await service.readAll(`${path}?filterSpamTokens=false&pageSize=100`, 'transactions')
  assert.deepEqual(open.map(plain), expectedOf(victim).reverse())
  const tokensOf = (items: Json[]): Json[] =>
    items.flatMap(({ erc20Transfers }) => erc20Transfers ?? []).map(({ erc20Token }) => erc20Token)
  assert.ok(tokensOf(open).some(({ address }) => spam.has(address.toLowerCase())))
  assert.ok(tokensOf(open).every(({ tokenReputation }) => tokenReputation === null))
  const kept = await service.readAll(`${path}?pageSize=100`, 'transactions')
  assert.equal(kept.length, open.length)
  assert.ok(!tokensOf(kept).some(({ address }) => spam.has(address.toLowerCase())))
})

provesOperations([service], ['listTransactionsV2'])
