/**
 * The streams of one primary network: its three chains, and what the node thinks of validators.
 *
 * Each chain fetches ahead while another commits. Temporary faults of a node are tried again and
 * shown in the status meanwhile; blocks that contradict the store, however often they are read,
 * stop that chain alone.
 */

import { faultOf, Fault, type FaultCode } from '../../../core/fault.ts'
import { sha256 } from '../../../core/hash.ts'
import { recordedClock } from '../../../core/recorded-time.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { Clock, World } from '../../../core/world.ts'
import type { StoredNetwork } from '../../../source/peers/peer-source.ts'
import { createNodeApi } from '../../../source/primary/node-api.ts'
import { createNodeSource } from '../../../source/primary/node-source.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { openRecordedPrimary } from '../../../source/primary/recorded-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { SourceLimits } from '../../stream/chain-spec.ts'
import { Progress } from '../../stream/progress.ts'
import { quietStream } from '../../stream/round-stream.ts'
import { idleStatus, type StageStatus, type Stream, withoutDepth } from '../../stream/stage.ts'
import type { PrimaryStreamSpec } from '../../stream/stream-spec.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { ChainReplay, Fetched } from '../replay/chain-replay.ts'
import type { PrimaryHost } from './host.ts'
import { openPeers } from './open-peers.ts'

/** Pause at the head before it is read again; blocks come every few seconds at most. */
const headPauseMs = 500
/** A chain whose node leaves a request unanswered for this long is not called live. */
const patienceMs = 5_000
/** Pauses after a failure that may pass: doubled each time, up to the most. */
const firstPauseMs = 500
const mostPauseMs = 30_000
/** A database that comes back is the deployment's own: it is found soon. */
const mostStorePauseMs = 2_000
/**
 * Refusals in a row after which a node is believed not to offer a chain that never was there, and
 * blocks in a row after which it is believed that they contradict the stored ones. With the pauses
 * between them they take a minute. The chain is called stopped then, and the node is still read.
 */
const failuresBelieved = 8
/** Faults that no node can put right. */
const ownFaults: readonly FaultCode[] = ['bad-config', 'store-version', 'rows-altered']
/** Uptimes change by the minute. */
const healthPauseMs = 60_000

/** A host, and how it is closed. */
export type OpenHost = PrimaryHost & { readonly close: () => Promise<void> }

/** All that the decoder's thread gives the streams of its networks. */
export type DecoderThread = {
  readonly world: World
  readonly log: Log
  readonly limits: SourceLimits
  readonly signal: AbortSignal
}

type PrimaryStreamOptions = DecoderThread & {
  /** Opens the host over a source; called again while its node or its store is not there. */
  readonly openHost: (source: PrimarySource) => Promise<OpenHost>
}

/** Streams of `spec` over a source. The host is opened when the first of them runs. */
export function primaryStreams(
  spec: PrimaryStreamSpec,
  source: PrimarySource,
  options: PrimaryStreamOptions,
): Stream[] {
  const log = options.log.child(spec.key)
  const isRecorded = spec.recording !== undefined
  const hosts = sharedHost(source, isRecorded, options)
  const chains = (['P', 'X', 'C'] as const).map((chain) => {
    const reason = whyOff(chain, spec)
    if (reason !== undefined) return offStream(chain, reason)
    return chainStream(chain, {
      hosts,
      source,
      isRecorded,
      clock: options.world.clock,
      log,
    })
  })
  const health = quietStream('health', async (signal) => {
    const host = await hosts.get()
    while (!signal.aborted) {
      await pollHealth(host, source, log, signal)
      await options.world.clock.sleep(healthPauseMs, signal)
    }
  })
  return [...chains, health]
}

