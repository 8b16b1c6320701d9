/** A PgBouncer before a PostgreSQL server of a test: Debian's, or the program that `TEST_PGBOUNCER` names. */

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort, serverUser } from '../support/stores/postgres.ts'

/** A pooler in use. */
export type Pooler = {
  /** `url` of a database of its server, through the pooler. */
  readonly through: (url: string) => string
  readonly stop: () => Promise<void>
}

/** Path of the program; `undefined` where there is none. */
export function poolerProgram(): string | undefined {
  const named = process.env['TEST_PGBOUNCER']
  return [named, '/usr/sbin/pgbouncer'].find((path) => path !== undefined && existsSync(path))
}

/** Starts one before the server of `url`; `settings` are lines of its configuration. */
export async function startPooler(url: string, settings: readonly string[]): Promise<Pooler> {
  const program = poolerProgram()
  if (program === undefined) throw new Error('no PgBouncer')
  const folder = mkdtempSync(join(tmpdir(), 'firn-pooler-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const server = new URL(url)
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port} user=${server.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...settings,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child = spawn(program, [file], { ...serverUser(), stdio: ['ignore', 'pipe', 'pipe'] })
  await listening(child)
  return {
    through: (of) => {
      const made = new URL(of)
      made.port = String(port)
      return made.href
    },
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Resolves once it says that it listens. */
function listening(child: ChildProcess): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    const look = (part: Buffer): void => {
      output += part.toString('utf8')
      if (/process up|listening on/.test(output)) resolve()
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`PgBouncer ended: ${output}`)))
  })
}
