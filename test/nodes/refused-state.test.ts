/** Nodes that refuse state calls are tried again, ever more rarely. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { fromBigint } from '../../src/core/bytes.ts'
import { UnexplainedLogs } from '../../src/indexing/evm/tokens/token-activity.ts'
import { tokenStream } from '../../src/indexing/evm/tokens/token-stream.ts'
import { newTokens } from '../../src/indexing/evm/write/transfer-rows.ts'
import type { WatchedChain } from '../../src/indexing/stream/open-chain.ts'
import type { Stream } from '../../src/indexing/stream/stage.ts'
import type { EvmSource, StateCall } from '../../src/source/evm-source.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { moveCheckpoint, blockStage } from '../../src/store/checkpoint.ts'
import { statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { address, token } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { openReplayNode, replayTransport, type ReplayNode } from '../support/nodes/replay-node.ts'
import { manualClock } from '../support/processes/manual-clock.ts'
import { virtualClock, type VirtualClock } from '../support/processes/virtual-clock.ts'

const file = readFileSync(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }
const gone = { code: -32000, message: 'missing trie node' }
const minuteMs = 60_000
const { signal } = new AbortController()

type Asking = {
  readonly node: ReplayNode
  readonly clock: VirtualClock
  readonly source: EvmSource
  /** Number of requests for state to the node. */
  readonly calls: () => number
}

/** A source over one node that answers `answer` to every `eth_call`, as long as there is one. */
async function asking(answer: () => object | undefined): Promise<Asking> {
  const clock = virtualClock()
  const node = await openReplayNode(file)
  node.lie = ({ method }, result) => (method === 'eth_call' ? (answer() ?? result) : result)
  const source = openNodeSource({
    world: {
      clock,
      random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
      transport: replayTransport({ node }, clock),
      files: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
        list: async () => [],
      },
    },
    log: silentLog,
    urls: ['http://node/'],
    expected: { chainId: 51002 },
    timeoutMs: 30_000,
    traceTimeoutMs: 30_000,
    maxInFlight: 8,
    maxReplyBytes: 2 ** 20,
  })
  await source.identity(signal)
  const before = node.seen.filter(({ method }) => method === 'eth_call').length
  const calls = (): number =>
    node.seen.filter(({ method }) => method === 'eth_call').length - before
  return { node, clock, source, calls }
}

/** The chain's own id, which every recording holds. */
const question: StateCall = {
  method: 'eth_call',
  target: { to: '0x0200000000000000000000000000000000000005', data: '0x4213cf78' },
}

void test('eth_call refused as unknown is not served, is tried again ever more rarely, and is served once the node answers', async () => {
  let isRefused = true
  const { clock, source, calls } = await asking(() => (isRefused ? unknownMethod : undefined))
  for (let minute = 0; minute < 600; minute++) {
    const [answer] = await source.state([question], 'latest', signal)
    assert.equal(answer?.kind, 'not-served')
    await clock.sleep(minuteMs)
  }
  assert.ok(calls() >= 10 && calls() <= 20, `${calls()} calls in ten hours`)
  // Other methods are another matter.
  const [balance] = await source.state(
    [{ method: 'eth_getBalance', target: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc' }],
    'latest',
    signal,
  )
  assert.ok(balance !== undefined)
  isRefused = false
  await clock.sleep(60 * minuteMs)
  const [answer] = await source.state([question], 'latest', signal)
  assert.equal(answer?.kind, 'value')
})

/** As the first transfer of a token leaves it. */
const newToken = newTokens([{ id: 1, standard: 20, height: 1 }])

for (const [name, answer] of [
  ['does not know eth_call', unknownMethod],
  ['has no state', gone],
] as const)
  void test(`a new token at a node that ${name}: a few questions an hour`, async (t) => {
    const { clock, source, calls, node } = await asking(() => answer)
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-refused-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const place = { store: 'embedded', dataDir } as const
    const database = await openStore(place, 'chain', chainTables, 'write')
    t.after(() => database.close())
    await database.transaction(async (writer) => {
      await writer.insert(address, { id: [1], bytes: [new Uint8Array(20).fill(7)], cased: [0] })
      await writer.insert(token, newToken)
      const after = { height: node.head, hash: undefined }
      await moveCheckpoint(writer, blockStage, { before: undefined, after, epoch: 1 })
    })
    const over = new AbortController()
    const { run, status } = streamOver({ database, source, clock })
    const running = run(over.signal)
    await clock.sleep(60 * minuteMs)
    assert.equal(status().state, 'live')
    over.abort()
    await running
    // Seven questions make one request.
    const requests = calls() / 7
    assert.ok(requests >= 3 && requests <= 20, `${requests} requests in an hour`)
  })

void test('every token is looked at within a day, whatever their number: the longest unseen first', async (t) => {
  const count = 1_200
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-looks-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const database = await openStore({ store: 'embedded', dataDir }, 'chain', chainTables, 'write')
  t.after(() => database.close())
  const ids = Array.from({ length: count }, (_, at) => at + 1)
  await database.transaction(async (writer) => {
    const bytes = ids.map((id) => fromBigint(BigInt(id), 20))
    await writer.insert(address, { id: ids, bytes, cased: ids.map(() => 0) })
    const tokens = newTokens(ids.map((id) => ({ id, standard: 20, height: 1 })))
    await writer.insert(token, { ...tokens, metadata_height: ids.map(() => 1) })
    const after = { height: 9, hash: undefined }
    await moveCheckpoint(writer, blockStage, { before: undefined, after, epoch: 1 })
  })
  const oldest = statement('select min(compared_at) from token')
  const looked = new Map<string, number>()
  let over = new AbortController()
  const clock = manualClock()
  Object.assign(clock, {
    // A pause of nothing: there is more to do. Any other: all is looked at.
    sleep: async (ms: number) => {
      clock.nowMs += 50
      if (ms > 0) over.abort()
    },
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stream asks nothing else
  const source = {
    headHeight: async () => 9,
    state: async (calls) => {
      for (const { method, target } of calls)
        if (method === 'eth_getCode' && typeof target === 'string')
          looked.set(target, (looked.get(target) ?? 0) + 1)
      return calls.map(() => ({ kind: 'value', value: '0x60' }))
    },
  } as Pick<EvmSource, 'headHeight' | 'state'> as EvmSource
  const stream = streamOver({ database, source, clock })
  for (const times of [1, 2, 3]) {
    over = new AbortController()
    const begun = Math.floor(clock.nowMs / 1_000)
    await stream.run(over.signal)
    assert.equal(looked.size, count)
    assert.deepEqual(new Set(looked.values()), new Set([times]))
    assert.ok(Number((await database.get(oldest))?.[0]) >= begun)
    clock.nowMs += 86_401_000
  }
})

/** The tokens of a chain that nothing else happens to. */
function streamOver(chain: Pick<WatchedChain, 'database' | 'source' | 'clock'>): Stream {
  const { transaction: commit } = chain.database
  return tokenStream(
    { ...chain, key: 'chain', log: silentLog, commit, changes: () => 0 },
    {
      random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
      requests: async () => undefined,
      wrapped: [],
      unexplained: new UnexplainedLogs(),
    },
  )
}
