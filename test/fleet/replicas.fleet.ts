/** Serving processes over a real streaming replica, one that lags, and one whose primary is away. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import pg from 'pg'

import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  freshFolder,
  type RunningFirn,
  startFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'
import { startPostgres } from '../support/stores/postgres.ts'

const key = 'fuji-replicated'
const lists = ['/v1/chains/51001/blocks', '/v1/chains/51001/transactions']
const lag = 30
const chainId = '51001'

const primary = await startPostgres()
after(() => primary.stop())

type Body = Readonly<Record<string, unknown>>

void test('replicas: pages over a lagging reader have no gap, and none is 503', async (t) => {
  const node = await openReplayNode(
    readFileSync(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  const nodeServer = await serveReplayNode(node)
  t.after(nodeServer.close)
  const last = node.recording.heights.until - 1
  node.head = last - lag
  const { url: rpcUrl } = nodeServer
  const indexer = await startOne(t, { store: primary.url, role: 'all', rpcUrl })
  await untilAt(indexer, last - lag)
  const replica = await primary.replica()
  t.after(() => replica.stop())
  await ask(replica.url, 'select pg_wal_replay_pause()')
  node.head = last
  await untilAt(indexer, last)
  // Two hosts of one deployment in the middle of a rolling restart: only the second has the setting, and
  // reads from what lags.
  const first = await startOne(t, { store: primary.url, role: 'serve', rpcUrl })
  const second = await startOne(t, {
    store: primary.url,
    role: 'serve',
    rpcUrl,
    replicas: [replica.url],
  })

  for (const list of lists) {
    const whole = await walk([indexer], list)
    assert.deepEqual(await walk([first, second], list), whole, `${list} over two hosts`)
    // Alone it answers as far as it is, without a gap.
    const old = await walk([second], list)
    assert.deepEqual(old, whole.slice(-old.length), `${list} of the replica`)
    assert.ok(old.length < whole.length, 'the replica lags')
    assert.deepEqual(await walk([second, first], list), old, `${list} over two hosts, begun behind`)
  }

  // Official clients, which know one address: that of what stands before both hosts.
  const both = await inTurns(t, [first.firn.apiUrl, second.firn.apiUrl])
  for (const [name, read] of clients) {
    const whole = await read(indexer.firn.apiUrl)
    assert.equal(whole.length, last + 1, name)
    assert.deepEqual(await read(both), whole, `${name} over two hosts`)
  }

  // Nobody has what the page was read from: the primary is away, or the only server is what lags.
  const { nextPageToken } = await first.firn.get(`${lists[0]}?pageSize=29`)
  await indexer.firn.end()
  const blocked = await startOne(t, {
    store: 'postgres://firn@127.0.0.1:1/firn',
    role: 'serve',
    rpcUrl,
    replicas: [replica.url],
  })
  const lagging = await startOne(t, { store: replica.url, role: 'serve', rpcUrl })
  const following = ({ firn }: One): string =>
    `${firn.apiUrl}${lists[0]}?pageSize=29&pageToken=${String(nextPageToken)}`
  for (const host of [blocked, lagging]) {
    const refused = await fetch(following(host))
    assert.equal(refused.status, 503, await refused.text())
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const next = following(blocked)

  // As soon as the replica has it, it answers, still without a primary.
  // Replay may end the very statement that lets it go on (serialization_failure).
  await ask(replica.url, 'select pg_wal_replay_resume()').catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== '40001') throw error
  })
  await until('the replica is up to date', async () => (await fetch(next)).status === 200)
  const made = await fetch(`${blocked.firn.apiUrl}/v1/webhooks:generateOrRotateSharedSecret`, {
    method: 'POST',
  })
  assert.equal(made.status, 503, 'what has to be written waits for the primary')
})

void test('replicas: a process starts on a replica alone and answers', async (t) => {
  const replica = await primary.replica()
  t.after(() => replica.stop())
  const one = await startOne(t, { store: replica.url, role: 'serve', rpcUrl: 'http://127.0.0.1:1' })
  const { blocks } = await one.firn.get(`${lists[0]}?pageSize=3`)
  assert.equal(Array.isArray(blocks) && blocks.length, 3)
  assert.equal(await one.firn.end(), 0)
})

type One = { readonly firn: RunningFirn }

async function startOne(
  t: TestContext,
  of: {
    readonly store: string
    readonly role: 'all' | 'serve'
    readonly rpcUrl: string
    readonly replicas?: readonly string[]
  },
): Promise<One> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const lines = [
    `store: '${of.store}'`,
    `postgres: { replicas: ${JSON.stringify(of.replicas ?? [])} }`,
    'chains:',
    `  - { name: Replicated, rpcUrls: ['${of.rpcUrl}'], traces: off }`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  const words = ['--config', config, '--data-dir', join(folder, 'data'), '--role', of.role]
  return { firn: await startFirn(t, words) }
}

/** All rows of a list, each page from the next of `hosts`. */
async function walk(hosts: readonly One[], list: string): Promise<readonly unknown[]> {
  const rows: unknown[] = []
  let token = ''
  for (let page = 0; ; page++) {
    const query = `pageSize=29${token === '' ? '' : `&pageToken=${token}`}`
    const body: Body = (await hosts[page % hosts.length]?.firn.get(`${list}?${query}`)) ?? {}
    rows.push(...(Object.values(body).find((value) => Array.isArray(value)) ?? []))
    if (typeof body['nextPageToken'] !== 'string') return rows
    token = body['nextPageToken']
  }
}

/** Blocks by their hashes, as each of the official clients reads them to the end. */
const clients: readonly (readonly [string, (serverURL: string) => Promise<readonly string[]>])[] = [
  [
    'chainkit',
    (serverURL) => {
      const { blocks } = new Avalanche({ chainId, enableTelemetry: false }).data.evm
      return hashes(blocks.listLatest({ pageSize: 29 }, { serverURL }))
    },
  ],
  [
    'avacloud-sdk',
    (serverURL) => {
      const { blocks } = new AvaCloudSDK({ serverURL, chainId }).data.evm
      return hashes(blocks.listLatest({ pageSize: 29 }, { serverURL }))
    },
  ],
]

type Pages = Promise<
  AsyncIterable<{ readonly result: { readonly blocks: readonly { readonly blockHash: string }[] } }>
>

async function hashes(pages: Pages): Promise<readonly string[]> {
  const read: string[] = []
  for await (const { result } of await pages)
    read.push(...result.blocks.map(({ blockHash }) => blockHash))
  return read
}

/** The address of a server that passes each request on to the next of `urls`, as a load balancer does. */
async function inTurns(t: TestContext, urls: readonly string[]): Promise<string> {
  let turn = 0
  const server = createServer((request, response) => {
    const target = `${urls[turn++ % urls.length]}${request.url}`
    fetch(target, { headers: { 'user-agent': String(request.headers['user-agent']) } }).then(
      async (reply) => {
        const body = Buffer.from(await reply.arrayBuffer())
        const type = reply.headers.get('content-type') ?? ''
        response.writeHead(reply.status, { 'content-type': type }).end(body)
      },
      (error: unknown) => response.writeHead(502).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return `http://127.0.0.1:${address.port}`
}

async function untilAt({ firn }: One, height: number): Promise<void> {
  await until(`live at ${height}`, async () => {
    const status = (await chainStatuses(firn)).get(key)
    return status?.state === 'live' && status.indexedHeight === height
  })
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    // One that is left is ended by its server, and that is an error of this process.
    await client.end()
  }
}
