/** The writing thread of `primary-replay.ts`: the product's store behind the product's calls. */

import { parentPort, threadId, workerData } from 'node:worker_threads'

import { openWorld } from '../src/cli/world.ts'
import { serveCalls } from '../src/indexing/port-call.ts'
import { primaryAnswers } from '../src/indexing/primary/batch-calls.ts'
import { openPrimaryStore, type PrimaryStore } from '../src/indexing/primary/primary-store.ts'
import { localGenesis } from './local-genesis.ts'

const port = parentPort
if (port === null) throw new Error('this file is a thread of primary-replay.ts')
const dataDir = String(workerData)
const { signal } = new AbortController()
let store: PrimaryStore | undefined

serveCalls(port, {
  ...primaryAnswers(async (key, identity) => {
    const place = { store: 'embedded', dataDir } as const
    const parts = { key, genesis: 'auto', genesisBytes: localGenesis(), store: place }
    const outside = { world: openWorld(), owner: `bench ${threadId}`, signal }
    store = await openPrimaryStore({ ...parts, ...outside }, identity)
    return store
  }),
  /** Milliseconds of this thread's own work so far. */
  worked: async () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  },
  close: async () => {
    const bytes = await store?.database.sizeBytes()
    await store?.close()
    return bytes
  },
})
