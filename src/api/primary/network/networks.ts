/** The primary networks served here, and which of them a path means. */

import { toCb58 } from '../../../core/cb58.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Network, networkNames, networkOf, hrpOf } from '../../../core/network.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import { networkFacts } from '../../../store/query/primary/network.ts'
import type { PrimaryChain } from '../../../store/schema/primary/position.ts'
import type { PageTokens } from '../../operation/page-token.ts'
import type { PriceSource } from '../../prices/token-lists.ts'
import { type OwnerKeys, newOwnerKeys } from '../views/values.ts'

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

/** Handed to every operation. */
export type PrimaryContext = {
  readonly networks: NetworkDirectory
  readonly tokens: PageTokens
  readonly clock: Clock
  /** AVAX is priced as the native coin of the network's C-Chain. */
  readonly prices: PriceSource
  readonly limits: {
    /** Setting `api.maxAddresses`. */
    readonly maxAddresses: number
    /** Setting `api.maxBodyAddresses`. */
    readonly maxBodyAddresses: number
    /** Setting `api.transactionPageUtxos`. */
    readonly transactionPageUtxos: number
  }
}

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
  return itemAt(networksInOrder(networks), 0)
}

/** The network of `store`; `undefined` before its genesis is stored. */
export async function openNetwork(
  network: Network,
  store: Database,
): Promise<ServedNetwork | undefined> {
  const facts = await networkFacts(store)
  if (facts === undefined) return undefined
  const chainIds = { P: new Uint8Array(32), X: facts.xChainId, C: facts.cChainId }
  return {
    network,
    networkId: facts.networkId,
    hrp: hrpOf(facts.networkId),
    chainIds,
    blockchainIds: { P: toCb58(chainIds.P), X: toCb58(chainIds.X), C: toCb58(chainIds.C) },
    avaxAssetId: facts.avaxAssetId,
    genesisTime: facts.genesisTime,
    store,
    ownerKeys: newOwnerKeys(),
  }
}
