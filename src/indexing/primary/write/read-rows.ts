/** Reads back the rows that replay keeps in memory: stakers, subnets and L1 validations. */

import type { Reader } from '../../../store/engine/database.ts'
import { subnetRow } from '../../../store/query/primary/network.ts'
import { body, bytes, integer, maybe, oneOf, storedRow } from '../../../store/query/stored-row.ts'
import { l1ValidatorBody, stakerBody } from '../../../store/schema/primary/bodies.ts'
import { placeOfPos, stakerStatuses } from '../../../store/schema/primary/position.ts'
import type { StakerRow } from '../batch/staking-rows.ts'
import type { L1ValidatorRow, SubnetRow } from '../batch/subnet-rows.ts'

const stakerRow = storedRow(
  {
    pos: integer('s.pos'),
    txId: bytes('s.tx_id'),
    role: oneOf('s.role', ['validator', 'delegator']),
    status: oneOf('s.status', stakerStatuses),
    subnetId: bytes('s.subnet_id'),
    nodeId: bytes('n.bytes'),
    validatorTxId: maybe(bytes('s.validator_tx')),
    activatedHeight: maybe(integer('s.activated_height')),
    endedHeight: maybe(integer('s.ended_height')),
  },
  body('s.body', stakerBody),
)
const stakers = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where s.role in (0, 1) and s.status in (0, 1)`,
)

/** All pending and active stakers, in no order. */
export async function openStakers(reader: Reader): Promise<StakerRow[]> {
  return (await stakerRow.all(reader, stakers)).map(withCreation)
}

const subnets = subnetRow.statement((columns) => `select ${columns} from subnet`)

/** All subnets, in no order. */
export async function allSubnets(reader: Reader): Promise<SubnetRow[]> {
  return (await subnetRow.all(reader, subnets)).map(withCreation)
}

const l1Row = storedRow(
  {
    validationId: bytes('l.validation_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    removedHeight: maybe(integer('l.removed_height')),
  },
  body('l.body', l1ValidatorBody),
)
const l1Validators = l1Row.statement(
  (columns) => `select ${columns} from l1_validator l join node n on n.id = l.node
   where l.removed_height is null`,
)

/** All L1 validations that were not removed, in no order. */
export async function liveL1Validators(reader: Reader): Promise<L1ValidatorRow[]> {
  const rows = await l1Row.all(reader, l1Validators)
  return rows.map(({ createdPos: pos, ...validator }) => withCreation({ ...validator, pos }))
}

/** A row with the height and position its `pos` stands for. */
function withCreation<R extends { readonly pos: number }>({
  pos,
  ...row
}: R): Omit<R, 'pos'> & { readonly createdHeight: number; readonly createdPosition: number } {
  const { height, position } = placeOfPos(pos)
  return { ...row, createdHeight: height, createdPosition: position }
}
