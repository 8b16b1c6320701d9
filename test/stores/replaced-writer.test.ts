/**
 * A writer that is replaced in the middle of its work on history takes nothing from its successor, which does the
 * same work meanwhile and so makes files of the same names.
 *
 * On PostgreSQL the writer is cut off before each of its statements in turn, its successor finishes the work, and
 * then the writer wakes up. On SQLite, where nobody writes beside it, that statement fails instead.
 */

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Fault } from '../../src/core/fault.ts'
import { heightsBelow } from '../../src/indexing/evm/freeze/freeze-at-once.ts'
import { recount } from '../../src/indexing/evm/write/recount.ts'
import { type Database, statement, type Writer } from '../../src/store/engine/database.ts'
import { checkSegments } from '../../src/store/history/check-segments.ts'
import { freezeUntil, thawFrom } from '../../src/store/history/freeze.ts'
import { type History } from '../../src/store/history/history.ts'
import { markDamaged } from '../../src/store/history/manifest.ts'
import { mergeDue } from '../../src/store/history/merge-segments.ts'
import { keptUnnamedMs } from '../../src/store/history/segment-folder.ts'
import { awaitLease, type Lease, underLease } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { pausingClock } from '../support/processes/manual-clock.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const name = `evm-${chain}`
const digested = chainTables.filter(({ freezes }) => freezes !== undefined)

/** One of two processes that write a store in turn. */
class Host {
  readonly owner: string
  readonly database: Database
  readonly history: History
  lease: Lease | undefined
  /** Called before each statement of a transaction. */
  beforeStep: () => Promise<void> = async () => undefined

  constructor(owner: string, database: Database) {
    this.owner = owner
    this.database = database
    const history = database.history
    assert.ok(history !== undefined)
    this.history = history
  }

  async takeOver(): Promise<void> {
    this.lease = await awaitLease(this.database, this.owner, { clock: pausingClock() })
  }

  readonly commit = <T>(work: (writer: Writer) => Promise<T>): Promise<T> => {
    const { lease, database } = this
    assert.ok(lease !== undefined)
    return underLease(database, { lease, clock: pausingClock() }, async (writer) => {
      const done = await work(this.#halting(writer))
      await this.beforeStep()
      return done
    })
  }

  #halting(writer: Writer): Writer {
    const step = this.beforeStep
    return {
      ...writer,
      all: async (...of) => (await step(), writer.all(...of)),
      get: async (...of) => (await step(), writer.get(...of)),
      lookup: async (...of) => (await step(), writer.lookup(...of)),
      run: async (...of) => (await step(), writer.run(...of)),
      insert: async (...of) => (await step(), writer.insert(...of)),
      upsert: async (...of) => (await step(), writer.upsert(...of)),
      remove: async (...of) => (await step(), writer.remove(...of)),
      clear: async (...of) => (await step(), writer.clear(...of)),
    }
  }
}

const freezeBelow =
  (heights: readonly number[]) =>
  async ({ history, commit }: Host): Promise<void> => {
    for (const height of heights)
      await commit(async (writer) =>
        freezeUntil({ writer, history, recount }, await heightsBelow(writer, height)),
      )
  }

const thaw = async ({ history, commit }: Host): Promise<void> => {
  await commit((writer) => thawFrom({ writer, history, recount }, 0))
}

const mergeTwo = async ({ database: reader, history, commit }: Host): Promise<void> => {
  const pause = async (): Promise<void> => undefined
  const choose = <T>(segments: readonly T[]): readonly T[] => segments.slice(0, 2)
  await mergeDue({ reader, history, pause, commit, choose })
}

const sweep = async ({ database, history, commit }: Host, nowMs = keptUnnamedMs): Promise<void> => {
  await history.folder.hasOverdue(database, 0)
  if (await history.folder.hasOverdue(database, nowMs))
    await commit((writer) => history.folder.removeOverdue(writer))
}

