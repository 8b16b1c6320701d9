/**
 * Marks of living writers: locks of the server that end with the process that has them.
 *
 * All marks of a thread lie on one connection. With the first it begins a transaction that stays, which
 * keeps its session also behind a pooler; it reads nothing and writes nothing, so it keeps no old rows.
 */

import { WorkQueue } from '../../core/waiting.ts'
import {
  connect,
  type Connection,
  type ConnectionOptions,
  type ServerMemory,
} from './connection.ts'

// Settings of the server may end a transaction that does nothing; this one is to last.
const beginSql = 'begin; set local idle_in_transaction_session_timeout = 0'

/** The marks that the stores of a thread have. */
export class Marks {
  readonly #options: ConnectionOptions
  readonly #memory: ServerMemory
  /** The holder of each lock. */
  readonly #held = new Map<number, object>()
  #connection: Connection | undefined
  #hasBegun = false
  readonly #queue = new WorkQueue()

  constructor(options: ConnectionOptions, memory: ServerMemory) {
    this.#options = options
    this.#memory = memory
  }

  /** Tries to take the lock `key` for `holder`; true when it has it. */
  async take(key: number, holder: object): Promise<boolean> {
    return this.#inTurn(async () => {
      const connection = await this.#begun()
      const known = this.#held.get(key)
      if (known !== undefined) return known === holder
      const isTaken = await lock(connection, key)
      if (isTaken) this.#held.set(key, holder)
      return isTaken
    })
  }

  /** Releases the lock `key`, or all locks of `holder`. */
  async giveBack(holder: object, key?: number): Promise<void> {
    await this.#inTurn(async () => {
      for (const [each, owner] of this.#held) {
        if (owner !== holder || (key !== undefined && key !== each)) continue
        this.#held.delete(each)
        if (this.#connection?.isBroken === false)
          await this.#connection.client.query('select pg_advisory_unlock($1::bigint)', [each])
      }
    })
  }

  /** Makes marks that ended with a broken connection anew. */
  async keep(): Promise<void> {
    if (this.#held.size === 0 || this.#connection?.isBroken === false) return
    await this.#inTurn(() => this.#begun())
  }

  /** The connection, opened where there is none. */
  connection(): Promise<Connection> {
    const known = this.#connection
    if (known?.isBroken === false) return Promise.resolve(known)
    return this.#inTurn(() => (this.#held.size > 0 ? this.#begun() : this.#connected()))
  }

  async close(): Promise<void> {
    await this.#queue.idle()
    const connection = this.#connection
    this.#connection = undefined
    if (connection === undefined) return
    connection.socket.setTimeout(this.#options.connectTimeoutMs)
    await connection.client.end().catch(() => undefined)
  }

  async #connected(): Promise<Connection> {
    if (this.#connection?.isBroken === false) return this.#connection
    const connection = await connect(this.#options, this.#memory)
    const { client, socket } = connection
    client.once('end', () => (connection.isBroken = true))
    socket.on('timeout', () => socket.destroy())
    this.#hasBegun = false
    this.#connection = connection
    return connection
  }

  /** The connection in its transaction, with all marks that could be made anew. */
  async #begun(): Promise<Connection> {
    const connection = await this.#connected()
    if (this.#hasBegun) return connection
    const { client, socket } = connection
    try {
      await client.query(beginSql)
      for (const key of this.#held.keys())
        if (!(await lock(connection, key))) this.#held.delete(key)
    } catch (error) {
      connection.isBroken = true
      socket.destroy()
      throw error
    }
    this.#hasBegun = true
    return connection
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      try {
        return await work()
      } catch (error) {
        // A transaction that failed takes no more locks.
        if (this.#connection !== undefined) {
          this.#connection.isBroken = true
          this.#connection.socket.destroy()
        }
        throw error
      }
    })
  }
}

async function lock({ client }: Connection, key: number): Promise<boolean> {
  const { rows } = await client.query<[boolean]>({
    text: 'select pg_try_advisory_lock($1::bigint)',
    values: [key],
    rowMode: 'array',
  })
  return rows[0]?.[0] === true
}
