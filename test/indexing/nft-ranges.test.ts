/**
 * ERC-2309 ranges, cut by later ranges and by single transfers, held against a plain map of owners
 * that is filled from the same raw logs one token at a time.
 */

import assert from 'node:assert/strict'

import { fromHex } from '../../src/core/bytes.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { addressId, richAddressesOfIds } from '../../src/store/query/evm/addresses.ts'
import { ownersOfTokens } from '../../src/store/query/nft/nft-details.ts'
import type { NftPlace } from '../../src/store/query/nft/nft-place.ts'
import { tokensOfContract } from '../../src/store/query/nft/tokens-of-contract.ts'
import { tokensOfOwner } from '../../src/store/query/nft/tokens-of-owner.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import {
  contract,
  highest,
  history,
  ingest,
  owners,
  party,
  rangeTopic,
  transferTopic,
  word,
  zero,
} from '../support/chains/ranged-chain.ts'
import { onBothEngines } from '../support/stores/stores.ts'

async function contractTokens(store: Database, contractId: number): Promise<[bigint, string][]> {
  const found: [bigint, string][] = []
  for (let from = 0n; ;) {
    const page = await tokensOfContract(store, { contractId, standard: 721, from, limit: 7 })
    const ids = page.flatMap(({ ownerId }) => ownerId ?? [])
    const parties = new Map(
      (await richAddressesOfIds(store, ids)).map((row, at) => [ids[at], `0x${row!.digits}`]),
    )
    for (const { item, ownerId } of page)
      found.push([item, ownerId === undefined ? zero : parties.get(ownerId)!])
    const last = page.at(-1)
    if (last === undefined || page.length < 7) return found
    from = last.item + 1n
  }
}

async function ownerTokens(store: Database, ownerId: number): Promise<bigint[]> {
  const found: bigint[] = []
  let from: NftPlace = { contractId: 0, item: 0n }
  for (;;) {
    const untilContract = Number.MAX_SAFE_INTEGER
    const page = await tokensOfOwner(store, { ownerId, from, untilContract, limit: 5 })
    found.push(...page.map(({ item }) => item))
    const last = page.at(-1)
    if (last === undefined || page.length < 5) return found
    from = { ...last, item: last.item + 1n }
  }
}

for (const [at, step] of [60, 1, 11].entries())
  onBothEngines(
    `nft ranges: owners are those of a replay, one token at a time, ${step} blocks a batch`,
    chainTables,
    async (store) => {
      const { logs, owned } = history(at + 1, 60 + at * 40)
      const database = await store.open('write')
      await ingest(database, logs, step)
      const contractId = await addressId(database, fromHex(contract))
      assert.ok(contractId !== undefined)
      const expected = [...owned].sort(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(await contractTokens(database, contractId), expected, `seed ${at + 1}`)
      for (const owner of owners) {
        const ownerId = await addressId(database, fromHex(owner))
        const ids = expected.filter(([, each]) => each === owner).map(([id]) => id)
        assert.deepEqual(ownerId === undefined ? [] : await ownerTokens(database, ownerId), ids)
      }
      const places = Array.from({ length: 400 }, (_, id) => ({ contractId, item: BigInt(id) }))
      const known = (await ownersOfTokens(database, places)).map((row) => row.known)
      assert.deepEqual(
        known,
        places.map(({ item }) => owned.has(item)),
      )
    },
  )

onBothEngines(
  'nft ranges: all 2^256 tokens are one row, wherever a page begins',
  chainTables,
  async (store) => {
    const [owner = ''] = owners
    const database = await store.open('write')
    const logs = [
      {
        topics: [rangeTopic, `0x${word(0n)}`, party(zero), party(owner)],
        data: `0x${word(highest)}`,
      },
      { topics: [transferTopic, party(owner), party(zero), `0x${word(highest - 1n)}`], data: '0x' },
    ]
    await ingest(database, logs, 60)
    const contractId = (await addressId(database, fromHex(contract))) ?? 0
    const ownerId = (await addressId(database, fromHex(owner))) ?? 0
    for (const from of [0n, 2n ** 255n]) {
      const page = await tokensOfContract(database, { contractId, standard: 721, from, limit: 3 })
      assert.deepEqual(
        page.map(({ item }) => item),
        [from, from + 1n, from + 2n],
      )
    }
    const last = { contractId, standard: 721, from: highest - 2n, limit: 10 }
    assert.deepEqual(await tokensOfContract(database, last), [
      { item: highest - 2n, ownerId },
      { item: highest - 1n, ownerId: undefined },
      { item: highest, ownerId },
    ])
    const query = { ownerId, from: { contractId, item: highest - 2n }, untilContract: contractId }
    const held = await tokensOfOwner(database, { ...query, limit: 10 })
    assert.deepEqual(
      held.map(({ item }) => item),
      [highest - 2n, highest],
    )
  },
)
