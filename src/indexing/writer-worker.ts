/** Entry of the thread that writes every store. */

import type { BlockBatch, TraceBatch } from '../codec/evm/columns.ts'
import { assert, faultOf } from '../core/fault.ts'
import type { ChainIdentity } from '../source/evm-source.ts'
import { openChainHost } from './evm/chain-host.ts'
import type { ChainHost } from './evm/chain-host.ts'
import { openStreams } from './open-streams.ts'
import { serveCalls } from './port-call.ts'
import type { StageStatus, Stream } from './stage.ts'
import { enterThread } from './worker-thread.ts'

const thread = await enterThread()
const { data, world, log, signal, tell } = thread
const parts = { world, store: data.store, limits: data.limits, owner: data.owner, signal }
const hosts = new Map<string, ChainHost>()
const running: Promise<void>[] = []
const streams = new Map<string, readonly Stream[]>()

/** Streams have no news of their own; their status is looked at this often. */
const statusEveryMs = 250

type About = {
  readonly key: string
  readonly identity: ChainIdentity
  readonly batch: BlockBatch | TraceBatch
  readonly headHeight: number
}

serveCalls(data.port, {
  begin: async (argument) => {
    const { key, identity } = about(argument)
    const spec = data.chains.find((chain) => chain.key === key)
    assert(spec !== undefined, 'the decoder reads chains of the same list')
    const host = await openChainHost(spec, identity, { ...parts, log: log.child(key) })
    hosts.set(key, host)
    for (const stream of host.streams) start(key, stream)
    return host.resume
  },
  blocks: async (argument) => {
    const { key, batch, headHeight } = about(argument)
    if (batch.kind === 'blocks') await hosts.get(key)?.blocks(batch, headHeight)
  },
  traces: async (argument) => {
    const { key, batch, headHeight } = about(argument)
    if (batch.kind === 'traces') await hosts.get(key)?.traces(batch, headHeight)
  },
})

for (const spec of data.streams) {
  try {
    const streams = await openStreams(spec, { ...parts, log })
    for (const stream of streams) start(spec.key, stream)
  } catch (error) {
    report(spec.key, spec.kind, error)
  }
}
void tellStatus()

await thread.stopped
await Promise.all(running)
for (const host of hosts.values()) await host.close()
thread.leave()

function start(key: string, stream: Stream): void {
  const own = streams.get(key) ?? []
  streams.set(key, [...own, stream])
  running.push(
    stream.run(signal).catch((error: unknown) => {
      if (!signal.aborted) report(key, stream.name, error)
    }),
  )
}

/** Tells the main thread how far the streams are, as long as they run. */
async function tellStatus(): Promise<void> {
  while (!signal.aborted) {
    for (const [key, own] of streams) {
      const stages = own.map((stream) => stream.status()).filter(isShown)
      if (stages.length > 0) tell({ key, stages })
    }
    await world.clock.sleep(statusEveryMs)
  }
}

/** The lease is of interest only when it is lost. */
function isShown({ stage, state }: StageStatus): boolean {
  return stage !== 'lease' || state === 'stopped'
}

/** A stream that fails stops alone; what is no fault of ours ends the thread. */
function report(key: string, stage: string, error: unknown): void {
  const fault = faultOf(error)
  log.child(key).error('stream stopped', { stage, reason: fault?.message, ...fault?.detail })
  if (fault === undefined) throw error
}

function about(argument: unknown): About {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by decoder-worker.ts
  return argument as About
}