/** Why a chain is not indexed; `undefined` where it is. */
function whyOff(
  chain: ChainName,
  { cAtomic, peers, nodeUrl }: PrimaryStreamSpec,
): string | undefined {
  if (chain === 'C' && !cAtomic) {
    return 'not requested: blocks of the C-Chain are large, and from peers they come whole (cAtomic)'
  }
  const isPublic = peers?.networkId === 1 || peers?.networkId === 5
  if (chain !== 'X' || !isPublic || nodeUrl !== '') return undefined
  return 'its history before Cortina is not in blocks: a node with an Index API has it (nodeUrl)'
}

function offStream(chain: ChainName, reason: string): Stream {
  const status = { ...idleStatus(chain), state: 'off', reason } as const
  return { name: chain, run: async () => undefined, status: () => status }
}

/**
 * The source that `spec` names; `stored` is what its store has, as far as that is open. Throws
 * `bad-config`.
 */
export async function openPrimarySource(
  spec: PrimaryStreamSpec,
  thread: DecoderThread,
  stored: StoredNetwork,
): Promise<PrimarySource> {
  const { world, limits, signal } = thread
  const log = thread.log.child(spec.key)
  if (spec.recording !== undefined) {
    const file = await world.files.read(spec.recording)
    if (file === undefined)
      throw new Fault('bad-config', `there is no recording: ${spec.recording}`)
    const { recordedTime } = spec
    return openRecordedPrimary(file, recordedTime && recordedClock(world.clock, recordedTime))
  }
  const api = createNodeApi({ ...limits, transport: world.transport, url: spec.nodeUrl })
  const node = spec.nodeUrl === '' ? undefined : createNodeSource(api, log)
  if (spec.peers !== undefined)
    return openPeers(spec, spec.peers, { world, log, signal, node, stored })
  if (node === undefined) throw new Fault('bad-config', 'there is neither a node nor a recording')
  return node
}

type SharedHost = {
  /** The host, opened once; waits for the node as long as it takes. */
  readonly get: () => Promise<OpenHost>
  /** Why it is not there yet. */
  readonly problem: () => Pick<StageStatus, 'reason' | 'state'> | undefined
}

function sharedHost(
  source: PrimarySource,
  isRecorded: boolean,
  options: PrimaryStreamOptions,
): SharedHost {
  let opening: Promise<OpenHost> | undefined
  let problem: Pick<StageStatus, 'reason' | 'state'> | undefined
  const open = async (): Promise<OpenHost> => {
    const patience = newPatience(() => false, isRecorded)
    for (let failures = 0; ; failures++) {
      try {
        const host = await options.openHost(source)
        const close = (): void => void host.close()
        // It may have been stopped meanwhile.
        if (options.signal.aborted) close()
        else options.signal.addEventListener('abort', close, { once: true })
        problem = undefined
        return host
      } catch (error) {
        const fault = faultOf(error)
        const waits = patience.waitsFor(fault)
        // Of which network a node is was read twice already.
        const isStopped = patience.believes() || fault?.code === 'source-mismatch'
        const reason = fault?.message ?? 'the store cannot be opened'
        problem = { reason, state: isStopped ? 'stopped' : 'syncing' }
        if (!waits) throw error
        const pauseMs = growingPause(failures, { firstMs: firstPauseMs, longestMs: mostPauseMs })
        await options.world.clock.sleep(pauseMs, options.signal)
      }
    }
  }
  return { get: () => (opening ??= open()), problem: () => problem }
}

function mostPauseAfter({ code }: Fault): number {
  return code === 'store-failed' ? mostStorePauseMs : mostPauseMs
}

/** The failures that are waited out, and how long a chain is called syncing meanwhile. */
type Patience = {
  /**
   * Returns whether what failed may come right: all that a node or another process says, as each may be
   * restarted or mended. A recording says the same each time.
   */
  readonly waitsFor: (fault: Fault | undefined) => fault is Fault
  /** Returns whether the last failure was repeated so often that it is believed. */
  readonly believes: () => boolean
  /** Something went well. */
  readonly renew: () => void
}

