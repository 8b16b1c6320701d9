/** Damage done on purpose to a deployment, and the time until it writes again. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { until } from '../support/processes/firn-process.ts'
import type { PostgresServer } from '../support/stores/postgres.ts'
import type { Citus } from './citus-server.ts'
import { type Fleet, type Member, space, type Written } from './fleet.ts'

/** From what broke, or from the return of the server, to the first commit: what is promised. */
export const promisedMs = 5_000
/**
 * Time that the suite allows, whose other tests run at the same time; without the product's care it
 * is 30 s.
 */
export const besideOthersMs = 2 * promisedMs

/** One kind of harm. Gives the milliseconds until the first commit after it. */
export type Disaster = {
  readonly kind: string
  readonly strike: (fleet: Fleet) => Promise<number>
}

/** Blocks of a round: some are being written when something breaks. */
const blocks = 4
/** Some times as long as a lease. */
const busyMs = 20_000

/** Processes that are killed or stopped. */
export const processDisasters: readonly Disaster[] = [
  {
    kind: 'SIGKILL of the process that writes',
    strike: async (fleet) => {
      const writer = await fleet.writer()
      fleet.node.head += blocks
      const before = await fleet.written()
      await writer.end('SIGKILL')
      const tookMs = await untilSucceeded(fleet, writer, before)
      await fleet.replace(writer)
      return tookMs
    },
  },
  {
    kind: 'SIGSTOP of it at rest',
    strike: async (fleet) => {
      const writer = await fleet.writer()
      await fleet.untilAtHead()
      const before = await fleet.written()
      writer.kill('SIGSTOP')
      fleet.node.head += blocks
      const tookMs = await untilSucceeded(fleet, writer, before)
      writer.kill('SIGCONT')
      await fleet.untilStandsBy(writer)
      return tookMs
    },
  },
  {
    kind: 'SIGSTOP of it inside a transaction',
    strike: async (fleet) => {
      const writer = await fleet.writer()
      await fleet.untilAtHead()
      const before = await fleet.written()
      await stopInsideTransaction(fleet, writer)
      const tookMs = await untilSucceeded(fleet, writer, before)
      writer.kill('SIGCONT')
      await fleet.untilStandsBy(writer)
      return tookMs
    },
  },
]

/** What takes the processor away and breaks nothing. */
export const busyDisasters: readonly Disaster[] = [
  {
    kind: 'ten busy processes beside it: nobody loses a chain',
    strike: async (fleet) => {
      await fleet.untilAtHead()
      const owners = async (): Promise<readonly string[]> =>
        (await fleet.written()).map(({ owner }) => owner)
      const before = await owners()
      const busy = Array.from({ length: 10 }, () => spawn(process.execPath, ['-e', `for (;;);`]))
      try {
        const untilMs = performance.now() + busyMs
        while (performance.now() < untilMs) {
          fleet.node.head++
          await fleet.untilAtHead()
          assert.deepEqual(await owners(), before, fleet.errors())
          await pause(1_000)
        }
      } finally {
        for (const child of busy) child.kill('SIGKILL')
      }
      return 0
    },
  },
]

/** A router that drops what it knows of, and tells neither side. */
export const networkDisasters: readonly Disaster[] = [
  {
    kind: 'every connection to the database falls silent, at rest',
    strike: async (fleet) => {
      await fleet.untilAtHead()
      fleet.dropConnections()
      fleet.node.head += blocks
      return fleet.untilAtHead()
    },
  },
  {
    kind: 'every connection to the database falls silent, in mid-ingest',
    strike: async (fleet) => {
      fleet.node.head += blocks
      fleet.dropConnections()
      fleet.node.head++
      return fleet.untilAtHead()
    },
  },
]

/** Restarts of a PostgreSQL server. */
export function serverDisasters(server: PostgresServer): readonly Disaster[] {
  const restarted = (kind: string, restart: () => Promise<void>): Disaster => ({
    kind,
    strike: async (fleet) => {
      fleet.node.head += blocks
      await restart()
      fleet.node.head++
      return fleet.untilAtHead()
    },
  })
  return [
    restarted('PostgreSQL restarted, fast', server.restart),
    restarted('PostgreSQL restarted, immediate', server.crash),
  ]
}

