/**
 * Rewards paid, newest first or oldest first, of owners or nodes.
 *
 * Order: number of the reward's UTXO, which grows with time. Each comes once. Cost: one range of
 * `reward_by_address` or `reward_by_node` per address or node.
 */

import type { Reader, Statement } from '../../engine/database.ts'
import { rewardBody } from '../../schema/primary-bodies.ts'
import { body, bytes, integer, type RowOf, storedRow } from '../stored-row.ts'
import { mergeOwnerLists, type OwnerPage } from './merged-lists.ts'

/** A reward `r`, and the node `n` it was earned with. */
const rewardRow = storedRow(
  {
    /** Number of its UTXO. */
    utxo: integer('r.utxo'),
    stakerTxId: bytes('r.staker_tx'),
    nodeId: bytes('n.bytes'),
    /** Number of the node. */
    node: integer('r.node'),
  },
  body('r.body', rewardBody),
)
/** One reward. */
export type StoredReward = RowOf<typeof rewardRow>

function question(list: 'address' | 'node', order: 'asc' | 'desc'): Statement {
  const sign = order === 'asc' ? '>' : '<'
  const joined = 'join node n on n.id = r.node'
  return rewardRow.statement((columns) =>
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

/** Rewards of the page. */
export function listRewards(reader: Reader, query: OwnerPage): Promise<StoredReward[]> {
  const { addresses, nodes } = query
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? [],
    question: questions[addresses === undefined ? 'node' : 'address'],
    read: rewardRow.read,
    placeOf: ({ utxo }) => utxo,
    accepts: () => true,
  })
}

const ofStakers = rewardRow.statement(
  (columns) => `select ${columns} from json_each(?) j
   cross join reward r indexed by reward_by_staker join node n on n.id = r.node where r.staker_tx = unhex(j.value) order by r.utxo`,
  {
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
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
  return (await reader.all(ofStakers, [JSON.stringify(texts)])).map(rewardRow.read)
}
