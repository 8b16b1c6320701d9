/**
 * One connection to a PostgreSQL server, or to a pooler before it.
 *
 * A pooler such as PgBouncer may give each transaction another session, so nothing that a session
 * keeps can be relied on: neither settings nor prepared statements nor a search path. Whether there
 * is one is found out by a setting of our own that is sent with the start of the connection: only a
 * session that belongs to this connection has it.
 */

import { Socket } from 'node:net'

import pg from 'pg'

import { Fault, faultOf } from '../../core/fault.ts'

/** Address and limits of a connection. */
export type ConnectionOptions = {
  /** `postgres://user@host:5432/db`. Never printed: it may hold a password. */
  readonly url: string
  /** `firn`, and which process of the deployment. */
  readonly applicationName: string
  /** Longest wait for a connection, and for the end of one. */
  readonly connectTimeoutMs: number
  /** Longest a statement may take, its waits for locks included. */
  readonly statementTimeoutMs: number
}

/** An open connection. */
export type Connection = {
  readonly client: pg.Client
  /** The socket. Its `setTimeout` is the limit of a wait that has no other. */
  readonly socket: Socket
  /** True behind a pooler, where no session belongs to this connection. */
  readonly isPooled: boolean
  /** True when the database has the extension Citus. */
  readonly hasCitus: boolean
  /** Longest a statement may take, as the server is set: the rest is for its answer to come. */
  readonly statementTimeoutMs: number
  /** Names under which it keeps statements planned, by their text. */
  readonly prepared: Map<string, string>
  /** Number of its session on the server; behind a pooler it may be another's soon. */
  readonly session: number
  /** Monotonic milliseconds at which it was open. */
  readonly openedMs: number
  /** Set when it is of no further use. */
  isBroken: boolean
  /**
   * The error that ended it while no statement was under way; most often the words of the server.
   */
  endedBy: Error | undefined
}

/** Facts learnt of a server with its first connection. */
export type ServerMemory = { takesOptions: boolean }

/** The oldest version whose statements are used. */
const leastVersion = 140_000

// Source: PostgreSQL, appendix A, `protocol_violation`: how PgBouncer refuses what it cannot keep.
const refusedStart = '08P01'

// Source: PostgreSQL, appendix A, `idle_in_transaction_session_timeout`.
const silentTransaction = '25P03'

const sessionQuestion =
  "select current_setting('firn.direct', true), (current_schemas(true))[1]::text, " +
  "current_setting('bytea_output'), current_setting('server_version_num'), " +
  "(select count(*) from pg_catalog.pg_extension where extname = 'citus'), pg_backend_pid()"

/**
 * Connects, and checks that statements will do what they say. Throws what the driver throws, and
 * `bad-config` for a server or a pooler that cannot be used.
 */
export async function connect(
  options: ConnectionOptions,
  memory: ServerMemory,
): Promise<Connection> {
  if (memory.takesOptions) {
    try {
      // Settings that a session of our own begins with.
      const timeout = serverTimeoutMs(options.statementTimeoutMs)
      return await connectOnce(
        options,
        '-c firn.direct=on -c search_path=pg_catalog -c bytea_output=hex ' +
          `-c statement_timeout=${timeout}`,
      )
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== refusedStart) throw error
      memory.takesOptions = false
    }
  }
  return connectOnce(options, undefined)
}

/** The server ends a statement first, which keeps the connection. */
function serverTimeoutMs(statementTimeoutMs: number): number {
  return Math.floor(statementTimeoutMs * 0.9)
}

/** Name of a process in the server's list of sessions; `owner` is that of its leases. */
export function applicationName(owner: string | undefined): string {
  return owner === undefined ? 'firn' : `firn ${owner}`
}

async function connectOnce(
  of: ConnectionOptions,
  options: string | undefined,
): Promise<Connection> {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: of.url,
    connectionTimeoutMillis: of.connectTimeoutMs,
    query_timeout: of.statementTimeoutMs,
    keepAlive: true,
    application_name: of.applicationName,
    ...(options && { options }),
    stream: () => socket,
  })
  // The next use of an idle connection finds out that it is broken.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await checked({ client, socket }, of)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function checked(
  { client, socket }: Pick<Connection, 'client' | 'socket'>,
  { statementTimeoutMs }: ConnectionOptions,
): Promise<Connection> {
  const { rows } = await client.query<unknown[]>({ text: sessionQuestion, rowMode: 'array' })
  const [direct, firstSchema, byteaOutput, version, citus, session] = (rows[0] ?? []).map(String)
  const isPooled = direct !== 'on'
  if (Number(version) < leastVersion)
    throw new Fault(
      'bad-config',
      `PostgreSQL is older than 14, which Firn needs at least: ${Number(version) / 10_000}`,
    )
  if (firstSchema?.startsWith('pg_') !== true)
    throw new Fault(
      'bad-config',
      `search_path puts a schema before pg_catalog; take it out of the settings of the user, the ` +
        `database or the pooler: ${firstSchema}`,
    )
  if (byteaOutput !== 'hex')
    throw new Fault(
      'bad-config',
      `bytea_output must be hex; set it for the user or the database: ${byteaOutput}`,
    )
  if (isPooled) await client.query('begin; commit')
  const connection: Connection = {
    client,
    socket,
    isPooled,
    hasCitus: citus !== '0',
    statementTimeoutMs: serverTimeoutMs(statementTimeoutMs),
    prepared: new Map(),
    session: Number(session),
    openedMs: performance.now(),
    isBroken: false,
    endedBy: undefined,
  }
  client.on('error', (error) => {
    connection.endedBy ??= error
  })
  return connection
}

