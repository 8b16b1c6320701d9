/** Runs the streams of a worker thread and reports how far they are. */

import { faultOf } from '../../core/fault.ts'
import { freezeStreamName, type StageStatus, type Stream } from '../stream/stage.ts'
import type { WorkerThread } from './worker-thread.ts'

/** The streams of a thread. */
export type Running = {
  readonly start: (key: string, stream: Stream) => void
  /** A stream or its opening failed: it stops alone; an error that is no fault ends the thread. */
  readonly report: (key: string, stage: string, error: unknown) => void
  /** Resolves when all have ended. */
  readonly ended: () => Promise<void>
}

/** Streams report nothing by themselves; their status is read this often. */
const statusEveryMs = 250

/** Begins to report at once. */
export function runStreams({ world, log, signal, send }: WorkerThread): Running {
  const running: Promise<void>[] = []
  const streams = new Map<string, readonly Stream[]>()

  const report: Running['report'] = (key, stage, error) => {
    const fault = faultOf(error)
    log.child(key).error('stream stopped', { stage, reason: fault?.message, ...fault?.detail })
    if (fault === undefined) throw error
  }

  const sendStatus = (key: string): void => {
    const stages = (streams.get(key) ?? []).map((stream) => stream.status()).filter(isShown)
    if (stages.length > 0) send({ key, stages })
  }

  const keepSending = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const key of streams.keys()) sendStatus(key)
      await world.clock.sleep(statusEveryMs)
    }
  }
  void keepSending()

  return {
    report,
    start: (key, stream) => {
      streams.set(key, [...(streams.get(key) ?? []), stream])
      sendStatus(key)
      running.push(
        stream.run(signal).catch((error: unknown) => {
          if (!signal.aborted) report(key, stream.name, error)
        }),
      )
    },
    ended: async () => {
      await Promise.all(running)
    },
  }
}

/** Their failures are reported by the stages whose store they serve. */
const quietStages: ReadonlySet<string> = new Set(['lease', 'pace', 'blockchain id', 'share'])

function isShown({ stage, state, reason }: StageStatus): boolean {
  // A deployment that does not freeze reports only a store that it cannot use.
  if (stage === freezeStreamName && state === 'off' && reason === undefined) return false
  return !quietStages.has(stage)
}
