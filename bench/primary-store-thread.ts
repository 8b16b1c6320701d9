/** The writing thread of `primary-replay.ts`: the product's store behind the product's calls. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, threadId, workerData } from 'node:worker_threads'

import { primaryAnswers } from '../src/indexing/primary/run/calls.ts'
import { openPrimaryStore, type PrimaryStore } from '../src/indexing/primary/run/store.ts'
import { serveCalls } from '../src/indexing/stream/port-call.ts'
import { openWorld } from '../src/world/world.ts'
import { localGenesis } from './local-genesis.ts'
import { benchKey, type WriteTask, type Written } from './primary-replay-task.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by primary-replay.ts
const { folder, port } = workerData as WriteTask
const { signal } = new AbortController()
const worked = process.threadCpuUsage()
let store: PrimaryStore | undefined

serveCalls(
  port,
  primaryAnswers(async (key, identity) => {
    const place = { store: 'embedded', dataDir: folder } as const
    const parts = { key, genesis: 'auto', genesisBytes: localGenesis(), store: place }
    const outside = { world: openWorld(), owner: `bench ${threadId}`, signal }
    store = await openPrimaryStore({ ...parts, ...outside }, identity)
    return store
  }),
)

// The other thread is done.
port.on('close', () => {
  const { user, system } = process.threadCpuUsage(worked)
  void closed().then((sizeBytes) => {
    parentPort?.postMessage({ sizeBytes, workedUs: user + system } satisfies Written)
  })
})

/** Size of the file, once its log has moved into it. */
async function closed(): Promise<number> {
  await store?.close()
  return statSync(join(folder, `${benchKey}.sqlite`)).size
}
