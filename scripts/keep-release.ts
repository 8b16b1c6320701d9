/**
 * Keeps what this version writes and promises, so that each later one is tried on it: `node scripts/keep-release.ts`.
 *
 * The bundled demo is indexed but for its last blocks, its older part frozen, with SQLite and with PostgreSQL, whose
 * programs must be installed. `vectors/stores/<version>` then has the files of both and a snapshot, each compressed, the
 * package, the declarations of all tables, the API's document, and the other names that users rely on.
 */

import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

import { version } from '../src/core/version.ts'
import { declaredTables } from '../src/store/engine/ddl.ts'
import { ownLayout, ownLayouts } from '../src/store/migrations/migrations.ts'
import { entry, type Ending, follow, run, until } from '../test/support/processes/firn-process.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { ownDocument, promisedNames } from './promised-names.ts'

const leastSegments = 4
const kept = join(import.meta.dirname, '../vectors/stores', version)
const folder = mkdtempSync(join(tmpdir(), 'firn-kept-'))
const ends: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })]
const ending: Ending = { after: (work) => void ends.unshift(work) }
rmSync(kept, { recursive: true, force: true })
try {
  mkdirSync(kept, { recursive: true })
  const tables = { layout: ownLayout, tables: declaredTables(ownLayouts.tables) }
  writeFileSync(join(kept, 'tables.json'), `${JSON.stringify(tables, undefined, 2)}\n`)
  writeFileSync(join(kept, 'names.txt'), `${promisedNames().join('\n')}\n`)
  put('openapi.json', Buffer.from(JSON.stringify(ownDocument())))
  keepPackage()
  const embedded = join(folder, 'embedded')
  await indexed(embedded, {})
  await commanded('keys', 'create', 'kept', '--data-dir', embedded)
  const snapshot = join(folder, 'snapshot')
  await commanded('snapshot', 'create', snapshot, '--data-dir', embedded)
  keep(embedded, 'embedded')
  keep(snapshot, 'snapshot')
  const server = await startPostgres()
  ends.unshift(server.stop)
  const beside = join(folder, 'postgres')
  await indexed(beside, { FIRN_STORE: server.url, FIRN_INDEX_STORE: join(beside, 'segments') })
  keep(join(beside, 'segments'), 'postgres/segments')
  const dump = ['--inserts', '--rows-per-insert=1000', '--no-owner', '--no-privileges', server.url]
  const text = execFileSync('pg_dump', dump, { maxBuffer: 2 ** 28, encoding: 'utf8' })
  put('postgres/dump.sql', Buffer.from(text.replaceAll(/^\\.*\n/gm, '')))
} finally {
  for (const end of ends) await end()
}

/** Keeps the package that npm makes, without what is read by people only, and without the demo. */
function keepPackage(): void {
  const root = join(import.meta.dirname, '..')
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const left = ['*.map', 'package/docs', 'package/demo', 'package/deploy', 'package/bench']
  const excluded = left.map((name) => `--exclude=${name}`)
  const packed = join(folder, `firn-data-${version}.tgz`)
  execFileSync('tar', ['--extract', '--file', packed, '--directory', folder, ...excluded])
  const file = join(kept, 'package.tgz')
  execFileSync('tar', ['--create', '--gzip', '--file', file, '--directory', folder, 'package'])
}

/** Indexes the demo into a folder, makes a key there, and ends. */
async function indexed(dataDir: string, settings: NodeJS.ProcessEnv): Promise<void> {
  const env = {
    ...process.env,
    FIRN_RECORDINGS_HELD_BLOCKS: '120',
    FIRN_INDEX_FREEZE_ROWS: '100',
    ...settings,
  }
  const words = ['start', '--port', '0', '--node-port', '0', '--data-dir', dataDir]
  const firn = await follow(ending, spawn(process.execPath, [entry, ...words], { env }))
  const segments = join(dataDir, 'segments')
  const isFrozen = (): boolean =>
    existsSync(segments) &&
    readdirSync(segments, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.sqlite'),
    ).length >= leastSegments
  await until('a frozen history', isFrozen)
  await until('all chains to be live', async () => {
    const { chains, messages } = await firn.get('/status')
    return messages !== undefined && Array.isArray(chains) && chains.length >= 4
  })
  await firn.end()
}

async function commanded(...words: readonly string[]): Promise<void> {
  const { code, stderr } = await run(process.execPath, [entry, ...words])
  if (code !== 0) throw new Error(stderr)
}

/** Keeps what lies in `from`, but for files of a running process. */
function keep(from: string, name: string): void {
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    const isFile = statSync(join(from, path)).isFile()
    if (isFile && !/(?:-wal|-shm|\.claim|\.part)$|^logs\//.test(path))
      put(join(name, path), readFileSync(join(from, path)))
  }
}

function put(name: string, bytes: Uint8Array): void {
  const path = `${join(kept, name)}.zst`
  mkdirSync(dirname(path), { recursive: true })
  const params = { [constants.ZSTD_c_compressionLevel]: 19 }
  writeFileSync(path, zstdCompressSync(bytes, { params }))
}
