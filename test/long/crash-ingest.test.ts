/**
 * A backfill that is killed again and again, without warning, ends in the same rows as one that
 * ran undisturbed. Moments come from a seed, so that a failure can be had again.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { generator } from '../../bench/evm-chain.ts'
import { statement } from '../../src/store/engine/database.ts'
import { identityName } from '../../src/store/history/segment-bytes.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { soakRound } from '../support/processes/test-settings.ts'
import { removeUnnamed, segmentFiles, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const step = 4
const kills = 4
const freezeEvery = 12
const timeLimitMs = 120_000
const anyBlock = statement('select height from evm_block limit 1', { over: 'tables' })

onBothEngines(
  `crash: ${kills} kills of a backfill leave no trace`,
  [],
  async ({ location, engine }) => {
    await killedRun(location, generator((engine === 'sqlite' ? 1 : 2) + 2 * soakRound))
    await readDemoChain(location, { name: 'whole', chain, step: 40, owner: 'test' })
    assert.deepEqual(await digestOf(location, 'killed'), await digestOf(location, 'whole'))
  },
)

onBothEngines(
  `crash: ${kills} kills while history freezes and merges leave no trace, and no file`,
  [],
  async ({ location: { store }, engine }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-freezing-'))
    try {
      const location = { store, dataDir, freeze: {} }
      await killedRun(
        location,
        generator((engine === 'sqlite' ? 3 : 4) + 2 * soakRound),
        freezeEvery,
      )
      await readDemoChain({ store, dataDir }, { name: 'whole', chain, step: 40, owner: 'test' })
      assert.deepEqual(await digestOf(location, 'killed'), await digestOf(location, 'whole'))
      const database = await openStore(location, 'killed', chainTables, 'write')
      try {
        const segments = await segmentsOf(database)
        assert.ok(
          segments.some(({ tier }) => tier > 0),
          'segments were merged',
        )
        await removeUnnamed(database)
        const left = readdirSync(join(dataDir, 'segments', 'killed'))
        assert.deepEqual(left.toSorted(), [...(await segmentFiles(database)), identityName])
      } finally {
        await database.close()
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

onBothEngines(
  `crash: ${kills} kills of a backfill that freezes as it stores leave no trace`,
  [],
  async ({ location: { store }, engine }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-freezing-'))
    try {
      const location = { store, dataDir, freeze: {} }
      const random = generator((engine === 'sqlite' ? 5 : 6) + 2 * soakRound)
      await killedRun(location, random, 'at-once')
      const whole = { name: 'whole', chain, step: 40, owner: 'test', traces: false } as const
      await readDemoChain({ store, dataDir }, whole)
      assert.deepEqual(await digestOf(location, 'killed'), await digestOf(location, 'whole'))
      const database = await openStore(location, 'killed', chainTables, 'write')
      const segments = await segmentsOf(database)
      assert.ok(
        segments.some(({ tier }) => tier > 0),
        'segments were merged',
      )
      assert.equal(await database.get(anyBlock), undefined, 'no block is in a table')
      await database.close()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

/** Starts the backfill and kills it, over and over, then lets it end. */
async function killedRun(
  location: StoreLocation,
  random: () => number,
  freezeEvery?: number | 'at-once',
): Promise<void> {
  let heard = ''
  for (let kill = 0; kill < kills; kill++) {
    const child = start(location, freezeEvery)
    // Lines say when a batch is stored, or history frozen or merged, which takes longer; the moment
    // lies anywhere around that of the next ones.
    const isFreezing = typeof freezeEvery === 'number'
    const lines = 1 + Math.floor(random() * (isFreezing ? 3 : 6))
    const later = random() * (isFreezing ? 100 : 30)
    heard = await untilLine(child, lines, isFreezing ? /^(frozen|merged)/ : /./)
    await new Promise((resolve) => setTimeout(resolve, later))
    await killed(child)
  }
  assert.notEqual(heard, 'done', 'the backfill is longer than its interruptions')
  const child = start(location, freezeEvery)
  assert.equal(await untilLine(child, Number.POSITIVE_INFINITY), 'done')
}

function start(location: StoreLocation, freezeEvery?: number | 'at-once'): ChildProcess {
  const script = join(import.meta.dirname, '../support/processes/ingest-process.ts')
  const words = [script, JSON.stringify(location), 'killed', String(chain), String(step)]
  if (freezeEvery !== undefined) words.push(String(freezeEvery))
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Resolves with the last line after `count` lines of a form, or when the output ends. */
async function untilLine(child: ChildProcess, count: number, form = /./): Promise<string> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs)
  let seen = 0
  let last = ''
  let rest = ''
  // Its output stays open: it must be killed at its work, not by a line that nobody reads.
  const output = child.stdout?.iterator({ destroyOnReturn: false }) ?? []
  for await (const chunk of output) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    seen += lines.filter((line) => form.test(line)).length
    last = lines.at(-1) ?? last
    if (seen >= count) break
  }
  clearTimeout(timer)
  return last
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  child.stdout?.destroy()
}

/** Digests of every table a batch writes, and how far each stage came. */
async function digestOf(location: StoreLocation, name: string) {
  const database = await openStore(location, name, chainTables, 'read')
  const digests = await storeDigest(database, [...evmTables, ...metricsTables])
  const stages = await database.all(
    statement('select stage, height, hash from checkpoint order by stage'),
  )
  await database.close()
  return { digests, stages }
}
