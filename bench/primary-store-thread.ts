/** The writing thread of `primary-replay.ts`: the product's store behind the product's calls. */

import { parentPort, threadId, workerData } from 'node:worker_threads'

import { openWorld } from '../src/cli/world.ts'
import { serveCalls } from '../src/indexing/port-call.ts'
import { primaryAnswers } from '../src/indexing/primary/batch-calls.ts'
import { openPrimaryStore, type PrimaryStore } from '../src/indexing/primary/primary-store.ts'
import { localGenesis } from './local-genesis.ts'
import type { WriteTask, Written } from './primary-replay-task.ts'

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

async function closed(): Promise<number> {
  const sizeBytes = Number(await store?.database.sizeBytes())
  await store?.close()
  return sizeBytes
}
