/** Cycles of the auto-renewed validators of a node. Source: official clients 0.3.14. */

import { struct } from '../../../codec/kit.ts'
import { f64, u32 } from '../../../codec/primitives.ts'
import { Validators } from '../../../shape/operations/validators.ts'
import type { CurrentAutoRenewedCycle } from '../../../shape/primary/validator.ts'
import { numberOfNode } from '../../../store/query/primary/addresses.ts'
import {
  type CycleCursor,
  cyclesOfNode,
  delegatedBefore,
  runningPosition,
  type StoredCycle,
} from '../../../store/query/primary/rewards.ts'
import { type Operation } from '../../operation/operation.ts'
import { cursorOf, nextToken, readPage } from '../../operation/paging.ts'
import { idIn, nodeIdIn } from '../inputs.ts'
import { networkOperation } from '../network-operation.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { currentCycleView, cycleView } from '../views/auto-renew.ts'

/** Cycles that are over, and on the first page the one that runs. */
export function listValidatorCycles(
  context: PrimaryContext,
): Operation<'listAutoRenewedValidatorCycles'> {
  const contract = Validators.listAutoRenewedValidatorCycles
  return networkOperation(context, contract, async (network, { path, query }) => {
    const nodeId = nodeIdIn('nodeId', path.nodeId)
    const stakingTxId = query.txHash === undefined ? undefined : idIn('txHash', query.txHash)
    const only = stakingTxId === undefined ? {} : { stakingTxId }
    const node = (await numberOfNode(network.store, nodeId)) ?? -1
    const page = await readPage<StoredCycle, CycleCursor>(context.tokens, {
      route: contract.id,
      subject: { ...path, network: network.network },
      query,
      ...cycleCursor,
      rows: (after, limit) =>
        cyclesOfNode(network.store, {
          node,
          ...only,
          order: query.sortOrder ?? 'desc',
          after,
          limit,
        }),
      cursorOf: (row) => row,
    })
    const isFirst = query.pageToken === undefined
    const current = isFirst ? await currentCycle(network, { node, ...only }) : {}
    return { ...nextToken(page), cycles: page.rows.map(cycleView), ...current }
  })
}

async function currentCycle(
  { store }: ServedNetwork,
  of: { readonly node: number; readonly stakingTxId?: Uint8Array },
): Promise<{ readonly currentCycle?: CurrentAutoRenewedCycle }> {
  const position = await runningPosition(store, of)
  const autoRenewal = position?.autoRenewal
  if (position === undefined || autoRenewal === undefined) return {}
  const before = await delegatedBefore(store, position.pos)
  return { currentCycle: currentCycleView({ ...position, autoRenewal }, before) }
}

const cycleCursor = cursorOf<CycleCursor>(struct({ staker: f64, number: u32 }))
