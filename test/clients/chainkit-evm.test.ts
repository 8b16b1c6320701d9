/**
 * The EVM operations read to the end by the official client, which checks every answer against
 * its own schemas and refuses a whole page for one wrong value.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import type { NftSource } from '../../src/api/evm/tokens/token-views.ts'
import type { PriceSource } from '../../src/api/prices/token-lists.ts'
import {
  busiest,
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
} from '../conformance/evm/replay.ts'
import { evmService } from '../support/services/evm-service.ts'

const chain = 51002
const chainId = String(chain)

/** Prices and metadata exist, so that their fields are checked by the client too. */
const prices: PriceSource = {
  offered: true,
  current: async ({ of }) => of.map((thing) => (thing === 'native' ? '25.5' : '0.9998')),
  historical: async ({ of }) => of.map(() => '12.75'),
}
const metadata = { indexStatus: 'INDEXED', metadataLastUpdatedTimestamp: 1, name: 'One' } as const
const nfts: NftSource = {
  erc721: async (_chain, items) =>
    items.map(() => ({ tokenUri: 'https://meta.example/1', metadata: { ...metadata } })),
  erc1155: async (_chain, items) =>
    items.map(() => ({
      tokenUri: 'https://meta.example/1',
      metadata: { ...metadata, decimals: 2 },
    })),
}
const service = await evmService({ chains: [chain, 51001], parts: { prices, nfts } })
const client = new Avalanche({ chainId, enableTelemetry: false })
const options = { serverURL: service.url }
const { evm } = client.data

const transfers = expectedTransfers(chain)
const transactions = expectedTransactions(chain)
const holders = busiest(transfers.flatMap(({ from, to }) => [from, to]))
const address = holders[3]!
/** Holds something of every token. */
const deployer = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Number of items in all pages. */
async function countItems(pages: AsyncIterable<{ result: object }>, key: string): Promise<number> {
  let count = 0
  for await (const { result } of pages) {
    const list: unknown = Object.entries(result).find(([name]) => name === key)?.[1]
    assert.ok(Array.isArray(list), key)
    count += list.length
  }
  return count
}

void test('client: transfers of an address, all three standards, to the end', async () => {
  const of = (standard: number): number =>
    transfers.filter(
      (row) => row.standard === standard && (row.from === address || row.to === address),
    ).length
  const query = { address, pageSize: 25 }
  const { transactions: lists } = evm.address
  assert.equal(await countItems(await lists.listErc20(query, options), 'transactions'), of(20))
  assert.equal(await countItems(await lists.listErc721(query, options), 'transactions'), of(721))
  assert.equal(await countItems(await lists.listErc1155(query, options), 'transactions'), of(1155))
  assert.ok(of(20) > 25)
})

void test('client: transfers of contracts of every standard, to the end', async () => {
  for (const standard of [20, 721, 1155]) {
    const { token } = transfers.find((row) => row.standard === standard)!
    const pages = await evm.contracts.listTransfers({ address: token, pageSize: 100 }, options)
    const wanted = transfers.filter((row) => row.token === token).length
    assert.equal(await countItems(pages, 'transfers'), wanted, token)
  }
})

void test('client: internal and native transactions, and all of an address, to the end', async () => {
  const { transactions: lists } = evm.address
  const internals = expectedInternals(chain)
  const [caller] = busiest(internals.map(({ from }) => from))
  const query = { address: caller!, pageSize: 50 }
  const wanted = internals.filter(({ from, to }) => from === caller || to === caller).length
  assert.equal(await countItems(await lists.listInternal(query, options), 'transactions'), wanted)
  const [sender] = busiest(transactions.map(({ from }) => from)).slice(5)
  const sent = { address: sender!, pageSize: 50 }
  assert.ok((await countItems(await lists.listNative(sent, options), 'transactions')) > 0)
  assert.ok((await countItems(await lists.list(sent, options), 'transactions')) > 0)
})

void test('client: balances to the end, native ones beside them', async () => {
  const pages = await evm.address.balances.listErc20(
    { address: deployer, pageSize: 3, filterSpamTokens: false, currency: 'eur' },
    options,
  )
  let count = 0
  for await (const { result } of pages) {
    count += result.erc20TokenBalances.length
    assert.equal(result.nativeTokenBalance.chainId, chainId)
    assert.equal(result.nativeTokenBalance.price?.value, 25.5)
  }
  assert.ok(count > 3)
  const native = await evm.address.balances.getNative({ address }, options)
  assert.match(native.nativeTokenBalance.balance, /^[0-9]+$/)
})

void test('client: latest transactions by status, to the end', async () => {
  for (const [status, txStatus] of [
    ['failed', '0'],
    ['success', '1'],
  ] as const) {
    const pages = await evm.transactions.listLatest({ pageSize: 100, status }, options)
    const wanted = transactions.filter((row) => row.txStatus === txStatus).length
    assert.equal(await countItems(pages, 'transactions'), wanted)
  }
})

void test('client: single transactions of every kind', async () => {
  for (let at = 0; at < transactions.length; at += 25) {
    const { txHash } = transactions[at]!
    const detail = await evm.transactions.get({ txHash }, options)
    assert.equal(detail.nativeTransaction.txHash, txHash)
  }
})

void test('client: blocks, block transactions, chains, contracts, health', async () => {
  const blocks = await evm.blocks.listLatest({ pageSize: 100 }, options)
  assert.equal(await countItems(blocks, 'blocks'), 153)
  const block = await evm.blocks.get({ blockId: '3' }, options)
  const inside = await evm.blocks.listTransactions({ blockId: '3', pageSize: 0 }, options)
  assert.equal(inside.transactions.length, block.txCount)
  const { chains } = await evm.chains.list({}, options)
  assert.deepEqual(
    chains.map((each) => each.chainId),
    [chainId, '51001'],
  )
  assert.equal((await evm.chains.get({}, options)).chainName, 'Demo Arcade')
  const listed = await evm.address.chains.list({ address }, options)
  assert.ok(listed.indexedChains!.length > 0)
  const { token } = transfers[0]!
  const contract = await evm.contracts.getMetadata({ address: token }, options)
  assert.equal(contract.ercType, 'ERC-20')
  const deployed = await evm.contracts.getDeploymentTransaction({ address: token }, options)
  assert.equal(deployed.nativeTransaction.method?.callType, 'CONTRACT_CREATION')
  assert.equal((await client.data.healthCheck(options)).status, 'ok')
  assert.equal((await client.data.liveCheck(options)).status, 'ok')
})

void test('client: latest blocks and transactions of all chains', async () => {
  const page = await evm.blocks.listLatestAllChains({ pageSize: 100 }, options)
  assert.equal(page.result.blocks.length, 100)
  const latest = await evm.transactions.listLatestAllChains({ pageSize: 100 }, options)
  assert.equal(latest.result.transactions.length, 100)
})

void test('client: failures arrive as the errors the client knows', async () => {
  const unknown = evm.transactions.get({ txHash: `0x${'ab'.repeat(32)}` }, options)
  await assert.rejects(unknown, { name: 'NotFoundError' })
  const malformed = evm.transactions.get({ txHash: '0x12' }, options)
  await assert.rejects(malformed, { name: 'BadRequestError' })
})
