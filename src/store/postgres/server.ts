/** The connections that all stores of a thread on one server share. */

import {
  ConnectionPool,
  connect,
  type Connection,
  type ConnectionOptions,
  applicationName,
} from './connection.ts'
import { GatheredQuestions } from './gathered-questions.ts'
import { Marks } from './marks.ts'
import { startPulse } from './pulse.ts'

/**
 * Connections of a thread to one server at most; a thread that writes has one more for its marks.
 */
export type ConnectionLimits = { readonly read: number; readonly write: number }

/** Use of a server by a thread. */
export type ServerOptions = {
  /** `postgres://user@host:5432/db`. Never printed: it may hold a password. */
  readonly url: string
  /** Names this process in the server's list of sessions, and no other. */
  readonly owner?: string
  readonly connections?: ConnectionLimits
  /** Longest wait for a connection, for a free one, and for the end of one. */
  readonly connectTimeoutMs?: number
  /** Longest a reading statement may take. */
  readonly readTimeoutMs?: number
  /** Longest a statement of a transaction may take, its waits for locks included. */
  readonly writeTimeoutMs?: number
}

/** A server in use. */
export type Server = {
  readonly reads: ConnectionPool
  readonly writes: ConnectionPool
  readonly marks: Marks
  readonly gathered: GatheredQuestions
  readonly close: () => Promise<void>
}

const defaultLimits: ConnectionLimits = { read: 4, write: 2 }
const defaultConnectTimeoutMs = 5_000
const defaultReadTimeoutMs = 30_000

// Statements carry 20,000 rows at most and take a second. One statement grows with the store: it
// marks every NFT that was not fetched yet when fetching is switched on, some ten million in this
// time.
const defaultWriteTimeoutMs = 120_000

const servers = new Map<string, { readonly server: Server; users: number }>()

/** The server of `options`, shared with every other store of this thread that uses it alike. */
export function useServer(options: ServerOptions): {
  readonly server: Server
  readonly leave: () => Promise<void>
} {
  const key = JSON.stringify(Object.entries(named(options)))
  const known = servers.get(key)
  const entry = known ?? { server: openServer(options), users: 0 }
  if (known === undefined) servers.set(key, entry)
  entry.users++
  return {
    server: entry.server,
    leave: async () => {
      entry.users--
      if (entry.users > 0) return
      servers.delete(key)
      await entry.server.close()
    },
  }
}

type Named = Required<Omit<ServerOptions, 'owner'>> & { readonly name: string }

function named(options: ServerOptions): Named {
  return {
    url: options.url,
    name: applicationName(options.owner),
    connections: options.connections ?? defaultLimits,
    connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
    readTimeoutMs: options.readTimeoutMs ?? defaultReadTimeoutMs,
    writeTimeoutMs: options.writeTimeoutMs ?? defaultWriteTimeoutMs,
  }
}

function openServer(options: ServerOptions): Server {
  const { url, name, connections, connectTimeoutMs, readTimeoutMs, writeTimeoutMs } = named(options)
  const memory = { takesOptions: true }
  const to = (statementTimeoutMs: number): ConnectionOptions => ({
    url,
    applicationName: name,
    connectTimeoutMs,
    statementTimeoutMs,
  })
  const pool = (most: number, statementTimeoutMs: number, waitMs: number): ConnectionPool =>
    new ConnectionPool({
      open: () => connect(to(statementTimeoutMs), memory),
      most,
      waitMs,
      endMs: connectTimeoutMs,
    })
  const reads = pool(connections.read, readTimeoutMs, connectTimeoutMs)
  // While many chains are filled their commits queue up, and none may fail for that.
  const writes = pool(connections.write, writeTimeoutMs, writeTimeoutMs)
  const marks = new Marks(to(readTimeoutMs), memory)
  const fresh = (): Promise<Connection> => connect(to(connectTimeoutMs), memory)
  // A thread that only reads has no connection for it: an answer has its own limit.
  const end =
    connections.write === 0
      ? undefined
      : startPulse({ pools: [reads, writes], marks, connect: fresh })
  return {
    reads,
    writes,
    marks,
    gathered: new GatheredQuestions(),
    close: async () => {
      end?.()
      await Promise.all([reads.close(), writes.close(), marks.close()])
    },
  }
}
