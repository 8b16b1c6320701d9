/** The EVM chains this process answers about: each as soon as its store exists. */

import { allowedMethods, readingEvm, withGas } from '../../admin/rpc/rpc-methods.ts'
import type {
  ChainFacts,
  ServedChain,
  StateReader,
  WaitingChain,
} from '../../api/operation/chain-directory.ts'
import { listOf } from '../../codec/evm/raw.ts'
import { createGenerations, recently } from '../../core/bounded-maps.ts'
import { fromHex, keyOf } from '../../core/bytes.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock, World } from '../../core/world.ts'
import { openEvmSource } from '../../indexing/evm/read/open-source.ts'
import type { SourceLimits } from '../../indexing/stream/chain-spec.ts'
import type { EvmSource } from '../../source/evm-source.ts'
import { type Database, type MaybePromise, statement } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import { logStoreOf, logStoreTables } from '../../store/schema/logs.ts'
import { chainTables } from '../../store/schema/stores.ts'
import type { Log } from '../../telemetry/log.ts'
import type { SpecifiedChain } from '../chain-specs.ts'
import { createStateReader } from '../stores/state-reader.ts'

type ServedChainsOptions = {
  readonly chains: readonly SpecifiedChain[]
  readonly store: StoreLocation
  readonly limits: SourceLimits
  readonly world: World
  readonly log: Log
  readonly signal: AbortSignal
  /**
   * Returns whether new blocks of the chain with this key can come, as far as this process knows.
   */
  readonly isFollowed: (key: string) => boolean
}

/** Chains being served, growing while stores appear. */
export type ServedChains = {
  /** In the configured order; a new list whenever one came. */
  readonly list: () => readonly ServedChain[]
  /** Configured chains whose stores are not there yet. */
  readonly waiting: () => readonly WaitingChain[]
  readonly close: () => Promise<void>
}

// A store appears when its writer first hears from a node: soon, or whenever the node comes back.
const retryMs = 100

// The writer reads from nodes the id of a chain that has none; most of these never get one.
const idRetryMs = 2_000

const everyMeta = statement(
  "select name, value from meta where name in ('chainId', 'blockchainId')",
)

/** Starts to serve; returns once every store that exists already is open. */
export async function serveChains(options: ServedChainsOptions): Promise<ServedChains> {
  const found = new Map<string, ServedChain>()
  let list: readonly ServedChain[] = []
  const closers: (() => Promise<void>)[] = []
  const add = (key: string, chain: ServedChain): void => {
    found.set(key, chain)
    list = options.chains.flatMap(({ spec }) => found.get(spec.key) ?? [])
  }
  const first = options.chains.map((chain) => tryOpen(chain, options, add, closers))
  const missing = (await Promise.all(first)).filter((chain) => chain !== undefined)
  const { clock } = options.world
  const open = async (chain: SpecifiedChain): Promise<void> => {
    let isMissing = missing.includes(chain)
    while (isMissing) {
      await clock.sleep(retryMs, options.signal)
      isMissing = (await tryOpen(chain, options, add, closers)) !== undefined
    }
  }
  /** Waits until the chain's id on the P-Chain is stored, where it was not yet. */
  const name = async ({ spec, config }: SpecifiedChain): Promise<void> => {
    for (;;) {
      const served = found.get(spec.key)
      if (served === undefined || served.facts.blockchainId !== undefined) return
      await clock.sleep(idRetryMs, options.signal)
      const facts = await factsOf({ spec, config }, served.store).catch(absentOnFault)
      if (facts?.blockchainId !== undefined) add(spec.key, { ...served, facts })
    }
  }
  const following = options.chains.map(async (chain) => {
    try {
      await open(chain)
      await name(chain)
    } catch (error) {
      const { key } = chain.spec
      if (!options.signal.aborted) options.log.error('store is not served', { store: key, error })
    }
  })
  const ended = Promise.all(following)
  return {
    list: () => list,
    waiting: () => options.chains.filter(({ spec }) => !found.has(spec.key)).map(waitingChain),
    close: async () => {
      await ended
      for (const close of closers) await close()
    },
  }
}

/** A store that is away for a moment says nothing. */
function absentOnFault(error: unknown): undefined {
  if (faultOf(error) === undefined) throw error
}

function waitingChain({ spec, config }: SpecifiedChain): WaitingChain {
  const { network, key, blockchainId } = spec
  const name = config.name === '' ? key : config.name
  return {
    network,
    name,
    blockchainId: blockchainId === undefined ? undefined : fromHex(blockchainId),
  }
}

/** Opens one chain; gives it back when its store is not there yet. */
async function tryOpen(
  chain: SpecifiedChain,
  options: ServedChainsOptions,
  add: (key: string, chain: ServedChain) => void,
  closers: (() => Promise<void>)[],
): Promise<SpecifiedChain | undefined> {
  const { spec } = chain
  let database: Database | undefined
  try {
    const store = await openStore(options.store, spec.key, chainTables, 'serve')
    database = store
    const facts = await factsOf(chain, database)
    if (facts === undefined) {
      await database.close()
      return chain
    }
    const source = await openEvmSource(spec, { ...options.limits, isUrgent: true }, options)
    closers.push(database.close)
    const logs = spec.keepsLogs === true ? openWhenMade(options.store, spec.key) : undefined
    if (logs !== undefined) closers.push(logs.close)
    const state = createStateReader(source)
    const indexed = (): MaybePromise<number> => indexedHeight(store, 'blocks')
    const { clock } = options.world
    add(spec.key, {
      facts,
      store: database,
      state: spec.beginsAnew === true ? state : keptBalances(state, { indexed, clock }),
      wantsTraces: spec.traces !== 'off',
      beginsAnew: spec.beginsAnew,
      logs: logs?.get,
      rpc: rpcOf(chain.config, source),
      headHeight: headReader(source, clock, options.signal),
      block: (height, signal) =>
        source.blocks({ from: height, until: height + 1 }, ([unit]) => unit, signal),
      traces: (height, signal) =>
        source.traces(
          { from: height, until: height + 1 },
          ([traces]) => listOf(traces, 'traces of a block'),
          signal,
        ),
      stateChanges: spec.traces === 'off' ? undefined : source.stateChanges,
      isFollowed: () => options.isFollowed(spec.key),
    })
    return undefined
  } catch (error) {
    await database?.close()
    if (faultOf(error)?.retryable === true) return chain
    throw error
  }
}

