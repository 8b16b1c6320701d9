/** Webhooks of receivers that never answer, and what first backfills and repairs do not tell. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { activityOf } from '../support/chains/event-truth.ts'
import type { ReplayNode } from '../support/nodes/replay-node.ts'
import {
  runFirn,
  startFirn,
  chainStatuses,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import {
  address,
  ask,
  begin,
  chain,
  chainKey,
  followed,
  receiver,
  register,
  started,
  receivedMessages,
} from '../support/processes/webhook-firn.ts'

/** A node whose newest blocks cannot be had yet, though it tells of them. */
function without(from: number): NonNullable<ReplayNode['lie']> {
  return ({ method, params }, result) =>
    method === 'eth_getBlockReceipts' && Number(params[0]) >= from ? null : result
}

void test('webhooks: first backfill tells nothing; one that is active again begins with the next block', async (t) => {
  const { url, port, all } = await receivedMessages(t)
  const filling = begin - 15
  const { firn, grow, node } = await started(t, `{ privateHosts: ['127.0.0.1:${port}'] }`, {
    lie: without(filling),
  })
  await until('a part is stored', async () => {
    return ((await chainStatuses(firn)).get(chainKey)?.indexedHeight ?? -1) === filling - 1
  })
  const id = await register(firn, url)
  assert.ok(activityOf(chain, address, { from: filling, until: begin + 1 }).length > 0)
  node.lie = undefined
  await untilLive(firn, [chainKey])
  const upTo = (from: number, until: number): string[] =>
    activityOf(chain, address, { from: from + 1, until: until + 1 })
  await grow(begin + 10)
  const first = upTo(begin, begin + 10)
  await until('the first are delivered', () => all.length >= first.length)
  assert.equal((await ask(firn, 'DELETE', `/v1/webhooks/${id}`)).body['status'], 'inactive')
  await grow(begin + 20)
  assert.ok(upTo(begin + 10, begin + 20).length > 0, 'something happens while it is inactive')
  const again = await ask(firn, 'PATCH', `/v1/webhooks/${id}`, { body: { status: 'active' } })
  assert.equal(again.body['status'], 'active')
  await grow(begin + 30)
  const rest = upTo(begin + 20, begin + 30)
  await until('the rest are delivered', () => all.length >= first.length + rest.length)
  assert.deepEqual(
    all.map(({ transaction }) => transaction.txHash),
    [...first, ...rest],
  )
})

void test('webhooks: a receiver that never answers delays no other, and a repair sends nothing', async (t) => {
  const { url, port, all } = await receivedMessages(t)
  let requests = 0
  const silent = await receiver(t, () => requests++)
  const hosts = `['127.0.0.1:${port}', '127.0.0.1:${silent.port}']`
  const { firn, grow, folder, node } = await followed(t, `{ privateHosts: ${hosts} }`)
  await register(firn, silent.url)
  await register(firn, url)
  const expected = activityOf(chain, address, { from: begin + 1, until: begin + 21 })
  await grow(begin + 20)
  await until('the other has all', () => all.length >= expected.length)
  assert.equal(requests, 1, 'one message of a webhook is under way at a time')
  assert.equal(await firn.end(), 0)

  const config = join(folder, 'firn.yaml')
  const file = new DatabaseSync(join(folder, `${chainKey}.sqlite`))
  file.exec('update evm_transaction set gas_used = gas_used + 1 where pos % 3 = 0')
  file.close()
  const flags = ['--store', '--repair', '--config', config, '--data-dir', folder]
  const repaired = await runFirn('verify', ...flags)
  assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr)
  assert.match(repaired.stdout, /: blocks from height 0 on are read again when Firn runs$/m)
  const next = await startFirn(t, ['--config', config, '--data-dir', folder])
  await untilLive(next, [chainKey])
  node.head = begin + 30
  const rest = activityOf(chain, address, { from: begin + 21, until: begin + 31 })
  await until('later messages are delivered', () => all.length >= expected.length + rest.length)
  assert.deepEqual(
    all.map(({ transaction }) => transaction.txHash),
    [...expected, ...rest],
  )
})
