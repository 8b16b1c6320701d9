/**
 * The scale-out engine: PostgreSQL, plain or with Citus, by `pg`.
 *
 * One namespace (schema) per store, written before the names of its tables. All stores of a thread
 * share a few connections: a reading one is taken for a statement, a writing one for a transaction.
 * A connection that breaks is replaced at the next use; what was under way fails with
 * `store-failed`, which is retryable.
 *
 * A server may also go silent without closing anything. So every wait for it has a limit: the
 * server is set to end a statement at nine tenths of it, which keeps the connection; when not even
 * that is answered, the connection is given up.
 */

import { Fault, faultOf } from '../../core/fault.ts'
import { WorkQueue } from '../../core/waiting.ts'
import { clearSql, type OnConflict } from '../engine/bulk-sql.ts'
import type {
  Columns,
  Database,
  TransactionOptions,
  Row,
  MaybePromise,
  Statement,
  Value,
  Writer,
} from '../engine/database.ts'
import { checkReadable, type NamedStore, storedLayout } from '../engine/layout.ts'
import { type Layouts, ownLayouts } from '../migrations/migrations.ts'
import type { Table } from '../schema/table.ts'
import { type Connection, isSilence } from './connection.ts'
import {
  queryRows,
  exec,
  findEach,
  insertMany,
  type Link,
  postgresFault,
  readerOf,
  removeMany,
  run,
  updateMany,
} from './link.ts'
import { namespaceOf, StoreNames } from './names.ts'
import { lockKey, onlyPostgres, prepareStore } from './prepare.ts'
import { endSilentHolder } from './pulse.ts'
import { type Server, type ServerOptions, useServer } from './server.ts'

/** A namespace and its server. */
export type PostgresOptions = ServerOptions & {
  readonly name: string
  readonly tables: readonly Table[]
  /** In place of {@link ownLayouts}, for tests. */
  readonly layouts?: Layouts | undefined
  /** Longest pause between statements of a transaction before the server undoes it. */
  readonly idleInTransactionMs?: number
}

// Between statements Firn only computes, for tenths of a second. A process that was cut off, or
// whose machine is gone, keeps the lock on the lease no longer than this, even where no other
// process may end its session.
const defaultIdleInTransactionMs = 3_000

// A busy machine may need longer than that between two statements of a batch. Each failed try
// doubles the limit, up to this one, and a success resets it; otherwise the same batch would fail
// for ever.
const mostIdleInTransactionMs = 60_000

/**
 * Longest wait of a transaction for a lock. All stores of a thread share a few connections: one that waits for minutes
 * keeps the commits of others back, and with them the renewal of their leases.
 */
const lockWaitMs = 1_500
/** A lease is taken over from a holder that may be in a long commit, or has to be ended first. */
const takeOverWaitMs = 5_000

