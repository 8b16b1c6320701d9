/**
 * The wires of a C-Chain and of an L1 beside a real node: `eth_getLogs` by random filters, heads and transactions that
 * wait over WebSockets, states before and after transactions, each as the node itself tells it. `TEST_FILTERS` is the number of filters of each chain.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { fromHex } from '../../src/core/bytes.ts'
import { compareState, storeAt, storing } from '../support/chains/compared-state.ts'
import { comparedFilters, filterCount } from '../support/chains/log-filters.ts'
import { atEnd, freshFolder, startFirn, until } from '../support/processes/firn-process.ts'
import { avalancheTree } from './avalanche-tree.ts'
import { splitFunds } from './early-steps.ts'
import { liveOn } from './evm-steps.ts'
import type { EvmWallet } from './evm-wallet.ts'
import { ewoq, keyNamed } from './keys.ts'
import { convert, l1Answers, l1ChainNumber, restartWithL1 } from './l1-steps.ts'
import { startOneNode } from './one-node.ts'

const tree = avalancheTree() ?? ''
const skip = tree === '' && 'no Go that builds AvalancheGo, and no FIRN_AVALANCHE_TREE'
const cheap = false

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

/** Notifications of a subscription over a socket, in order. */
async function elementsOf(t: TestContext, url: string, kind: string): Promise<readonly Json[]> {
  const socket = new WebSocket(url)
  atEnd(t, async () => socket.close())
  const received: Json[] = []
  socket.addEventListener('message', ({ data }) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: [kind] }
  socket.send(JSON.stringify(call))
  await until('a subscription', () => received.length > 0)
  const [{ result }] = received.splice(0, 1)
  assert.match(result, /^0x[0-9a-f]+$/, JSON.stringify(received))
  const elements: Json[] = []
  socket.addEventListener('message', ({ data }) => {
    elements.push(JSON.parse(String(data)).params.result)
  })
  return elements
}

/** Heads and pending transactions of both ends are the same, in order. */
async function checkSockets(
  t: TestContext,
  evm: EvmWallet,
  { node, own }: { readonly node: string; readonly own: string },
): Promise<void> {
  const kinds = ['newHeads', 'newPendingTransactions'] as const
  const [heads, ownHeads, waiting, ownWaiting] = await Promise.all(
    kinds.flatMap((kind) => [elementsOf(t, node, kind), elementsOf(t, own, kind)]),
  )
  assert.ok(heads && ownHeads && waiting && ownWaiting)
  for (let count = 0; count < 5; count++) await evm.send({ to: keyNamed('first').evm, value: 1n })
  await until('five heads and five that waited', () =>
    [heads, ownHeads, waiting, ownWaiting].every(({ length }) => length >= 5),
  )
  assert.deepEqual(ownHeads.slice(0, 5), heads.slice(0, 5))
  assert.deepEqual(ownWaiting.slice(0, 5), waiting.slice(0, 5))
}

/** States before and after transactions are those that the node has. */
async function checkStates(evm: EvmWallet, url: string): Promise<void> {
  const made = await evm.send({ data: storing })
  const to = fromHex(String(made['contractAddress']).slice(2))
  const sent = [
    made,
    await evm.send({ to, data: storeAt(5, 77) }),
    await evm.send({ to, data: storeAt(0, 0) }),
    await evm.send({ to: keyNamed('first').evm, value: 5n }),
  ]
  let slots = 0
  for (const { transactionHash, blockNumber } of sent) {
    const ask = (): Promise<Response> =>
      fetch(`${url}/transactions/${transactionHash}/stateChanges`)
    await until('the transaction', async () => (await ask()).status !== 404)
    const answer = await (await ask()).json()
    const node = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
      evm.ask(method, ...params)
    slots += (await compareState(answer, Number(blockNumber), node)).slots
  }
  assert.equal(slots, 6)
}

/** A node that was not configured to trace has none, and Firn says so. */
async function checkNoStates(evm: EvmWallet, url: string): Promise<void> {
  const { transactionHash } = await evm.send({ to: keyNamed('first').evm, value: 5n })
  const ask = (): Promise<Response> => fetch(`${url}/transactions/${transactionHash}/stateChanges`)
  await until('the transaction', async () => (await ask()).status !== 404)
  const reply = await ask()
  assert.equal(reply.status, 503)
  assert.match(await reply.text(), /no node of this chain traces state changes/)
}

void test(
  `wires: ${filterCount} random filters of each chain, heads, transactions that wait and states, as the node tells them`,
  { skip },
  async (t) => {
    const { network, scene } = await startOneNode(t, tree)
    const { wallet, c } = scene
    await splitFunds(scene)
    await wallet.export('X', 'C', [{ amount: 7_000_000_000n, owners: [ewoq.address] }], cheap)
    await wallet.import('C', 'X', ewoq, cheap)
    const l1 = await convert(scene, { nodes: [1] })
    await restartWithL1(scene, l1, [1])
    await l1Answers(scene, l1, 1)
    const chains = [
      { name: 'C-Chain', path: '/ext/bc/C/rpc', evm: c },
      { name: 'L1', path: l1.path, evm: l1.evm },
    ]
    for (const { evm } of chains)
      for (let round = 0; round < 2; round++) {
        await liveOn(evm)
        // Logs with fewer and with more topics than transfers have.
        for (const topics of [0, 1, 4])
          await evm.send({ data: fromHex(`${'6001'.repeat(topics)}60206000a${topics}00`) })
      }
    const config = join(await freshFolder(t), 'firn.yaml')
    const settings = chains.map(({ name, path }) => ({
      name,
      rpcUrls: [network.url(1) + path],
      logs: 'on',
      publicRpc: 'read',
    }))
    await writeFile(config, JSON.stringify({ dataDir: `${config}.data`, chains: settings }))
    const firn = await startFirn(t, ['--config', config])
    for (const { name, path, evm } of chains) {
      const chainId = name === 'L1' ? l1ChainNumber : Number(await evm.ask('eth_chainId'))
      const head = String(Number(await evm.ask('eth_blockNumber')))
      await until(`logs of ${name}`, async () => {
        const reply = await fetch(`${firn.apiUrl}/v1/chains/${chainId}/logs?pageSize=1`)
        return reply.headers.get('x-logs-indexed-height') === head
      })
      const own = `${firn.apiUrl}/v1/chains/${chainId}/rpc`
      const node = network.url(1) + path
      const { different, withLogs } = await comparedFilters(node, own, { seed: chainId })
      assert.equal(different.join('\n'), '', name)
      scene.say(`${name}: ${filterCount} filters are answered alike, ${withLogs} with logs`)
      const sockets = {
        node: node.replace('http', 'ws').replace(/rpc$/, 'ws'),
        own: own.replace('http', 'ws'),
      }
      await checkSockets(t, evm, sockets)
      scene.say(`${name}: heads and pending transactions are announced as the node does`)
      const api = `${firn.apiUrl}/v1/chains/${chainId}`
      await (name === 'L1' ? checkNoStates(evm, api) : checkStates(evm, api))
      scene.say(`${name}: states before and after transactions are shown as far as the node traces`)
    }
  },
)
