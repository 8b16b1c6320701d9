/**
 * A small deployment over one chain, for what is broken on purpose: two processes that index, one that
 * serves, a node whose head the test moves, and a caller who asks all the time.
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

import { openStore } from '../../src/store/open.ts'
import { namespaceOf } from '../../src/store/postgres/names.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { openReplayNode, type ReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { silentRelay } from '../support/nodes/silent-relay.ts'
import {
  atEnd,
  type Ending,
  entry,
  follow,
  type RunningFirn,
  until,
} from '../support/processes/firn-process.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { type Caller, startCaller } from './caller.ts'

/** Store of the chain, and its namespace. */
export const chainStore = 'fuji-fleet'
export const space = namespaceOf(chainStore)

/** A process that indexes, and what names it in its leases. */
export type Member = RunningFirn & {
  readonly owner: string
  readonly kill: (signal: NodeJS.Signals) => void
}

/** Stored writer of the chain, and its height. */
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
  readonly written: () => Promise<Written | undefined>
  /** The process that writes, and the other one. */
  readonly sides: () => Promise<{ readonly writer: Member; readonly other: Member }>
  /** Starts another process in the place of one that ended; gives it back when it stands by. */
  readonly replace: (ended: Member) => Promise<void>
  /** Waits until the process that does not write looks at the lease. */
  readonly untilStandsBy: (member: Member) => Promise<void>
  /** Milliseconds from now until the chain is at the head of its node. */
  readonly untilAtHead: () => Promise<number>
  readonly caller: Caller
  /** Fills the chain to its end and compares every row with those of an undisturbed store. */
  readonly compare: () => Promise<void>
}

/** Blocks that no round may take, so that something is left for the end. */
const firstHead = 60

/** Tables filled from blocks alone: names and metadata come from streams beside them. */
const compared = [...evmTables, ...metricsTables].filter(
  ({ name }) => !['token', 'token_word', 'nft_token', 'nft_metadata'].includes(name),
)

/** Starts all of it over the empty database `store`; it ends with `t`. */
export async function startFleet(t: Ending, store: string): Promise<Fleet> {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  const last = node.recording.heights.until - 1
  node.head = firstHead
  const server = await serveReplayNode(node)
  atEnd(t, server.close)
  const { ask, end } = asker(store)
  atEnd(t, end)
  const relay = await silentRelay(Number(new URL(store).port))
  atEnd(t, relay.close)
  const relayed = new URL(store)
  relayed.port = String(relay.port)
  const members: Member[] = []
  const start = async (role: 'index' | 'serve'): Promise<Member> => {
    const config = [
      `store: '${relayed.href}'`,
      `role: ${role}`,
      `chains: [{ name: Fleet, rpcUrls: ['${server.url}'], traces: off }]`,
    ]
    return startMember(t, config.join('\n'), ask)
  }
  const written: Fleet['written'] = async () => {
    const sql = `select owner, height::int from "${space}".lease, "${space}".checkpoint where stage = 'blocks'`
    return (await ask<Written>(sql))?.[0]
  }
  const untilStandsBy: Fleet['untilStandsBy'] = async ({ owner }) => {
    const sql = `select 1 from pg_stat_activity where application_name = $1
      and query like '%from "${space}".lease%' and query_start > clock_timestamp() - interval '1 second'`
    await until(
      `${owner} stands by`,
      async () => ((await ask(sql, [`firn ${owner}`])) ?? []).length > 0,
    )
  }
  const untilAtHead = async (): Promise<number> => {
    const sinceMs = performance.now()
    try {
      await until(`height ${node.head}`, async () => (await written())?.height === node.head)
    } catch (error) {
      for (const member of members) console.log(member.errors())
      throw error
    }
    return performance.now() - sinceMs
  }
  members.push(await start('index'))
  await untilAtHead()
  members.push(await start('index'))
  const reader = await start('serve')
  await until('the chain is served', async () => {
    const reply = await fetch(`${reader.apiUrl}/v1/chains/51001/blocks`)
    return reply.status === 200
  })
  const caller = startCaller(`${reader.apiUrl}/v1/chains/51001/blocks?pageSize=20`)
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
    sides: async () => {
      const { owner } = (await written()) ?? { owner: '' }
      const writer = members.find((member) => member.owner === owner)
      const other = members.find((member) => member.owner !== owner)
      assert.ok(writer !== undefined && other !== undefined, `who writes is known: ${owner}`)
      return { writer, other }
    },
    replace: async (ended) => {
      const next = await start('index')
      members.splice(members.indexOf(ended), 1, next)
      await untilStandsBy(next)
    },
    untilStandsBy,
    untilAtHead,
    caller,
    compare: async () => {
      node.head = last
      await untilAtHead()
      const location = { store, dataDir: '' }
      const whole = {
        name: 'whole',
        chain: 51_001,
        step: 40,
        owner: 'test',
        traces: false,
      } as const
      await readDemoChain(location, whole)
      assert.deepEqual(await digestOf(store, chainStore), await digestOf(store, 'whole'))
    },
  }
}

async function digestOf(store: string, name: string): Promise<Record<string, string>> {
  const database = await openStore({ store, dataDir: '' }, name, chainTables, 'read')
  try {
    return await storeDigest(database, compared)
  } finally {
    await database.close()
  }
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
  const child = spawn(process.execPath, [entry, 'start', ...words, ...data])
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
