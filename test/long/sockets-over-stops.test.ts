/** WebSockets of a chain when the process behind them stops: a client goes on at its successor, and nobody is kept. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { createPublicClient, webSocket } from 'viem'
import { WebSocket } from 'ws'

import { liveChain } from '../support/chains/live-chain.ts'
import {
  atEnd,
  freshFolder,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { replacedFirn, mineOverReplacement } from '../support/processes/replaced-firn.ts'

void test('sockets of a process that is replaced: viem sees every block once and in order, for a minute', async (t) => {
  const replaced = await replacedFirn(t)
  const client = createPublicClient({ transport: webSocket(replaced.url) })
  atEnd(t, async () => (await client.transport.getRpcClient()).close())
  const heights: number[] = []
  const unwatch = client.watchBlockNumber({
    onBlockNumber: (height) => heights.push(Number(height)),
    onError: (error) => t.diagnostic(error.message),
  })
  atEnd(t, async () => unwatch())
  await mineOverReplacement(replaced, heights, 60)
})

void test('sockets at a stop: two hundred are closed with the reason, and the process ends soon', async (t) => {
  const chain = await liveChain(t)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}'], publicRpc: read }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  await untilLive(firn, ['fuji-live'])
  const url = `${firn.apiUrl.replace('http', 'ws')}/v1/chains/31337/rpc`
  let subscribed = 0
  const sockets = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      // An address has sixteen.
      const socket = new WebSocket(url, { localAddress: `127.0.0.${2 + Math.floor(at / 16)}` })
      await once(socket, 'open')
      socket.once('message', () => subscribed++)
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
      return socket
    }),
  )
  await until('all subscribed', () => subscribed === sockets.length)
  const closed = sockets.map((socket) => once(socket, 'close'))
  const began = performance.now()
  assert.equal(await firn.end(), 0)
  const codes = new Set((await Promise.all(closed)).map(([code]) => code))
  assert.deepEqual([...codes], [1012])
  assert.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`)
})
