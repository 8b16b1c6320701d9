/** The listener's own thread: what it answers while others hang, and what sockets may do to it. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import type { Transport } from '../../src/core/world.ts'
import { until } from '../support/processes/firn-process.ts'
import { openRaw } from '../support/services/raw-http.ts'
import type { OutsideNews, OutsideTask } from './outside-caller.ts'
import { get, start } from './public-node.ts'

// More than two beats of a thread.
const maxSilenceMs = 2_500

void test('listener: answers health and metrics while the main thread hangs, and says it is dead', async (t) => {
  const node = await start(t, { settings: { maxSilenceMs } })
  node.health.register('database', () => ({ ok: true }))
  await node.health.runAll()
  const before = Date.now()
  assert.equal((await node.send({ ...get, path: '/ext/health/liveness' })).status, 200)
  const done = new Int32Array(new SharedArrayBuffer(8))
  const paths = ['/ext/health', '/ext/health/readiness', '/ext/metrics', '/ext/health/liveness']
  const task: OutsideTask = { port: node.port, paths, done }
  const caller = new Worker(new URL('./outside-caller.ts', import.meta.url), { workerData: task })
  t.after(() => caller.terminate())
  await once(caller, 'message')
  const message = once(caller, 'message')
  Atomics.store(done, 1, 1)
  Atomics.notify(done, 1)
  // This thread is the main one: nothing turns here until the caller has all its replies.
  assert.equal(Atomics.wait(done, 0, 0, 60_000), 'ok')
  const hungUntil = Date.now()
  const [{ replies, last }] = (await message) as [OutsideNews]

  const [health, readiness, metrics, liveness] = replies
  for (const reply of [health, readiness]) {
    assert.equal(reply?.status, 200)
    assert.deepEqual(JSON.parse(reply.body).checks.database.message, { ok: true })
  }
  assert.equal(liveness?.status, 200)
  assert.equal(liveness.body, '{"checks":{},"healthy":true}\n')
  for (const reply of [health, metrics]) {
    const at = Date.parse(reply?.headers['x-figures-at'] ?? '')
    assert.ok(at <= hungUntil && at > before - 60_000, `stamp ${at}`)
  }
  const age = /^firn_node_figures_age_seconds (\S+)$/m.exec(metrics?.body ?? '')?.[1]
  assert.ok(Number(age) > 0, `age ${age}`)
  assert.equal(last.status, 503)
  assert.match(JSON.parse(last.body).checks['thread main'].error, /^has been blocked for \d+ s$/)
  await until('alive again', async () => {
    return (await node.send({ ...get, path: '/ext/health/liveness' })).status === 200
  })
})

void test('listener: a worker that hangs is dead for all three questions, and named', async (t) => {
  const node = await start(t, { settings: { maxSilenceMs } })
  // Those that index begin when the listener is there.
  const link = node.threads.open('decoder')
  const thread = new Worker(new URL('./thread-worker.ts', import.meta.url), {
    workerData: { link },
    transferList: [link.port],
  })
  await node.health.runAll()
  const status = async (kind: string): Promise<number> =>
    (await node.send({ ...get, path: `/ext/health${kind}` })).status
  assert.equal(await status('/liveness'), 200)
  assert.equal(await status(''), 200)
  const wake = new Int32Array(new SharedArrayBuffer(4))
  thread.postMessage({ what: 'hang', wake })
  await until('dead', async () => (await status('/liveness')) === 503)
  assert.deepEqual([await status(''), await status('/readiness')], [503, 503])
  const { body } = await node.send({ ...get, path: '/ext/health/liveness' })
  assert.deepEqual(Object.keys(JSON.parse(body).checks), ['thread decoder'])
  Atomics.store(wake, 0, 1)
  Atomics.notify(wake, 0)
  await until('alive', async () => (await status('/liveness')) === 200)
  assert.equal(await status(''), 200)
  // One that has ended is not waited for.
  thread.postMessage({ what: 'hang', wake: new Int32Array(new SharedArrayBuffer(4)) })
  await until('dead again', async () => (await status('/liveness')) === 503)
  await thread.terminate()
  await until('gone', async () => (await status('/liveness')) === 200)
})

void test('listener: a thousand pipelined calls go to the node one by one, others between', async (t) => {
  let [now, most, begun] = [0, 0, 0]
  const transport: Transport = {
    request: async () => {
      begun++
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      const body = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
      return { status: 200, headers: { 'content-type': 'application/json' }, body }
    },
  }
  const node = await start(t, { transport })
  const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
  const request = `POST /ext/bc/C/rpc HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${call.length}\r\n\r\n${call}`
  const flood = await openRaw(t, node.port)
  const other = await openRaw(t, node.port)
  flood.socket.write(request.repeat(1_000))
  assert.equal((await flood.reply()).status, 200)
  other.socket.write('GET /ext/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.equal((await other.reply()).status, 200)
  assert.ok(begun < 900, `${begun} calls were made before`)
  for (let at = 1; at < 1_000; at++) assert.equal((await flood.reply()).status, 200)
  assert.deepEqual([begun, most], [1_000, 1])
})
