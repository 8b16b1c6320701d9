/** Chains of one network, or of all. */

import { networkOf, type networkNames } from '../../core/network.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { EvmParts } from './parts.ts'

/** Chains in configured order; with `network` only those of it. */
export function chainsOf(
  { chains }: EvmParts,
  network: (typeof networkNames)[number] | undefined,
): readonly ServedChain[] {
  if (network === undefined) return chains.all()
  const wanted = networkOf(network)
  return chains.all().filter(({ facts }) => facts.network === wanted)
}
