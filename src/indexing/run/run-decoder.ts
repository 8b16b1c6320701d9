/**
 * The work of the thread that fetches and decodes every EVM chain and replays primary networks.
 *
 * It knows its thread only as {@link WorkerThread}: a simulation runs it beside the writer in one.
 */

import { zstdCompressSync } from 'node:zlib'

import { faultIn } from '../../core/fault.ts'
import { buffersOf } from '../../core/growing.ts'
import type { PrimarySource } from '../../source/primary/primary-source.ts'
import type { Reader } from '../../store/engine/database.ts'
import { openStore } from '../../store/open.ts'
import type { TracedRow } from '../../store/query/evm/transactions.ts'
import { primaryStoreTables } from '../../store/schema/stores.ts'
import { waitOn, type Waits } from '../../telemetry/threads/waits.ts'
import { openEvmSource } from '../evm/read/open-source.ts'
import { ChainReader, type ChainWriter } from '../evm/read/read-chain.ts'
import { goodBatchRows } from '../evm/run/evm-ingest.ts'
import { openStoreOver } from '../primary/run/calls.ts'
import { primaryHost } from '../primary/run/host.ts'
import { storedNetwork } from '../primary/run/open-peers.ts'
import { openPrimarySource } from '../primary/run/open-source.ts'
import type { OpenHost } from '../primary/run/shared-host.ts'
import { primaryStreams } from '../primary/run/stream.ts'
import type { ChainSpec, ResumePoint } from '../stream/chain-spec.ts'
import { callerOver, type Call } from '../stream/port-call.ts'
import { idleStatus, type StageStatus } from '../stream/stage.ts'
import type { StreamSpec } from '../stream/stream-spec.ts'
import { runStreams, type Running } from './run-streams.ts'
import type { WorkerThread } from './worker-thread.ts'

/** Bytes of columns for each transaction and transfer, about. */
const rowBytes = 120

/** Fetched ahead per chain at least: a few replies of the largest kind. */
const leastBufferBytes = 8 * 1024 * 1024

/** Before a chain of development is read again whose node has other blocks. */
const anewPauseMs = 100

/** Works until the thread is stopped, and ends what it began. */
export async function runDecoder(thread: WorkerThread): Promise<void> {
  const call = callerOver(thread.data.port, thread.signal)
  const running = runStreams(thread)
  const networks = thread.data.streams.map((spec) => runNetwork({ ...thread, running }, call, spec))
  const chains = thread.data.chains.map((spec) => runChain(thread, call, spec))
  await Promise.all([...chains, ...networks])
  await thread.stopped
  await running.ended()
}

/** Replays a primary network; the other streams are the writer's. */
async function runNetwork(
  of: WorkerThread & { readonly running: Running },
  call: Call,
  spec: StreamSpec,
): Promise<void> {
  if (spec.kind !== 'primary') return
  const { data, world, log, signal, running } = of
  let reader: Reader | undefined
  const openHost = async (source: PrimarySource): Promise<OpenHost> => {
    const identity = await source.identity(signal)
    const store = await openStoreOver(call, spec.key, identity)
    const opened = await openStore(data.store, spec.key, primaryStoreTables, 'read')
    reader = opened
    const { genesis } = store
    const host = primaryHost({ source, identity, genesis, reader: opened, store })
    return { ...host, close: () => opened.close() }
  }
  try {
    const parts = { world, log, signal, limits: data.limits, openHost }
    const source = await openPrimarySource(
      spec,
      parts,
      storedNetwork(() => reader),
    )
    for (const stream of primaryStreams(spec, source, parts)) running.start(spec.key, stream)
  } catch (error) {
    running.report(spec.key, spec.kind, error)
  }
}

async function runChain(of: WorkerThread, call: Call, spec: ChainSpec): Promise<void> {
  const { data, world, signal, send } = of
  const log = of.log.child(spec.key)
  const bufferBytes = Math.max(leastBufferBytes, data.limits.bufferBytes / data.chains.length)
  try {
    const source = await openEvmSource(spec, data.limits, { world, log })
    const keepCurrent = currentKeeper(spec, (at) => call('current', { key: spec.key, at }))
    for (;;) {
      const reader: ChainReader = new ChainReader({
        spec,
        source,
        writer: writerOver(call, spec.key, of.waits),
        world,
        log,
        compress: (bytes) => zstdCompressSync(bytes),
        checkEvery: data.limits.checkEvery,
        limits: { batchBytes: goodBatchRows * rowBytes, bufferBytes },
        changed: () => {
          const stages = reader.stages()
          const { endpoints } = source
          send({ key: spec.key, stages, endpoints: endpoints(), unchecked: reader.unchecked() })
          keepCurrent(stages)
        },
      })
      if (!(await reader.run(signal))) break
      source.pardon?.()
      await world.clock.sleep(anewPauseMs, signal)
    }
  } catch (error) {
    const fault = faultIn(error)
    log.error('chain stopped', { reason: fault.message, ...fault.detail })
    send({
      key: spec.key,
      stages: [
        {
          ...idleStatus('blocks'),
          state: 'stopped',
          reason: fault.message,
          isForeign: fault.code === 'foreign-store',
        },
      ],
    })
  }
}

/** Seconds between two moments that are kept. */
const currentEvery = 10

/** Has it recorded when the node said that the stored height is its head; not for a recording. */
export function currentKeeper(
  { recording }: Pick<ChainSpec, 'recording'>,
  keep: (at: number) => Promise<unknown>,
): (stages: readonly StageStatus[]) => void {
  let kept = (recording ?? '') === '' ? 0 : Infinity
  return (stages) => {
    const {
      headAt = 0,
      headHeight,
      indexedHeight,
    } = stages.find(isOfBlocks) ?? idleStatus('blocks')
    if (headHeight !== indexedHeight || headAt < kept + currentEvery) return
    kept = headAt
    // A store that cannot be written now keeps a later one.
    keep(headAt).catch(() => undefined)
  }
}

function isOfBlocks({ stage }: StageStatus): boolean {
  return stage === 'blocks'
}

/** The writer thread's end for one chain. Buffers of a batch are gone once it is handed over. */
function writerOver(call: Call, key: string, waits: Waits): ChainWriter {
  return {
    begin: async (identity) => {
      const resume = await call('begin', { key, identity })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answered by run-writer.ts
      return resume as ResumePoint
    },
    isOfNode: async () => (await call('isOfNode', { key })) === true,
    blocks: async (batch, report) => {
      await waitOn(waits, 'writer', call('blocks', { key, batch, report }, buffersOf(batch)))
    },
    traces: async (batch, headHeight) => {
      await waitOn(waits, 'writer', call('traces', { key, batch, headHeight }, buffersOf(batch)))
    },
    skipTraces: async (since) => {
      await call('skipTraces', { key, since })
    },
    transactions: async (range) => {
      const rows = await call('transactions', { key, range })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answered by run-writer.ts
      return rows as readonly TracedRow[]
    },
    cut: async (from) => {
      await call('cut', { key, from })
    },
  }
}