/** Calls of others to the node, as the settings `publicRpc` and `publicRpcGas` allow them. */
function rpcOf(
  { publicRpc: setting, publicRpcGas: most, publicRpcLogBytes: logBytes }: SpecifiedChain['config'],
  { pass }: EvmSource,
): ServedChain['rpc'] {
  if (setting === 'off' || pass === undefined) return undefined
  const allowed = setting === 'send' ? [...readingEvm, 'eth_sendRawTransaction'] : readingEvm
  return {
    logBytes,
    allows: allowedMethods(allowed),
    call: (calls, signal) =>
      pass(
        calls.map(({ method, params }) => ({ method, params: withGas(method, params, most) })),
        signal,
      ),
  }
}

/** The store of a chain's logs, opened as soon as its stage has made it. */
function openWhenMade(
  location: StoreLocation,
  chainKey: string,
): { readonly get: () => Promise<Database | undefined>; readonly close: () => Promise<void> } {
  let store: Promise<Database> | undefined
  return {
    get: async () => {
      store ??= openStore(location, logStoreOf(chainKey), logStoreTables, 'read')
      try {
        return await store
      } catch (error) {
        store = undefined
        if (faultOf(error)?.code !== 'store-failed') throw error
        return undefined
      }
    },
    close: async () => (await store?.catch(absentOnFault))?.close(),
  }
}

/** A head read this long ago is read again; an answer is waited for as long at most. */
const headAgeMs = 2_000

/** Reads the head of a source, once in {@link headAgeMs} however often it is called. */
function headReader(
  source: EvmSource,
  clock: Clock,
  signal: AbortSignal,
): () => Promise<number | undefined> {
  const read = async (): Promise<number | undefined> => {
    const ending = new AbortController()
    const reading = source.headHeight(AbortSignal.any([signal, ending.signal]))
    const limit = { clock, ms: headAgeMs }
    const head = await inTime(
      reading.catch(() => undefined),
      limit,
    )
    ending.abort(new Fault('node-unreachable', 'the head came too late'))
    return head
  }
  return recently(read, { clock, forMs: headAgeMs })
}

async function factsOf(
  { config, spec }: SpecifiedChain,
  database: Database,
): Promise<ChainFacts | undefined> {
  const rows = await database.all(everyMeta)
  const facts = new Map(rows.map(([name, value]) => [name, value]))
  const chainId = facts.get('chainId')
  if (chainId === undefined) return undefined
  const blockchainId = spec.blockchainId ?? facts.get('blockchainId')
  const evmChainId = Number(chainId)
  return {
    key: spec.key,
    network: spec.network,
    evmChainId,
    name: config.name === '' ? `Chain ${evmChainId}` : config.name,
    symbol: config.symbol,
    decimals: config.decimals,
    description: config.description,
    blockchainId: blockchainId === undefined ? undefined : fromHex(blockchainId),
    nameRegistry: config.nameRegistry === '' ? undefined : fromHex(config.nameRegistry),
    ...present({
      logoUri: config.logoUri,
      explorerUrl: config.explorerUrl,
      publicRpcUrl: config.publicRpcUrl,
      publicWsUrl: config.publicWsUrl,
      subnetId: config.subnetId,
      vmId: config.vmId,
    }),
  }
}

/** The entries that are not empty. */
function present<T extends Record<string, string>>(values: T): Partial<T> {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a subset of the entries of T
  return Object.fromEntries(filled) as Partial<T>
}

type Kept = { readonly balance: bigint; readonly indexed: number; readonly until: number }

// About 200 bytes each: two generations are 4 MB.
const generationSize = 10_000
const keptMs = 1_000

/** `own`, which is read less; `indexed` is the height that answers are complete to. */
export function keptBalances(
  own: StateReader,
  { indexed, clock }: { readonly indexed: () => MaybePromise<number>; readonly clock: Clock },
): StateReader {
  const newest = createGenerations<string, Kept>(generationSize)
  const past = createGenerations<string, bigint>(generationSize)
  return {
    ...own,
    balance: async (address, height, signal) => {
      if (height !== undefined) {
        const key = `${keyOf(address)}${height}`
        const known = past.get(key) ?? (await own.balance(address, height, signal))
        past.set(key, known)
        return known
      }
      const key = keyOf(address)
      const now = await indexed()
      const known = newest.get(key)
      if (known?.indexed === now && clock.monotonic() < known.until) return known.balance
      const balance = await own.balance(address, undefined, signal)
      newest.set(key, { balance, indexed: now, until: clock.monotonic() + keptMs })
      return balance
    },
  }
}
