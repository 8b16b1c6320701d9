/**
 * Connections that all stores of a thread use in turn.
 *
 * Their number is limited: a server has a few hundred for all of its clients, and a deployment has
 * more stores than that. A caller that finds all of them busy waits for its turn.
 */

import pg from 'pg'

import { Fault, faultOf } from '../../core/fault.ts'
import type { Connection } from './postgres-connection.ts'

/** A connection that nobody used this long is ended. */
const idleMs = 60_000

/** Parameters of a pool. */
export type ConnectionPoolParts = {
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
  readonly #parts: ConnectionPoolParts
  readonly #open = new Set<Connection>()
  /** The connection that was used last is used first, so that the others can end. */
  readonly #idle: Connection[] = []
  /** Callers that wait. `undefined` tells one of them to open a connection. */
  readonly #waiting: PromiseWithResolvers<Connection | undefined>[] = []
  #opening = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(parts: ConnectionPoolParts) {
    this.#parts = parts
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
    if (this.#open.size + this.#opening < this.#parts.most) return this.#make()
    return (await this.#turn(isUrgent)) ?? this.#take(isUrgent)
  }

  async #make(): Promise<Connection> {
    this.#opening++
    try {
      const connection = await this.#parts.open()
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

  #isIdle(connection: Connection): boolean {
    return this.#idle.includes(connection)
  }

  async #turn(isUrgent: boolean): Promise<Connection | undefined> {
    const waiter = Promise.withResolvers<Connection | undefined>()
    if (isUrgent) this.#waiting.unshift(waiter)
    else this.#waiting.push(waiter)
    const late = AbortSignal.timeout(this.#parts.waitMs)
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiter)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      waiter.reject(
        new Fault(
          'store-failed',
          `all connections of this process to PostgreSQL are busy; raise postgres.connections: ${this.#parts.most}`,
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
    connection.socket.setTimeout(this.#parts.endMs)
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