/** As `verify --store --repair` does: every process learns of the damage, the file comes back, the mark goes. */
const repair = async ({ database, history, commit }: Host): Promise<void> => {
  const manifest = await history.manifest(database)
  const [damaged] = manifest.segments
  assert.ok(damaged !== undefined)
  await commit((writer) => markDamaged(writer, ({ name }) => name === damaged.name))
  const draft = await history.folder.draft(manifest)
  copyFileSync(history.folder.pathOf(damaged.name), draft)
  await history.adopt(draft, damaged.name)
  history.folder.drafted(draft)
  await commit((writer) => markDamaged(writer, () => false))
}

/** Work on history, and what the store is brought to before it. */
const works = {
  'what freezes': { before: [thaw], work: freezeBelow([30]) },
  'what is merged': { before: [thaw, freezeBelow([20, 30])], work: mergeTwo },
  'what is repaired': { before: [thaw, freezeBelow([20, 30])], work: repair },
  'what is taken back and freezes again': {
    before: [thaw, freezeBelow([30])],
    work: async (host: Host) => {
      await thaw(host)
      await freezeBelow([30])(host)
    },
  },
  // Its successor names the files that it has found to be nobody's.
  'what is swept': { before: [freezeBelow([30]), thaw], work: sweep, successor: freezeBelow([30]) },
} as const

for (const [title, { work, before, ...of }] of Object.entries(works))
  onBothEngines(
    `replaced writer: ${title} stays whole, wherever it was stopped`,
    [],
    async ({ location, engine }) => {
      const files = mkdtempSync(join(tmpdir(), 'firn-replaced-'))
      const place = { ...location, segments: files, freeze: {} }
      const hosts = await Promise.all(['first', 'second'].map((owner) => open(place, owner)))
      const [first, second] = hosts
      assert.ok(first !== undefined && second !== undefined)
      try {
        const rows = await storeDigest(first.database, digested)
        const successor = 'successor' in of ? of.successor : work
        let step = 0
        const ready = async (beforeStep: Host['beforeStep']): Promise<void> => {
          await first.takeOver()
          for (const prepare of before) await prepare(first)
          step = 0
          first.beforeStep = beforeStep
        }
        await ready(async () => void step++)
        await work(first)
        for (const at of stops(step)) {
          first.beforeStep = async () => undefined
          await ready(async () => {
            if (++step !== at) return
            if (engine === 'sqlite') throw new Fault('store-failed', 'the disk has an error')
            await cutOff(second.database, first.owner)
            await second.takeOver()
            await successor(second)
          })
          // A merge that finds its segments replaced has nothing left to do.
          const failed = await work(first).then(() => 'store-failed', faultCode)
          assert.match(failed, /^(store-failed|lease-lost)$/, `at ${at} of ${step}`)
          assert.ok(step >= at)
          first.beforeStep = async () => undefined
          if (engine === 'sqlite') {
            await second.takeOver()
            await successor(second)
          }
          // It does not know yet that it was replaced, or that its connection is gone.
          await sweep(first).catch((error: unknown) =>
            assert.match(faultCode(error), /^(store-failed|lease-lost)$/),
          )
          assert.ok((await segmentsOf(second.database)).length > 0)
          assert.deepEqual(await checkSegments(second.database, { progress: () => undefined }), [])
        }
        assert.deepEqual(await storeDigest(second.database, digested), rows)
      } finally {
        for (const { database } of hosts) await database.close()
        rmSync(files, { recursive: true, force: true })
      }
    },
    demoFilling(50, chain),
  )

async function open(location: StoreLocation, owner: string): Promise<Host> {
  return new Host(owner, await openStore({ ...location, owner }, name, chainTables, 'write'))
}

const round = Number(process.env['TEST_SOAK_ROUND'] ?? 0)

/**
 * Some steps of `count` before which a writer is stopped: the last ones, where files have their names, and
 * earlier ones; others in each round of a soak.
 */
function stops(count: number): number[] {
  const before = [0, 1, 2, 4, 8, 16, 32, 64].filter((each) => each < count)
  return before.map((each) => count - ((each + 5 * round) % count))
}

/** Ends all that a process has open on the server. */
async function cutOff(database: Database, owner: string): Promise<void> {
  const end = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = ?'
  await database.all(statement('', { postgres: end }), [`firn ${owner}`])
}

function faultCode(error: unknown): string {
  return error instanceof Fault ? error.code : String(error)
}
