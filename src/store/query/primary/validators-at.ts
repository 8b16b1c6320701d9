/**
 * Validators of a subnet at a height: stakers, and validators of L1s as changes left them.
 *
 * Heights are those from which nodes show a change in the set: what a proposal's block decides
 * shows from its option on.
 */

import { proposalTypes } from '../../../core/type-ids.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { cycleBody, l1ChangeBody, l1ValidatorBody } from '../../schema/primary-bodies.ts'
import { blockIdOf, chainNumbers } from '../../schema/primary-position.ts'
import { integerAt } from '../row-values.ts'
import { body, bytes, integer, storedRow } from '../stored-row.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

/** A subnet and a height. No more than `limit` rows are read. */
export type SetQuery = {
  readonly subnetId: Uint8Array
  readonly height: number
  readonly limit: number
}

/** A validation of an L1 as it stood. An inactive one has weight but signs nothing. */
export type L1ValidatorAt = {
  readonly nodeId: Uint8Array
  /** Compressed, 48 bytes. */
  readonly publicKey: Uint8Array
  readonly weight: bigint
  readonly active: boolean
}

/** The first cycle of a staker that was settled after a height: what it weighed then. */
const cycleThen = `case when s.role = 0 then
  (select c.body from cycle c where c.staker = s.pos and c.height > ? order by c.number limit 1) end`

const stakers = stakerRow.statement(
  (columns) => `select ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.ended_height is null and s.activated_height <= ?
   union all
   select ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.ended_height > ? and s.activated_height <= ?
   limit ?`,
)

/**
 * Validators and delegators of a subnet at a height, in no order, with the weights they had then;
 * `undefined` beyond the limit. Cost: two ranges of `staker_by_end`, the subnet's periods that
 * ended later or have not, and a seek of `cycle` for each validator.
 */
export async function stakersAt(
  reader: Reader,
  { subnetId, height, limit }: SetQuery,
): Promise<StoredStaker[] | undefined> {
  const ended = [height, subnetId, height, height]
  const rows = await reader.all(stakers, [height, subnetId, height, ...ended, limit + 1])
  return rows.length > limit ? undefined : rows.map(asItWas)
}

/** A staker with the weight of the cycle it was in, where that is over. */
function asItWas([then, ...row]: Row): StoredStaker {
  const staker = stakerRow.read(row)
  if (!(then instanceof Uint8Array)) return staker
  return { ...staker, weight: cycleBody.fromBytes(then).weight }
}

const blockType = statement('select type from block where id = ?', { over: 'tables' })
const proposals: ReadonlySet<number> = new Set(proposalTypes)

const l1Row = storedRow({
  id: integer('l.id'),
  nodeId: bytes('n.bytes'),
  validation: body('l.body', l1ValidatorBody),
  change: body('c.body', l1ChangeBody),
})

const l1Validators = l1Row.statement(
  (columns) => `select ${columns} from l1_validator l join node n on n.id = l.node
   join l1_change c on c.l1_id = l.id and c.height =
     (select max(d.height) from l1_change d where d.l1_id = l.id and d.height <= ?)
   where l.subnet_id = ? and (l.removed_height is null or l.removed_height > ?)
   order by l.id, c.pos limit ?`,
)

/**
 * Validations of an L1 at a height, in order of creation; those with weight 0 are none.
 *
 * `undefined` beyond the limit, and where the height is not indexed. Cost: one seek of `l1_change`
 * for each validation not removed by then.
 */
export async function l1ValidatorsAt(
  reader: Reader,
  { subnetId, height, limit }: SetQuery,
): Promise<L1ValidatorAt[] | undefined> {
  const type = await reader.get(blockType, [blockIdOf(chainNumbers.P, height)])
  // Height 0 is genesis, which has no block and no L1s.
  if (type === undefined) return height === 0 ? [] : undefined
  const last = proposals.has(integerAt(type, 0)) ? height - 1 : height
  const rows = await reader.all(l1Validators, [last, subnetId, height, limit + 1])
  if (rows.length > limit) return undefined
  const found = new Map<number, L1ValidatorAt>()
  // The last change of a block is what stands.
  for (const { id, nodeId, validation, change } of rows.map(l1Row.read)) {
    const { weight, active } = change
    found.set(id, { nodeId, publicKey: validation.publicKey, weight, active })
  }
  return [...found.values()].filter(({ weight }) => weight > 0n)
}
