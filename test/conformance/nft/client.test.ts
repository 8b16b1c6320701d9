import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import type { PriceSource } from '../../../src/api/prices/token-lists.ts'
import { nftStatuses } from '../../../src/core/nft-status.ts'
import { statement } from '../../../src/store/engine/database.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { busiest, expectedTransfers } from '../evm/replay.ts'
import { nftService } from './nft-service.ts'

const chain = 51002
const prices: PriceSource = {
  offered: true,
  current: async ({ of }) => of.map(() => '25.5'),
  historical: async ({ of }) => of.map(() => '12.75'),
}
const service = await nftService({ chains: [chain], parts: { prices } })
const { data } = new Avalanche({ chainId: String(chain), enableTelemetry: false })
const options = { serverURL: service.url }
const transfers = expectedTransfers(chain)
const fields = {
  name: 'One',
  symbol: 'O',
  imageUri: 'ipfs://x',
  description: 'd',
  animationUri: 'a',
  externalUrl: 'e',
  background: 'fff',
  attributes: '[]',
  properties: '{}',
  decimals: 2,
}

// Every state, and every field, somewhere in the lists.
await service.chains[0]!.store.transaction((writer) =>
  writer.run(
    statement(
      `insert into nft_metadata (contract_id, standard, item, uri, status, updated, attempts, due, fields)
       select contract_id, standard, item, 'https://meta.example/1',
              (row_number() over (order by contract_id, item)) % ${nftStatuses.length}, 1780000000, 0, null, ?
       from nft_token`,
      { unsummed: true },
    ),
    [JSON.stringify(fields)],
  ),
)

async function all<T>(pages: AsyncIterable<{ result: T }>): Promise<T[]> {
  const found: T[] = []
  for await (const { result } of pages) found.push(result)
  return found
}

void test('client: tokens of every NFT contract to the end, in every state', async () => {
  const states = new Set<string>()
  for (const standard of [721, 1155]) {
    const own = transfers.filter((row) => row.standard === standard)
    for (const address of new Set(own.map(({ token }) => token))) {
      const pages = await all(await data.nfts.list({ address, pageSize: 40 }, options))
      const tokens = pages.flatMap((page) => page.tokens)
      const wanted = new Set(
        own.filter(({ token }) => token === address).map(({ tokenId }) => tokenId),
      )
      assert.deepEqual(new Set(tokens.map(({ tokenId }) => tokenId)), wanted)
      for (const { metadata } of tokens) states.add(metadata.indexStatus)
      const [first] = tokens
      const one = await data.nfts.get({ address, tokenId: first!.tokenId }, options)
      assert.deepEqual(one, first)
    }
  }
  assert.deepEqual(states, new Set(nftStatuses))
})

void test('client: NFTs of addresses to the end, of each kind and of both', async () => {
  const holders = busiest(transfers.filter(({ standard }) => standard > 20).map(({ to }) => to))
  const { balances } = data.evm.address
  let seen = 0
  for (const address of holders.slice(1, 5)) {
    const query = { address, pageSize: 5 }
    const owned = (await all(await balances.listErc721(query, options))).flatMap(
      (page) => page.erc721TokenBalances,
    )
    const held = (await all(await balances.listErc1155(query, options))).flatMap(
      (page) => page.erc1155TokenBalances,
    )
    const both = (await all(await balances.listCollectibles(query, options))).flatMap(
      (page) => page.collectibleBalances,
    )
    assert.equal(both.length, owned.length + held.length)
    seen += both.length
  }
  assert.ok(seen > 20)
})

void test('client: a request to read metadata again is kept: the next one comes too early', async () => {
  const { token, tokenId } = transfers.find(({ standard }) => standard === 721)!
  const request = { address: token, tokenId: tokenId! }
  await data.nfts.reindex(request, options)
  await assert.rejects(data.nfts.reindex(request, options), /requested within the last hour/)
})

provesOperations(
  [service],
  ['listTokens', 'listErc721Balances', 'listErc1155Balances', 'listCollectibleBalances'],
)
