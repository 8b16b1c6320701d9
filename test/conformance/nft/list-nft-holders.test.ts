/**
 * Holders of every NFT contract of the demo chains, against owners followed through the raw logs.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toChecksumAddress } from '../../../src/core/address.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { expectedTransfers } from '../evm/replay.ts'
import { nftService } from './nft-service.ts'

const chain = 51002
const embedded = await nftService({ chains: [chain] })
const scaled = await nftService({
  chains: [chain],
  engine: 'postgres',
})
const transfers = expectedTransfers(chain).filter(({ standard }) => standard > 20)
const zero = `0x${'0'.repeat(40)}`
const listOf = (contract: string): string =>
  `/v2/chains/${chain}/contracts/${contract}/nfts:listHolders`

/** Holdings of each address in a contract or of one item: ERC-721 tokens and ERC-1155 units. */
function heldOf(contract: string, item?: string): Map<string, bigint> {
  const held = new Map<string, bigint>()
  const owners = new Map<string, string>()
  const add = (holder: string, by: bigint): void =>
    void held.set(holder, (held.get(holder) ?? 0n) + by)
  for (const { standard, token, from, to, value = '1', tokenId = '' } of transfers) {
    if (token !== contract || (item !== undefined && item !== tokenId)) continue
    const by = standard === 721 ? 1n : BigInt(value)
    const before = standard === 721 ? owners.get(tokenId) : from
    if (before !== undefined && before !== zero) add(before, -by)
    if (to !== zero) add(to, by)
    if (standard === 721) owners.set(tokenId, to)
  }
  return new Map([...held].filter(([, count]) => count > 0n))
}

for (const [engine, service] of Object.entries({ embedded, scaled })) {
  void test(`NFT holders: every holder with its balance, and the sums, on ${engine}`, async () => {
    const standards = new Set(transfers.map(({ standard }) => standard))
    assert.deepEqual(
      [...standards].toSorted((a, b) => a - b),
      [721, 1155],
    )
    for (const contract of new Set(transfers.map(({ token }) => token))) {
      const held = heldOf(contract)
      const wanted = [...held].map(
        ([holder, count]) => `${toChecksumAddress(fromHex(holder))} ${count}`,
      )
      for (const pageSize of [2, 5_000]) {
        const path = `${listOf(contract)}?pageSize=${pageSize}`
        const rows = await service.readAll(path, 'addresses')
        const shown = rows.map(({ address, sortKey }) => `${address} ${sortKey}`)
        assert.deepEqual(shown.sort(), wanted.sort(), contract)
        const { body, headers } = await service.get(path)
        assert.equal(headers.get('x-balances'), 'from logs until block 152')
        const total = [...held.values()].reduce((sum, count) => sum + count, 0n)
        assert.deepEqual([body.totalHolders, body.totalTokens], [held.size, Number(total)])
        assert.equal(body.totalsAreLeast, undefined)
        if (body.nextPageToken === undefined) continue
        const next = await service.get(`${path}&pageToken=${body.nextPageToken}`)
        assert.equal(next.body.totalHolders, held.size)
      }
    }
  })
}

void test('NFT holders: of one item those who have it, with amounts and their sum', async () => {
  for (const contract of new Set(transfers.map(({ token }) => token)))
    for (const item of new Set(
      transfers.filter(({ token }) => token === contract).map((one) => one.tokenId ?? ''),
    )) {
      const wanted = [...heldOf(contract, item)].map(
        ([holder, count]) => `${toChecksumAddress(fromHex(holder))} ${count}`,
      )
      const { body } = await embedded.get(`${listOf(contract)}?tokenId=${item}`)
      assert.deepEqual(
        body.addresses
          .map(
            ({ address, sortKey }: { address: string; sortKey: string }) => `${address} ${sortKey}`,
          )
          .sort(),
        wanted.sort(),
        `${contract} ${item}`,
      )
      assert.equal(body.totalHolders, wanted.length)
    }
  const { body } = await embedded.get(
    `${listOf(transfers[0]?.token ?? '')}?tokenId=${'9'.repeat(78)}`,
  )
  assert.deepEqual(body.addresses, [])
  assert.equal((await embedded.get(`${listOf(transfers[0]?.token ?? '')}?tokenId=0x1`)).status, 400)
})

void test('NFT holders: a contract without NFTs has none', async () => {
  const [erc20] = expectedTransfers(chain).filter(({ standard }) => standard === 20)
  for (const contract of [erc20!.token, `0x${'11'.repeat(20)}`]) {
    const { status, body } = await embedded.get(listOf(contract))
    assert.equal(status, 200)
    assert.deepEqual(body, { addresses: [], totalHolders: 0, totalTokens: 0 })
  }
})

provesOperations([embedded], ['getNftHoldersByContractAddress'])
