/**
 * The streams of one primary network: its three chains, and what the node thinks of validators.
 *
 * Each chain fetches ahead while another commits. Temporary faults of a node are tried again and
 * shown in the status meanwhile; blocks that contradict the store, however often they are read,
 * stop that chain alone.
 */

import { faultOf, type Fault } from '../../../core/fault.ts'
import { sha256 } from '../../../core/hash.ts'
import type { Clock } from '../../../core/world.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import { quietStream } from '../../stream/round-stream.ts'
import { idleStatus, type StageStatus, type Stream, withoutDepth } from '../../stream/stage.ts'
import type { PrimaryStreamSpec } from '../../stream/stream-spec.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import { follow, type Following } from './follow.ts'
import type { PrimaryHost } from './host.ts'
import { newPatience, pauseAfter } from './patience.ts'
import { type HostOpening, sharedHost, type SharedHost } from './shared-host.ts'

/** Uptimes change by the minute. */
const healthPauseMs = 60_000

/** Streams of `spec` over a source. The host is opened when the first of them runs. */
export function primaryStreams(
  spec: PrimaryStreamSpec,
  source: PrimarySource,
  options: HostOpening,
): Stream[] {
  const log = options.log.child(spec.key)
  const isRecorded = spec.recording !== undefined
  const hosts = sharedHost(source, isRecorded, options)
  const chains = (['P', 'X', 'C'] as const).map((chain) => {
    const reason = whyOff(chain, spec)
    if (reason !== undefined) {
      const status = { ...idleStatus(chain), state: 'off', reason } as const
      return { name: chain, run: async () => undefined, status: () => status }
    }
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
      // Reads once and stores what changed. A node that does not answer leaves everything as it is.
      try {
        await host.health(await source.health(signal))
      } catch (error) {
        const fault = faultOf(error)
        // A node that is restarted refuses for a while.
        const passes = fault?.retryable === true || fault?.code === 'node-refused'
        if (signal.aborted || !passes) throw error
        log.warn('uptimes not polled', { code: fault.code, reason: fault.message })
      }
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
        const pauseMs = pauseAfter(failures, fault)
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
    const { source } = options
    const reason = status.reason ?? source.note?.(chain)
    const at = withoutDepth({ ...status, reason, votedBy: source.votedBy?.() })
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
