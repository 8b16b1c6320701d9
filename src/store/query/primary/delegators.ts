/**
 * Delegations by place, of owners, of nodes, or all; each once.
 *
 * Cost: one range of `staker_by_address` or `staker_by_node` per address or node, else one range of
 * `staker_by_status` per state; those of other states are passed over.
 */

import type { Reader, Statement } from '../../engine/database.ts'
import { stakerStatuses } from '../../schema/primary-position.ts'
import { mergeOwnerLists, type OwnerPage } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

/** Owners and states of delegations. */
export type DelegatorQuery = OwnerPage & {
  readonly statuses: readonly (typeof stakerStatuses)[number][]
}

type List = 'address' | 'node' | 'status'

function question(list: List, order: 'asc' | 'desc'): Statement {
  const sign = order === 'asc' ? '>' : '<'
  const from = {
    address:
      'staker_by_address a join staker s on s.pos = a.pos join node n on n.id = s.node where a.address_id = ?',
    node: 'staker s join node n on n.id = s.node where s.node = ?',
    status: 'staker s join node n on n.id = s.node where s.status = ?',
  }
  const place = list === 'address' ? 'a.pos' : 's.pos'
  return stakerRow.statement(
    (columns) => `select ${columns} from ${from[list]} and s.role = 1 and ${place} ${sign} ?
     order by ${place} ${order} limit ?`,
  )
}

const questions = {
  address: { asc: question('address', 'asc'), desc: question('address', 'desc') },
  node: { asc: question('node', 'asc'), desc: question('node', 'desc') },
  status: { asc: question('status', 'asc'), desc: question('status', 'desc') },
} as const

/** Delegations of the page. */
export function listDelegators(reader: Reader, query: DelegatorQuery): Promise<StoredStaker[]> {
  const { addresses, nodes, statuses } = query
  const states = new Set(statuses)
  const kind: List = addresses !== undefined ? 'address' : nodes !== undefined ? 'node' : 'status'
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? statuses.map((status) => stakerStatuses.indexOf(status)),
    question: questions[kind],
    read: stakerRow.read,
    placeOf: ({ pos }) => pos,
    accepts: ({ status }) => states.has(status),
  })
}

const validatorOfNode = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where n.bytes = ? and s.role = 0 and s.status in (0, 1) and s.subnet_id = ?
   order by s.pos desc limit 1`,
)

/** The validation that a delegation which waits for its start will join. One range of a node. */
export async function validatorToJoin(
  reader: Reader,
  { nodeId, subnetId }: Pick<StoredStaker, 'nodeId' | 'subnetId'>,
): Promise<StoredStaker | undefined> {
  const row = await reader.get(validatorOfNode, [nodeId, subnetId])
  return row === undefined ? undefined : stakerRow.read(row)
}
