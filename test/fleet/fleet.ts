/**
 * A deployment for what is broken on purpose: processes that index some chains, one that serves, a node whose head
 * the test moves, a folder of history that all hosts share, and a caller who asks all the time.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import type { EvmSource } from '../../src/source/evm-source.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { namespaceOf } from '../../src/store/postgres/names.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import {
  logMark,
  logStage,
  logStoreOf,
  logStoreTables,
  logTables,
} from '../../src/store/schema/logs.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { isLive, runStage } from '../support/chains/log-stage.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { openReplayNode, type ReplayNode } from '../support/nodes/replay-node.ts'
import { silentRelay } from '../support/nodes/silent-relay.ts'
import {
  atEnd,
  type Ending,
  entry,
  follow,
  type RunningFirn,
  until,
} from '../support/processes/firn-process.ts'
import {
  bucketOf,
  type ObjectStorage,
  placeOfStorage,
  storageKeys,
} from '../support/stores/object-storage.ts'
import { filledBeside, storeDigest } from '../support/stores/store-digest.ts'
import { type Caller, oldBlocks, startCaller } from './caller.ts'
import { serveUnderIds } from './served-chains.ts'

/** How many processes index how many chains, and where their history lies. */
export type FleetSize = {
  readonly hosts: number
  readonly chains: number
  /** Object storage that has the history; a folder that all hosts share where it is absent. */
  readonly storage?: ObjectStorage
}

const firstId = 51_001
/** Store of a chain by its place. */
const storeAt = (at: number): string => `fuji-fleet-${at + 1}`
/** Namespace of the first chain's store. */
export const space = namespaceOf(storeAt(0))

/** A process that indexes, and what names it in its leases. */
export type Member = RunningFirn & {
  readonly owner: string
  readonly kill: (signal: NodeJS.Signals) => void
}

/** Stored writer of a chain, and its height; the place of a chain is its place in a list of these. */
export type Written = { readonly owner: string; readonly height: number }

/** The deployment. */
export type Fleet = {
  readonly store: string
  /** Every connection of a process to the database falls silent, and new ones are served. */
  readonly dropConnections: () => void
  readonly node: ReplayNode
  /** One answer of the database; undefined while it gives none. */
  readonly ask: <Row extends pg.QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
  ) => Promise<readonly Row[] | undefined>
  /** All chains; none while the database gives no answer. */
  readonly written: () => Promise<readonly Written[]>
  /** The process that writes the first chain. */
  readonly writer: () => Promise<Member>
  /** Starts another process in the place of one that ended, and waits until it stands by. */
  readonly replace: (ended: Member) => Promise<void>
  /** Waits until a process looks at a lease that is another's. */
  readonly untilStandsBy: (member: Member) => Promise<void>
  /** Waits until no process writes more chains than its share, and every chain took another block. */
  readonly untilShared: () => Promise<void>
  /** Milliseconds from now until every chain is at the head of its node. */
  readonly untilAtHead: () => Promise<number>
  /** Last lines of errors of every process that runs. */
  readonly errors: () => string
  readonly caller: Caller
  /** Fills the chains to their end and compares every row, of history too, with those of an undisturbed store. */
  readonly compare: () => Promise<void>
}

/** Some blocks below the first range that becomes history, which a round so passes. */
const firstHead = 250

/** Tables filled from blocks alone: names and metadata come from streams beside them. */
const compared = [...evmTables, ...metricsTables].filter(({ name }) => !filledBeside.has(name))

/** Marks stand where batches ended. */
const comparedLogs = logTables.filter(({ name }) => name !== logMark.name)

