/**
 * Stakes that are running, of reward owners or nodes, by place.
 *
 * Each comes once. Cost: one range of `staker_by_address` or `staker_by_node` per address or
 * node; stakes that ended are passed over.
 */

import type { Reader, Statement } from '../../engine/database.ts'
import { mergeLists } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

/** Whose stakes; both given: stakes of those owners on those nodes. */
export type OpenStakerQuery = {
  /** Numbers. */
  readonly addresses?: readonly number[]
  readonly nodes?: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: number | undefined
  readonly limit: number
}

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
export async function listOpenStakers(
  reader: Reader,
  query: OpenStakerQuery,
): Promise<StoredStaker[]> {
  const { addresses, nodes, order } = query
  const wanted = nodes === undefined ? undefined : new Set(nodes)
  const kind = addresses === undefined ? 'node' : 'address'
  const start = query.after ?? (order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  const sign = order === 'asc' ? 1 : -1
  return mergeLists<number, StoredStaker>({
    lists: addresses ?? nodes ?? [],
    limit: query.limit,
    compare: (a, b) => sign * (a.pos - b.pos),
    accepts: ({ permissioned, node }) =>
      !permissioned && (wanted === undefined || wanted.has(node)),
    read: async (list, after, limit) => {
      const from = after?.pos ?? start
      const rows = await reader.all(questions[kind][order], [list, from, limit])
      return rows.map(stakerRow.read)
    },
  })
}