/** Opens a store for writing and makes what is missing. */
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
  readonly #names: StoreNames
  readonly #writable: boolean
  readonly #server: Server
  readonly #leave: () => Promise<void>
  readonly #reads: Link
  readonly #queue = new WorkQueue()
  #idleMs: number
  #closed = false

  constructor(options: PostgresOptions, writable: boolean) {
    this.name = options.name
    this.#options = options
    this.#namespace = namespaceOf(options.name)
    this.#names = new StoreNames(this.#namespace)
    this.#idleMs = this.#leastIdleMs()
    this.#writable = writable
    const { server, leave } = useServer(options)
    this.#server = server
    this.#leave = leave
    this.#reads = {
      name: this.name,
      names: this.#names,
      use: (work) => server.reads.use((connection) => readOver(connection, work)),
    }
  }

  all: Database['all'] = (statement, parameters) => queryRows(this.#reads, statement, parameters)

  get: Database['get'] = async <R extends Row>(
    statement: Statement<R>,
    parameters?: readonly Value[],
  ) =>
    statement.together === true
      ? this.#server.gathered.ask(this.#reads, statement, parameters)
      : (await queryRows(this.#reads, statement, parameters))[0]

  lookup: Database['lookup'] = (lookup, keys) => findEach(this.#reads, lookup, keys)

  transaction = async <T>(
    work: (writer: Writer) => MaybePromise<T>,
    { against, isUrgent = false }: TransactionOptions = {},
  ): Promise<T> =>
    this.#queue.run(() =>
      this.#transact(
        { isUrgent, lockMs: against === undefined ? lockWaitMs : takeOverWaitMs },
        async (link, connection) => {
          const done = async (): Promise<T> => work(writerOf(link))
          if (against === undefined) return done()
          return endSilentHolder({ link, connection, beside: this.#reads, owner: against }, done)
        },
      ),
    )

  snapshot: Database['snapshot'] = async (work) => {
    const { reads } = this.#server
    let isConnected = false
    const read = reads.use(async (connection) => {
      isConnected = true
      const link = this.#over(connection)
      try {
        await exec(link, 'begin isolation level repeatable read read only')
        await exec(link, timeoutSql(connection))
        const result = await work(readerOf(link))
        await exec(link, 'commit')
        return result
      } catch (error) {
        // A connection that failed in between is not used again.
        connection.isBroken = true
        throw error
      }
    })
    return read.catch((error: unknown) => {
      throw isConnected ? error : postgresFault(this.name, error)
    })
  }

  claim: Database['claim'] = async (epoch) => {
    this.#checkWritable()
    try {
      return await this.#server.marks.take(this.#writerKey(epoch), this)
    } catch (error) {
      throw postgresFault(this.name, error)
    }
  }

  unclaim: Database['unclaim'] = async (epoch) => {
    try {
      await this.#server.marks.giveBack(this, this.#writerKey(epoch))
    } catch (error) {
      throw postgresFault(this.name, error)
    }
  }

  /** The server keeps its own log and memory. */
  pace: Database['pace'] = async () => true

  sizeBytes: Database['sizeBytes'] = () =>
    this.#server.reads.use((connection) =>
      readOver(connection, async () => {
        const question = connection.hasCitus ? citusSizeQuestion : sizeQuestion
        const rows = await queryRows(this.#over(connection), question, [this.#namespace])
        return Number(rows[0]?.[0] ?? 0)
      }),
    )

  close: Database['close'] = async () => {
    await this.#queue.idle()
    if (this.#closed) return
    this.#closed = true
    await this.#server.marks.giveBack(this).catch(() => undefined)
    await this.#leave()
  };

  [Symbol.asyncDispose] = this.close

  /** Namespace, format and tables. */
  async prepare(): Promise<void> {
    // Another process may be making the same tables.
    await this.#transact({ isUrgent: false, lockMs: 0 }, (link, { hasCitus }) =>
      prepareStore({
        ...this.#named(),
        link,
        hasCitus,
        namespace: this.#namespace,
      }),
    )
  }

  /** Throws `store-failed` where no writer made this store or brought it to this layout, `store-version`. */
  async check(): Promise<void> {
    const stored = await storedLayout(readerOf(this.#reads))
    if (stored !== undefined) checkReadable(this.#named(), stored)
  }

  #named(): NamedStore {
    const { name, tables, layouts = ownLayouts } = this.#options
    return { name, tables, layouts, place: `schema ${this.#namespace}` }
  }

  #checkWritable(): void {
    if (!this.#writable)
      throw new Fault('store-failed', `store is open for reading only: ${this.name}`)
  }

  #over(connection: Connection): Link {
    return { name: this.name, names: this.#names, use: (work) => work(connection) }
  }

  /** Does `work` in a transaction over a writing connection; no lock is waited for beyond `lockMs`, of 0 any. */
  async #transact<T>(
    { isUrgent, lockMs }: { readonly isUrgent: boolean; readonly lockMs: number },
    work: (link: Link, connection: Connection) => Promise<T>,
  ): Promise<T> {
    this.#checkWritable()
    const { marks, writes } = this.#server
    let isConnected = false
    try {
      await marks.keep()
      return await writes.use(async (connection) => {
        isConnected = true
        const link = this.#over(connection)
        try {
          await exec(link, this.#beginSql(connection, lockMs))
          const result = await work(link, connection)
          await exec(link, 'commit')
          if (!isUrgent) this.#idleMs = this.#leastIdleMs()
          return result
        } catch (error) {
          await rollBack(connection, this.#options.connectTimeoutMs)
          const wasSilent = isSilence(connection.endedBy) || isSilence(faultOf(error)?.cause)
          if (wasSilent) this.#idleMs = Math.min(mostIdleInTransactionMs, this.#idleMs * 2)
          throw error
        }
      }, isUrgent)
    } catch (error) {
      throw isConnected ? error : postgresFault(this.name, error)
    }
  }

  #beginSql(connection: Connection, lockMs: number): string {
    return (
      `begin; ${timeoutSql(connection)}; set local lock_timeout = ${lockMs}; ` +
      `set local idle_in_transaction_session_timeout = ${this.#idleMs}`
    )
  }

  #leastIdleMs(): number {
    return this.#options.idleInTransactionMs ?? defaultIdleInTransactionMs
  }

  #writerKey(epoch: number): number {
    return lockKey(`${this.#namespace} writer ${epoch}`)
  }
}

/** Sets the time that the server may take for a statement of this transaction. */
function timeoutSql({ statementTimeoutMs }: Connection): string {
  return `set local statement_timeout = ${statementTimeoutMs}`
}

/** Longest wait for the answer to a rollback: after a statement without one, not as long again. */
const rollBackMs = 5_000

/** A connection that cannot even roll back is of no further use. */
async function rollBack(connection: Connection, limitMs = rollBackMs): Promise<void> {
  const { client, socket } = connection
  try {
    socket.setTimeout(limitMs)
    await client.query('rollback')
    socket.setTimeout(0)
  } catch {
    connection.isBroken = true
  }
}

/** Does one reading; behind a pooler in a transaction, which alone can limit its time. */
async function readOver<T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  if (!connection.isPooled) return work(connection)
  await connection.client.query(`begin read only; ${timeoutSql(connection)}`)
  try {
    const result = await work(connection)
    await connection.client.query('commit')
    return result
  } catch (error) {
    await rollBack(connection)
    throw error
  }
}

function writerOf(link: Link): Writer {
  const insert = (conflict: OnConflict) => (table: Table, columns: Columns) =>
    insertMany(link, table, { columns, conflict })
  return {
    ...readerOf(link),
    run: (statement, parameters) => run(link, statement, parameters),
    insert: insert('fault'),
    insertNew: insert('keep'),
    upsert: insert('replace'),
    update: (table, columns) => updateMany(link, table, columns),
    remove: (table, keys) => removeMany(link, table, keys),
    clear: (table) => exec(link, clearSql(table)),
  }
}

// Tables lie on the nodes; what the coordinator has of them is empty.
const citusSizeQuestion = onlyPostgres(
  'select coalesce(sum(citus_total_relation_size(c.oid)), 0) from pg_dist_partition p ' +
    'join pg_class c on c.oid = p.logicalrelid ' +
    'join pg_namespace n on n.oid = c.relnamespace where n.nspname = ?',
)
const sizeQuestion = onlyPostgres(
  'select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c ' +
    "join pg_namespace n on n.oid = c.relnamespace where n.nspname = ? and c.relkind = 'r'",
)
