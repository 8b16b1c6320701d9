/** The stores made from recorded blocks against the recorded nodes' own answers. */

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'

import { openNetwork } from '../../../src/api/primary/network/networks.ts'
import { decodePBlock } from '../../../src/codec/primary/p-block.ts'
import { Fault } from '../../../src/core/fault.ts'
import type { NodeApi } from '../../../src/source/primary/node-api.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import { checkpointHeights, moveCheckpoint } from '../../../src/store/checkpoint.ts'
import { statement, type Writer } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { verifyPrimary, type Verified } from '../../../src/verify/verify-primary.ts'
import {
  type RecordedAnswer,
  recordedMoment,
  recordedNode,
  recordingNode,
} from '../../support/nodes/recorded-node.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import type { Json } from '../../support/services/evm-service.ts'
import {
  indexedPrimary,
  proposalsPath,
  recordedAnswers,
  recordingPath,
  renewalsPath,
} from '../../support/services/primary-service.ts'

const never = new AbortController().signal

function questionOf({ method, parameters }: RecordedAnswer): string {
  return `${method} ${JSON.stringify(parameters)}`
}

const renewalsGenesis = renewalsPath.replace(
  'local-renewals.firnrec',
  'local-renewals-genesis.json.gz',
)

/** Indexes the recording at `path` and compares all of it with its node. */
async function verified(
  path: string,
  sample: number,
  change?: (writer: Writer) => Promise<unknown>,
  over: (node: NodeApi) => NodeApi = (node) => node,
): Promise<Verified & { readonly calls: ReadonlySet<string> }> {
  const genesis = path === renewalsPath ? renewalsGenesis : 'auto'
  const dataDir = await indexedPrimary(path, genesis)
  const location = { store: 'embedded', dataDir }
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
  try {
    if (change !== undefined) {
      const writer = await openStore(location, 'primary-fuji', primaryStoreTables, 'write')
      await writer.transaction(change)
      await writer.close()
    }
    const network = await openNetwork('fuji', store)
    assert.ok(network !== undefined)
    const answers = recordedAnswers(path)
    const moment = recordedMoment(answers) * 1_000
    const calls = new Set<string>()
    const answering = over(recordedNode(answers))
    const node = recordingNode(answering, (answer) => calls.add(questionOf(answer)))
    const compared = await verifyPrimary({
      network,
      node,
      clock: manualClock(moment),
      signal: AbortSignal.timeout(60_000),
      sample,
    })
    return { ...compared, calls }
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

void test('primary store: says of every state what the recorded AvalancheGo 1.14.2 said', async () => {
  const { heights, report, calls } = await verified(recordingPath, 64)
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  assert.ok(heights.P > 100 && heights.X > 100 && heights.C > 100)
  const counts = report.counts()
  for (const check of ['P UTXOs', 'X UTXOs', 'validator sets', 'P stakes', 'reward UTXOs'])
    assert.ok((counts.get(check) ?? 0) > 4, `${check} was compared: ${counts.get(check)}`)
  // 64 heights of four subnets, and what the L1 had before and after each of its changes.
  const sets = recordedAnswers().filter(({ method }) => method === 'platform.getValidatorsAt')
  assert.equal(sets.length, 262)
  for (const set of sets) assert.ok(calls.has(questionOf(set)), questionOf(set))
})

void test('primary store: L1 changes decided in a proposal count from its option, as the node says', async () => {
  const { report } = await verified(proposalsPath, 200)
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  assert.ok((report.counts().get('validator sets') ?? 0) > 3_000)
})

void test('primary store: of a validator that renewed itself and of shared outputs, as the node says', async () => {
  const { report, calls } = await verified(renewalsPath, 400)
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  for (const answer of recordedAnswers(renewalsPath)) {
    if (answer.method === 'platform.getRewardUTXOs') assert.ok(calls.has(questionOf(answer)))
  }
  const counts = report.counts()
  assert.deepEqual([counts.get('X balances'), counts.get('reward UTXOs')], [4, 7])
  assert.ok((counts.get('validator sets') ?? 0) > 150)
})

void test('primary store: differences found before the node refused a call are reported', async () => {
  const { report } = await verified(recordingPath, 64, undefined, (node) => ({
    ...node,
    call: async (path, method, parameters, signal) => {
      if (method === 'platform.getStake') throw new Fault('node-refused', 'no such method')
      const reply = await node.call(path, method, parameters, signal)
      return method === 'platform.getBalance' ? { ...reply, unlockeds: { other: '1' } } : reply
    },
  }))
  assert.deepEqual([...report.skipped()], [['P balances', 'no such method']])
  assert.ok(report.differences().length > 0)
  for (const { check } of report.differences()) assert.equal(check, 'P unlocked balances')
})

/** Questions about the past: their answers stay what they are. */
const settled = new Set([
  'platform.getValidatorsAt',
  'platform.getRewardUTXOs',
  'platform.getTxStatus',
  'avm.getAssetDescription',
  'avax.getAtomicTx',
])

const chains = ['P', 'X', 'C'] as const

/** Times of a network, milliseconds. */
type Pace = {
  /** From block to block, on all three chains. */
  readonly blocksMs: number
  /** From a block until it is stored, of every second one; the others are stored at once. */
  readonly followMs: number
  readonly heightMs: number
  readonly stateMs: number
}

/**
 * The recorded network while empty blocks come, and an indexer stores them. From a block until it
 * is stored, and in the answer it came into, the node shows another state.
 */
async function verifiedMoving(pace: Pace): Promise<Verified & { altered: number; ms: number }> {
  const dataDir = await indexedPrimary()
  const location = { store: 'embedded', dataDir }
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
  const indexer = await openStore(location, 'primary-fuji', primaryStoreTables, 'write')
  try {
    const network = await openNetwork('fuji', store)
    assert.ok(network !== undefined)
    const answers = recordedAnswers()
    const recorded = recordedNode(answers)
    let [ms, come, stored, altered] = [0, 0, 0, 0]
    const pass = async (someMs: number): Promise<boolean> => {
      const before = come
      ms += someMs
      come = Math.floor(ms / pace.blocksMs)
      const delay = come % 2 === 0 ? pace.followMs : 0
      const reached = ms >= come * pace.blocksMs + delay ? come : come - 1
      for (; stored < reached; stored++) await indexer.transaction(oneBlock)
      return come > before || come > stored
    }
    const call: NodeApi['tryCall'] = async (path, method, parameters, signal) => {
      const isHeight = method.endsWith('.getHeight')
      const moved = await pass(isHeight ? pace.heightMs : pace.stateMs)
      const reply: Json = await recorded.call(path, method, parameters, signal)
      if (isHeight) return { height: Number(reply['height']) + come }
      if (!moved || settled.has(method)) return reply
      altered++
      return { ...otherState(reply) }
    }
    const verified = await verifyPrimary({
      network,
      node: {
        call,
        tryCall: call,
        callEvm: async (calls, signal) => {
          await pass(pace.heightMs)
          const replies = await recorded.callEvm(calls, signal)
          return replies.map((reply) => Number(reply) + come)
        },
      },
      clock: {
        now: () => recordedMoment(answers) * 1_000,
        monotonic: () => ms,
        sleep: async (waitMs) => void (await pass(waitMs)),
      },
      signal: never,
      sample: 64,
    })
    return { ...verified, altered, ms }
  } finally {
    await indexer.close()
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function oneBlock(writer: Writer): Promise<void> {
  for (const [stage, height] of await checkpointHeights(writer)) {
    if (!chains.some((chain) => chain === stage)) continue
    const after = { height: height + 1, hash: undefined }
    await moveCheckpoint(writer, stage, { before: height, after, epoch: 1 })
  }
}

/** Every amount one more, every list without its last. */
function otherState(reply: Json): Json {
  const text = JSON.stringify(reply, (_name, value: unknown) =>
    Array.isArray(value) ? value.slice(0, -1) : value,
  )
  return JSON.parse(text.replace(/"(\d+)"/g, (_all, digits) => `"${BigInt(digits) + 1n}"`))
}

void test('verify: an owner of UTXOs that is missing in the store is a difference', async () => {
  const busiest = statement(
    `delete from address where id = (select list / 4 from open_holding
     group by list / 4 order by count(*) desc limit 1)`,
    { unsummed: true },
  )
  const { report } = await verified(recordingPath, 2, async (writer) => writer.run(busiest, []))
  const [first, ...others] = report.differences().map(({ check, theirs }) => `${check} ${theirs}`)
  assert.deepEqual([first, others], ['owners of UTXOs missing', []])
})

void test('verify: with a block every 1.5 s everything is compared as if none came', async () => {
  const still = await verified(recordingPath, 64)
  const moving = await verifiedMoving({
    blocksMs: 1_500,
    followMs: 400,
    heightMs: 20,
    stateMs: 250,
  })
  assert.deepEqual(moving.report.differences(), [])
  assert.deepEqual(moving.interrupted, [])
  assert.deepEqual(moving.report.counts(), still.report.counts())
  assert.ok(moving.altered > 10, `blocks came into ${moving.altered} answers`)
  for (const chain of chains)
    assert.ok(moving.heights[chain] > moving.from[chain] + 20, `${chain} moved`)
})

void test('verify: checks that never fit between two blocks are named, in bounded time', async () => {
  const { report, interrupted, ms } = await verifiedMoving({
    blocksMs: 5_000,
    followMs: 0,
    heightMs: 100,
    stateMs: 7_000,
  })
  assert.deepEqual(report.differences(), [])
  assert.deepEqual(
    [...report.counts().keys()],
    [
      'owners of UTXOs',
      'validator sets',
      'reward UTXOs',
      'X assets',
      'C atomic transactions',
      'P transactions',
    ],
  )
  assert.deepEqual(interrupted.slice(0, 2), ['P UTXOs', 'atomic UTXOs X to P'])
  assert.equal(interrupted.length, 17)
  const settledMs = [...report.counts().values()].reduce((sum, count) => sum + count * 7_000, 0)
  assert.ok(ms < 17 * 75_000 + settledMs, `${ms} ms`)
})

void test('recorded node: shows what a proposal decides with its option, one height later', async () => {
  const source = openRecordedPrimary(readFileSync(proposalsPath))
  const sets = new Map<number, Map<string, unknown>>()
  for (const { method, parameters, reply } of recordedAnswers(proposalsPath)) {
    if (method !== 'platform.getValidatorsAt') continue
    const { subnetID, height } = parameters as { subnetID: string; height: number }
    sets.set(height, (sets.get(height) ?? new Map<string, unknown>()).set(subnetID, reply))
  }
  const until = (await source.headHeight('P', never)) + 1
  const blocks = await source.blocks('P', { from: 1, until }, never)
  const byHeight = new Map(blocks.map(({ height, bytes }) => [height, decodePBlock(bytes)]))
  const options: (number | undefined)[] = []
  for (const [height, block] of byHeight) {
    if (block.typeId !== 29 || block.transactions.length === 0) continue
    assert.deepEqual(sets.get(height), sets.get(height - 1), `proposal ${height}`)
    assert.notDeepEqual(sets.get(height + 1), sets.get(height), `option ${height + 1}`)
    options.push(byHeight.get(height + 1)?.typeId)
  }
  // A conversion, two registrations, weights, a balance, a deactivation, a removal.
  assert.deepEqual(options, [31, 31, 31, 31, 31, 31, 31, 31, 30])
})
