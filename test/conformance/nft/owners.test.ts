import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toChecksumAddress } from '../../../src/core/address.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { busiest, expectedTransfers, sample } from '../evm/replay.ts'
import { nftService } from './nft-service.ts'

const zero = `0x${'0'.repeat(40)}`

for (const chain of [51001, 51002] as const) {
  const service = await nftService({ chains: [chain] })
  const transfers = expectedTransfers(chain)
  const owned = transfers.filter(({ standard }) => standard === 721)
  const moved = transfers.filter(({ standard }) => standard === 1155)
  const collections = `/v1/chains/${chain}/nfts/collections`

  void test(`NFT owners: of every token of chain ${chain} the last receiver in the raw logs`, async () => {
    for (const contract of new Set(owned.map(({ token }) => token))) {
      const owners = new Map<bigint, string>()
      for (const row of owned) if (row.token === contract) owners.set(BigInt(row.tokenId!), row.to)
      const expected = [...owners]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, owner]) => [id.toString(), owner === zero ? undefined : checksum(owner)])
      for (const size of [100, 7]) {
        const tokens = await service.readAll(
          `${collections}/${contract}/tokens?pageSize=${size}`,
          'tokens',
        )
        const shown = tokens.map(({ tokenId, ownerAddress }) => [tokenId, ownerAddress])
        assert.deepEqual(shown, expected, `${contract} by ${size}`)
        assert.ok(
          tokens.every(
            ({ ercType, address }) => ercType === 'ERC-721' && address === checksum(contract),
          ),
        )
      }
    }
  })

  void test(`NFT tokens: an ERC-1155 contract of chain ${chain} lists every id once, ascending`, async () => {
    for (const contract of new Set(moved.map(({ token }) => token))) {
      const ids = new Set(
        moved.filter(({ token }) => token === contract).map(({ tokenId }) => tokenId!),
      )
      const expected = [...ids]
        .map(BigInt)
        .sort((a, b) => (a < b ? -1 : 1))
        .map(String)
      const tokens = await service.readAll(`${collections}/${contract}/tokens?pageSize=3`, 'tokens')
      assert.deepEqual(
        tokens.map(({ tokenId }) => tokenId),
        expected,
      )
      assert.ok(tokens.every(({ ercType }) => ercType === 'ERC-1155'))
    }
  })

  void test(`NFT balances: ERC-721 tokens of addresses of chain ${chain} are those they received last`, async () => {
    const owners = new Map<string, string>()
    for (const row of owned) owners.set(`${checksum(row.token)} ${row.tokenId}`, row.to)
    for (const address of sample(busiest(owned.flatMap(({ from, to }) => [from, to])), 8)) {
      if (address === zero) continue
      const expected = [...owners]
        .filter(([, owner]) => owner === address)
        .map(([key]) => key)
        .sort()
      const path = `/v1/chains/${chain}/addresses/${address}/balances:listErc721`
      for (const size of [500, 3]) {
        const items = await service.readAll(`${path}?pageSize=${size}`, 'erc721TokenBalances')
        const shown = items.map((item) => `${item.address} ${item.tokenId}`).sort()
        assert.deepEqual(shown, expected, `${address} by ${size}`)
      }
    }
  })

  void test(`NFT balances: ERC-1155 amounts of addresses of chain ${chain} are what came less what left`, async () => {
    const newest = Math.max(...transfers.map(({ height }) => height))
    for (const address of sample(busiest(moved.flatMap(({ from, to }) => [from, to])), 8)) {
      if (address === zero) continue
      for (const height of [newest, Math.floor(newest / 2)]) {
        const amounts = new Map<string, bigint>()
        for (const row of moved) {
          if (row.height > height) continue
          const key = `${checksum(row.token)} ${row.tokenId}`
          const value = BigInt(row.value!)
          const delta = (row.to === address ? value : 0n) - (row.from === address ? value : 0n)
          amounts.set(key, (amounts.get(key) ?? 0n) + delta)
        }
        const expected = [...amounts]
          .filter(([, amount]) => amount > 0n)
          .map(([key, amount]) => `${key} ${amount}`)
          .sort()
        const path = `/v1/chains/${chain}/addresses/${address}/balances:listErc1155`
        const at = height === newest ? '' : `&blockNumber=${height}`
        if (at !== '') {
          // The recording has the coin's balances at its end only.
          assert.equal((await service.get(`${path}?pageSize=1${at}`)).status, 503)
          continue
        }
        for (const size of [500, 2]) {
          const items = await service.readAll(`${path}?pageSize=${size}`, 'erc1155TokenBalances')
          const shown = items
            .map((item) => `${item.address} ${item.tokenId} ${item.balance}`)
            .sort()
          assert.deepEqual(shown, expected, `${address} by ${size}`)
        }
      }
    }
  })

  void test(`NFT balances: collectibles of chain ${chain} are both lists joined, whatever the page`, async () => {
    const holders = busiest(moved.flatMap(({ to }) => [to])).filter((address) => address !== zero)
    for (const address of holders.slice(0, 3)) {
      const path = `/v1/chains/${chain}/addresses/${address}/balances:list`
      const owns = await service.readAll(`${path}Erc721?pageSize=500`, 'erc721TokenBalances')
      const holds = await service.readAll(`${path}Erc1155?pageSize=500`, 'erc1155TokenBalances')
      for (const size of [500, 1 + owns.length, Math.max(1, owns.length), 1]) {
        const all = await service.readAll(
          `${path}Collectibles?pageSize=${size}`,
          'collectibleBalances',
        )
        assert.deepEqual(all, [...owns, ...holds], `${address} by ${size}`)
      }
    }
  })

  void test(`NFT balances: contractAddress of chain ${chain} leaves only that contract's tokens`, async () => {
    const [address] = busiest(owned.flatMap(({ to }) => [to])).filter((each) => each !== zero)
    const path = `/v1/chains/${chain}/addresses/${address}/balances:listErc721`
    const all = await service.readAll(`${path}?pageSize=500`, 'erc721TokenBalances')
    let count = 0
    for (const contract of new Set(owned.map(({ token }) => token))) {
      const some = await service.readAll(
        `${path}?pageSize=2&contractAddress=${contract}`,
        'erc721TokenBalances',
      )
      assert.deepEqual(
        some,
        all.filter((item) => item.address === checksum(contract)),
      )
      count += some.length
    }
    assert.equal(count, all.length)
    const none = await service.readAll(
      `${path}?contractAddress=0x${'ab'.repeat(20)}`,
      'erc721TokenBalances',
    )
    assert.deepEqual(none, [])
  })

  void test(`NFT token: one of chain ${chain} is the entry of the list`, async () => {
    for (const { token } of [owned[0]!, moved[0]!]) {
      const tokens = await service.readAll(`${collections}/${token}/tokens?pageSize=100`, 'tokens')
      for (const listed of sample(tokens, 3)) {
        const { status, body } = await service.get(
          `${collections}/${token}/tokens/${listed.tokenId}`,
        )
        assert.equal(status, 200)
        assert.deepEqual(body, listed)
      }
    }
  })
}

function checksum(address: string): string {
  return toChecksumAddress(fromHex(address))
}
