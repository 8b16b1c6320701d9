/**
 * A deployment with many chains on one PostgreSQL: whether all are live, and how many connections
 * it takes.
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

import { openReplayNode } from '../support/nodes/replay-node.ts'
import {
  atEnd,
  type Ending,
  entry,
  follow,
  type RunningFirn,
  type ChainStatus,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'
import { serveUnderIds } from './served-chains.ts'

/** Size of a deployment. */
export type Size = { readonly chains: number; readonly index: number; readonly serve: number }

/** Its costs. */
export type Taken = {
  /** Most sessions of the deployment that the server had at once. */
  readonly connections: number
  /** Chains that each process which indexes wrote at the end. */
  readonly shares: readonly number[]
  /** Until every process that serves called every chain live. */
  readonly liveMs: number
}

/** Id of the first chain; the others follow. */
const firstId = 60_001
/** Blocks of each chain but block 0. */
const head = 12
/** A busy machine starts so many processes and stores slowly. */
const limitMs = 900_000
const chainName = (at: number): string => `Chain ${at + 1}`

/**
 * Runs a deployment of that size over the empty database `store` until all is live and was requested.
 */
export async function manyChains(t: Ending, store: string, size: Size): Promise<Taken> {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51002.firnrec', import.meta.url)),
  )
  node.head = head
  const nodes = await serveUnderIds(t, node)
  const chains = Array.from(
    { length: size.chains },
    (_, at) => `  - { name: ${chainName(at)}, rpcUrls: ['${nodes}/${firstId + at}'], traces: off }`,
  )
  const watch = await watchSessions(t, store)
  const start = (role: string): Promise<RunningFirn> =>
    startOne(t, [`store: '${store}'`, `role: ${role}`, 'chains:', ...chains].join('\n'))
  const sinceMs = performance.now()
  for (let at = 0; at < size.index; at++) await start('index')
  const readers: RunningFirn[] = []
  for (let at = 0; at < size.serve; at++) readers.push(await start('serve'))
  for (const reader of readers) await untilAllLive(reader, size.chains)
  const liveMs = Math.round(performance.now() - sinceMs)
  await requestEverything(readers, size.chains)
  const shares = await watch.shares(size)
  return { connections: watch.most(), shares, liveMs }
}

async function untilAllLive(reader: RunningFirn, chains: number): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    // A server that starts so many stores at once may be too busy for an answer.
    const statuses = await chainStatuses(reader).catch(() => new Map<string, ChainStatus>())
    const live = [...statuses.values()].filter(
      ({ state, indexedHeight }) => state === 'live' && indexedHeight === head,
    )
    if (live.length === chains) return
    assert.ok(
      performance.now() < deadline,
      `${live.length} of ${chains} are live: ${reader.errors()}`,
    )
    await pause(500)
  }
}

/**
 * Requests every chain from every process, by as many callers at once as a page of an explorer has.
 */
async function requestEverything(readers: readonly RunningFirn[], chains: number): Promise<void> {
  const atOnce = 8
  const callers = readers.flatMap(({ apiUrl }) =>
    Array.from({ length: atOnce }, async (_, caller) => {
      for (let at = caller; at < chains; at += atOnce) {
        const reply = await fetch(`${apiUrl}/v1/chains/${firstId + at}/blocks?pageSize=100`)
        const text = await reply.text()
        assert.equal(reply.status, 200, text)
        const { length } = text.split('"blockNumber"')
        assert.equal(length - 1, head + 1, text)
      }
    }),
  )
  await Promise.all(callers)
}

/** Looks at the sessions of the server all the time. */
async function watchSessions(
  t: Ending,
  store: string,
): Promise<{
  readonly most: () => number
  readonly shares: (
    size: Readonly<Record<'chains' | 'index', number>>,
  ) => Promise<readonly number[]>
}> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  let most = 0
  let isEnding = false
  const looking = (async () => {
    while (!isEnding) {
      const sql =
        "select count(*)::int as n from pg_stat_activity where application_name like 'firn%'"
      const { rows } = await client.query<{ n: number }>(sql)
      most = Math.max(most, rows[0]?.n ?? 0)
      await pause(25)
    }
  })()
  atEnd(t, async () => {
    isEnding = true
    await looking
    await client.end()
  })
  return {
    most: () => most,
    shares: async ({ chains, index }) => {
      const parts = Array.from(
        { length: chains },
        (_, at) => `select owner from "firn_fuji_chain_${at + 1}".lease`,
      )
      const sql = `select count(*)::int as n from (${parts.join(' union all ')}) as leases group by owner order by 1`
      let shares: readonly number[] = []
      // A process that was kept from its core for long has lost chains meanwhile, and has them back.
      await until('each has its share', async () => {
        shares = (await client.query<{ n: number }>(sql)).rows.map(({ n }) => n)
        return shares.every((share) => share <= Math.ceil(chains / index))
      })
      return shares
    },
  }
}

async function startOne(t: Ending, lines: string): Promise<RunningFirn> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-many-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `${lines}\n`)
  const words = ['--port', '0', '--node-port', '0', '--config', config]
  const data = ['--data-dir', join(folder, 'data')]
  return follow(t, spawn(process.execPath, [entry, 'start', ...words, ...data]))
}
