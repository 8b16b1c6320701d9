/**
 * ERC-2309 ranges, cut by later ranges and by single transfers, held against a plain map of owners
 * that is filled from the same raw logs one token at a time.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../src/codec/evm/raw.ts'
import { fromHex } from '../src/core/bytes.ts'
import { EvmIngest } from '../src/indexing/evm/evm-ingest.ts'
import { openRecording } from '../src/source/recording.ts'
import type { Database } from '../src/store/engine/database.ts'
import { takeLease } from '../src/store/lease.ts'
import { addressId } from '../src/store/query/evm/address-id.ts'
import { partiesOfIds } from '../src/store/query/evm/parties-of-ids.ts'
import { ownersOfTokens } from '../src/store/query/nft/nft-details.ts'
import type { NftPlace } from '../src/store/query/nft/nft-place.ts'
import { tokensOfContract } from '../src/store/query/nft/tokens-of-contract.ts'
import { tokensOfOwner } from '../src/store/query/nft/tokens-of-owner.ts'
import { chainTables } from './read-demo-chain.ts'
import { onBothEngines } from './stores.ts'
import { systemClock } from './system-clock.ts'

const file = readFileSync(join(import.meta.dirname, '../demo/chain-51002.firnrec'))
const contract = `0x${'c0'.repeat(20)}`
const zero = `0x${'0'.repeat(40)}`
const owners = ['a1', 'a2', 'a3'].map((byte) => `0x${byte.repeat(20)}`)
const highest = 2n ** 256n - 1n

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const rangeTopic = '0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'
const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const party = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

type Log = { readonly topics: readonly string[]; readonly data: string }

/** A generator of test values that always gives the same. Source: Park and Miller. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** Logs of one contract, and the owner of every id they name below 400. */
function history(seed: number, count: number): { logs: Log[]; owned: Map<bigint, string> } {
  const next = numbers(seed)
  const owned = new Map<bigint, string>()
  const logs: Log[] = []
  for (let at = 0; at < count; at++) {
    const to = next(5) === 0 ? zero : owners[next(owners.length)]!
    const first = BigInt(next(300))
    if (next(3) === 0) {
      const last = first + BigInt(next(80)) - 3n
      logs.push({
        topics: [rangeTopic, `0x${word(first)}`, party(zero), party(to)],
        data: `0x${word(last < 0n ? 0n : last)}`,
      })
      for (let id = first; id <= last; id++) owned.set(id, to)
    } else {
      logs.push({ topics: [transferTopic, party(zero), party(to), `0x${word(first)}`], data: '0x' })
      owned.set(first, to)
    }
  }
  // They only resemble ranges.
  logs.push({ topics: [rangeTopic, `0x${word(1n)}`, party(zero)], data: `0x${word(9n)}` })
  logs.push({ topics: [rangeTopic, `0x${word(1n)}`, party(zero), party(zero)], data: '0x01' })
  return { logs, owned }
}

/** The recorded chain with `logs` put behind those of its transactions, a few per block. */
async function ingest(database: Database, logs: readonly Log[], step: number): Promise<void> {
  const recording = openRecording(file)
  const { signal } = new AbortController()
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const writer = new EvmIngest({ database, lease, clock: systemClock })
  const left = [...logs]
  for (let from = 0; from < 60; from += step) {
    const range = { from, until: Math.min(from + step, 60) }
    const units = await recording.blocks(range, (raw) => raw, signal)
    const changed = units.map((unit) => withLogs(unit, left))
    await writer.blocks(decodeBlocks(from, changed, zstdCompressSync))
  }
  assert.equal(left.length, 0)
}

function withLogs(unit: RawUnit, left: Log[]): RawUnit {
  if (unit.receipts.length === 0) return unit
  // oxlint-disable-next-line typescript/no-explicit-any -- recorded JSON, changed in place
  const receipts: any[] = structuredClone([...unit.receipts])
  const last = receipts.at(-1)
  let logIndex = receipts.reduce((count, { logs }) => count + logs.length, 0)
  for (const log of left.splice(0, 7))
    last.logs.push({ ...log, address: contract, logIndex: `0x${(logIndex++).toString(16)}` })
  return { ...unit, receipts }
}

async function contractTokens(store: Database, contractId: number): Promise<[bigint, string][]> {
  const found: [bigint, string][] = []
  for (let from = 0n; ;) {
    const page = await tokensOfContract(store, { contractId, standard: 721, from, limit: 7 })
    const ids = page.flatMap(({ ownerId }) => ownerId ?? [])
    const parties = new Map(
      (await partiesOfIds(store, ids)).map((row, at) => [ids[at], `0x${row!.digits}`]),
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
