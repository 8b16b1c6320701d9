/**
 * Asks a node listener from a thread of its own, so that the thread of the test may hang meanwhile:
 * each path once, then liveness until it is false. Then wakes the test and tells what it heard.
 */

import { parentPort, workerData } from 'node:worker_threads'

import { exchange, type RawReply } from './exchange.ts'

/** Its orders. */
export type OutsideTask = {
  readonly port: number
  readonly paths: readonly string[]
  /** Becomes 1 when all is done; whoever waits is woken. */
  readonly done: Int32Array<SharedArrayBuffer>
}

/** Answers that it heard, in the order of `paths`. */
export type OutsideNews = { readonly replies: readonly RawReply[]; readonly last: RawReply }

const { port, paths, done }: OutsideTask = workerData

// The listener has seen the main thread turn; from here on it does not.
const started = parentPort
started?.postMessage('ready')
Atomics.wait(done, 1, 0, 60_000)
const ask = (path: string): Promise<RawReply> =>
  exchange(port, { method: 'GET', path, headers: { 'Content-Type': '' } })
try {
  const replies: RawReply[] = []
  for (const path of paths) replies.push(await ask(path))
  let last = await ask('/ext/health/liveness')
  for (let tries = 0; last.status === 200 && tries < 600; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    last = await ask('/ext/health/liveness')
  }
  started?.postMessage({ replies, last } satisfies OutsideNews)
} finally {
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
}
