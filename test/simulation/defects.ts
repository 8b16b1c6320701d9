/**
 * Defects that Firn had, or neighbours of them with the same effect. Each changes what a process of a
 * simulation is assembled from, so that the product in it does what it did with the defect.
 */

import type { FreshChains } from '../../src/api/operation/freshness.ts'
import type { Operation } from '../../src/api/operation/operation.ts'
import { Fault, faultOf } from '../../src/core/fault.ts'
import type { Transport } from '../../src/core/world.ts'
import type { ThreadReport } from '../../src/indexing/run/status-board.ts'
import type { SourceLimits } from '../../src/indexing/stream/chain-spec.ts'
import type { Port } from '../../src/indexing/stream/port-call.ts'
import type { Database, Writer } from '../../src/store/engine/database.ts'
import type { FaultKind } from './fault-kinds.ts'

/** What a defect puts in the place of parts of one process. */
export type Seams = {
  readonly limits?: (limits: SourceLimits) => SourceLimits
  readonly transport?: (transport: Transport) => Transport
  readonly database?: (database: Database) => Database
  /** The decoder's end of the port to the writer. */
  readonly port?: (port: Port) => Port
  /** What a thread tells the status board. */
  readonly report?: (report: ThreadReport) => ThreadReport
  /** Configured chains without a store are known. */
  readonly knowsWaiting?: false
  readonly operation?: (operation: Operation, fresh: FreshChains) => Operation
}

/** One defect. */
export type Defect = {
  readonly name: string
  /** A seed that finds it. */
  readonly seed: number
  /** The seed is of a plan with this kind of fault alone. */
  readonly only?: FaultKind
  /** Called for each process that starts. */
  readonly seams: () => Seams
}

/** All of them. */
export const defects: readonly Defect[] = [
  {
    name: 'one failure of a trace switches traces off for good',
    seed: 4,
    only: 'node: fails to trace',
    seams: () => {
      let isOff = false
      const transport = ({ request }: Transport): Transport => ({
        request: async (sent) => {
          const text = String(sent.body)
          if (!text.includes('"debug_')) return request(sent)
          // A node knows no method of this name.
          const reply = await request(isOff ? { ...sent, body: text.replace('debug', 'no') } : sent)
          isOff ||= Buffer.from(reply.body).includes('"error"')
          return reply
        },
      })
      return { transport }
    },
  },
  {
    name: 'blocks of a backfill are not hashed',
    seed: 8,
    only: 'node: lies',
    seams: () => ({ limits: (limits) => ({ ...limits, checkEvery: 1e9 }) }),
  },
  {
    name: 'a writer that lost its lease goes on writing',
    seed: 29,
    seams: () => ({
      database: (database) => ({
        ...database,
        transaction: (work, how) =>
          database.transaction((writer) => work(seeingOneRow(writer)), how),
      }),
    }),
  },
  {
    name: 'what a range lacks counts as read',
    seed: 1,
    seams: () => ({
      port: (port) =>
        changed(port, {
          request: (name, argument) => {
            const { batch } = Object(argument)
            const last = name === 'traces' ? batch.until - batch.from - 1 : 0
            const { position, block } = Object(batch?.frames)
            // Frames at the place of a transaction itself give no row.
            for (let row = 0; last > 0 && row < block.length; row++)
              if (block[row] === last) position[row] = 0
          },
        }),
    }),
  },
  {
    name: 'a store that fails once stops the chain',
    seed: 1,
    seams: () => ({
      database: (database) => ({
        ...database,
        transaction: async (work, how) => {
          try {
            return await database.transaction(work, how)
          } catch (error) {
            if (faultOf(error)?.code !== 'store-failed') throw error
            throw new Fault('rows-altered', 'a store failed once')
          }
        },
      }),
    }),
  },
  {
    name: 'a chain whose head nobody tells is called live',
    seed: 168,
    seams: () => ({
      report: (report) => ({
        ...report,
        stages: report.stages.map((stage) =>
          stage.state === 'syncing' && stage.indexedHeight === stage.headHeight
            ? { ...stage, state: 'live' }
            : stage,
        ),
      }),
    }),
  },
  {
    name: 'whether a batch was stored is guessed when the answer of its commit was lost',
    seed: 1,
    seams: () => {
      let first: unknown
      return {
        port: (port) =>
          changed(port, {
            answer: (name, value) => (name === 'begin' ? (first ??= value) : undefined),
          }),
      }
    },
  },
  {
    name: 'blocks are taken whose parent is not the stored one',
    seed: 10,
    only: 'node: serves another history',
    seams: () => ({
      port: (port) =>
        changed(port, {
          answer: (name, value) =>
            name === 'begin' ? { ...Object(value), parentHash: undefined } : undefined,
        }),
    }),
  },
  {
    name: 'a configured chain that no node has identified yet is 404',
    seed: 64,
    seams: () => ({ knowsWaiting: false }),
  },
  {
    name: 'how far an answer is complete is read after its rows',
    seed: 9,
    seams: () => ({
      operation: ({ contract, answer }, fresh) => ({
        contract,
        answer: async (input) => {
          const reply = await answer(input)
          await new Promise((resolve) => setImmediate(resolve))
          const chainId = String(Reflect.get(input.path, 'chainId'))
          const height = await fresh(contract.path)?.({ chainId })?.indexedHeight()
          if (height === undefined) return reply
          const headers = { ...reply.headers, 'x-indexed-height': String(height) }
          return Object.defineProperty(reply, 'headers', { value: headers, configurable: true })
        },
      }),
    }),
  },
]

/** `writer`, to which a lease and a checkpoint are always as they were left. */
function seeingOneRow(writer: Writer): Writer {
  return {
    ...writer,
    run: async (statement, values) => {
      const rows = await writer.run(statement, values)
      return /^update (lease set until_ms|checkpoint) /.test(statement.sqlite) ? 1 : rows
    },
  }
}

/** `port` with requests and answers as a defect changes them. */
function changed(
  port: Port,
  change: { readonly request?: Change; readonly answer?: Change },
): Port {
  const names = new Map<unknown, string>()
  return {
    postMessage: (message, transfer) => {
      const { id, name, argument } = Object(message)
      names.set(id, name)
      change.request?.(name, argument)
      port.postMessage(message, transfer)
    },
    on: (event, receive) =>
      port.on(event, (message) => {
        const { id, value } = Object(message)
        const answer = value && change.answer?.(names.get(id) ?? '', value)
        receive(answer === undefined ? message : { id, value: answer })
      }),
  }
}

type Change = (name: string, value: unknown) => unknown
