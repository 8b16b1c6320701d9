/** The network that a path without one means. */

import { Fault } from '../../core/fault.ts'
import type { networkNames } from '../../core/network.ts'
import type { NetworkDirectory, ServedNetwork } from './network-directory.ts'

/** All networks, mainnet first. Throws `not-found` when none is served. */
export function networksInOrder(networks: NetworkDirectory): readonly ServedNetwork[] {
  const all = networks.all()
  const isMain = ({ network }: ServedNetwork): boolean => network === 'mainnet'
  const ordered = [...all.filter(isMain), ...all.filter((one) => !isMain(one))]
  if (ordered.length === 0) throw new Fault('not-found', 'no primary network is served here')
  return ordered
}

/** The network named, else mainnet where it is served, else the other. Throws `not-found`. */
export function meantNetwork(
  networks: NetworkDirectory,
  name: (typeof networkNames)[number] | undefined,
): ServedNetwork {
  if (name !== undefined) return networks.find(name)
  const [first] = networksInOrder(networks)
  if (first === undefined) throw new Fault('not-found', 'no primary network is served here')
  return first
}
