/**
 * A real Citus for tests, and databases on it.
 *
 * It is started by the script that `FIRN_CITUS_FLEET` names: `start DIR PORT WORKERS` prints the address
 * of the coordinator, the workers have the ports behind it and their data in `DIR/node1`, `DIR/node2`, `bin`
 * prints the folder of PostgreSQL's programs, `stop DIR` ends all.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { freePorts } from '../support/stores/postgres.ts'

/** A running cluster. */
export type Citus = {
  /** Addresses of the coordinator and, behind it, of the workers. */
  readonly nodes: readonly string[]
  /** Ports of the workers. */
  readonly workers: readonly number[]
  /** Ends the server with this port by SIGQUIT, and starts it again. */
  readonly crashNode: (port: number) => Promise<void>
  readonly stop: () => void
}

/** Starts a cluster with so many workers. */
export async function startCitus(script: string, workers: number): Promise<Citus> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-citus-'))
  const port = await freePorts(workers + 1)
  const words = ['start', folder, String(port), String(workers)]
  const printed = execFileSync('bash', [script, ...words], { encoding: 'utf8' })
  const coordinator = new URL(printed.trim().split('\n').at(-1) ?? '')
  const nodes = Array.from({ length: workers + 1 }, (_, at) => {
    coordinator.port = String(port + at)
    return coordinator.href
  })
  return {
    nodes,
    workers: nodes.slice(1).map((node) => Number(new URL(node).port)),
    crashNode: (at) => crashNode(script, join(folder, `node${at - port}`)),
    stop: () => {
      execFileSync('bash', [script, 'stop', folder], { stdio: 'ignore' })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ends a server of the cluster by SIGQUIT, and starts it again as the script does. */
async function crashNode(script: string, data: string): Promise<void> {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), 'SIGQUIT')
  while (isAlive(Number(pid))) await pause(10)
  const bin = execFileSync('bash', [script, 'bin'], { encoding: 'utf8' }).trim()
  const { uid, gid } = statSync(data)
  // The home of whoever runs the test is not that of the server.
  const { HOME: _home, ...env } = process.env
  const words = ['-D', data, '-l', join(data, 'log'), '-w', 'start']
  execFileSync(join(bin, 'pg_ctl'), words, { uid, gid, cwd: data, env, stdio: 'ignore' })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Makes an empty database on every node and joins them; gives its address on the coordinator. */
export async function citusDatabase(nodes: readonly string[], name: string): Promise<string> {
  for (const node of nodes) {
    await commands(at(node, 'postgres'), [`create database "${name}"`])
    await commands(at(node, name), ['create extension citus'])
  }
  const [coordinator = '', ...workers] = nodes
  const { hostname, port } = new URL(coordinator)
  await commands(at(coordinator, name), [
    `select citus_set_coordinator_host('${hostname}', ${port})`,
    ...workers.map((node) => `select citus_add_node('${hostname}', ${new URL(node).port})`),
    `alter database "${name}" set citus.enable_schema_based_sharding = on`,
  ])
  return at(coordinator, name)
}

/**
 * Drops such a database. Each that exists takes one of eight background workers of every server, and
 * the move of a schema needs some.
 */
export async function dropCitusDatabase(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes)
    await commands(at(node, 'postgres'), [`drop database if exists "${name}" with (force)`])
}

function at(node: string, database: string): string {
  const url = new URL(node)
  url.pathname = `/${database}`
  return url.href
}

async function commands(url: string, texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}
