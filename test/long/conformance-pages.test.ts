import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import {
  busiest,
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
  internalOf,
  transferOf,
} from '../conformance/evm/replay.ts'
import { evmService, type Json } from '../support/services/evm-service.ts'
import { rawChain } from '../support/stores/demo-store.ts'

/** Totals that the maker of the chains counted with a program of its own. */
type Totals = {
  readonly blocks: number
  readonly txs: number
  readonly failedTxs: number
  readonly erc20: number
  readonly erc721: number
  readonly erc721OneTopic: number
  readonly erc1155Single: number
  readonly erc1155BatchRows: number
  readonly listedInternals: number
  readonly revertedListed: number
}

const chainIds = [51001, 51002] as const
const service = await evmService({ chains: chainIds })
const zeroAddress = `0x${'0'.repeat(40)}`
const busy = 4

function totalsOf(chain: number): Totals {
  const path = new URL(`../../vectors/evm/facts-${chain}.json`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')).total
}

/** A whole list, in the largest pages. */
async function whole(path: string, key = 'transactions'): Promise<Json[]> {
  const joint = path.includes('?') ? '&' : '?'
  return service.readAll(`${path}${joint}pageSize=100`, key)
}

function hashesOf(items: readonly Json[]): string[] {
  return items.map(({ txHash }) => txHash)
}

function touching<R extends { readonly from: string; readonly to: string }>(
  rows: readonly R[],
  address: string,
): R[] {
  return rows.filter(({ from, to }) => from === address || to === address)
}

for (const chain of chainIds) {
  const totals = totalsOf(chain)
  const list = `/v1/chains/${chain}`
  const raw = rawChain(chain)
  const transactions = expectedTransactions(chain)
  const transfers = expectedTransfers(chain)
  const internals = expectedInternals(chain)

  void test(`every page of ${chain}: blocks and what is in each`, async () => {
    const blocks = await whole(`${list}/blocks`, 'blocks')
    assert.equal(blocks.length, totals.blocks)
    assert.deepEqual(
      blocks.map(({ blockHash }) => blockHash),
      raw.map(({ block }) => block.hash).toReversed(),
    )
    const found: string[] = []
    for (const { blockNumber, txCount } of blocks.toReversed()) {
      const inBlock = await whole(`${list}/blocks/${blockNumber}/transactions`)
      assert.equal(inBlock.length, txCount, blockNumber)
      found.push(...hashesOf(inBlock))
    }
    assert.equal(found.length, totals.txs)
    assert.deepEqual(found, hashesOf(transactions))
  })

  void test(`every page of ${chain}: all transactions, those that failed and the others`, async () => {
    const all = hashesOf(await whole(`${list}/transactions`))
    const failed = hashesOf(await whole(`${list}/transactions?status=failed`))
    const succeeded = hashesOf(await whole(`${list}/transactions?status=success`))
    assert.equal(all.length, totals.txs)
    assert.equal(failed.length, totals.failedTxs)
    assert.equal(succeeded.length, totals.txs - totals.failedTxs)
    assert.deepEqual(all, hashesOf(transactions).toReversed())
    const either = new Set([...failed, ...succeeded])
    assert.deepEqual(
      all.filter((hash) => either.has(hash)),
      all,
    )
  })

  void test(`every page of ${chain}: transfers of every token are all transfers`, async () => {
    const byToken = Map.groupBy(transfers, ({ token }) => token)
    const counts = { 20: 0, 721: 0, 1155: 0 }
    for (const [token, wanted] of byToken) {
      const rows = (await whole(`${list}/tokens/${token}/transfers`, 'transfers')).map(transferOf)
      assert.deepEqual(rows, wanted.toReversed(), token)
      for (const { standard } of rows) counts[standard]++
    }
    assert.deepEqual(counts, {
      20: totals.erc20,
      721: totals.erc721 + totals.erc721OneTopic,
      1155: totals.erc1155Single + totals.erc1155BatchRows,
    })
  })

  void test(`every page of ${chain}: internal transactions of all that make them are all`, async () => {
    let made = 0
    let reverted = 0
    for (const address of busiest(internals.map(({ from }) => from))) {
      const path = `${list}/addresses/${address}/transactions:listInternals`
      const rows = (await whole(path)).map(internalOf)
      assert.deepEqual(rows, touching(internals, address).toReversed(), address)
      const own = rows.filter(({ from }) => from === address)
      made += own.length
      reverted += own.filter(({ isReverted }) => isReverted).length
    }
    assert.deepEqual([made, reverted], [totals.listedInternals, totals.revertedListed])
  })

  void test(`every page of ${chain}: token transfers of the busiest, the zero address too`, async () => {
    for (const [standard, name] of [
      [20, 'listErc20'],
      [721, 'listErc721'],
      [1155, 'listErc1155'],
    ] as const) {
      const own = transfers.filter((row) => row.standard === standard)
      const holders = busiest(own.flatMap(({ from, to }) => [from, to])).slice(0, busy)
      assert.ok(holders.includes(zeroAddress), 'mints make the zero address busy')
      for (const address of holders) {
        const path = `${list}/addresses/${address}/transactions:${name}`
        const rows = (await whole(path)).map(transferOf)
        assert.deepEqual(rows, touching(own, address).toReversed(), `${name} ${address}`)
      }
    }
  })

  void test(`every page of ${chain}: native transactions of the busiest`, async () => {
    const partiesOf = ({ from, to, callType, created }: (typeof transactions)[number]): string[] =>
      callType === 'CONTRACT_CREATION' ? [from, ...(created ? [created] : [])] : [from, to]
    for (const address of busiest(transactions.flatMap(partiesOf)).slice(0, busy)) {
      const found = hashesOf(await whole(`${list}/addresses/${address}/transactions:listNative`))
      const wanted = transactions.filter((row) => partiesOf(row).includes(address))
      assert.deepEqual(found, hashesOf(wanted).toReversed(), address)
    }
  })

  void test(`every page of ${chain}: transactions of the busiest, oldest and newest first`, async () => {
    const parties = busiest([...transactions, ...transfers].flatMap(({ from, to }) => [from, to]))
    for (const address of parties.filter((each) => each !== zeroAddress).slice(0, busy)) {
      const path = `${list}/addresses/${address}/transactions`
      const newest = (await whole(`${path}?sortOrder=desc`)).map(
        ({ nativeTransaction }) => nativeTransaction.txHash,
      )
      const oldest = (await whole(`${path}?sortOrder=asc`)).map(
        ({ nativeTransaction }) => nativeTransaction.txHash,
      )
      const took = new Set(
        hashesOf([...touching(transfers, address), ...touching(internals, address)]),
      )
      const wanted = transactions.filter(
        ({ txHash, from, to, created, callType }) =>
          from === address ||
          created === address ||
          (to === address && callType !== 'CONTRACT_CREATION') ||
          took.has(txHash),
      )
      assert.deepEqual(oldest, hashesOf(wanted), address)
      assert.deepEqual(newest, oldest.toReversed(), address)
    }
  })
}

void test('every page of both chains: one list of all blocks and transactions, by time', async () => {
  const newestFirst = (rows: readonly { at: number; chain: number; id: string }[]): string[] =>
    rows
      .toReversed()
      .toSorted((a, b) => b.at - a.at || a.chain - b.chain)
      .map(({ id }) => id)
  const blocks = chainIds.flatMap((chain) =>
    rawChain(chain).map(({ block }) => ({ at: Number(block.timestamp), chain, id: block.hash })),
  )
  const listed = await whole('/v1/blocks', 'blocks')
  assert.deepEqual(
    listed.map(({ blockHash }) => blockHash),
    newestFirst(blocks),
  )
  const transactions = chainIds.flatMap((chain) =>
    expectedTransactions(chain).map((row) => ({ at: row.blockTimestamp, chain, id: row.txHash })),
  )
  assert.deepEqual(hashesOf(await whole('/v1/transactions')), newestFirst(transactions))
})
