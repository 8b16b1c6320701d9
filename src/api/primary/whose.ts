/** The owners whose rewards or stakes a caller asks for. */

import { Fault } from '../../core/fault.ts'
import { knownNumbers, numberOfNode } from '../../store/query/primary/addresses.ts'
import { addressesIn, itemsOf, nodeIdsIn } from './inputs.ts'
import type { ServedNetwork } from './network-directory.ts'
import type { PrimaryParts } from './parts.ts'

/** Numbers of addresses and nodes; both given: of those addresses for those nodes. */
export type Whose = {
  readonly addresses?: readonly number[] | undefined
  readonly nodes?: readonly number[] | undefined
}

/** Reads both lists. Throws `bad-parameter`, also when neither is given. */
export async function whoseIn(
  parts: PrimaryParts,
  network: ServedNetwork,
  query: { readonly addresses?: string | undefined; readonly nodeIds?: string | undefined },
): Promise<Whose> {
  const whose = await whoseOrAll(parts, network, query)
  if (whose.addresses === undefined && whose.nodes === undefined)
    throw new Fault('bad-parameter', 'addresses or nodeIds is required')
  return whose
}

/** As {@link whoseIn}, but neither may be given: everybody's. */
export async function whoseOrAll(
  parts: PrimaryParts,
  network: ServedNetwork,
  query: { readonly addresses?: string | undefined; readonly nodeIds?: string | undefined },
): Promise<Whose> {
  const { maxAddresses } = parts.limits
  const hasAddresses = itemsOf(query.addresses ?? '').length > 0
  const hasNodes = itemsOf(query.nodeIds ?? '').length > 0
  const owners = hasAddresses
    ? addressesIn(query.addresses ?? '', { hrp: network.hrp, chain: 'P' }, maxAddresses)
    : []
  const nodeIds = hasNodes ? nodeIdsIn(query.nodeIds ?? '', maxAddresses) : []
  const nodes = await Promise.all(nodeIds.map((id) => numberOfNode(network.store, id)))
  return {
    addresses: hasAddresses ? await knownNumbers(network.store, owners) : undefined,
    nodes: hasNodes ? nodes.filter((number) => number !== undefined) : undefined,
  }
}
