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

import { Fault } from '../../core/fault.ts'

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
  /** Longest a statement may take, as the server is told: the rest is for its answer to come. */
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
      return await connectOnce(options, startOptions(options))
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== refusedStart) throw error
      memory.takesOptions = false
    }
  }
  return connectOnce(options, undefined)
}

/** Settings that a session of our own begins with. */
function startOptions({ statementTimeoutMs }: ConnectionOptions): string {
  const timeout = serverTimeoutMs(statementTimeoutMs)
  return (
    '-c firn.direct=on -c search_path=pg_catalog -c bytea_output=hex ' +
    `-c statement_timeout=${timeout}`
  )
}

/** The server ends a statement first, which keeps the connection. */
function serverTimeoutMs(statementTimeoutMs: number): number {
  return Math.floor(statementTimeoutMs * 0.9)
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
export function isSilenceTold(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === silentTransaction
}

/** Gives a connection up at once; what is under way over it fails with `reason`. */
export function abandon(connection: Connection, reason: string): void {
  connection.endedBy ??= new Error(reason)
  connection.isBroken = true
  connection.socket.destroy()
}