/** A worker that crashes, and a store that moves to another one. */
export function citusDisasters(citus: Citus): readonly Disaster[] {
  return [
    {
      kind: 'SIGQUIT of the Citus worker',
      strike: async (fleet) => {
        const port = await portOfStore(fleet)
        fleet.node.head += blocks
        await citus.crashNode(port)
        fleet.node.head++
        return fleet.untilAtHead()
      },
    },
    {
      kind: 'citus_schema_move in mid-ingest',
      strike: async (fleet) => {
        const from = await portOfStore(fleet)
        const to = citus.workers.find((port) => port !== from)
        const moving = moveStore(fleet, Number(to))
        let isMoved = false
        const moved = moving.finally(() => (isMoved = true))
        for (let count = 0; count < 20 && !isMoved; count++) {
          fleet.node.head++
          await Promise.race([pause(100), moved])
        }
        await moved
        assert.equal(await portOfStore(fleet), to)
        fleet.node.head++
        return fleet.untilAtHead()
      },
    },
  ]
}

/** Waits until others have committed to every chain that `writer` wrote, and until all is written. */
async function untilSucceeded(
  fleet: Fleet,
  writer: Member,
  before: readonly Written[],
): Promise<number> {
  const sinceMs = performance.now()
  let leasedMs = 0
  await until('other processes commit', async () => {
    const now = await fleet.written()
    const left = before.flatMap(({ owner, height }, at) =>
      owner === writer.owner ? [{ before: height, now: now[at] }] : [],
    )
    if (left.some((chain) => chain.now === undefined || chain.now.owner === writer.owner))
      return false
    if (leasedMs === 0) leasedMs = performance.now() - sinceMs
    return left.every((chain) => Number(chain.now?.height) > chain.before)
  })
  const tookMs = performance.now() - sinceMs
  console.log(`its leases are others' after ${Math.round(leasedMs)} ms`)
  await fleet.untilAtHead()
  if (tookMs > promisedMs) console.log(fleet.errors())
  return tookMs
}

/** Stops the writer after a statement of a commit, with the row of the lease locked. */
async function stopInsideTransaction(fleet: Fleet, writer: Member): Promise<void> {
  const other = new pg.Client({ connectionString: fleet.store })
  await other.connect()
  try {
    await other.query(`begin; lock table "${space}".evm_block in exclusive mode`)
    fleet.node.head += blocks
    const sessions = (what: string): (() => Promise<boolean>) => {
      const sql = `select 1 from pg_stat_activity where application_name = $1 and query like '%evm_block%' and ${what}`
      return async () => ((await fleet.ask(sql, [`firn ${writer.owner}`])) ?? []).length > 0
    }
    await until('the commit waits', sessions("wait_event_type = 'Lock'"))
    writer.kill('SIGSTOP')
    await other.query('commit')
    const isIdle = "state = 'idle in transaction' and query not like '%advisory%'"
    await until('its session waits for it', sessions(isIdle))
  } finally {
    await other.end()
  }
}

/** Port of the worker that has the chain's store. */
async function portOfStore(fleet: Fleet): Promise<number> {
  const sql = `select distinct nodeport::int as port from citus_shards where table_name::text like '${space}.%'`
  let ports: readonly { port: number }[] = []
  await until('the store lies on one worker', async () => {
    ports = (await fleet.ask<{ port: number }>(sql)) ?? []
    return ports.length === 1
  })
  return Number(ports[0]?.port)
}

async function moveStore(fleet: Fleet, port: number): Promise<void> {
  const mover = new pg.Client({ connectionString: fleet.store, query_timeout: 120_000 })
  await mover.connect()
  try {
    await mover.query('select citus_schema_move($1::regnamespace, $2::text, $3::int)', [
      space,
      '127.0.0.1',
      port,
    ])
  } finally {
    await mover.end()
  }
}
