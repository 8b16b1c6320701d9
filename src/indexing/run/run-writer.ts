/**
 * The work of the thread that writes every store.
 *
 * It knows its thread only as {@link WorkerThread}: a simulation runs it beside the decoder in one.
 */

import type { BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { assert } from '../../core/fault.ts'
import type { ChainIdentity, HeightRange } from '../../source/evm-source.ts'
import type { MergeFiles } from '../../store/history/merge-files.ts'
import { primaryStoreTables } from '../../store/schema/stores.ts'
import { openChainHost, type ChainHost } from '../evm/run/chain-host.ts'
import { messageStream } from '../icm/message-stream.ts'
import { primaryAnswers } from '../primary/run/calls.ts'
import { slotStream } from '../primary/run/slot-stream.ts'
import { openPrimaryStore, type PrimaryStore } from '../primary/run/store.ts'
import { chainShares, type ChainShares } from '../stream/chain-shares.ts'
import type { BlockReport } from '../stream/chain-spec.ts'
import { checkStream } from '../stream/check-stream.ts'
import { serveCalls } from '../stream/port-call.ts'
import { leaseStream } from '../stream/writing-rhythm.ts'
import { runStreams } from './run-streams.ts'
import type { WorkerThread } from './worker-thread.ts'

type About = {
  readonly range: HeightRange
  readonly key: string
  readonly identity: ChainIdentity
  readonly batch: BlockBatch | TraceBatch
  readonly headHeight: number
  readonly report: BlockReport
  readonly from: number
  readonly since: number
  readonly at: number
}

/**
 * Works until the thread is stopped, and closes the stores. `merge` writes merged segments beside
 * this thread; absent: it does so itself.
 */
export async function runWriter(thread: WorkerThread, merge?: MergeFiles): Promise<void> {
  const { data, world, log, signal } = thread
  const shares = sharesOf(thread)
  const { store: location, limits, owner, keepEventsMs } = data
  const writer = {
    world,
    store: location,
    owner,
    keepEventsMs,
    takeLease: shares?.takeLease,
    signal,
  }
  const hosts = new Map<string, ChainHost>()
  const primaries = new Map<string, PrimaryStore>()
  const { start, ended } = runStreams(thread)

  serveCalls(data.port, {
    ...primaryAnswers(async (key, identity) => {
      const spec = data.streams.find((stream) => stream.key === key)
      assert(spec?.kind === 'primary', 'the decoder replays networks of the same list')
      const store = await openPrimaryStore({ ...writer, key, genesis: spec.genesis }, identity)
      primaries.set(key, store)
      shares?.add(key, store.shared)
      start(key, leaseStream(store, world.clock))
      start(key, store.pace)
      start(key, slotStream(store, world.clock))
      const { database } = store
      start(
        key,
        checkStream({ database, tables: primaryStoreTables, key, clock: world.clock, log }),
      )
      return store
    }),
    begin: async (argument) => {
      const { key, identity } = about(argument)
      const known = hosts.get(key)
      if (known !== undefined) return known.resume(identity)
      const spec = data.chains.find((chain) => chain.key === key)
      assert(spec !== undefined, 'the decoder reads chains of the same list')
      const own = { ...writer, log: log.child(key), limits, merge }
      const host = await openChainHost(spec, identity, own)
      hosts.set(key, host)
      shares?.add(key, host.shared)
      for (const stream of host.streams) start(key, stream)
      return host.resume(identity)
    },
    ...chainAnswers(hosts),
  })

  if (shares !== undefined) start('deployment', shares.stream)
  for (const spec of data.streams)
    if (spec.kind === 'icm') start(spec.key, messageStream(spec, { ...writer, log }))

  await thread.stopped
  await ended()
  for (const host of hosts.values()) await host.close()
  for (const store of primaries.values()) await store.close()
}

/** Answers to the decoder on chains whose stores are open. */
function chainAnswers(
  hosts: ReadonlyMap<string, ChainHost>,
): Readonly<Record<string, (argument: unknown) => Promise<unknown>>> {
  const of =
    (answer: (host: ChainHost, about: About) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      const given = about(argument)
      const host = hosts.get(given.key)
      return host && answer(host, given)
    }
  return {
    isOfNode: of((host) => host.isOfNode()),
    blocks: of(async (host, { batch, report }) => {
      if (batch.kind === 'blocks') await host.blocks(batch, report)
    }),
    traces: of(async (host, { batch, headHeight }) => {
      if (batch.kind === 'traces') await host.traces(batch, headHeight)
    }),
    skipTraces: of((host, { since }) => host.skipTraces(since)),
    current: of((host, { at }) => host.current(at)),
    transactions: of((host, { range }) => host.transactions(range)),
    cut: of((host, { from }) => host.cut(from)),
  }
}

/** Its part of the chains, where several processes reach the same stores. */
function sharesOf({ data, world, log, signal }: WorkerThread): ChainShares | undefined {
  if (data.store.store === 'embedded') return undefined
  const primaries = data.streams.filter(({ kind }) => kind === 'primary')
  return chainShares({
    store: data.store,
    owner: data.owner,
    keys: [...data.chains, ...primaries].map(({ key }) => key),
    messengers: data.streams.flatMap((spec) => (spec.kind === 'icm' ? spec.chains : [])),
    clock: world.clock,
    log,
    signal,
  })
}

function about(argument: unknown): About {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by run-decoder.ts
  return argument as About
}
