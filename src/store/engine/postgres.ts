/**
 * The scale-out engine: PostgreSQL, plain or with Citus, by `pg`.
 *
 * One namespace (schema) per store, found through `search_path`, so that statements read the
 * same as on SQLite. One connection writes; a small pool reads. A connection that breaks is
 * replaced at the next use; what was under way fails with `store-failed`, which is retryable.
 *
 * A server may also go silent without closing anything. So every wait for it has a limit: the
 * server is told to end a statement at nine tenths of it, which keeps the connection; when not even
 * that is answered, the connection is given up.
 */

import { createHash } from 'node:crypto'
import { Socket } from 'node:net'

import pg from 'pg'

import { Fault } from '../../core/fault.ts'
import { clearSql, type OnConflict } from './bulk-sql.ts'
import type { Columns, Database, Statement, Writer } from './database.ts'
import { columnsSql, foreignTable, postgresDdl } from './ddl.ts'
import {
  checkWhole,
  formatVersion,
  type Migration,
  pendingMigrations,
  saysHowFar,
} from './format.ts'
import {
  ask,
  exec,
  findEach,
  insertMany,
  type Link,
  postgresFault,
  removeMany,
  run,
  updateMany,
} from './postgres-link.ts'
import type { Table } from './table.ts'

/** Which namespace of which server. */
export type PostgresOptions = {
  /** `postgres://user@host:5432/db`. Never printed: it may hold a password. */
  readonly url: string
  readonly name: string
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
  readonly readerConnections?: number
  /** Longest wait for a connection, for a free one to read, and for the end of one. */
  readonly connectTimeoutMs?: number
  /** Longest a reading statement may take. */
  readonly readTimeoutMs?: number
  /** Longest a statement of the writing connection may take, its waits for locks included. */
  readonly writeTimeoutMs?: number
  /** Longest pause between statements of a transaction before the server undoes it. */
  readonly idleInTransactionMs?: number
}

const defaultReaderConnections = 4
const defaultConnectTimeoutMs = 5_000
const defaultReadTimeoutMs = 30_000

// Statements carry 20,000 rows at most and take a second. What grows with the store is one that
// marks every NFT not fetched yet, once, when fetching is switched on: some ten million in this time.
const defaultWriteTimeoutMs = 120_000

// Between statements Firn only computes, for a second or two. A process that was cut off, or whose
// machine is gone, keeps the lock on the lease no longer than this.
const defaultIdleInTransactionMs = 30_000

/** The connection that writes, and what it runs over. */
type WritingLink = Link & { readonly client: pg.Client; readonly socket: Socket }

