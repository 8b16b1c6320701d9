/**
 * Names of tokens, which no hash covers: a node that makes them up is found by asking another one.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { readNewTokens } from '../../src/indexing/evm/tokens/token-metadata.ts'
import type { OpenChain } from '../../src/indexing/stream/open-chain.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { openReplayNode, replayTransport, type ReplayNode } from '../support/nodes/replay-node.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'

const file = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const question = statement(
  'select a.bytes, t.name, t.symbol from token t join address a on a.id = t.id order by t.id',
)

/** The string "Forged Dollar" as ABI has it. */
const forgedName = `0x${'20'.padStart(64, '0')}${'0d'.padStart(64, '0')}${Buffer.from('Forged Dollar').toString('hex').padEnd(64, '0')}`

/** Names as they are stored when a node tells them, and another beside it does. */
async function storedNames(
  t: Parameters<typeof freshFolder>[0],
  change: (node: ReplayNode) => void,
) {
  const location = { store: 'embedded', dataDir: await freshFolder(t) } as const
  await readDemoChain(location, { name: 'names', chain: 51_002, step: 50, owner: 'test' })
  const database = await openStore(location, 'names', chainTables, 'write')
  t.after(() => database.close())
  const [bad, good] = [await openReplayNode(file), await openReplayNode(file)]
  change(bad)
  const clock = virtualClock()
  const events: string[] = []
  const source = openNodeSource({
    world: {
      clock,
      transport: replayTransport({ bad, good }, clock),
      random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
      files: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
        list: async () => [],
      },
    },
    log: silentLog,
    urls: ['http://bad/', 'http://good/'],
    expected: { chainId: 51002 },
    timeoutMs: 30_000,
    traceTimeoutMs: 30_000,
    maxInFlight: 4,
    maxReplyBytes: 33_554_432,
  })
  const chain: OpenChain = {
    key: 'chain',
    database,
    source,
    clock,
    log: { ...silentLog, warn: (event: string) => void events.push(event) },
    commit: (work) => database.transaction(work),
  }
  const { signal } = new AbortController()
  while ((await readNewTokens(chain, 1, signal)).stored > 0);
  const rows = await database.all(question)
  return { names: rows.map(([, name, symbol]) => [name, symbol]), events }
}

void test('names: a name that differs between two endpoints is not stored', async (t) => {
  const truth = await storedNames(t, () => {})
  assert.ok(truth.names.length > 0 && truth.names.length <= 20, `compared: ${truth.names.length}`)
  assert.ok(truth.names.some(([name]) => name !== null))
  assert.deepEqual(truth.events, [])
  const forged = await storedNames(t, (node) => {
    node.lie = ({ method, params }, result) =>
      method === 'eth_call' && JSON.stringify(params).includes('0x06fdde03') ? forgedName : result
  })
  assert.deepEqual(
    forged.names.map(([name]) => name),
    truth.names.map(() => null),
  )
  assert.deepEqual(
    forged.names.map(([, symbol]) => symbol),
    truth.names.map(([, symbol]) => symbol),
  )
  assert.ok(forged.events.includes('endpoints give different answers'))
})

void test('names: two nodes that differ once are asked again', async (t) => {
  const truth = await storedNames(t, () => {})
  let lies = 0
  const once = await storedNames(t, (node) => {
    node.lie = ({ method, params }, result) =>
      method === 'eth_call' && JSON.stringify(params).includes('0x06fdde03') && lies++ === 0
        ? forgedName
        : result
  })
  assert.equal(lies > 0, true)
  assert.deepEqual(once.names, truth.names)
})
