/**
 * The API's server over operations that count how often they were begun. Their work is a loop that
 * never pauses, as reading an SQLite store is.
 */

import { once } from 'node:events'
import type { TestContext } from 'node:test'

import { operation, type Operation } from '../../../src/api/operation/operation.ts'
import type { LoadLimits } from '../../../src/api/server/front/load-limits.ts'
import type { WebRules } from '../../../src/api/server/front/request-checks.ts'
import { createServer, type ApiServer } from '../../../src/api/server/server.ts'
import { contracts, type Lane } from '../../../src/shape/operations/contract.ts'
import { Type } from '../../../src/shape/type.ts'
import { createGauges, type Gauges } from '../../../src/telemetry/gauges.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { systemClock } from '../processes/system-clock.ts'

/** Name of an operation; the others are `/v1/live-check` and `/v1/echo`. */
export type CountedName = 'list' | 'item' | 'large'

/** A server that listens. */
export type CountedServer = {
  readonly port: number
  readonly url: string
  readonly largeBytes: number
  readonly gauges: Gauges
  readonly begun: (name: CountedName) => number
  readonly mostAtOnce: (name: CountedName) => number
  /** Resolves when the next handler begins. */
  readonly nextBegun: () => Promise<unknown>
  /** Why connections were ended by their limits, in order. */
  readonly dropped: () => readonly string[]
  readonly nextDropped: () => Promise<unknown>
  /** Resolves when the server has seen the next connection close. */
  readonly nextClosed: () => Promise<unknown>
}

const largeBytes = 8_000_000

/** Starts it on a free port; it is closed after the test. */
export async function startCounted(
  t: TestContext,
  options: {
    readonly load: LoadLimits
    /** Time a list takes. */
    readonly listMs?: number
    readonly address?: string
    readonly web?: WebRules
    /** Adds routes before the server listens. */
    readonly mount?: (http: ApiServer['http']) => void
  },
): Promise<CountedServer> {
  const counts = new Map<CountedName, { begun: number; now: number; most: number }>()
  const events = new EventTarget()
  const next = (name: string): Promise<unknown> => once(events, name)
  const countOf = (name: CountedName): { begun: number; now: number; most: number } => {
    const count = counts.get(name) ?? { begun: 0, now: 0, most: 0 }
    counts.set(name, count)
    return count
  }
  const counted = (name: CountedName, answer: (number: number) => unknown): Operation =>
    named(name, name === 'item' ? 'item' : 'list', async () => {
      const count = countOf(name)
      const number = count.begun++
      count.now++
      count.most = Math.max(count.most, count.now)
      events.dispatchEvent(new Event('begun'))
      const body = answer(number)
      count.now--
      return { body }
    })
  const large = { text: 'x'.repeat(largeBytes - '{"text":""}'.length) }
  const drops: string[] = []
  const gauges = createGauges()
  const server = createServer({
    operations: [
      counted('list', (number) => {
        spin(options.listMs ?? 0)
        return { number }
      }),
      counted('item', (number) => ({ number })),
      counted('large', () => large),
      named('live-check', 'vital', async () => ({ body: {} })),
      echo,
    ],
    dialectRules: {},
    dialect: 'auto',
    log: silentLog,
    clock: systemClock,
    limits: { maxConnections: 2_000, requestTimeoutMs: 15_000, handlerTimeoutMs: 10_000 },
    load: options.load,
    ...(options.web && { web: options.web }),
    gauges: {
      ...gauges,
      add: (name, amount, labels) => {
        gauges.add(name, amount, labels)
        if (name !== 'firn_http_dropped_connections_total') return
        drops.push('reason' in labels ? String(labels.reason) : '')
        events.dispatchEvent(new Event('dropped'))
      },
    },
  })
  server.http.server.on('connection', (socket) => {
    socket.on('close', () => events.dispatchEvent(new Event('closed')))
  })
  options.mount?.(server.http)
  const url = await server.listen(options.address ?? '127.0.0.1', 0)
  t.after(() => {
    server.http.server.closeAllConnections()
    return server.close()
  })
  return {
    port: Number(new URL(url).port),
    url,
    largeBytes,
    gauges,
    begun: (name) => countOf(name).begun,
    mostAtOnce: (name) => countOf(name).most,
    nextBegun: () => next('begun'),
    dropped: () => drops,
    nextDropped: () => next('dropped'),
    nextClosed: () => next('closed'),
  }
}

const noParameters = { path: Type.Object({}), query: Type.Object({}) }

function named(id: string, lane: Lane, answer: Operation['answer']): Operation {
  const about = { summary: id, tag: 'Service', weight: 1, parameters: noParameters } as const
  const contract = {
    ...about,
    id,
    path: `/v1/${id}`,
    method: 'GET',
    lane,
    response: Type.Unknown(),
  } as const
  return { contract, answer }
}

const { echo: echoContract } = contracts('Service', {
  echo: {
    method: 'POST',
    path: '/v1/echo',
    summary: 'echo',
    weight: 1,
    body: Type.Object({ text: Type.String() }),
    response: Type.Unknown(),
  },
})
const echo = operation(echoContract, async ({ body }) => ({ body }))

/** Keeps the thread for `ms`. */
export function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