/** `wasThere`: whether the node once had what it refuses now, as one that is restarted. */
function newPatience(wasThere: () => boolean, isRecorded: boolean): Patience {
  let failures = 0
  return {
    waitsFor: (fault): fault is Fault => {
      if (fault === undefined || ownFaults.includes(fault.code)) return false
      if (!fault.retryable && !(fault.code === 'node-refused' && wasThere())) failures++
      return fault.retryable || !isRecorded
    },
    believes: () => failures >= failuresBelieved,
    renew: () => {
      failures = 0
    },
  }
}

/** A chain that is followed. */
type FollowedChain = {
  readonly hosts: SharedHost
  readonly source: PrimarySource
  readonly isRecorded: boolean
  readonly clock: Clock
  readonly log: Log
}

function chainStream(chain: ChainName, options: FollowedChain): Stream {
  const { hosts, log } = options
  let status: StageStatus = idleStatus(chain)
  const set = (change: Partial<StageStatus>): void => {
    status = { ...status, ...change }
  }
  /** Follows the chain, again after each failure that is waited out. */
  const followOn = async (signal: AbortSignal): Promise<void> => {
    const host = await hosts.get()
    // Block 0 is made of the genesis; those after it came from a node.
    const wasThere = (): boolean => status.headHeight >= 0 || host.storedHeight(chain) > 0
    const patience = newPatience(wasThere, options.isRecorded)
    let failures = 0
    const following: Following = {
      ...options,
      set: (next) => {
        // Until something is stored the same failure may come again.
        const moved = next.indexedHeight > status.indexedHeight
        if (moved || next.state === 'live') failures = 0
        if (failures === 0) patience.renew()
        const { reason } = failures > 0 ? status : {}
        status = { stage: chain, reason, ...next }
      },
    }
    while (!signal.aborted) {
      try {
        await follow(chain, host, following, signal)
      } catch (error) {
        const fault = faultOf(error)
        if (signal.aborted || !patience.waitsFor(fault)) throw error
        if (await retaken(chain, host, { ...options, fault }, signal)) {
          set({ state: 'syncing', reason: `${fault.message}, which was taken back` })
          continue
        }
        const longestMs = mostPauseAfter(fault)
        const pauseMs = growingPause(failures, { firstMs: firstPauseMs, longestMs })
        log.warn('chain waits', { chain, code: fault.code, reason: fault.message, pauseMs })
        const standsBy = fault.code === 'lease-lost' ? { standsBy: true } : {}
        const state = patience.believes() ? 'stopped' : 'syncing'
        set({ state, reason: fault.message, ...standsBy })
        await options.clock.sleep(pauseMs, signal)
        failures++
      }
    }
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await followOn(signal)
    } catch (error) {
      if (signal.aborted) return
      const reason = faultOf(error)?.message ?? 'it broke; see the log'
      log.error('chain stopped', { chain, reason, error })
      set({ state: 'stopped', reason, isForeign: faultOf(error)?.code === 'foreign-store' })
    }
  }
  const shown = (): StageStatus => {
    const note = options.source.note?.(chain)
    const at = withoutDepth(note === undefined ? status : { reason: note, ...status })
    return at.state === 'stopped' ? at : { ...at, ...hosts.problem() }
  }
  return { name: chain, run, status: shown }
}

/**
 * Reads the block that another does not follow again, and takes the stored one back where it is another.
 * Returns whether it did.
 */
async function retaken(
  chain: ChainName,
  host: PrimaryHost,
  { source, log, fault }: FollowedChain & { readonly fault: Fault },
  signal: AbortSignal,
): Promise<boolean> {
  const { follows } = fault.detail
  if (typeof follows !== 'number' || follows <= 0) return false
  try {
    const range = { from: follows, until: follows + 1 }
    const accepted =
      chain === 'C'
        ? (await source.cBlocks(range, signal))[0]?.blockId
        : await source.blocks(chain, range, signal).then(([block]) => block && sha256(block.bytes))
    if (accepted === undefined || !(await host.takeBack(chain, follows, accepted))) return false
    log.warn('block taken back', { chain, height: follows, reason: fault.message })
    return true
  } catch (error) {
    // It is tried again with the block that does not follow.
    log.debug('block not read again', { chain, height: follows, error })
    return false
  }
}

