/** Streams of a primary network wait longer each time, say why, go on, and end when they are aborted. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../../src/core/fault.ts'
import type { World } from '../../../src/core/world.ts'
import { primaryHost } from '../../../src/indexing/primary/run/host.ts'
import { openPrimaryStore, type PrimaryStore } from '../../../src/indexing/primary/run/store.ts'
import { primaryStreams } from '../../../src/indexing/primary/run/stream.ts'
import { leaseStream } from '../../../src/indexing/stream/writing-rhythm.ts'
import type { PrimarySource } from '../../../src/source/primary/primary-source.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { fileWorld, recordingPath } from '../../support/services/primary-service.ts'

const key = 'primary-fuji'

const spec = {
  kind: 'primary',
  key,
  network: 'fuji',
  name: 'test',
  nodeUrl: '',
  genesis: 'auto',
  cAtomic: true,
  recording: recordingPath,
} as const
const limits = {
  timeoutMs: 30_000,
  traceTimeoutMs: 30_000,
  maxInFlight: 8,
  maxReplyBytes: 33_554_432,
  bufferBytes: 16_777_216,
  checkEvery: 1,
}

/** Time passes at once. */
const hasty: World = {
  ...fileWorld,
  clock: {
    ...fileWorld.clock,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        setImmediate(() => (signal?.aborted === true ? reject(signal.reason) : resolve()))
      }),
  },
}

async function withStore(
  check: (store: PrimaryStore, over: AbortController) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-waits-'))
  const over = new AbortController()
  const { signal } = over
  const identity = await openRecordedPrimary(readFileSync(recordingPath)).identity(signal)
  const place = { store: 'embedded', dataDir } as const
  const parts = { key, genesis: 'auto', store: place, world: fileWorld, owner: 'test', signal }
  const store = await openPrimaryStore(parts, identity)
  try {
    await check(store, over)
  } finally {
    over.abort()
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

void test('chain that waits: pauses grow until something is stored, then the reason is gone', async () => {
  await withStore(async (store, over) => {
    let failures = 18
    const pauses: number[] = []
    const reasons = new Set<string>()
    const log = {
      ...silentLog,
      child: () => log,
      warn: (_: string, fields: Readonly<Record<string, unknown>> = {}) => {
        if (fields['chain'] === 'P') pauses.push(Number(fields['pauseMs']))
      },
    }
    const streams = primaryStreams(spec, openRecordedPrimary(readFileSync(recordingPath)), {
      world: hasty,
      log,
      limits,
      signal: over.signal,
      openHost: async (source) => {
        const identity = await source.identity(over.signal)
        const { genesis, database: reader } = store
        const failing = {
          ...store,
          commit: (...batch: Parameters<PrimaryStore['commit']>) =>
            failures-- > 0
              ? Promise.reject(new Fault('store-full', 'the disk is full'))
              : store.commit(...batch),
        }
        const host = primaryHost({ source, identity, genesis, reader, store: failing })
        return { ...host, close: () => Promise.resolve() }
      },
    })
    const [chain] = streams.filter(({ name }) => name === 'P')
    assert.ok(chain !== undefined)
    const run = chain.run(over.signal)
    while (chain.status().state !== 'live') {
      const { reason } = chain.status()
      if (reason !== undefined) reasons.add(reason)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual([...reasons], ['the disk is full'])
    assert.equal(chain.status().reason, undefined)
    for (const [at, pauseMs] of pauses.entries()) {
      assert.equal(pauseMs, Math.min(30_000, 500 * 2 ** at), pauses.join())
    }
    assert.ok(pauses.length > 6, pauses.join())
    over.abort()
    await run
  })
})

void test('chain that stops: a block that contradicts those before it, and goes on once the node is mended', async () => {
  await withStore(async (store, over) => {
    const mended = new Set<string>()
    const truth = openRecordedPrimary(readFileSync(recordingPath))
    const wrongFrom = 20
    const { recording: _none, ...ofNode } = spec
    const lying: PrimarySource = {
      ...truth,
      blocks: async (chain, range, signal) => {
        const blocks = await truth.blocks(chain, range, signal)
        if (mended.has(chain)) return blocks
        const [other] = await truth.blocks(chain, { from: 3, until: 4 }, signal)
        return blocks.map((block) =>
          block.height < wrongFrom || other === undefined
            ? block
            : { ...block, bytes: other.bytes },
        )
      },
      cBlocks: async (range, signal) =>
        (await truth.cBlocks(range, signal)).map((block) =>
          block.height < wrongFrom || mended.has('C')
            ? block
            : { ...block, parentId: new Uint8Array(32) },
        ),
    }
    const streams = primaryStreams(ofNode, lying, {
      world: hasty,
      log: silentLog,
      limits,
      signal: over.signal,
      openHost: async (source) => {
        const identity = await source.identity(over.signal)
        const { genesis, database: reader } = store
        const host = primaryHost({ source, identity, genesis, reader, store })
        return { ...host, close: () => Promise.resolve() }
      },
    }).filter(({ name }) => ['P', 'X', 'C'].includes(name))
    const runs = streams.map((stream) => stream.run(over.signal))
    const all = async (state: string): Promise<void> => {
      while (streams.some((stream) => stream.status().state !== state))
        await new Promise((resolve) => setImmediate(resolve))
    }
    await all('stopped')
    for (const stream of streams) {
      assert.ok(stream.status().indexedHeight < wrongFrom, stream.name)
      mended.add(stream.name)
    }
    await all('live')
    over.abort()
    await Promise.all(runs)
  })
})

void test('chain that waits: a host that opens while all stops is closed', async () => {
  await withStore(async (store, over) => {
    let closed = 0
    const streams = primaryStreams(spec, openRecordedPrimary(readFileSync(recordingPath)), {
      world: hasty,
      log: silentLog,
      limits,
      signal: over.signal,
      openHost: async (source) => {
        const identity = await source.identity(over.signal)
        over.abort()
        const host = primaryHost({ source, identity, ...store, reader: store.database, store })
        return { ...host, close: async () => void closed++ }
      },
    })
    await Promise.all(streams.map((stream) => stream.run(over.signal)))
    assert.equal(closed, 1)
  })
})

void test('lease: renewal goes on after a store fails or is lost for a while, and ends at a newer store', async () => {
  const { signal } = new AbortController()
  const answers = [
    new Fault('store-failed', 'cut off'),
    undefined,
    new Fault('store-full', 'the disk is full'),
    new Fault('lease-lost', 'another process writes'),
    undefined,
    new Fault('store-version', 'written by a newer version'),
  ]
  let renewals = 0
  const renew = async (): Promise<void> => {
    const answer = answers[renewals++]
    if (answer !== undefined) throw answer
  }
  const stream = leaseStream({ renew }, hasty.clock)
  await stream.run(signal)
  assert.equal(renewals, answers.length)
  assert.deepEqual(
    [stream.status().state, stream.status().reason],
    ['off', 'written by a newer version'],
  )
})
