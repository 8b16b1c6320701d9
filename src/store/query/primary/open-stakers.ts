/**
 * Stakes that are running, of reward owners or nodes, by place.
 *
 * Each comes once. Cost: one range of `staker_by_address` or `staker_by_node` per address or
 * node; stakes that ended are passed over.
 */

import type { Reader, Statement } from '../../engine/database.ts'
import { mergeOwnerLists, type OwnerPage } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

function question(list: 'address' | 'node', order: 'asc' | 'desc'): Statement {
  const sign = order === 'asc' ? '>' : '<'
  const running = 's.status = 1'
  return stakerRow.statement((columns) =>
    list === 'address'
      ? `select ${columns} from staker_by_address a
         join staker s on s.pos = a.pos join node n on n.id = s.node
         where a.address_id = ? and a.pos ${sign} ? and ${running}
         order by a.pos ${order} limit ?`
      : `select ${columns} from staker s join node n on n.id = s.node
         where s.node = ? and s.role in (0, 1) and s.pos ${sign} ? and ${running}
         order by s.pos ${order} limit ?`,
  )
}

const questions = {
  address: { asc: question('address', 'asc'), desc: question('address', 'desc') },
  node: { asc: question('node', 'asc'), desc: question('node', 'desc') },
} as const

/** Stakes of the page. */
export function listOpenStakers(reader: Reader, query: OwnerPage): Promise<StoredStaker[]> {
  const { addresses, nodes } = query
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? [],
    question: questions[addresses === undefined ? 'node' : 'address'],
    read: stakerRow.read,
    placeOf: ({ pos }) => pos,
    accepts: ({ permissioned }) => !permissioned,
  })
}