type Following = FollowedChain & { readonly set: (status: Omit<StageStatus, 'stage'>) => void }

/** Reads once and stores what changed. A node that does not answer leaves everything as it is. */
async function pollHealth(
  host: PrimaryHost,
  source: PrimarySource,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    await host.health(await source.health(signal))
  } catch (error) {
    const fault = faultOf(error)
    // A node that is restarted refuses for a while.
    const passes = fault?.retryable === true || fault?.code === 'node-refused'
    if (signal.aborted || !passes) throw error
    log.warn('uptimes not polled', { code: fault.code, reason: fault.message })
  }
}

/** Follows a chain until something fails. */
async function follow(
  chain: ChainName,
  host: PrimaryHost,
  options: Following,
  signal: AbortSignal,
): Promise<void> {
  const { source, clock, set } = options
  const replay = await host.replay(chain)
  const stored = (): number => host.storedHeight(chain)
  const progress = new Progress(clock, stored())
  // Blocks that were fetched and not replayed: a proposal whose option comes with the next blocks.
  let waiting: readonly Fetched<unknown>[] = []
  let ahead: Ahead | undefined
  let last: Omit<StageStatus, 'stage'> | undefined
  const report = (status: Omit<StageStatus, 'stage'>): void => set((last = status))
  const late = (): void => {
    if (last?.state === 'live')
      set({ ...last, state: 'syncing', reason: 'the node does not answer' })
  }
  /** Fetches and stores what there is; returns whether that was nothing. */
  const step = async (): Promise<boolean> => {
    const head = await source.headHeight(chain, signal)
    const at = { head, headAt: Math.floor(clock.now() / 1_000) }
    const from = (waiting.at(-1)?.height ?? replay.height()) + 1
    const range = replay.plan(from, head)
    if (range !== undefined) {
      const fetched = await (ahead?.from === from ? ahead.units : replay.fetch(range, signal))
      ahead = fetchAhead(replay, (fetched.at(-1)?.height ?? from - 1) + 1, head, signal)
      const units = [...waiting, ...fetched]
      if (units.length > 0) await host.commit(replay, units, signal)
      // At the head nothing comes that would show a failure, and `live` means stored.
      if (replay.height() >= head) await host.settled(chain)
      waiting = units.filter(({ height }) => height > replay.height())
      progress.reached(stored())
    }
    report(statusAt(stored(), at, progress))
    return range === undefined
  }
  for (;;) {
    signal.throwIfAborted()
    if (await watched(clock, late, step)) await clock.sleep(headPauseMs, signal)
  }
}

/** Does `work`, and calls `late` when it takes long. */
async function watched<T>(clock: Clock, late: () => void, work: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  clock.sleep(patienceMs, over.signal).then(late, () => undefined)
  try {
    return await work()
  } finally {
    over.abort()
  }
}

type Ahead = { readonly from: number; readonly units: Promise<Fetched<unknown>[]> }

function fetchAhead(
  replay: ChainReplay,
  from: number,
  head: number,
  signal: AbortSignal,
): Ahead | undefined {
  const range = replay.plan(from, head)
  if (range === undefined) return undefined
  const units = replay.fetch(range, signal)
  // Its failure shows when it is awaited.
  units.catch(() => undefined)
  return { from, units }
}

function statusAt(
  height: number,
  { head, headAt }: { readonly head: number; readonly headAt: number },
  progress: Progress,
): Omit<StageStatus, 'stage'> {
  const behind = head < height
  const etaSeconds = progress.eta(head)
  return {
    state: height === head ? 'live' : 'syncing',
    indexedHeight: height,
    headHeight: head,
    headAt,
    blocksPerSecond: Math.round(progress.speed() * 100) / 100,
    etaSeconds,
    reason: behind ? `the node is behind this store: ${head}` : undefined,
  }
}
