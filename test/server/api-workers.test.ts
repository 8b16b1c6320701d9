/** `api.workers`: several threads answer behind one port, each all of it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  demoFolder,
  freshFolder,
  runFirn,
  startDemo,
  until,
  untilDemoServed,
} from '../support/processes/firn-process.ts'

// Enough that the system gives some to every thread: one in a million is missed otherwise.
const connections = 40
const signed = '/v1/signatureAggregator/fuji/aggregateSignatures'
const message = '2QqXJv8gAyfDRAQXamzDFYsW9MXuS2fTxeQHhWeE46uq4NXeth'

void test('API workers: every thread answers alike, on one port that is ours alone', async (t) => {
  process.env['FIRN_API_WORKERS'] = '3'
  process.env['FIRN_NODE_API_ADMIN_ENABLED'] = 'true'
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)

  for (const path of [
    '/v1/chains/51001/blocks?pageSize=5',
    '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=5',
    '/v1/icm/messages?pageSize=5',
    // The aggregator is the main thread's.
    `${signed}/${message}`,
  ]) {
    const kinds = new Map<string, number>()
    for (const { status, headers, body } of await onOwnConnections(firn.apiUrl + path)) {
      const heights = ['x-indexed-height', 'x-head-height'].map((name) => headers.get(name))
      // Page tokens are sealed anew each time.
      const text = `${status} ${heights} ${body.replace(/"nextPageToken":"[^"]+"/, '')}`
      kinds.set(text, (kinds.get(text) ?? 0) + 1)
    }
    assert.deepEqual([...kinds.values()], [connections], `${path}: ${[...kinds.keys()].join('\n')}`)
    assert.match([...kinds.keys()].join(''), /^200 /)
  }

  // A thread that is busy gives its figures with a later page.
  await until('figures of all threads', async () => {
    const page = await (await fetch(`${firn.nodeUrl}/ext/metrics`)).text()
    const counted = page.matchAll(/^firn_api_thread_requests_total\{thread="(\d)"\} \d+$/gm)
    const [blocks] = page.matchAll(
      /^firn_api_requests_total\{operation="getLatestBlocks".*\} (\d+)$/gm,
    )
    const threads = [...counted].map(([, thread]) => thread).join()
    return threads === '1,2,3' && Number(blocks?.[1]) === connections
  })

  await t.test('a name given by an operator is known to every thread', async () => {
    const given = ['--chain', '51001', '--node-url', firn.nodeUrl]
    const named = await runFirn('alias', 'add', 'shop', ...given)
    assert.equal(named.code, 0, named.stderr)
    await until('alias', async () =>
      (await onOwnConnections(`${firn.apiUrl}/v1/chains/shop`)).every(
        ({ status }) => status === 200,
      ),
    )
  })

  await t.test('another Firn on the port is refused', async (inner) => {
    const { port } = new URL(firn.apiUrl)
    const data = ['--data-dir', await freshFolder(inner)]
    const other = await runFirn('start', '--port', port, '--node-port', '0', ...data)
    assert.match(other.stderr, new RegExp(`api.port is taken or not allowed: 127.0.0.1:${port}`))
    assert.equal(other.code, 1)
  })

  assert.equal(await firn.end(), 0)
})

type Reply = { readonly status: number; readonly headers: Headers; readonly body: string }

/** The same question, each on a connection of its own, one after the other. */
async function onOwnConnections(url: string): Promise<Reply[]> {
  const replies: Reply[] = []
  while (replies.length < connections) {
    const reply = await fetch(url, { headers: { connection: 'close' } })
    replies.push({ status: reply.status, headers: reply.headers, body: await reply.text() })
  }
  return replies
}