/** Returns whether the server reports that it ended a transaction that was silent for too long. */
export function isSilence(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === silentTransaction
}

/** Gives a connection up at once; what is under way over it fails with `reason`. */
export function abandon(connection: Connection, reason: string): void {
  connection.endedBy ??= new Error(reason)
  connection.isBroken = true
  connection.socket.destroy()
}

// Connections that all stores of a thread use in turn.
//
// Their number is limited: a server has a few hundred for all of its clients, and a deployment has
// more stores than that. A caller that finds all of them busy waits for its turn.

/** A connection unused for this long is ended. */
const idleMs = 60_000

type ConnectionPoolOptions = {
  readonly open: () => Promise<Connection>
  /** Connections at once. */
  readonly most: number
  /** Longest wait for one of them. */
  readonly waitMs: number
  /** Longest wait for the end of one. */
  readonly endMs: number
}

/** Up to `most` connections, opened when they are needed. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions
  readonly #open = new Set<Connection>()
  /** The connection that was used last is used first, so that the others can end. */
  readonly #idle: Connection[] = []
  /** Callers that wait. `undefined` lets one of them open a connection. */
  readonly #waiting: PromiseWithResolvers<Connection | undefined>[] = []
  #opening = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: ConnectionPoolOptions) {
    this.#options = options
  }

  /**
   * Does `work` over a connection of its own; urgent work goes before that which waits. A connection
   * that fails is not used again.
   */
  async use<T>(work: (connection: Connection) => Promise<T>, isUrgent = false): Promise<T> {
    const connection = await this.#take(isUrgent)
    try {
      return await work(connection)
    } catch (error) {
      if (!isAnswer(error)) connection.isBroken = true
      throw error
    } finally {
      this.#giveBack(connection)
    }
  }

  /** Connections that are open, in use or not. */
  get open(): ReadonlySet<Connection> {
    return this.#open
  }

  /** Ends the connections, once the work under way is done. */
  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>()
    for (const waiter of this.#waiting.splice(0)) waiter.reject(closedFault())
    for (const connection of this.#idle.splice(0)) this.#retire(connection)
    this.#settle()
    await this.#closed.promise
  }

  async #take(isUrgent: boolean): Promise<Connection> {
    if (this.#closed !== undefined) throw closedFault()
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      one.socket.setTimeout(0)
      if (!one.isBroken) return one
      this.#drop(one)
    }
    if (this.#open.size + this.#opening < this.#options.most) {
      this.#opening++
      try {
        const connection = await this.#options.open()
        const { client, socket } = connection
        this.#open.add(connection)
        client.once('end', () => {
          connection.isBroken = true
          if (this.#isIdle(connection)) this.#drop(connection)
        })
        socket.on('timeout', () => {
          if (this.#isIdle(connection)) this.#retire(connection)
          else socket.destroy()
        })
        return connection
      } catch (error) {
        // The next caller in turn tries to connect by itself.
        this.#waiting.shift()?.resolve(undefined)
        throw error
      } finally {
        this.#opening--
        this.#settle()
      }
    }
    return (await this.#turn(isUrgent)) ?? this.#take(isUrgent)
  }

  #isIdle(connection: Connection): boolean {
    return this.#idle.includes(connection)
  }

  async #turn(isUrgent: boolean): Promise<Connection | undefined> {
    const waiter = Promise.withResolvers<Connection | undefined>()
    if (isUrgent) this.#waiting.unshift(waiter)
    else this.#waiting.push(waiter)
    const late = AbortSignal.timeout(this.#options.waitMs)
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiter)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      waiter.reject(
        new Fault(
          'store-failed',
          `all connections of this process to PostgreSQL are busy; raise postgres.connections: ${this.#options.most}`,
        ),
      )
    }
    late.addEventListener('abort', giveUp)
    try {
      return await waiter.promise
    } finally {
      late.removeEventListener('abort', giveUp)
    }
  }

  #giveBack(connection: Connection): void {
    if (connection.isBroken) {
      this.#drop(connection)
      return
    }
    if (this.#closed !== undefined) {
      this.#retire(connection)
      return
    }
    const waiter = this.#waiting.shift()
    if (waiter !== undefined) {
      waiter.resolve(connection)
      return
    }
    connection.socket.setTimeout(idleMs)
    this.#idle.push(connection)
  }

  /** Takes leave, which is answered or not. */
  #retire(connection: Connection): void {
    this.#forget(connection)
    connection.isBroken = true
    connection.socket.setTimeout(this.#options.endMs)
    const gone = (): void => this.#drop(connection)
    connection.client.end().then(gone, gone)
  }

  #drop(connection: Connection): void {
    connection.socket.destroy()
    this.#forget(connection)
    if (!this.#open.delete(connection)) return
    this.#waiting.shift()?.resolve(undefined)
    this.#settle()
  }

  #forget(connection: Connection): void {
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  #settle(): void {
    if (this.#open.size + this.#opening === 0) this.#closed?.resolve()
  }
}

/** Returns whether the server or this process refused, and the connection is as good as before. */
function isAnswer(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.severity !== 'FATAL'
  return faultOf(error) !== undefined
}

function closedFault(): Fault {
  return new Fault('store-failed', 'the store is closed')
}
