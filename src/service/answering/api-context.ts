/** The data and services from which a process answers its operations. */

import type { EventContext } from '../../api/events/own-webhook.ts'
import { createMethodNames } from '../../api/evm/abi/known-methods.ts'
import { createComparedBalances } from '../../api/evm/balances/compared-balances.ts'
import type { EvmContext } from '../../api/evm/evm-context.ts'
import { storedNfts } from '../../api/evm/nft/stored-nfts.ts'
import { createRegistryNames } from '../../api/evm/registry-names.ts'
import { createRichAddressBooks } from '../../api/evm/rich-addresses.ts'
import { createRevertReasons } from '../../api/evm/transactions/revert-reason.ts'
import { toldByHash } from '../../api/evm/transactions/told-transactions.ts'
import { type ChainDirectory, createChainDirectory } from '../../api/operation/chain-directory.ts'
import type { PageTokens } from '../../api/operation/page-token.ts'
import type { ApiContext } from '../../api/operations.ts'
import {
  createNetworkDirectory,
  type NetworkDirectory,
  type ServedNetwork,
} from '../../api/primary/network/networks.ts'
import type { StoredKey } from '../../api/server/admission/api-keys.ts'
import type { CallRecorder } from '../../api/server/admission/call-recorder.ts'
import type { UseCounter } from '../../api/server/admission/use-counter.ts'
import type { Config } from '../../config/settings.ts'
import { fromHex } from '../../core/bytes.ts'
import { recordedClock } from '../../core/recorded-time.ts'
import type { World } from '../../core/world.ts'
import type { IndexingStatus } from '../../indexing/run/indexer.ts'
import { AddressUnion } from '../../rollup/address-union.ts'
import type { Status } from '../../shape/status.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Replicas } from '../../store/engine/replicas.ts'
import { chainsById } from '../../store/query/primary/network.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import { icmContract, type SpecifiedChain } from '../chain-specs.ts'
import type { Served } from '../served/open-served.ts'
import type { LeaseWatch } from '../status/lease-watch.ts'
import type { TokenKnowledge } from '../tokens/token-knowledge.ts'
import type { ExplorerBrand } from '../web/explorer-mount.ts'
/** All that the API takes of the process. */
export type ApiServices = {
  readonly world: World
  readonly log: Log
  readonly tokens: PageTokens
  readonly served: Served
  readonly chains: readonly SpecifiedChain[]
  /** Absent where this process does not index. */
  readonly indexer: IndexingStatus | undefined
  readonly gauges: Gauges
  readonly leases: LeaseWatch
  readonly knowledge: TokenKnowledge
  readonly brand: ExplorerBrand
  /** API keys as they are now. */
  readonly keys: () => readonly StoredKey[]
  readonly uses: UseCounter
  /** Answers counted by key. */
  readonly calls: CallRecorder & { readonly store: () => Promise<Database> }
  readonly aliases: { readonly resolve: (name: string) => string | undefined }
  /** The store of webhooks, open for writing. */
  readonly webhooks: Database
  /** Names this process in leases, and no other. */
  readonly owner: string
  /** Number of this thread among those that answer; 1 is the main thread. */
  readonly thread: number
  /** Where stores are read from, where there are several such places. */
  readonly readings: Replicas | undefined
}

/** Chains and networks that are served, by the names that callers write. */
export type Directories = { readonly chains: ChainDirectory; readonly networks: NetworkDirectory }

/** The directories of all that a process serves. */
export function directoriesOf({ served, aliases }: ApiServices): Directories {
  return {
    chains: createChainDirectory(served.chains.list, aliases.resolve, served.chains.waiting),
    networks: createNetworkDirectory(
      served.networks.list,
      aliases.resolve,
      served.networks.waiting,
    ),
  }
}

/** All that families of operations share. */
export type Shared = Directories & {
  readonly evm: EvmContext
  readonly events: EventContext
  readonly status: () => Promise<Status>
}

/** The data and services of EVM operations. */
export function evmContextOf(
  config: Config,
  services: ApiServices,
  { chains }: Directories,
): EvmContext {
  const clock = recordedClock(services.world.clock, config.recordedTime)
  const { prices, notes, doubts } = services.knowledge
  const log = services.log.child('api')
  const maxAgeMs = config['tokens.maxAge'] * 1_000
  const registryNames = createRegistryNames(clock)
  const { names } = services.knowledge.contracts
  const addressBooks = createRichAddressBooks(clock, notes, names, registryNames.of)
  const all = new Set([icmContract, ...services.chains.flatMap(({ spec }) => spec.icmContracts)])
  return {
    chains,
    tokens: services.tokens,
    clock,
    methodNames: createMethodNames(
      services.knowledge.signatures,
      services.knowledge.contracts.methods,
    ),
    contracts: services.knowledge.contracts,
    reverts: createRevertReasons(clock),
    prices,
    notes,
    nfts: storedNfts(addressBooks),
    addressBooks,
    registryNames,
    balances: createComparedBalances({ clock, log, doubts, maxAgeMs }),
    icmContracts: [...all].map(fromHex),
    messages: services.served.messages.get,
  }
}

/** All that each family of operations answers from. */
export function apiContext(
  config: Config,
  services: ApiServices,
  { chains, networks, evm, events, status }: Shared,
): ApiContext {
  const { world, tokens, served } = services
  const { prices, nftRequests } = services.knowledge
  const { addressBooks } = evm
  return {
    evm,
    events,
    nft: { ...evm, requests: nftRequests },
    metrics: { chains, tokens, union: new AddressUnion() },
    primary: {
      networks,
      tokens,
      clock: evm.clock,
      prices,
      limits: {
        maxAddresses: config['api.maxAddresses'],
        maxBodyAddresses: config['api.maxBodyAddresses'],
        transactionPageUtxos: config['api.transactionPageUtxos'],
      },
    },
    warp: { aggregators: served.aggregators.byNetwork },
    icm: {
      chains,
      tokens,
      addressBooks,
      messages: served.messages.get,
      told: (chain, txHash, signal) => toldByHash(evm, chain, txHash, signal),
      evmChainIdOf: (blockchainId) => evmChainIdOf(served.networks.list(), blockchainId),
    },
    search: {
      chains,
      networks,
      addressBooks,
      contracts: evm.contracts,
      registryNames: evm.registryNames,
      labels: services.knowledge.labels,
      clock: evm.clock,
    },
    usage: {
      store: services.calls.store,
      flush: services.calls.flush,
      tokens,
      clock: world.clock,
      nameOf: (keyId) => services.keys().find(({ id }) => id === keyId)?.name ?? '',
    },
    stores: () => [...served.chains.list(), ...served.networks.list()].map(({ store }) => store),
    status,
  }
}

/** EVM chain id that the genesis of a chain names, where its network is indexed here. */
async function evmChainIdOf(
  networks: readonly ServedNetwork[],
  blockchainId: Uint8Array,
): Promise<number | undefined> {
  for (const { store } of networks) {
    const [chain] = (await chainsById(store, [blockchainId])).values()
    if (chain?.evmChainId !== undefined) return chain.evmChainId
  }
  return undefined
}
