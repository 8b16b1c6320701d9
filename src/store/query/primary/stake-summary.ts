/** The primary network's stakers in sum. */

import { toBigint } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { stakerBody } from '../../schema/primary-bodies.ts'
import { bytesValue } from '../stored-row.ts'

/** Number of stakers, and their weight in nAVAX. */
export type Counted = { readonly count: number; readonly weight: bigint }

/** Result of {@link stakeSummary}. */
export type StakeSummary = {
  readonly validators: Counted
  readonly delegators: Counted
  /** nAVAX that all running stakes may earn. */
  readonly potentialRewards: bigint
  /** nAVAX. */
  readonly supply: bigint
  /** Validators with their delegations, by whether the polled node was connected to them. */
  readonly byReach: ReadonlyMap<'offline' | 'unknown', Counted>
}

const running = statement(
  `select role, node, connected, body from staker
   where role in (0, 1) and status = 1 and subnet_id = ?`,
)
const supplyOf = statement('select amount from supply where subnet_id = ?')

type Sum = { count: number; weight: bigint }

/** Reads every active staker: some ten thousand rows on mainnet, so callers keep the answer. */
export async function stakeSummary(reader: Reader): Promise<StakeSummary> {
  const primary = new Uint8Array(32)
  const rows = await reader.all(running, [primary])
  const sums: Record<'validators' | 'delegators', Sum> = {
    validators: { count: 0, weight: 0n },
    delegators: { count: 0, weight: 0n },
  }
  const byNode = new Map<number, { offline: boolean; weight: bigint; validators: number }>()
  let potentialRewards = 0n
  for (const [role, node, connected, body] of rows) {
    const { weight, potentialReward } = stakerBody.fromBytes(bytesValue(body))
    potentialRewards += potentialReward
    const isValidator = role === 0
    const sum = isValidator ? sums.validators : sums.delegators
    sum.count++
    sum.weight += weight
    const own = byNode.get(Number(node)) ?? { offline: false, weight: 0n, validators: 0 }
    own.weight += weight
    if (isValidator) own.validators++
    if (isValidator && connected === 0) own.offline = true
    byNode.set(Number(node), own)
  }
  const byReach = new Map<'offline' | 'unknown', Sum>()
  for (const { offline, weight, validators } of byNode.values()) {
    const reach = offline ? 'offline' : 'unknown'
    const sum = byReach.get(reach) ?? { count: 0, weight: 0n }
    byReach.set(reach, { count: sum.count + validators, weight: sum.weight + weight })
  }
  const supply = (await reader.get(supplyOf, [primary]))?.[0]
  return {
    ...sums,
    potentialRewards,
    supply: supply instanceof Uint8Array ? toBigint(supply) : 0n,
    byReach,
  }
}
