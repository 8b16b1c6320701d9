import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import type { NodeChain } from '../../src/admin/aliases/alias-rules.ts'
import { runCommand } from '../support/processes/firn-command.ts'
import { freshFolder, startHarness } from './harness.ts'

const cId = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'
const chain: NodeChain = {
  id: cId,
  names: ['C', 'evm'],
  otherNames: [],
  network: 'mainnet',
  kind: 'evm',
  rpcUrls: [],
  isLive: () => true,
}

const chains = [chain]
const { folder, remove } = await freshFolder()
const node = await startHarness({ folder, chains: () => chains, loggers: ['C'] })
const closed = await startHarness({ folder, settings: { apiAdminEnabled: false } })
after(async () => {
  await node.close()
  await remove()
})

/** Runs `firn` against a listener and gives what it printed; of a failure, the error's line. */
async function firn(port: number, ...words: string[]): Promise<string> {
  const url = ['--node-url', `http://127.0.0.1:${port}`]
  const { code, stdout, stderr } = await runCommand(...words, ...url)
  return code === 0 ? stdout : stderr
}

void test('firn alias: adds, lists and removes names of a running process', async () => {
  assert.equal(await firn(node.port, 'alias', 'list'), 'no aliases\n')
  assert.equal(await firn(node.port, 'alias', 'add', 'shop', '--chain', 'C'), 'shop is chain C\n')
  await firn(node.port, 'alias', 'add', 'state', '--endpoint', 'health')
  assert.equal(node.aliases.resolve('shop'), cId)
  assert.equal(
    await firn(node.port, 'alias', 'list'),
    `chain     shop → ${cId}\nendpoint  /ext/state → /ext/health\n`,
  )
  assert.equal(
    await firn(node.port, 'alias', 'add', 'shop', '--chain', 'C'),
    'firn: alias already mapped to an ID: shop\n',
  )
  assert.equal(await firn(node.port, 'alias', 'rm', 'shop'), 'shop is removed\n')
  assert.equal(node.aliases.resolve('shop'), undefined)
  assert.equal(
    await firn(node.port, 'alias', 'add', 'x', '--chain', 'C', '--endpoint', 'info'),
    'firn: give one of --chain and --endpoint\n',
  )
})

void test('firn log level: prints and sets levels of one logger or of all', async () => {
  const set = await firn(node.port, 'log', 'level', 'C', '--level', 'verbo', '--display', 'fatal')
  assert.equal(set, 'C                file VERBO, display FATAL\n')
  assert.deepEqual(node.logs.levels('C'), { logLevel: 'VERBO', displayLevel: 'FATAL' })
  await firn(node.port, 'log', 'level', '--display', 'off')
  assert.equal(
    await firn(node.port, 'log', 'level'),
    'C                file VERBO, display OFF\nmain             file INFO, display OFF\n',
  )
})

void test('firn profile: leaves the file it names', async () => {
  for (const [kind, file] of [
    ['cpu', 'cpu'],
    ['heap', 'mem'],
    ['lock', 'lock'],
  ] as const) {
    const words = kind === 'cpu' ? ['--seconds', '0.2'] : []
    assert.match(
      await firn(node.port, 'profile', kind, ...words),
      new RegExp(`${file}\\.profile is written`),
    )
    assert.ok(statSync(join(folder, 'profiles', `${file}.profile`)).size > 0)
  }
  const wrong = await firn(node.port, 'profile', 'disk')
  assert.equal(wrong, 'firn: profile must be cpu, heap or lock: disk\n')
})

void test('firn commands: the error says when administration is not enabled, or no Firn answers', async () => {
  assert.match(await firn(closed.port, 'alias', 'list'), /administration is not enabled there/)
  await closed.close()
  assert.equal(
    await firn(closed.port, 'alias', 'list'),
    `firn: no Firn answers, ECONNREFUSED: http://127.0.0.1:${closed.port}\n`,
  )
})
