/** The primary networks served here, and what every answer needs to know of one. */

import { Fault } from '../../core/fault.ts'
import { type Network, networkNames, networkOf } from '../../core/network.ts'
import type { Database } from '../../store/engine/database.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { OwnerKeys } from './owner-keys.ts'

/** A network being served. */
export type ServedNetwork = {
  readonly network: Network
  readonly networkId: number
  /** Human-readable part of its addresses. */
  readonly hrp: string
  /** 32 bytes each. */
  readonly chainIds: Readonly<Record<PrimaryChain, Uint8Array>>
  /** The same in cb58, as answers show them. */
  readonly blockchainIds: Readonly<Record<PrimaryChain, string>>
  readonly avaxAssetId: Uint8Array
  /** Unix seconds. */
  readonly genesisTime: number
  readonly store: Database
  readonly ownerKeys: OwnerKeys
}

/** Finds networks by what callers write. */
export type NetworkDirectory = {
  readonly all: () => readonly ServedNetwork[]
  /** Throws `not-ready` for a network that is configured and not reached yet, else `not-found`. */
  readonly find: (name: (typeof networkNames)[number]) => ServedNetwork
  /** The id behind an alias that the operator gave. */
  readonly alias: (name: string) => string | undefined
}

/** A directory over `networks`, which may grow while the service runs. */
export function createNetworkDirectory(
  networks: () => readonly ServedNetwork[],
  alias: (name: string) => string | undefined = () => undefined,
  waiting: () => readonly Network[] = () => [],
): NetworkDirectory {
  const find = (name: (typeof networkNames)[number]): ServedNetwork => {
    const wanted = networkOf(name)
    const found = networks().find(({ network }) => network === wanted)
    if (found !== undefined) return found
    if (waiting().includes(wanted))
      throw new Fault('not-ready', `the primary network is not ready: ${name}`)
    throw new Fault('not-found', `the primary network is not served here: ${name}`)
  }
  return { all: networks, find, alias }
}
