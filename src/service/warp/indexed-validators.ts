/** Validator sets as our own index has them. */

import { isZero, keyOf, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import { latestBlocks } from '../../store/query/primary/blocks.ts'
import { accruedFees, listL1Validators } from '../../store/query/primary/l1-validators.ts'
import { chainsById, subnetById } from '../../store/query/primary/network.ts'
import type { StoredStaker } from '../../store/query/primary/stakers.ts'
import { l1ValidatorsAt, stakersAt } from '../../store/query/primary/validators.ts'
import { blockOfPos, heightOfBlock, posRangeOf } from '../../store/schema/primary/position.ts'
import { Cache } from '../../warp/cache.ts'
import { canonicalSet, type ValidatorEntry } from '../../warp/validator-set.ts'
import {
  leastBalance,
  type ReplayedValidators,
  type ValidatorSource,
} from '../../warp/validator-source.ts'

type Entries = readonly ValidatorEntry[]

// A thousand validators with thirty delegators each; reading more would hold the process up longer
// than a comparison is worth.
const maxRows = 32_768
// Every period that ended since would be read. At a block every ten seconds these are a week;
// messages are verified with sets of the last minutes.
const maxBehind = 65_536
// As many sets as those of the node, of at most 1,000 entries in the common case.
const maxKept = 64

/**
 * Sets of the index that `store` gives, which may appear later.
 *
 * `undefined` above the indexed height and far below it, and for sets beyond the limit.
 */
export function indexedValidators(
  store: () => Reader | undefined,
  clock: Clock,
): ReplayedValidators {
  const kept = new Cache<Entries>(clock, { maxEntries: maxKept })
  return async (subnetId, height) => {
    const reader = store()
    if (reader === undefined) return undefined
    const key = `${toHex(subnetId)}:${height}`
    const known = kept.peek(key)
    if (known !== undefined) return known
    const entries = await entriesAt(reader, subnetId, height)
    if (entries !== undefined) kept.put(key, entries)
    return entries
  }
}

/** Blocks of this time are not yet proposed as the height of validators. Source: vms/platformvm/validators. */
const recentSeconds = 30
const mostRecent = 64

/**
 * All that aggregation reads of a network, from the index alone: what the P-Chain says, as far as
 * it is indexed. Throws `not-served` before there is an index.
 */
export function storedValidators(
  store: () => Reader | undefined,
  replayed: ReplayedValidators,
  clock: Clock,
): ValidatorSource {
  const opened = (): Reader => {
    const reader = store()
    if (reader === undefined) throw new Fault('not-served', 'the P-Chain is not indexed yet')
    return reader
  }
  const subnet: ValidatorSource['subnet'] = async (subnetId) => {
    if (isZero(subnetId)) return { isL1: false, conversionId: undefined, managerChainId: undefined }
    const found = await subnetById(opened(), subnetId)
    if (found === undefined) throw new Fault('not-found', `no such subnet: ${toCb58(subnetId)}`)
    const { conversion } = found
    return {
      isL1: conversion !== undefined,
      conversionId: conversion?.conversionId,
      managerChainId: conversion?.managerChainId,
    }
  }
  return {
    proposedHeight: () => proposedHeight(opened(), clock),
    // Epochs are those of each chain's own blocks.
    epochHeight: async () => undefined,
    validatorsAt: async (subnetId, height, signal) => {
      const entries = await replayed(subnetId, height, signal)
      if (entries !== undefined) return canonicalSet(entries)
      const indexed = (await getCheckpoint(opened(), 'P'))?.height ?? -1
      if (height > indexed)
        throw new Fault('bad-parameter', `P-Chain height is above the last indexed one: ${height}`)
      throw new Fault('not-served', `validators of a height that far back need a node: ${height}`)
    },
    subnetOf: async (chainId) => {
      if (isZero(chainId)) return new Uint8Array(32)
      const chain = (await chainsById(opened(), [chainId])).get(keyOf(chainId))
      if (chain === undefined) throw new Fault('not-found', `no such chain: ${toCb58(chainId)}`)
      return chain.subnetId
    },
    subnet,
    underfunded: async (subnetId) => {
      const fees = await accruedFees(opened())
      const query = { subnetId, includeInactive: false, after: undefined, limit: maxRows }
      const poor = (await listL1Validators(opened(), query)).filter(
        ({ endAccumulatedFee }) => endAccumulatedFee - fees < leastBalance,
      )
      return new Set(poor.map(({ nodeId }) => toNodeId(nodeId)))
    },
  }
}

/** One before the oldest block of the last moments; the last one where there is none. */
async function proposedHeight(store: Reader, clock: Clock): Promise<number> {
  const { from, until } = posRangeOf('P')
  const range = { from: blockOfPos(from), until: blockOfPos(until), limit: mostRecent }
  const blocks = await latestBlocks(store, range)
  const since = clock.now() / 1_000 - recentSeconds
  const recent = blocks.filter(({ timestamp }) => timestamp >= since)
  const height = recent.at(-1)?.id ?? blocks[0]?.id
  if (height === undefined) throw new Fault('not-served', 'the P-Chain is not indexed yet')
  return heightOfBlock(height) - (recent.length > 0 ? 1 : 0)
}

async function entriesAt(
  store: Reader,
  subnetId: Uint8Array,
  height: number,
): Promise<Entries | undefined> {
  const indexed = (await getCheckpoint(store, 'P'))?.height ?? -1
  if (height > indexed || height < indexed - maxBehind) return undefined
  const query = { subnetId, height, limit: maxRows }
  const stakers = await stakersAt(store, query)
  const l1 = await l1ValidatorsAt(store, query)
  if (stakers === undefined || l1 === undefined) return undefined
  const keys = stakers.length === 0 ? new Map() : await keysAt(store, stakers, query)
  if (keys === undefined) return undefined
  // One entry per node: its own weight and that of its delegators.
  const weights = new Map<string, bigint>()
  for (const { nodeId, weight } of stakers) {
    const node = toNodeId(nodeId)
    weights.set(node, (weights.get(node) ?? 0n) + weight)
  }
  return [
    ...Array.from(weights, ([nodeId, weight]) => ({
      nodeId,
      publicKey: keys.get(nodeId),
      weight,
    })),
    ...l1.map(({ nodeId, publicKey, weight, active }) => ({
      nodeId: toNodeId(nodeId),
      publicKey: active ? publicKey : undefined,
      weight,
    })),
  ]
}

/** Keys by node: those of the primary network's validators, which sign for every subnet. */
async function keysAt(
  store: Reader,
  stakers: readonly StoredStaker[],
  query: { readonly subnetId: Uint8Array; readonly height: number; readonly limit: number },
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const isPrimary = isZero(query.subnetId)
  const primary = isPrimary
    ? stakers
    : await stakersAt(store, { ...query, subnetId: new Uint8Array(32) })
  if (primary === undefined) return undefined
  const keys = new Map<string, Uint8Array>()
  for (const { nodeId, publicKey, role } of primary) {
    if (role === 'validator' && publicKey !== undefined) keys.set(toNodeId(nodeId), publicKey)
  }
  return keys
}
