/**
 * Who may propose a block, and when: the schedule of the proposervm ("Snowman++").
 *
 * A block at a height of a chain is due by the validators that the primary network has after the P-Chain height of its
 * outer parent, by their weight, online or not. Times are counted from the parent's. Since Durango each slot of
 * 5 s has one proposer, without end. Before, six windows opened one after another and stayed open, and
 * anybody could propose after the last.
 *
 * Source: avalanchego vms/proposervm/proposer/windower.go, utils/sampler.
 */

import { compareBytes, toBigint } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import { itemAt, u64At } from '../../core/item-at.ts'
import { mersenne32, mersenne64, type Words } from './mersenne-twister.ts'

/** Length of a slot, and of a window before Durango. Source: WindowDuration. */
export const slotSeconds = 5

/** Windows of a block before Durango; after the last, anybody may propose. Source: MaxVerifyWindows. */
export const windowsBeforeDurango = 6

/** A validator by its node id; its weight is above 0. */
export type Weighted = { readonly nodeId: Uint8Array; readonly weight: bigint }

/** Validators in the order in which they are drawn. */
export type ProposerTree<M extends Weighted> = {
  readonly members: readonly M[]
  /** Weight of each member and of all below it: those below place i are at 2i + 1 and 2i + 2. */
  readonly sums: BigUint64Array
}

/** The chain and the height of a block. `source` is {@link chainSource}. */
export type Turn = { readonly source: bigint; readonly height: number }

/** The part of a chain's id that the draw depends on. */
export function chainSource(chainId: Uint8Array): bigint {
  return toBigint(chainId.subarray(0, 8))
}

/**
 * Validators as they are drawn from; `members` are sorted in place, the heaviest first, which is quick where they
 * nearly are. The sum of their weights has 64 bits.
 */
export function proposerTree<M extends Weighted>(members: M[]): ProposerTree<M> {
  members.sort((a, b) =>
    a.weight === b.weight ? compareBytes(a.nodeId, b.nodeId) : a.weight > b.weight ? -1 : 1,
  )
  const sums = BigUint64Array.from(members, ({ weight }) => weight)
  for (let at = sums.length - 1; at > 0; at--) {
    const above = (at - 1) >> 1
    sums[above] = u64At(sums, above) + u64At(sums, at)
  }
  return { members, sums }
}

/** The proposer of `slot`, from 0, of a block since Durango; `undefined` where there are no validators. */
export function proposerOfSlot<M extends Weighted>(
  tree: ProposerTree<M>,
  { source, height }: Turn,
  slot: number,
): M | undefined {
  if (tree.members.length === 0) return undefined
  const words = mersenne64(source ^ BigInt(height) ^ reversed64(slot))
  return drawn(tree, numberUpTo(totalOf(tree) - 1n, words))
}

/** Those to whom windows of a block before Durango open, in order; one may come several times. */
export function proposersBeforeDurango<M extends Weighted>(
  tree: ProposerTree<M>,
  { source, height }: Turn,
): M[] {
  if (tree.members.length === 0) return []
  const words = mersenne32(Number(BigInt.asUintN(32, source ^ BigInt(height))))
  const last = totalOf(tree) - 1n
  const list: M[] = []
  // The first places of a shuffle of all numbers, of which only those that were swapped are kept.
  const swapped = new Map<bigint, bigint>()
  for (let at = 0n; at < windowsBeforeDurango && at <= last; at++) {
    const place = at + numberUpTo(last - at, words)
    list.push(drawn(tree, swapped.get(place) ?? place))
    swapped.set(place, swapped.get(at) ?? at)
  }
  return list
}

function totalOf({ sums }: ProposerTree<Weighted>): bigint {
  return u64At(sums, 0)
}

/** The member in whose part of the sum of all weights `number` lies. */
function drawn<M extends Weighted>({ members, sums }: ProposerTree<M>, number: bigint): M {
  let left = number
  for (let at = 0; ;) {
    const member = itemAt(members, at)
    if (left < member.weight) return member
    left -= member.weight
    at = at * 2 + 1
    const below = u64At(sums, at)
    if (left < below) continue
    left -= below
    at++
    assert(at < members.length, 'a number is below the sum of all weights')
  }
}

const halfOfWords = 1n << 63n

/** A number from 0 to `most`, each as likely as another. Source: utils/sampler/rand.go. */
function numberUpTo(most: bigint, words: Words): bigint {
  const count = most + 1n
  if ((most & count) === 0n) return words() & most
  if (most >= halfOfWords) {
    for (let word = words(); ; word = words()) if (word <= most) return word
  }
  const last = halfOfWords - 1n - (halfOfWords % count)
  for (let word = words(); ; word = words()) {
    const number = BigInt.asUintN(63, word)
    if (number <= last) return number % count
  }
}

/** The 64 bits of an integer in the other order. */
function reversed64(value: number): bigint {
  const [low, high] = [value >>> 0, Math.floor(value / 2 ** 32)]
  return (BigInt(reversed32(low)) << 32n) | BigInt(reversed32(high))
}

function reversed32(value: number): number {
  let bits = value
  bits = ((bits >>> 1) & 0x5555_5555) | ((bits & 0x5555_5555) << 1)
  bits = ((bits >>> 2) & 0x3333_3333) | ((bits & 0x3333_3333) << 2)
  bits = ((bits >>> 4) & 0x0f0f_0f0f) | ((bits & 0x0f0f_0f0f) << 4)
  bits = ((bits >>> 8) & 0x00ff_00ff) | ((bits & 0x00ff_00ff) << 8)
  return ((bits >>> 16) | (bits << 16)) >>> 0
}