/** Opens a store for writing, makes what is missing and brings an older format forward. */
export async function openPostgresWriter(options: PostgresOptions): Promise<Database> {
  const database = new PostgresDatabase(options, true)
  try {
    await database.prepare()
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Opens a store for reading only. Throws `store-failed` when no writer has made it yet. */
export async function openPostgresReader(options: PostgresOptions): Promise<Database> {
  const database = new PostgresDatabase(options, false)
  try {
    await database.check()
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres'
  readonly name: string
  readonly #options: PostgresOptions
  readonly #namespace: string
  readonly #writable: boolean
  readonly #pool: pg.Pool
  readonly #reads: Link
  readonly #sockets = new Set<Socket>()
  #writer: WritingLink | undefined
  readonly #claims = new Set<number>()
  #queue: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(options: PostgresOptions, writable: boolean) {
    this.name = options.name
    this.#options = options
    this.#namespace = namespaceOf(options.name)
    this.#writable = writable
    this.#pool = new pg.Pool({
      ...this.#connection(options.readTimeoutMs ?? defaultReadTimeoutMs),
      stream: () => this.#socket(),
      max: options.readerConnections ?? defaultReaderConnections,
    })
    // A connection that breaks while nobody uses it is dropped by the pool; nothing failed.
    this.#pool.on('error', () => undefined)
    this.#reads = { client: this.#pool, name: options.name }
  }

  all: Database['all'] = (statement, parameters) => ask(this.#reads, statement, parameters)

  get: Database['get'] = async (statement, parameters) =>
    (await ask(this.#reads, statement, parameters))[0]

  lookup: Database['lookup'] = (lookup, keys) => findEach(this.#reads, lookup, keys)

  transaction: Database['transaction'] = async (work) => this.#inTurn(() => this.#transact(work))

  snapshot: Database['snapshot'] = async (work) => {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw postgresFault(this.name, error)
    })
    const link = { client, name: this.name }
    let failure: Error | undefined
    try {
      await exec(link, 'begin isolation level repeatable read read only')
      return await work({
        all: (statement, parameters) => ask(link, statement, parameters),
        get: async (statement, parameters) => (await ask(link, statement, parameters))[0],
        lookup: (lookup, keys) => findEach(link, lookup, keys),
      })
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      throw error
    } finally {
      if (failure === undefined) await exec(link, 'commit')
      // A connection that failed is not used again.
      client.release(failure)
    }
  }

  claim: Database['claim'] = async (epoch) =>
    this.#inTurn(async () => {
      const link = await this.#connected()
      if (!this.#claims.has(epoch) && (await this.#mark(link, epoch))) this.#claims.add(epoch)
      return this.#claims.has(epoch)
    })

  unclaim: Database['unclaim'] = async (epoch) =>
    this.#inTurn(async () => {
      if (!this.#claims.delete(epoch)) return
      await ask(await this.#connected(), unclaimQuestion, [this.#writerKey(epoch)])
    })

  /** The server keeps its own log and memory. */
  pace: Database['pace'] = async () => true

  sizeBytes: Database['sizeBytes'] = async () => {
    const rows = await ask(this.#reads, sizeQuestion, [this.#namespace])
    return Number(rows[0]?.[0] ?? 0)
  }

  close: Database['close'] = async () => {
    await this.#queue
    if (this.#closed) return
    this.#closed = true
    const writer = this.#writer
    this.#writer = undefined
    // Taking leave is answered too, or not.
    for (const socket of this.#sockets) socket.setTimeout(this.#connectTimeoutMs())
    await this.#pool.end()
    await writer?.client.end()
  }

  /** Namespace, format and tables. Several processes may do this at once. */
  async prepare(): Promise<void> {
    const link = await this.#connected()
    await exec(link, 'begin')
    await ask(link, lockQuestion, [lockKey(`${this.#namespace} tables`)])
    await exec(link, `create schema if not exists "${this.#namespace}"`)
    await exec(link, 'create table if not exists firn_format (version bigint not null)')
    const newest = formatVersion(this.#options.migrations)
    const version = Number((await ask(link, formatQuestion))[0]?.[0] ?? newest)
    const pending = pendingMigrations({ ...this.#options, version }, this.#options.migrations)
    for (const { statements } of pending)
      for (const each of statements) await exec(link, each.postgres)
    await this.#checkTables(link)
    for (const table of this.#options.tables) await this.#makeTable(link, table)
    await exec(link, 'delete from firn_format')
    await exec(link, `insert into firn_format (version) values (${newest})`)
    await exec(link, 'commit')
  }

  async #checkTables(link: Link): Promise<void> {
    const rows = await ask(link, tablesQuestion, [this.#namespace])
    const present = new Set(rows.map(([name]) => String(name)))
    if (!saysHowFar(present)) return
    if ((await ask(link, stageQuestion)).length > 0) checkWhole(this.#options, present)
  }

  async #makeTable(link: Link, table: Table): Promise<void> {
    const [create = '', ...indexes] = postgresDdl(table)
    await exec(link, create)
    try {
      await exec(link, columnsSql(table))
    } catch (error) {
      throw foreignTable(this.name, table, error)
    }
    for (const each of indexes) await exec(link, each)
  }

  /** Throws `store-failed` where no writer made this store, `store-version` for a newer one. */
  async check(): Promise<void> {
    const version = Number((await ask(this.#reads, formatQuestion))[0]?.[0] ?? 1)
    pendingMigrations({ ...this.#options, version }, this.#options.migrations)
  }

  #connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs ?? defaultConnectTimeoutMs
  }

  /** What a connection runs over. Its `setTimeout` is the limit of a wait that has no other. */
  #socket(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('timeout', () => socket.destroy())
    return socket
  }

  #connection(statementTimeoutMs: number): pg.ClientConfig {
    return {
      connectionString: this.#options.url,
      connectionTimeoutMillis: this.#connectTimeoutMs(),
      query_timeout: statementTimeoutMs,
      statement_timeout: Math.floor(statementTimeoutMs * 0.9),
      keepAlive: true,
      application_name: `firn ${this.name}`,
      options: `-c search_path=${this.#namespace} -c bytea_output=hex`,
    }
  }

  /** The writing connection, made anew when the last one broke. */
  async #connected(): Promise<WritingLink> {
    if (!this.#writable)
      throw new Fault('store-failed', `store is open for reading only: ${this.name}`)
    if (this.#writer !== undefined) return this.#writer
    const { writeTimeoutMs, idleInTransactionMs } = this.#options
    const socket = this.#socket()
    const client = new pg.Client({
      ...this.#connection(writeTimeoutMs ?? defaultWriteTimeoutMs),
      idle_in_transaction_session_timeout: idleInTransactionMs ?? defaultIdleInTransactionMs,
      stream: () => socket,
    })
    const link = { client, socket, name: this.name }
    const forget = (): void => {
      if (this.#writer === link) this.#writer = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    try {
      await client.connect()
      // Marks of the writer ended with the last connection.
      for (const epoch of this.#claims)
        if (!(await this.#mark(link, epoch))) this.#claims.delete(epoch)
    } catch (error) {
      socket.destroy()
      throw postgresFault(this.name, error)
    }
    this.#writer = link
    return link
  }

  async #transact<T>(work: (writer: Writer) => T | Promise<T>): Promise<T> {
    const link = await this.#connected()
    try {
      await exec(link, 'begin')
      const result = await work(writerOf(link))
      await exec(link, 'commit')
      return result
    } catch (error) {
      await this.#rollBack(link)
      throw error
    }
  }

  /** A connection that cannot even roll back is of no further use. */
  async #rollBack({ client, socket }: WritingLink): Promise<void> {
    try {
      // After a statement without an answer this one waits in vain: not as long again.
      socket.setTimeout(this.#connectTimeoutMs())
      await client.query('rollback')
      socket.setTimeout(0)
    } catch {
      this.#writer = undefined
      socket.destroy()
    }
  }

  /** Does `work` on the writing connection once all that was asked before is done. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work)
    // The next one starts whatever became of this one; the caller gets its failure.
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #mark(link: Link, epoch: number): Promise<boolean> {
    const rows = await ask(link, claimQuestion, [this.#writerKey(epoch)])
    return rows[0]?.[0] === 1
  }

  #writerKey(epoch: number): number {
    return lockKey(`${this.#namespace} writer ${epoch}`)
  }
}

function writerOf(link: Link): Writer {
  const insert = (conflict: OnConflict) => (table: Table, columns: Columns) =>
    insertMany(link, table, { columns, conflict })
  return {
    all: (statement, parameters) => ask(link, statement, parameters),
    get: async (statement, parameters) => (await ask(link, statement, parameters))[0],
    lookup: (lookup, keys) => findEach(link, lookup, keys),
    run: (statement, parameters) => run(link, statement, parameters),
    insert: insert('fault'),
    insertNew: insert('keep'),
    upsert: insert('replace'),
    update: (table, columns) => updateMany(link, table, columns),
    remove: (table, keys) => removeMany(link, table, keys),
    clear: (table) => exec(link, clearSql(table)),
  }
}

const plain = (postgres: string): Statement => ({
  sqlite: '',
  postgres,
  bigints: false,
  unsummed: false,
})
const formatQuestion = plain('select version from firn_format')
const tablesQuestion = plain('select tablename from pg_tables where schemaname = ?')
const stageQuestion = plain('select 1 from checkpoint limit 1')
const lockQuestion = plain('select pg_advisory_xact_lock(?::bigint)')
const claimQuestion = plain('select pg_try_advisory_lock(?::bigint)')
const unclaimQuestion = plain('select pg_advisory_unlock(?::bigint)')
const sizeQuestion = plain(
  'select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c ' +
    "join pg_namespace n on n.oid = c.relnamespace where n.nspname = ? and c.relkind = 'r'",
)

/** Name of the namespace of a store. Throws `bad-config` when it would be cut short. */
export function namespaceOf(name: string): string {
  const namespace = `firn_${name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`
  // PostgreSQL silently cuts identifiers at 63 bytes.
  if (namespace.length > 63) throw new Fault('bad-config', `store name is too long: ${name}`)
  return namespace
}

/** Number of an advisory lock: 48 bits of a hash, so that it fits a double. */
function lockKey(text: string): number {
  return createHash('sha256').update(`firn ${text}`).digest().readUIntBE(0, 6)
}
