/** WebSockets of a chain as viem uses them, beside anvil: every block once and in order, logs, and calls. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { createPublicClient, parseAbiItem, webSocket } from 'viem'

import { callOf } from '../../scripts/demo/abi.ts'
import { compiledContracts } from '../../scripts/demo/compile.ts'
import { to0x } from '../../src/core/bytes.ts'
import { type LiveChain, liveChain } from '../support/chains/live-chain.ts'
import {
  atEnd,
  freePort,
  freshFolder,
  type RunningFirn,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

const codes = compiledContracts(readFileSync(join(import.meta.dirname, 'tokens.sol'), 'utf8'))

type Beside = { readonly chain: LiveChain; readonly firn: RunningFirn }

async function beside(t: TestContext, running?: LiveChain): Promise<Beside> {
  const chain = running ?? (await liveChain(t))
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}'], begin: anew, publicRpc: read }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  await untilLive(firn, ['fuji-live'])
  // Whoever serves opens a store a moment after its writer.
  const isServed = (): Promise<boolean> =>
    firn.get('/v1/chains/31337').then(
      () => true,
      () => false,
    )
  await until('the chain is served', isServed)
  return { chain, firn }
}

function addressOf({ apiUrl }: RunningFirn, path = '/v1/chains/31337/rpc'): string {
  return `${apiUrl.replace('http', 'ws')}${path}`
}

/** A socket and the messages it received, in order. */
async function opened(
  t: TestContext,
  url: string,
): Promise<{ socket: WebSocket; received: Json[] }> {
  const socket = new WebSocket(url)
  atEnd(t, async () => socket.close())
  const received: Json[] = []
  socket.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  return { socket, received }
}

/** Sends a call over a socket, and gives its answer. */
async function answer({ socket, received }: { socket: WebSocket; received: Json[] }, call: object) {
  const id = received.length + 1_000
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...call }))
  await until('an answer', () => received.some((one) => one.id === id))
  return received.find((one) => one.id === id)
}

void test('sockets of a chain: viem sees every block once and in order, and events', async (t) => {
  const { chain, firn } = await beside(t)
  const code = codes.get('Token')
  assert.ok(code)
  const token = await chain.deploy(code, 'Announced')
  const client = createPublicClient({
    transport: webSocket(addressOf(firn)),
  })
  atEnd(t, async () => (await client.transport.getRpcClient()).close())
  const heights: number[] = []
  const amounts: bigint[] = []
  const failed = (error: Error): void => t.diagnostic(error.message)
  const unwatch = client.watchBlockNumber({
    onBlockNumber: (height) => heights.push(Number(height)),
    onError: failed,
  })
  atEnd(t, async () => unwatch())
  const unwatchEvents = client.watchEvent({
    address: to0x(token) as `0x${string}`,
    event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 amount)'),
    onLogs: (logs) => amounts.push(...logs.map(({ args }) => args.amount ?? 0n)),
    onError: failed,
  })
  atEnd(t, async () => unwatchEvents())
  const mint = (amount: bigint): Promise<unknown> =>
    chain.send(token, callOf('mint(address,uint256)', chain.sender, amount))
  // Its subscriptions are there once it has announced a block and an event.
  await until('viem listens', async () => {
    await mint(1n)
    return heights.length > 0 && amounts.length > 0
  })
  const first = Number(await chain.ask('eth_blockNumber'))
  for (let amount = 2n; amount < 22n; amount++) await mint(amount)
  const last = Number(await chain.ask('eth_blockNumber'))
  await until('all blocks and events', () => heights.includes(last) && amounts.includes(21n))
  const from = heights.indexOf(first)
  assert.deepEqual(
    heights.slice(from),
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  )
  assert.deepEqual(
    amounts.filter((amount) => amount > 1n),
    Array.from({ length: 20 }, (_, at) => BigInt(at + 2)),
  )
  const balance = await client.readContract({
    address: to0x(token) as `0x${string}`,
    abi: [parseAbiItem('function balanceOf(address) view returns (uint256)')],
    functionName: 'balanceOf',
    args: [to0x(chain.sender) as `0x${string}`],
  })
  assert.ok(balance > 200n)
})

