/**
 * A primary network's store that another process writes meanwhile: replay waits for it, goes on
 * where its rows end, and what is stored is what one undisturbed process stores.
 */

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'

import { Fault } from '../../../src/core/fault.ts'
import type { Clock } from '../../../src/core/world.ts'
import { openPrimaryHost } from '../../../src/indexing/primary/run/host.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { factsOf } from '../../support/chains/primary-facts.ts'
import { virtualClock } from '../../support/processes/virtual-clock.ts'
import { fileWorld, indexedPrimary, recordingPath } from '../../support/services/primary-service.ts'
import { onBothEngines } from '../../support/stores/stores.ts'

const source = openRecordedPrimary(readFileSync(recordingPath))
const { signal } = new AbortController()
const key = 'primary-fuji'

onBothEngines('standby: two processes in turn store what one stores', [], async ({ location }) => {
  const gate = Promise.withResolvers<void>()
  const first = await open(location, 'first', gatedClock(gate.promise))
  await advance(first, 40)
  // Its own clock runs until the first one, which says nothing meanwhile, has lost its lease.
  const second = await open(location, 'second', virtualClock())
  await advance(second, 60)
  await assert.rejects(advance(first, 80), isLost)
  const waiting = advance(first, Number.POSITIVE_INFINITY)
  await advance(second, 120)
  await second.close()
  gate.resolve()
  await waiting
  assert.deepEqual(await factsOf(first.database), await undisturbed())
  await first.close()
})

type Host = Awaited<ReturnType<typeof openPrimaryHost>>

async function open(store: StoreLocation, owner: string, clock: Clock): Promise<Host> {
  // The genesis of a local network is made for the time at which it is requested.
  const world = { ...fileWorld, clock: { ...clock, now: fileWorld.clock.now } }
  return openPrimaryHost({ key, genesis: 'auto', store, world, owner, signal, source })
}

/** A clock on which no time passes, and every pause lasts until `gate` opens. */
function gatedClock(gate: Promise<void>): Clock {
  return { now: () => 0, monotonic: () => 0, sleep: () => gate }
}

/** Replays the chains one after the other, from where the rows end up to `height`. */
async function advance(host: Host, height: number): Promise<void> {
  for (const chain of ['P', 'X', 'C'] as const) {
    const replay = await host.replay(chain)
    const head = Math.min(height, await source.headHeight(chain, signal))
    let fetched: Awaited<ReturnType<typeof replay.fetch>> | undefined
    do {
      const range = replay.plan((fetched?.at(-1)?.height ?? replay.height()) + 1, head)
      fetched = range && (await replay.fetch(range, signal))
      if (fetched !== undefined && fetched.length > 0) await host.commit(replay, fetched, signal)
    } while (fetched !== undefined)
    await host.settled(chain)
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Fault && error.code === 'lease-lost'
}

async function undisturbed(): Promise<Record<string, string[]>> {
  const dataDir = await indexedPrimary()
  const store = await openStore({ store: 'embedded', dataDir }, key, primaryStoreTables, 'read')
  try {
    return await factsOf(store)
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
