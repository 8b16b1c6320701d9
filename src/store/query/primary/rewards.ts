/**
 * Rewards paid, newest first or oldest first, of owners or nodes.
 *
 * Order: number of the reward's UTXO, which grows with time. Each comes once. Cost: one range of
 * `reward_by_address` or `reward_by_node` per address or node.
 */

import { type Reader, type Row, statement, type Statement } from '../../engine/database.ts'
import { type RewardBody, rewardBody } from '../../schema/primary-bodies.ts'
import { mergeLists } from './merged-lists.ts'
import { bytes } from './utxo-rows.ts'

/** One reward. */
export type StoredReward = RewardBody & {
  /** Number of its UTXO. */
  readonly utxo: number
  readonly stakerTxId: Uint8Array
  readonly nodeId: Uint8Array
}

/** Whose rewards; both given: rewards of those owners for those nodes. */
export type RewardQuery = {
  /** Numbers. */
  readonly addresses?: readonly number[]
  readonly nodes?: readonly number[]
  readonly order: 'asc' | 'desc'
  readonly after: number | undefined
  readonly limit: number
}

function question(list: 'address' | 'node', order: 'asc' | 'desc'): Statement {
  const sign = order === 'asc' ? '>' : '<'
  const columns = 'r.utxo, r.staker_tx, n.bytes, r.body, r.node'
  const joined = 'join node n on n.id = r.node'
  return statement(
    list === 'address'
      ? `select ${columns} from reward_by_address a join reward r on r.utxo = a.utxo ${joined}
         where a.address_id = ? and a.utxo ${sign} ? order by a.utxo ${order} limit ?`
      : `select ${columns} from reward r ${joined}
         where r.node = ? and r.utxo ${sign} ? order by r.utxo ${order} limit ?`,
  )
}

const questions = {
  address: { asc: question('address', 'asc'), desc: question('address', 'desc') },
  node: { asc: question('node', 'asc'), desc: question('node', 'desc') },
} as const

type Listed = { readonly reward: StoredReward; readonly node: number }

/** Rewards of the page. */
export async function listRewards(reader: Reader, query: RewardQuery): Promise<StoredReward[]> {
  const { addresses, nodes, order } = query
  const wanted = nodes === undefined ? undefined : new Set(nodes)
  const kind = addresses === undefined ? 'node' : 'address'
  const start = query.after ?? (order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  const sign = order === 'asc' ? 1 : -1
  const listed = await mergeLists<number, Listed>({
    lists: addresses ?? nodes ?? [],
    limit: query.limit,
    compare: (a, b) => sign * (a.reward.utxo - b.reward.utxo),
    accepts: ({ node }) => wanted === undefined || wanted.has(node),
    read: async (list, after, limit) => {
      const from = after?.reward.utxo ?? start
      const rows = await reader.all(questions[kind][order], [list, from, limit])
      return rows.map((row) => ({ reward: rewardOf(row), node: Number(row[4]) }))
    },
  })
  return listed.map(({ reward }) => reward)
}

const ofStakers = statement(
  `select r.utxo, r.staker_tx, n.bytes, r.body from json_each(?) j
   cross join reward r indexed by reward_by_staker join node n on n.id = r.node where r.staker_tx = unhex(j.value) order by r.utxo`,
  {
    postgres: `select r.utxo, r.staker_tx, n.bytes, r.body
      from json_array_elements_text(?::json) j
      join reward r on r.staker_tx = decode(j.value, 'hex')
      join node n on n.id = r.node order by r.utxo`,
  },
)

/** Rewards paid for staking transactions. One seek of `reward_by_staker` each. */
export async function rewardsOfStakers(
  reader: Reader,
  txIds: readonly Uint8Array[],
): Promise<StoredReward[]> {
  if (txIds.length === 0) return []
  const texts = txIds.map((id) => Buffer.from(id).toString('hex'))
  return (await reader.all(ofStakers, [JSON.stringify(texts)])).map(rewardOf)
}

function rewardOf(row: Row): StoredReward {
  return {
    ...rewardBody.fromBytes(bytes(row[3])),
    utxo: Number(row[0]),
    stakerTxId: bytes(row[1]),
    nodeId: bytes(row[2]),
  }
}