void test('sockets of a chain: heads are headers of the node, logs come behind them, and errors have codes', async (t) => {
  const { chain, firn } = await beside(t)
  const code = codes.get('Token')
  assert.ok(code)
  const token = await chain.deploy(code, 'Announced')
  const deployed = Number(await chain.ask('eth_blockNumber'))
  await until('the token is stored', async () => {
    const { blocks } = await firn.get('/v1/chains/31337/blocks?pageSize=1')
    return Array.isArray(blocks) && Number(blocks[0]?.blockNumber) >= deployed
  })
  for (const path of ['/v1/chains/31337/rpc', '/ext/bc/31337/rpc', '/ext/bc/31337/ws']) {
    const one = await opened(t, addressOf(firn, path))
    const subscribe = (...params: unknown[]) => answer(one, { method: 'eth_subscribe', params })
    const logs = (await subscribe('logs', { address: [to0x(token)] })).result
    const heads = (await subscribe('newHeads')).result
    const none = (await subscribe('logs', { topics: [`0x${'11'.repeat(32)}`] })).result
    await chain.send(token, callOf('mint(address,uint256)', chain.sender, 5n))
    const elements = (): Json[] =>
      one.received.filter(({ method }) => method === 'eth_subscription')
    await until('head and log', () => elements().length === 2)
    const [head, log] = elements().map(({ params }) => params)
    assert.deepEqual([head.subscription, log.subscription], [heads, logs])
    const block: Json = await chain.ask('eth_getBlockByNumber', head.result.number, false)
    const { size, transactions, uncles, totalDifficulty, withdrawals, ...header } = block
    assert.ok(transactions.length === 1 && size !== undefined && uncles !== undefined)
    assert.deepEqual(head.result, header, `${totalDifficulty} ${withdrawals}`)
    const filter = { blockHash: block.hash, address: to0x(token) }
    assert.deepEqual([log.result], await chain.ask('eth_getLogs', filter))

    assert.equal((await answer(one, { method: 'eth_unsubscribe', params: [none] })).result, true)
    assert.equal((await answer(one, { method: 'eth_unsubscribe', params: [none] })).result, false)
    for (const [params, error] of [
      [[], -32_602],
      [['syncing'], -32_601],
      [['logs', { address: '0x12' }], -32_602],
      [['logs', { topics: 'any' }], -32_602],
    ] as const)
      assert.equal((await subscribe(...params)).error.code, error, JSON.stringify(params))
    // Source: viem, `getWebSocketRpcClient`: the sign of life.
    one.socket.send('{"jsonrpc":"2.0","id":null,"method":"net_version","params":[]}')
    await until('a sign of life', () => one.received.some(({ id }) => id === null))
    assert.equal(one.received.find(({ id }) => id === null).result, '31337')
    one.socket.send('no JSON')
    await until('a refusal', () => one.received.some(({ error }) => error?.code === -32_700))
    const call = { jsonrpc: '2.0', id: 77, method: 'eth_subscribe', params: ['newHeads'] }
    one.socket.send(JSON.stringify([call, { ...call, id: 78, method: 'eth_chainId', params: [] }]))
    await until('a list', () => one.received.some(Array.isArray))
    const [subscribed, chainIdReply]: Json[] = one.received.find(Array.isArray) ?? []
    assert.match(subscribed.result, /^0x[0-9a-f]{32}$/)
    assert.deepEqual(chainIdReply, { jsonrpc: '2.0', id: 78, result: '0x7a69' })
    one.socket.close()
  }
})

void test('sockets of a chain: blocks of a reverted chain are announced again', async (t) => {
  const { chain, firn } = await beside(t)
  const one = await opened(t, addressOf(firn))
  await answer(one, { method: 'eth_subscribe', params: ['newHeads'] })
  const hashes = (): string[] =>
    one.received.flatMap(({ params }) => (params === undefined ? [] : [params.result.hash]))
  const snapshot = await chain.ask('evm_snapshot')
  await chain.ask('evm_mine')
  const before: Json = await chain.ask('eth_getBlockByNumber', 'latest', false)
  await until('the first', () => hashes().includes(before.hash))
  await chain.ask('evm_revert', snapshot)
  await chain.send(chain.sender, new Uint8Array(), 1n)
  const after: Json = await chain.ask('eth_getBlockByNumber', 'latest', false)
  assert.equal(after.number, before.number)
  await until('the other', () => hashes().includes(after.hash))
})

void test('sockets of a chain: viem hears of transactions that wait, also of a node that began anew', async (t) => {
  const port = String(await freePort())
  const chain = await liveChain(t, ['--no-mining', '--port', port])
  const { firn } = await beside(t, chain)
  const client = createPublicClient({ transport: webSocket(addressOf(firn)) })
  atEnd(t, async () => (await client.transport.getRpcClient()).close())
  const waiting: string[] = []
  const unwatch = client.watchPendingTransactions({
    onTransactions: (hashes) => waiting.push(...hashes),
    onError: (error) => t.diagnostic(error.message),
  })
  atEnd(t, async () => unwatch())
  const hear = async ({ ask, sender }: LiveChain, value: string): Promise<void> => {
    const sent: string[] = []
    const from = to0x(sender)
    await until('one that waits', async () => {
      sent.push(String(await ask('eth_sendTransaction', { from, to: from, value })))
      return waiting.some((hash) => sent.includes(hash))
    })
    const last = String(await ask('eth_sendTransaction', { from, to: from, value }))
    await until('the last', () => waiting.includes(last))
    assert.deepEqual(waiting, [...new Set(waiting)], 'each once')
  }
  await hear(chain, '0x1')
  await chain.end()
  await hear(await liveChain(t, ['--no-mining', '--port', port]), '0x2')
})
