/**
 * State changes of transactions on a real chain: balances, nonces, code and storage before and after are those that the
 * node has at the block before and at its own; and a node without a tracer says so.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

import { fromHex, to0x } from '../../src/core/bytes.ts'
import { isObject } from '../../src/core/json.ts'
import { compareState, storeAt, storing } from '../support/chains/compared-state.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { freshFolder, startFirn, until } from '../support/processes/firn-process.ts'

/** Becomes a contract that destroys itself for its caller. */
const leaving = fromHex('6002600c60003960026000f333ff')

void test('state changes: each part is what the node has before and after the block', async (t) => {
  const chain = await liveChain(t)
  const receiver = fromHex('70997970c51812dc3a010c7d01b50e0d17dc79c8')
  const store = await chain.deploy(storing)
  const sent = [
    await chain.send(receiver, new Uint8Array(), 10n ** 18n),
    await chain.send(store, storeAt(5, 77)),
    await chain.send(store, storeAt(0, 0)),
    await chain.send(store, storeAt(5, 78)),
    await chain.send(undefined, storing),
    await chain.send(undefined, leaving, 5n),
  ]
  const firn = await startFirn(t, ['--rpc', chain.url, '--data-dir', await freshFolder(t)])
  const chainId = Number(await chain.ask('eth_chainId'))
  const last = Number(sent.at(-1)?.['blockNumber'])
  const path = `/v1/chains/${chainId}`
  await until('the last block', () =>
    firn.get(`${path}/blocks/${last}`).then(
      () => true,
      () => false,
    ),
  )
  let slots = 0
  for (const { transactionHash, blockNumber } of sent) {
    const answer = await firn.get(`${path}/transactions/${transactionHash}/stateChanges`)
    const compared = await compareState(answer, Number(blockNumber), chain.ask)
    assert.ok(compared.accounts.includes(to0x(chain.sender)))
    slots += compared.slots
  }
  // Set, cleared, set again, and set by a creation; both ends of each.
  assert.equal(slots, 8)
  const unknown = `${path}/transactions/0x${'ab'.repeat(32)}/stateChanges`
  await assert.rejects(firn.get(unknown), /404/)
})

void test('state changes: where a node does not trace, or has no such tracer, the answer says why', async (t) => {
  const chain = await liveChain(t)
  const { transactionHash, blockNumber } = await chain.send(chain.sender, new Uint8Array())
  let error: object = { code: -32_601, message: 'the method does not exist' }
  const reply = async (body: string): Promise<string> => {
    const call: unknown = JSON.parse(body)
    if (isObject(call) && call['method'] === 'debug_traceTransaction')
      return JSON.stringify({ jsonrpc: '2.0', id: call['id'], error })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(chain.url, { method: 'POST', body, headers })).text()
  }
  const node = createServer((request, response) => {
    void text(request)
      .then(reply)
      .then((body) => response.setHeader('content-type', 'application/json').end(body))
  })
  node.listen(0, '127.0.0.1')
  await once(node, 'listening')
  t.after(() => node.close())
  const address = node.address()
  assert.ok(isObject(address))
  const url = `http://127.0.0.1:${Number(address['port'])}`
  const firn = await startFirn(t, ['--rpc', url, '--data-dir', await freshFolder(t)])
  const path = `/v1/chains/${Number(await chain.ask('eth_chainId'))}`
  await until('the block', () =>
    firn.get(`${path}/blocks/${Number(blockNumber)}`).then(
      () => true,
      () => false,
    ),
  )
  const changes = `${firn.apiUrl}${path}/transactions/${transactionHash}/stateChanges`
  const outcome = async (): Promise<unknown> => {
    const reply = await fetch(changes)
    const body: unknown = await reply.json()
    return [reply.status, isObject(body) ? body['message'] : body]
  }
  error = { code: -32_000, message: 'prestateTracer is not defined' }
  assert.deepEqual(await outcome(), [
    503,
    'the node gives no state changes of this transaction: prestateTracer is not defined',
  ])
  error = { code: -32_601, message: 'the method debug_traceTransaction does not exist' }
  assert.deepEqual(await outcome(), [503, 'no node of this chain traces state changes'])
})
