/**
 * Arrivals at a fixed rate, which wait for no answer: each takes an idle connection or opens one.
 *
 * On bare sockets, so that the caller costs less than the server it measures. Times are from the
 * moment a request was due, so that a caller who is late himself does not flatter the server.
 */

import { connect, type Socket } from 'node:net'

/** Whom to ask what, how often and how long. */
export type Arrivals = {
  readonly host: string
  readonly port: number
  readonly paths: readonly string[]
  /** Requests a second. */
  readonly rate: number
  readonly seconds: number
  /** Address of this caller. */
  readonly from?: string
}

/** Outcomes of the requests; times in milliseconds, sorted. */
export type Outcome = {
  readonly sent: number
  readonly answered: readonly number[]
  readonly refused: readonly number[]
  /** Without `Retry-After`, other statuses, broken connections, and no answer in time. */
  readonly failed: number
}

// A process may have 1,024 files here; more connections than these are not of one caller.
const maxConnections = 800
const patienceMs = 20_000

type Idle = { readonly socket: Socket; ask: (dueAt: number, path: string) => void }

/** Sends them all and waits for what is under way at the end. */
export async function arrive(arrivals: Arrivals): Promise<Outcome> {
  const { rate, seconds, paths } = arrivals
  const answered: number[] = []
  const refused: number[] = []
  const idle: Idle[] = []
  const all = new Set<Socket>()
  let [sent, failed, underWay] = [0, 0, 0]
  const over = Promise.withResolvers<void>()
  const began = performance.now()
  const endsAt = began + seconds * 1_000

  const settle = (dueAt: number, head: string | undefined): void => {
    underWay--
    const ms = performance.now() - dueAt
    if (head?.startsWith('HTTP/1.1 200') === true) answered.push(ms)
    else if (head?.startsWith('HTTP/1.1 503') === true && /\r\nretry-after: \d/i.test(head))
      refused.push(ms)
    else failed++
    if (underWay === 0 && performance.now() >= endsAt) over.resolve()
  }

  const open = (): Idle => {
    const socket = connect({
      host: arrivals.host,
      port: arrivals.port,
      ...(arrivals.from === undefined ? {} : { localAddress: arrivals.from }),
      noDelay: true,
    })
    all.add(socket)
    let dueAt: number | undefined
    let head = ''
    let missing = -1
    const one: Idle = {
      socket,
      ask: (at, path) => {
        dueAt = at
        head = ''
        missing = -1
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${arrivals.host}\r\n\r\n`)
      },
    }
    socket.on('data', (chunk: Buffer) => {
      if (missing === -1) {
        head += chunk.toString('latin1')
        const cut = head.indexOf('\r\n\r\n')
        if (cut === -1) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
        missing = length - (head.length - cut - 4)
        head = head.slice(0, cut)
      } else missing -= chunk.length
      if (missing > 0 || dueAt === undefined) return
      const at = dueAt
      dueAt = undefined
      idle.push(one)
      settle(at, head)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      all.delete(socket)
      const at = idle.indexOf(one)
      if (at !== -1) idle.splice(at, 1)
      if (dueAt !== undefined) settle(dueAt, undefined)
    })
    return one
  }

  const draw = drawing(paths)
  const timer = setInterval(() => {
    const now = performance.now()
    const due = Math.min(rate * seconds, ((now - began) / 1_000) * rate)
    for (; sent < due; sent++) {
      underWay++
      const dueAt = began + (sent / rate) * 1_000
      const free = idle.pop() ?? (all.size < maxConnections ? open() : undefined)
      if (free === undefined) settle(dueAt, undefined)
      else free.ask(dueAt, draw())
    }
    if (now < endsAt) return
    clearInterval(timer)
    if (underWay === 0) over.resolve()
  }, 2)
  const late = setTimeout(() => over.resolve(), seconds * 1_000 + patienceMs)
  await over.promise
  clearTimeout(late)
  failed += underWay
  for (const socket of all) socket.destroy()
  const sorted = (times: number[]): number[] => times.toSorted((a, b) => a - b)
  return { sent, answered: sorted(answered), refused: sorted(refused), failed }
}

/**
 * Draws one of `paths` at a time, each as likely, in the same order in every run.
 *
 * In turn they would fall into step with the queue: the answers of an expensive kind last for so many
 * arrivals that the next one taken is often of that kind again, and fewer answers are counted.
 * The constants are those of Numerical Recipes, 1992.
 */
function drawing(paths: readonly string[]): () => string {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return paths[Math.floor((state / 2 ** 32) * paths.length)] ?? '/'
  }
}

/** The time that a share of all do not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
