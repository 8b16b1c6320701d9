/** A worker as the product has them: joins, then burns time or logs or waits, as a message says. */

import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'

import { createSemaphore } from '../../src/telemetry/threads/semaphore.ts'
import { joinThread } from '../../src/telemetry/threads/thread.ts'
import { hotInWorker, knownAllocator } from './hot-functions.ts'

const { log, waits } = joinThread(workerData.link, () => performance.now())

parentPort?.on('message', (task: Task) => {
  void act(task).then(() => parentPort?.postMessage('done'))
})

const held: unknown[] = []

type Task = { what: string; ms: number; wake?: Int32Array<SharedArrayBuffer> }

async function act({ what, ms, wake }: Task): Promise<void> {
  if (what === 'hang' && wake !== undefined) Atomics.wait(wake, 0, 0)
  if (what === 'burn') hotInWorker(ms)
  if (what === 'hold') held.push(knownAllocator(24_000_000))
  if (what === 'log') {
    log.child('C').debug('from a worker', { url: 'https://u:secret@h/x' })
    log.child('C').info('from a worker too')
  }
  if (what === 'wait') {
    const semaphore = createSemaphore({ name: 'worker queue', permits: 1, waits })
    const done = await semaphore.acquire()
    const waiter = semaphore.run(() => undefined)
    const until = performance.now() + ms
    while (performance.now() < until);
    done()
    await waiter
  }
}