/** Starts all of it over the empty database `store`; it ends with `t`. */
export async function startFleet(
  t: Ending,
  store: string,
  { hosts, chains, storage }: FleetSize = { hosts: 2, chains: 1 },
): Promise<Fleet> {
  // The one is read in seconds, the other becomes history several times.
  const [recording, chain] =
    storage === undefined ? (['chain-51001', 51_001] as const) : (['meridian', 'meridian'] as const)
  const node = await openReplayNode(
    readFileSync(new URL(`../../demo/${recording}.firnrec`, import.meta.url)),
  )
  const last = node.recording.heights.until - 1
  node.head = firstHead
  const nodes = await serveUnderIds(t, node)
  const { ask, end } = asker(store)
  atEnd(t, end)
  const relay = await silentRelay(Number(new URL(store).port))
  atEnd(t, relay.close)
  const relayed = new URL(store)
  relayed.port = String(relay.port)
  const folder = await mkdtemp(join(tmpdir(), 'firn-fleet-history-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const history = storage === undefined ? folder : placeOfStorage(storage)
  const places = Array.from({ length: chains }, (_, at) => at)
  /** Logs freeze where history lies in a bucket. */
  const keepsLogs = (at: number): boolean => storage !== undefined && at === 0
  const members: Member[] = []
  const start = async (role: 'index' | 'serve'): Promise<Member> => {
    const config = [
      `store: '${relayed.href}'`,
      `role: ${role}`,
      `index: { store: '${history}', freezeRows: 100 }`,
      'chains:',
      ...places.map(
        (at) =>
          `  - { name: Fleet ${at + 1}, rpcUrls: ['${nodes}/${firstId + at}'], traces: off, logs: ${keepsLogs(at) ? 'on' : 'off'} }`,
      ),
    ]
    return startMember(t, config.join('\n'), ask)
  }
  const written: Fleet['written'] = async () => {
    const parts = places.map((at) => {
      const schema = namespaceOf(storeAt(at))
      return `select ${at} as at, owner, height::int from "${schema}".lease, "${schema}".checkpoint where stage = 'blocks'`
    })
    return (await ask<Written>(`${parts.join(' union all ')} order by at`)) ?? []
  }
  const untilStandsBy: Fleet['untilStandsBy'] = async ({ owner }) => {
    const sql = `select 1 from pg_stat_activity where application_name = $1
      and query like '%from "firn_fuji_fleet_%".lease%' and query_start > clock_timestamp() - interval '1 second'`
    await until(
      `${owner} stands by`,
      async () => ((await ask(sql, [`firn ${owner}`])) ?? []).length > 0,
    )
  }
  const errors = (): string => members.map((member) => member.errors()).join('\n')
  const untilAtHead = async (): Promise<number> => {
    const sinceMs = performance.now()
    const isAtHead = async (): Promise<boolean> => {
      const all = await written()
      return all.length === chains && all.every(({ height }) => height === node.head)
    }
    try {
      await until(`height ${node.head}`, isAtHead)
    } catch (error) {
      console.log(errors())
      throw error
    }
    return performance.now() - sinceMs
  }
  const untilShared: Fleet['untilShared'] = () =>
    until('each process has its share', async () => {
      const owners = (await written()).map(({ owner }) => owner)
      const shares = members.map(({ owner }) => owners.filter((each) => each === owner).length)
      const most = Math.ceil(chains / hosts)
      return owners.length === chains && shares.every((share) => share <= most)
    })
  members.push(await start('index'))
  await untilAtHead()
  while (members.length < hosts) {
    const next = await start('index')
    members.push(next)
    await untilStandsBy(next)
  }
  const reader = await start('serve')
  await until('the chain is served', async () => {
    const reply = await fetch(`${reader.apiUrl}/v1/chains/${firstId}/blocks`)
    return reply.status === 200
  })
  const blocks = `${reader.apiUrl}/v1/chains/${firstId}/blocks`
  const old = storage === undefined ? undefined : oldBlocks(blocks, node)
  const caller = startCaller(`${blocks}?pageSize=20`, old)
  atEnd(t, async () => void (await caller.end()))
  return {
    store,
    dropConnections: () => {
      relay.silence()
      relay.recover()
    },
    node,
    ask,
    written,
    writer: async () => {
      const [{ owner } = { owner: '' }] = await written()
      const writer = members.find((member) => member.owner === owner)
      assert.ok(writer !== undefined, `who writes is known: ${owner}`)
      return writer
    },
    replace: async (ended) => {
      const next = await start('index')
      members.splice(members.indexOf(ended), 1, next)
      await untilStandsBy(next)
    },
    untilStandsBy,
    untilShared: async () => {
      await untilShared()
      node.head++
      await untilAtHead()
    },
    untilAtHead,
    errors,
    caller,
    compare: async () => {
      node.head = last
      await untilAtHead()
      const bucket = storage === undefined ? {} : { bucket: bucketOf(storage, { folder }) }
      const location = { store, dataDir: '', segments: folder, freeze: {}, ...bucket }
      const undisturbed = await undisturbedRows(chain, node.recording)
      const isWhole = async (
        name: string,
        tables: readonly Table[],
        rows: Readonly<Record<string, string>>,
      ): Promise<void> => {
        // Every try may have met harm, and the next one comes after ten seconds.
        await until(`${name}: some of it is history`, async () => {
          await using database = await opened(location, name, tables)
          return (await filesOf(database)).length > 0
        })
        await using database = await opened(location, name, tables)
        const files = await filesOf(database)
        assert.deepEqual(await storeDigest(database, tables), rows, name)
        // Reading all rows fetched and compared all that has rows.
        for (const each of files)
          if (storage !== undefined)
            assert.ok(storage.files.has(`${storage.address.prefix}${name}/${each}.sqlite`))
      }
      for (const at of places) await isWhole(storeAt(at), compared, undisturbed.chain)
      for (const at of places.filter(keepsLogs)) {
        const kept = logStoreOf(storeAt(at))
        const heights = `select height::int from "${namespaceOf(kept)}".checkpoint where stage = '${logStage}'`
        await until('all logs', async () => {
          const [row] = (await ask<{ height: number }>(heights)) ?? []
          return row?.height === last
        })
        await isWhole(kept, comparedLogs, undisturbed.logs)
      }
    },
  }
}

type Undisturbed = Readonly<Record<'chain' | 'logs', Readonly<Record<string, string>>>>

const known = new Map<string | number, Undisturbed>()

/** Digests of what a process that nothing disturbs stores of a recorded chain. */
async function undisturbedRows(
  chain: 51_001 | 'meridian',
  recording: EvmSource,
): Promise<Undisturbed> {
  const before = known.get(chain)
  if (before !== undefined) return before
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-fleet-whole-'))
  try {
    const place = { store: 'embedded', dataDir }
    const whole = { name: 'whole', chain, step: 40, owner: 'test', traces: false } as const
    await readDemoChain(place, whole)
    const stored = await openStore(place, 'whole', chainTables, 'read')
    const logs = await openStore(place, 'whole-logs', logStoreTables, 'write')
    await runStage({ logs, chain: stored }, recording, isLive)
    const digests = {
      chain: await storeDigest(stored, compared),
      logs: await storeDigest(logs, comparedLogs),
    }
    await logs.close()
    await stored.close()
    known.set(chain, digests)
    return digests
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function opened(
  location: StoreLocation,
  name: string,
  tables: readonly Table[],
): Promise<Database> {
  return openStore(location, name, [...controlTables, ...tables], 'read')
}

/** Names of the files of its history. */
async function filesOf(database: Database): Promise<readonly string[]> {
  const manifest = await database.history?.manifest(database)
  return [...(manifest?.segments ?? []), ...(manifest?.directory ?? [])].map((file) => file.name)
}

/** Starts a process and finds its name among the sessions of the server. */
async function startMember(t: Ending, lines: string, ask: Fleet['ask']): Promise<Member> {
  const sql =
    "select distinct application_name as name from pg_stat_activity where application_name ~ '^firn [0-9a-f]{16}$'"
  const names = async (): Promise<readonly string[]> =>
    ((await ask<{ name: string }>(sql)) ?? []).map(({ name }) => name)
  const before = await names()
  const folder = await mkdtemp(join(tmpdir(), 'firn-fleet-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `${lines}\n`)
  const words = ['--port', '0', '--node-port', '0', '--config', config]
  const data = ['--data-dir', join(folder, 'data')]
  const env = { ...process.env, ...storageKeys }
  const child = spawn(process.execPath, [entry, 'start', ...words, ...data], { env })
  const firn = await follow(t, child)
  let name: string | undefined
  await until('its sessions', async () => {
    name = (await names()).find((each) => !before.includes(each))
    return name !== undefined
  })
  return {
    ...firn,
    owner: String(name).replace('firn ', ''),
    kill: (signal) => void child.kill(signal),
  }
}

/** Asks over one connection, which is made anew when the server broke it. */
function asker(url: string): Pick<Fleet, 'ask'> & { readonly end: () => Promise<void> } {
  let client: pg.Client | undefined
  const end = async (): Promise<void> => {
    const ended = client
    client = undefined
    await ended?.end().catch(() => undefined)
  }
  const ask: Fleet['ask'] = async <Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
  ) => {
    try {
      if (client === undefined) {
        client = new pg.Client({ connectionString: url, query_timeout: 10_000 })
        client.on('error', () => undefined)
        await client.connect()
      }
      return (await client.query<Row>(sql, [...values])).rows
    } catch {
      // A server that is away, or a store that is not made yet: whoever asks looks again.
      await end()
      await pause(20)
      return undefined
    }
  }
  return { ask, end }
}
