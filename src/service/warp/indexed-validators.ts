/** Validator sets as our own index has them. */

import { toHex, isZero } from '../../core/bytes.ts'
import { toNodeId } from '../../core/cb58.ts'
import type { Clock } from '../../core/world.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { StoredStaker } from '../../store/query/primary/staker-rows.ts'
import { l1ValidatorsAt, stakersAt } from '../../store/query/primary/validators-at.ts'
import { Cache } from '../../warp/cache.ts'
import type { ValidatorEntry } from '../../warp/validator-set.ts'
import type { ReplayedValidators } from '../../warp/validator-source.ts'

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
  return [
    ...stakerEntries(stakers, keys),
    ...l1.map(({ nodeId, publicKey, weight, active }) => ({
      nodeId: toNodeId(nodeId),
      publicKey: active ? publicKey : undefined,
      weight,
    })),
  ]
}

type Keys = ReadonlyMap<string, Uint8Array>

/** Keys by node: those of the primary network's validators, which sign for every subnet. */
async function keysAt(
  store: Reader,
  stakers: readonly StoredStaker[],
  query: { readonly subnetId: Uint8Array; readonly height: number; readonly limit: number },
): Promise<Keys | undefined> {
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

/** One entry per node: its own weight and that of its delegators. */
function stakerEntries(stakers: readonly StoredStaker[], keys: Keys): ValidatorEntry[] {
  const weights = new Map<string, bigint>()
  for (const { nodeId, weight } of stakers) {
    const node = toNodeId(nodeId)
    weights.set(node, (weights.get(node) ?? 0n) + weight)
  }
  return Array.from(weights, ([nodeId, weight]) => ({
    nodeId,
    publicKey: keys.get(nodeId),
    weight,
  }))
}
