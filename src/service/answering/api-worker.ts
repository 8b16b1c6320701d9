/** Entry of a thread that answers the data API beside the main thread: see `api-workers.ts`. */

import { flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

import { createAliasTable } from '../../admin/aliases/alias-table.ts'
import { nodeBases } from '../../admin/node-api.ts'
import { assert, Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { followReports } from '../../indexing/run/indexer.ts'
import { callerOver, serveCalls } from '../../indexing/stream/port-call.ts'
import { createGauges } from '../../telemetry/gauges.ts'
import { joinThread } from '../../telemetry/threads/thread.ts'
import { chainSpecs, streamSpecs } from '../chain-specs.ts'
import { showBucket } from '../stores/bucket-settings.ts'
import { storesOf } from '../stores/store-connections.ts'
import { remoteAggregators } from '../warp/remote-aggregators.ts'
import { type Closer, openAnswering, openWritten } from './answering.ts'
import type { ApiWorkerData, MainReport, WorkerMessage } from './api-workers.ts'

const port = parentPort
assert(port !== null, 'this file is the entry of a worker thread')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by startApiWorkers of this version
const data = workerData as ApiWorkerData
const { config, address } = data
const module: { openWorld: () => World & { readonly close: () => Promise<void> } } = await import(
  data.worldModule
)
const world = module.openWorld()
const { log, waits } = joinThread(data.link, () => world.clock.monotonic())
flushCompileCache()

let main: MainReport = data.main
const chains = chainSpecs(config)
const streams = streamSpecs(config, chains)
// The main thread counts what indexing reports: in this thread it is not read.
const report = followReports({
  chains: chains.map(({ spec }) => spec),
  streams,
  gauges: createGauges(),
})
for (const each of data.report ?? []) report.take(each)
port.on('message', (message: WorkerMessage) => {
  if ('report' in message) report.take(message.report)
  else main = message.main
})

const over = new AbortController()
const closers: Closer[] = [() => world.close()]
const gauges = createGauges()
serveCalls(data.fromMain, {
  listen,
  figures: () => gauges.text(),
  stop: async () => {
    over.abort()
    while (closers.length > 0) await closers.pop()?.()
    for (const each of [port, data.toMain, data.fromMain, data.link.port]) each.close()
  },
})

async function listen(): Promise<void> {
  const stores = await storesOf(config, world, { main: data.share, owner: data.owner })
  if (stores.bucket !== undefined) showBucket(gauges, stores.bucket)
  closers.push(() => stores.readings?.close())
  const written = await openWritten(config, { world, log, store: stores.store, closers })
  const { api } = await openAnswering(config, {
    world,
    log,
    gauges,
    chains,
    streams,
    stores,
    written,
    thread: data.thread,
    indexer: data.report === undefined ? undefined : report,
    aggregators: remoteAggregators(callerOver(data.toMain, over.signal), () => main),
    openAliases: (nodes) =>
      createAliasTable({
        chains: nodes,
        bases: nodeBases,
        waits,
        log,
        store: {
          load: async () => main.aliases,
          save: () => Promise.reject(new Fault('store-failed', 'the main thread keeps aliases')),
          shared: { latest: () => main.aliases, refresh: () => Promise.resolve() },
        },
      }),
    closers,
    signal: over.signal,
  })
  // Waits for stores to appear end before the stores are closed.
  closers.push(() => over.abort(), api.close, api.events.close)
  api.events.start(api)
  await api.listen(address.host, address.port, true)
}
