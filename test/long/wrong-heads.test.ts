/**
 * A node that gives another block for its newest P, X or C block, in reply to every method that reads it, and then
 * goes on with the true ones: what was stored of the wrong one is taken back, whatever it was.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { toBytes, toRlp } from 'viem'

import { headerRlp } from '../../src/codec/evm/proof/header-hash.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { toCb58 } from '../../src/core/cb58.ts'
import { keccak256, sha256 } from '../../src/core/hash.ts'
import { isObject } from '../../src/core/json.ts'
import type { World } from '../../src/core/world.ts'
import { createLog, type Log } from '../../src/telemetry/log.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { nodeGenesis, openPrimaryNode, type NodeBehaviour } from '../support/nodes/primary-node.ts'
import { drawsOf } from '../support/processes/draws.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { fileWorld, indexPrimary } from '../support/services/primary-service.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

/** Waits take a two hundredth of their time. */
const quick = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 200, signal),
}

type Indexed = { readonly facts: unknown; readonly takenBack: readonly unknown[] }

async function indexed(behaviour: NodeBehaviour, database?: string): Promise<Indexed> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-heads-'))
  const { transport } = openPrimaryNode(behaviour)
  const world: World = { ...fileWorld, clock: quick, transport }
  const takenBack: unknown[] = []
  const log: Log = createLog(
    ({ event, fields }) => {
      if (event === 'block taken back') takenBack.push(fields['chain'])
    },
    () => undefined,
  )
  const options = { world, nodeUrl: 'http://node', genesis: nodeGenesis, log, isPatient: true }
  try {
    const store = await indexPrimary({ store: database ?? 'embedded', dataDir }, options)
    const facts = await factsOf(store)
    await store.close()
    return { facts, takenBack }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type JsonObject = Readonly<Record<string, unknown>>

/** One bit of hex text flipped, from byte `from` on. */
function flipped(text: string, from: number, draw: (limit: number) => number): string {
  const bytes = fromHex(text)
  const at = from + draw(Math.max(1, bytes.length - from))
  bytes[at] = (bytes[at] ?? 0) ^ (1 << draw(8))
  return to0x(bytes)
}

/** A block of the C-Chain with another time, or other atomic transactions, and the hashes of that. */
function forgedCBlock(block: JsonObject, draw: (limit: number) => number): JsonObject {
  const extra = String(block['blockExtraData'])
  const isEmpty = extra === '0x'
  const time = `0x${(Number(block['timestamp']) + 1 + draw(100)).toString(16)}`
  const blockExtraData = isEmpty ? extra : flipped(extra, 2, draw)
  const extDataHash = isEmpty
    ? block['extDataHash']
    : to0x(keccak256(toBytes(toRlp(fromHex(blockExtraData)))))
  const forged = { ...block, blockExtraData, extDataHash, ...(isEmpty ? { timestamp: time } : {}) }
  return { ...forged, hash: to0x(keccak256(headerRlp(forged) ?? new Uint8Array())) }
}

const heads = { P: 84, X: 9, C: 47 } as const
/** Questions for the head until the node is believed to have been heard. */
const patience = 12

/**
 * Tells block `height` of `chain`, its newest at first, as another one; then the truth. Meanwhile another chain
 * is not there: what is indexed is not complete before the wrong block was followed.
 */
function liarOf(seed: number): NodeBehaviour & { readonly chain: keyof typeof heads } {
  const draws = drawsOf(seed)
  const chain = draws.pick(['P', 'X', 'C'] as const)
  const height = draws.between(1, heads[chain])
  const waiting = chain === 'P' ? 'X' : 'P'
  const seen: JsonObject[] = []
  const [forgedBlock, forgedId] = [new Map<string, string>(), new Map<string, string>()]
  let polls = 0
  let pollsAfterAll = -1
  const isOver = (): boolean => polls > patience
  const forge = (text: string): string => {
    const known = forgedBlock.get(text)
    if (known !== undefined) return known
    const forged = flipped(text, chain === 'P' ? 54 : 46, draws.below)
    forgedBlock.set(text, forged)
    forgedId.set(toCb58(sha256(fromHex(forged))), forged)
    return forged
  }
  const head = (newest: number): number => {
    if (seen.length > 0) polls++
    if (pollsAfterAll >= 0) pollsAfterAll++
    return isOver() ? newest : Math.min(newest, height)
  }
  const lie: NodeBehaviour['lie'] = (call, truth) => {
    const [first] = call.params
    const named: JsonObject = isObject(first) ? first : {}
    const block: JsonObject = isObject(truth) ? truth : {}
    const isOf = (name: string): boolean =>
      chain !== 'C' && call.method === `${chain === 'P' ? 'platform' : 'avm'}.${name}`
    if (call.method === 'info.isBootstrapped' && named['chain'] === waiting)
      return { isBootstrapped: pollsAfterAll > 2 }
    if (isOf('getHeight')) return { height: String(head(heads[chain])) }
    if (call.method === 'eth_blockNumber' && chain === 'C') return `0x${head(heads.C).toString(16)}`
    const at = call.method === 'eth_getBlockByNumber' ? Number(first) : Number(named['height'])
    const isBlock =
      isOf('getBlockByHeight') || (chain === 'C' && call.method === 'eth_getBlockByNumber')
    if (isBlock && at === heads[chain] && pollsAfterAll < 0) pollsAfterAll = 0
    if (isOver()) return truth
    if (isBlock && at === height) {
      seen.push(block)
      if (chain !== 'C') return { block: forge(String(block['block'])) }
      return { ...block, ...cForged(block) }
    }
    if (isOf('getBlock')) {
      const block = forgedId.get(String(named['blockID']))
      return block === undefined ? truth : { block }
    }
    return truth
  }
  let cParts: JsonObject | undefined
  const cForged = (block: JsonObject): JsonObject => {
    const { blockExtraData, extDataHash, timestamp, hash } = (cParts ??= forgedCBlock(
      block,
      draws.below,
    ))
    return { blockExtraData, extDataHash, timestamp, hash }
  }
  return { chain, lie }
}

/** Chains of which a wrong block was taken back, over `seeds`; what is stored is the truth after each. */
async function takenBackOver(seeds: number, database: () => Promise<string | undefined>) {
  const honest = await indexed({})
  const takenBack = new Map<unknown, number>()
  for (let seed = 1; seed <= seeds; seed++) {
    const liar = liarOf(seed)
    const { facts, takenBack: seen } = await indexed(liar, await database())
    assert.deepEqual(facts, honest.facts, `seed ${seed}, ${liar.chain}`)
    for (const chain of seen) takenBack.set(chain, (takenBack.get(chain) ?? 0) + 1)
  }
  return takenBack
}

void test('wrong heads: of 25 that a node gave, those that were stored are taken back', async () => {
  const takenBack = await takenBackOver(25, () => Promise.resolve(undefined))
  // The others contradicted what was known, and were not stored.
  for (const chain of ['P', 'X', 'C']) assert.ok((takenBack.get(chain) ?? 0) > 1, chain)
})

void test('wrong heads in PostgreSQL: of 10 that a node gave, those that were stored are taken back', async () => {
  const takenBack = await takenBackOver(10, newDatabase)
  for (const chain of ['P', 'X', 'C']) assert.ok((takenBack.get(chain) ?? 0) > 0, chain)
})
