/**
 * Balances of L1 validators over time: they fall with every block, without a transaction.
 *
 * Between changes, what remains is what had to accrue for it to be used up, less what has.
 */

import { assert } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { l1ChangeBody } from '../../schema/primary/bodies.ts'
import { blockIdOf, blockOfPos, chainNumbers, posAfter } from '../../schema/primary/position.ts'
import { amount, body, bytes, integer, type RowOf, storedRow } from '../stored-row.ts'
import type { PlaceRange } from './places-of-addresses.ts'
import { concerns } from './validator-places.ts'
import type { Watched } from './watch.ts'

/** A change `c` of a validation `l` on node `n`, in block `b`. */
const changeRow = storedRow(
  {
    id: integer('l.id'),
    validationId: bytes('l.validation_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    height: integer('c.height'),
    pos: integer('c.pos'),
    /** Fees accrued at its block, nAVAX. */
    accrued: amount('b.l1_fees'),
  },
  body('c.body', l1ChangeBody),
)

/** One change of a validation; `pos` -1: its balance ran out before the block's transactions. */
export type L1Event = Omit<RowOf<typeof changeRow>, 'id' | 'validationId' | 'subnetId' | 'nodeId'>

/** A validation with everything that happened to it, oldest first. */
export type L1Life = {
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly events: readonly L1Event[]
}

const joined = `l1_validator l join node n on n.id = l.node
  join l1_change c on c.l1_id = l.id join primary_block b on b.id = c.height`

const livesOf = {
  node: changeRow.statement(
    (columns) =>
      `select ${columns} from ${joined} where n.bytes = ? order by l.id, c.height, c.pos`,
    { over: 'tables' },
  ),
  subnet: changeRow.statement(
    (columns) =>
      `select ${columns} from ${joined} where l.subnet_id = ? order by l.id, c.height, c.pos`,
    { over: 'tables' },
  ),
} as const

/** Validations of the node or subnet watched. Cost: their changes, with a seek of a block each. */
export async function l1Lives(
  reader: Reader,
  watched: Exclude<Watched, { readonly kind: 'addresses' }>,
): Promise<readonly L1Life[]> {
  const lives = new Map<number, L1Life & { readonly events: L1Event[] }>()
  for (const row of await reader.all(livesOf[watched.kind], [watched.key])) {
    const { id, validationId, subnetId, nodeId, ...event } = changeRow.read(row)
    const life = lives.get(id) ?? { validationId, subnetId, nodeId, events: [] }
    lives.set(id, life)
    life.events.push(event)
  }
  return [...lives.values()].filter((life) => concerns(watched, life))
}

const feesAt = statement(
  'select cast(l1_fees as text) from primary_block where id <= ? order by id desc limit 1',
  { over: 'tables' },
)

/** Fees accrued at a height of the P-Chain, or at its newest block before it, nAVAX. One seek. */
export async function accruedAt(reader: Reader, height: number): Promise<bigint> {
  const row = await reader.get(feesAt, [blockIdOf(chainNumbers.P, height)])
  assert(row !== undefined, 'genesis is stored')
  return BigInt(row[0] ?? 0)
}

/** Balance left to `life` when `accrued` had accrued; undefined before it began. */
export function remainingAt(
  { events }: L1Life,
  height: number,
  accrued: bigint,
): bigint | undefined {
  const last = events.findLast((event) => event.height <= height)
  if (last === undefined) return undefined
  if (!last.active) return 0n
  const left = last.remainingBalance + last.accrued - accrued
  return left > 0n ? left : 0n
}

/**
 * Blocks of `range` after which less than `threshold` remained, and before which no less did, as the
 * places after their transactions. Cost: some 25 seeks for each that is found.
 */
export async function thresholdPlaces(
  reader: Reader,
  watched: Exclude<Watched, { readonly kind: 'addresses' }>,
  range: PlaceRange,
): Promise<number[]> {
  const threshold = watched.l1Threshold
  if (threshold === undefined) return []
  const from = blockOfPos(range.from)
  const until = blockOfPos(range.until - 1) + 1
  const places = new Set<number>()
  for (const life of await l1Lives(reader, watched)) {
    const bounds = [from, ...life.events.map(({ height }) => height), until]
      .filter((height) => height >= from && height <= until)
      .toSorted((a, b) => a - b)
    for (const [at, begin] of bounds.entries()) {
      const end = bounds[at + 1]
      if (end === undefined || end === begin) continue
      const found = await crossing(reader, { life, threshold, begin, end })
      if (found !== undefined) places.add(posAfter(chainNumbers.P, found))
    }
  }
  return [...places].filter((pos) => pos >= range.from && pos < range.until)
}

type Stretch = {
  readonly life: L1Life
  readonly threshold: bigint
  readonly begin: number
  readonly end: number
}

/** The block within `[begin, end)` that crosses; what remains only falls after `begin`. */
async function crossing(
  reader: Reader,
  { life, threshold, begin, end }: Stretch,
): Promise<number | undefined> {
  const isBelow = async (height: number): Promise<boolean | undefined> => {
    if (height < 0) return undefined
    const left = remainingAt(life, height, await accruedAt(reader, height))
    return left === undefined ? undefined : left < threshold
  }
  if ((await isBelow(end - 1)) !== true) return undefined
  if ((await isBelow(begin)) === true)
    return (await isBelow(begin - 1)) === false ? begin : undefined
  let low = begin
  let high = end - 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if ((await isBelow(middle)) === true) high = middle
    else low = middle
  }
  // Before it began nothing remained, so nothing fell.
  return (await isBelow(high - 1)) === false ? high : undefined
}
