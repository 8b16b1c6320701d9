import assert from 'node:assert/strict'
import { test } from 'node:test'

import { statement } from '../../../src/store/engine/database.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { expectedTransfers } from '../evm/replay.ts'
import { nftService } from './nft-service.ts'

const chain = 51002
const service = await nftService({ chains: [chain] })
const owned = expectedTransfers(chain).find(({ standard }) => standard === 721)!
const moved = expectedTransfers(chain).find(({ standard }) => standard === 1155)!
const path = ({ token, tokenId }: { token: string; tokenId?: string }): string =>
  `/v1/chains/${chain}/nfts/collections/${token}/tokens/${tokenId}`
const post = (where: string): Promise<Response> =>
  fetch(`${service.url}${where}:reindex`, { method: 'POST' })
const requests = statement(
  'select chain, contract, item, standard from nft_request order by standard',
)

void test('reindex: is taken with 201 and no body, once an hour per token', async () => {
  for (const row of [owned, moved]) {
    const reply = await post(path(row))
    assert.equal(reply.status, 201)
    assert.equal(await reply.text(), '')
    const again = await post(path(row))
    assert.equal(again.status, 429)
    assert.equal(again.headers.get('retry-after'), '3600')
  }
  const stored = await service.requests.all(requests)
  assert.deepEqual(
    stored.map(([key, contract, item, standard]) => [
      key,
      `0x${Buffer.from(contract as Uint8Array).toString('hex')}`,
      BigInt(`0x${Buffer.from(item as Uint8Array).toString('hex')}`).toString(),
      standard,
    ]),
    [
      [`fuji-${chain}`, owned.token, owned.tokenId, 721],
      [`fuji-${chain}`, moved.token, moved.tokenId, 1155],
    ],
  )
  service.time.nowMs += 3_600_000
  assert.equal((await post(path(owned))).status, 201)
})

void test('NFT operations: unknown tokens are 404, malformed input is 400', async () => {
  const { token } = owned
  const beyond = (2n ** 256n).toString()
  const last = (2n ** 256n - 1n).toString()
  const base = `/v1/chains/${chain}/nfts/collections`
  for (const [where, status] of [
    [`${base}/${token}/tokens/${last}`, 404],
    [`${base}/${token}/tokens/${beyond}`, 400],
    [`${base}/${token}/tokens/${'9'.repeat(79)}`, 400],
    [`${base}/${token}/tokens/-1`, 400],
    [`${base}/${token}/tokens/0x1`, 400],
    [`${base}/${token}/tokens/1.5`, 400],
    [`${base}/${token.slice(0, -1)}/tokens/1`, 400],
    [`${base}/${token.slice(0, -1)}/tokens`, 400],
    [`${base}/zz/tokens`, 400],
    [`${base}/0x${'ab'.repeat(20)}/tokens/1`, 404],
    [`/v1/chains/1/nfts/collections/${token}/tokens`, 404],
    [`${base}/${token}/tokens?pageSize=0`, 400],
    [`${base}/${token}/tokens?pageSize=101`, 400],
    [`${base}/${token}/tokens?pageToken=forged`, 400],
    [`/v1/chains/${chain}/addresses/${token}/balances:listErc721?pageSize=501`, 400],
    [`/v1/chains/${chain}/addresses/${token}/balances:listErc1155?contractAddress=0x`, 400],
    [`/v1/chains/${chain}/addresses/${token}/balances:listErc1155?blockNumber=x`, 400],
    [`/v1/chains/${chain}/addresses/${token}/balances:listErc20?currency=xau`, 400],
  ] as const) {
    const { body, ...reply } = await service.get(where)
    assert.equal(reply.status, status, where)
    assert.equal(body.statusCode, status)
    if (where.includes('/tokens/')) assert.equal((await post(where)).status, status, where)
  }
  const none = await service.get(`${base}/0x${'ab'.repeat(20)}/tokens`)
  assert.deepEqual([none.status, none.body], [200, { tokens: [] }])
})

void test('NFT operations: the state is written as each dialect wants it', async () => {
  const documented = await service.get(path(owned))
  const sdk = await service.get(path(owned), { 'x-firn-dialect': 'sdk' })
  assert.equal(documented.body.metadata.indexStatus, 'unindexed')
  assert.equal(sdk.body.metadata.indexStatus, 'UNINDEXED')
})

provesOperations([service], ['reindexNft', 'getTokenDetails'])
