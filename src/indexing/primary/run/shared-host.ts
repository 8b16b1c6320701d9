/** The host that the streams of a network share, opened when the first of them runs. */

import { faultOf } from '../../../core/fault.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import type { StageStatus } from '../../stream/stage.ts'
import type { PrimaryHost } from './host.ts'
import type { DecoderThread } from './open-source.ts'
import { newPatience, pauseAfter } from './patience.ts'

/** A host, and how it is closed. */
export type OpenHost = PrimaryHost & { readonly close: () => Promise<void> }

/** How a host is opened. */
export type HostOpening = DecoderThread & {
  /** Opens the host over a source; called again while its node or its store is not there. */
  readonly openHost: (source: PrimarySource) => Promise<OpenHost>
}

/** A host that is there, or comes. */
export type SharedHost = {
  /** The host, opened once; waits for the node as long as it takes. */
  readonly get: () => Promise<OpenHost>
  /** Why it is not there yet. */
  readonly problem: () => Pick<StageStatus, 'reason' | 'state'> | undefined
}

/** Opens a host over `source` once it is requested. */
export function sharedHost(
  source: PrimarySource,
  isRecorded: boolean,
  options: HostOpening,
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
        await options.world.clock.sleep(pauseAfter(failures, fault), options.signal)
      }
    }
  }
  return { get: () => (opening ??= open()), problem: () => problem }
}
