/** Whose word about the newest block counts: peers that disagree, stand still, are away, or cannot be reached. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test, type TestContext } from 'node:test'

import type { Finding } from '../../src/cli/doctor/finding.ts'
import { checkPeers } from '../../src/cli/doctor/peers.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { faultOf } from '../../src/core/fault.ts'
import type { PeerSourceOptions } from '../../src/source/peers/peer-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import {
  noFiles,
  type OpenSource,
  openSource,
  readAll,
  startPeers,
  type Truth,
  truthOf,
} from '../support/nodes/hostile-peers.ts'
import { realWorld, stakerKeys } from '../support/nodes/warp-network.ts'
import { startValidator, type Validator } from '../support/nodes/warp-validator.ts'
import { fileWorld } from '../support/services/primary-service.ts'

/** Seconds of the source pass in milliseconds; those of connections do not. */
const speed = 10
/** What a busy machine takes longer for is a failure. */
const limitMs = 60_000

function quickWorld(): PeerSourceOptions['world'] {
  const { clock, random } = realWorld()
  const monotonic = (): number => speed * clock.monotonic()
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => clock.sleep(ms / speed, signal)
  return { clock: { ...clock, monotonic, sleep }, random, files: noFiles() }
}

/** Five peers whose P-Chain is at height `top`, and a source over them. */
async function fiveOf(
  t: TestContext,
  truth: Truth,
  more: Partial<PeerSourceOptions> = {},
): Promise<
  OpenSource & { readonly lies: (string | undefined)[]; readonly all: readonly Validator[] }
> {
  const network = await startPeers(truth, 5, () => 0.5)
  t.after(network.close)
  const opened = openSource(truth, network, { world: quickWorld(), ...more })
  t.after(opened.close)
  return { ...opened, lies: network.lies, all: network.validators }
}

/** Asks the source for its head until its word, a height or why there is none, is the one that is awaited. */
async function untilSaid(
  { source }: Pick<OpenSource, 'source'>,
  isAwaited: (word: number | string) => boolean,
): Promise<string> {
  for (const until = performance.now() + limitMs; ;) {
    const word = await source
      .headHeight('P', AbortSignal.timeout(limitMs))
      .catch((error: unknown) =>
        faultOf(error)?.code === 'node-unreachable' ? String(error) : assert.fail(String(error)),
      )
    if (isAwaited(word)) return String(word)
    assert.ok(performance.now() < until, `its last word: ${word}`)
    await realWorld().clock.sleep(5)
  }
}

const isHeight =
  (height: number) =>
  (word: number | string): boolean =>
    word === height
const matches =
  (words: RegExp) =>
  (word: number | string): boolean =>
    words.test(String(word))

/** What `firn doctor` says of these peers. */
function doctorOf(
  { networkId }: Truth,
  validators: readonly Pick<Validator, 'nodeId' | 'port'>[],
  timeoutMs = 5_000,
): Promise<readonly Finding[]> {
  const peers = validators.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`)
  const fuji = { primary: true, source: 'peers', networkId, peers }
  const file = { path: 'firn.yaml', text: JSON.stringify({ networks: { fuji } }) }
  const { fuji: network } = readConfig({ flags: {}, environment: {}, file }).config.networks
  const world = { ...fileWorld, ...realWorld() }
  return checkPeers('fuji', network ?? assert.fail('it is configured'), { world, timeoutMs })
}

/** A truth whose P-Chain is three blocks below its end, so that it can grow. */
function growing(): { readonly truth: Truth; readonly low: number } {
  const truth = truthOf('local-one')
  const low = truth.P.height - 3
  for (const chain of [truth.P, truth.other.P, truth.still.P]) chain.height = low
  return { truth, low }
}

for (const [title, lie, words] of [
  [
    'hold another block at one height',
    'alternative',
    /block since 2\S+Z: \d+ % of 5 bootstrap nodes agree, 80 % are needed: 60 % say block \w+ \(.*40 % say block \w+/,
  ],
  [
    'stand still',
    'standsStill',
    /block since 2\S+Z: \d+ % of 5 bootstrap nodes agree, 80 % are needed: 60 % say block \w+ \(.*40 % say block \d+, \w+/,
  ],
] as const)
  void test(`agreement: two of five peers ${title}: the head waits, and the status says how many answer what`, async (t) => {
    const { truth, low } = growing()
    const five = await fiveOf(t, truth)
    assert.equal(await readAll(five.source, truth.P, AbortSignal.timeout(60_000)), 'live')
    five.lies.fill(lie, 3)
    truth.P.height = low + 1
    if (lie === 'alternative') truth.other.P.height = low + 1
    const word = await untilSaid(five, matches(words))
    for (const { nodeId } of five.all) assert.ok(word.includes(nodeId), nodeId)
    five.lies.fill(undefined)
    await untilSaid(five, isHeight(low + 1))
  })

for (const what of ['is away', 'stands still'])
  void test(`agreement: one of five peers that ${what} delays nothing`, async (t) => {
    const { truth, low } = growing()
    const five = await fiveOf(t, truth)
    assert.equal(await readAll(five.source, truth.P, AbortSignal.timeout(60_000)), 'live')
    if (what === 'is away') await five.all[2]!.close()
    else five.lies[2] = 'standsStill'
    for (const height of [low + 1, low + 3]) {
      truth.P.height = height
      await untilSaid(five, isHeight(height))
    }
  })

void test('agreement: one of five that is away from the start stops nothing', async (t) => {
  const { truth, low } = growing()
  const five = await fiveOf(t, truth)
  await five.all[1]!.close()
  await untilSaid(five, isHeight(low))
})

void test('agreement: four of five that contradict the fifth are not believed', async (t) => {
  const { truth } = growing()
  const five = await fiveOf(t, truth)
  five.lies.fill('alternative', 1)
  await untilSaid(
    five,
    matches(/more than 80 % are needed: 80 % say block \w+ \(.*20 % say block \w+/),
  )
})

void test('agreement: bootstrap nodes vote until validators with four fifths of the stake are connected', async (t) => {
  const { truth, low } = growing()
  const away = { nodeId: 'NodeID-111111111111111111116DBWJs', weight: 3_000n }
  const five = await fiveOf(t, truth, {
    stored: {
      validators: async () => [...five.all.map(({ nodeId }) => ({ nodeId, weight: 2_000n })), away],
      blockId: async () => undefined,
    },
  })
  assert.equal(five.source.votedBy?.(), '5 bootstrap nodes')
  assert.equal(await readAll(five.source, truth.P, AbortSignal.timeout(60_000)), 'live')
  const voted =
    '5 bootstrap nodes, until 80 % of the stake of 6 validators are connected, not 76.92 %'
  await untilSaid(five, (word) => word === low && five.source.votedBy?.() === voted)
})

void test('agreement: few validators vote with all of their stake, and one of five may be away', async (t) => {
  const { truth, low } = growing()
  const weight = 2_000_000_000_000_001n
  const five = await fiveOf(t, truth, {
    stored: {
      validators: async () => five.all.map(({ nodeId }) => ({ nodeId, weight })),
      blockId: async () => undefined,
    },
  })
  assert.equal(await readAll(five.source, truth.P, AbortSignal.timeout(60_000)), 'live')
  const voted = 'the stake of 5 validators'
  await untilSaid(five, (word) => word === low && five.source.votedBy?.() === voted)
  await five.all[4]!.close()
  truth.P.height = low + 1
  await untilSaid(five, isHeight(low + 1))
})

void test('agreement: the doctor says how many of the peers answer', async (t) => {
  const { truth } = growing()
  const five = await fiveOf(t, truth)
  const texts = async (): Promise<readonly string[]> =>
    (await doctorOf(truth, five.all)).map(({ level, text }) => `${level} ${text}`)
  const [finding = ''] = await texts()
  assert.match(finding, /^ok its blocks come from peers; [45] of 5 bootstrap nodes answer$/)
  await Promise.all(five.all.slice(3).map((one) => one.close()))
  assert.deepEqual(await texts(), ['problem 3 of 5 bootstrap nodes answer'])
})

void test('agreement: a clock that is two minutes off is named, in the log too', async (t) => {
  const { truth } = growing()
  for (const [clockAhead, words] of [
    [120, /^the clock of this machine is 1[12]\d s behind that of its peers/],
    [-120, /^the clock of this machine is 1[12]\d s ahead of that of its peers/],
  ] as const) {
    const validators = await Promise.all(
      [0, 1, 2].map((at) =>
        startValidator({
          ...stakerKeys(at),
          networkId: truth.networkId,
          behaviour: { kind: 'sign' },
          clockAhead,
        }),
      ),
    )
    t.after(() => Promise.all(validators.map((one) => one.close())))
    const logged: string[] = []
    const log = { ...silentLog, warn: (event: string) => void logged.push(event) }
    const opened = openSource(truth, { validators }, { world: quickWorld(), log })
    t.after(opened.close)
    await untilSaid(opened, () => words.test(opened.source.note?.('P') ?? ''))
    assert.equal(logged.filter((event) => words.test(event)).length, 1)
  }
})

void test('agreement: where something else answers for every node, the reason says what to open, and no node is banned', async (t) => {
  const { truth } = growing()
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  t.after(() => closing.close())
  const stranger = await startValidator({
    ...stakerKeys(4),
    networkId: truth.networkId,
    behaviour: { kind: 'sign' },
  })
  t.after(stranger.close)
  for (const { port } of [closing.address() as AddressInfo, stranger]) {
    const meant = await Promise.all(
      [0, 1, 2].map((at) => startValidator({ ...stakerKeys(at), behaviour: { kind: 'sign' } })),
    )
    await Promise.all(meant.map((one) => one.close()))
    const validators = meant.map((one) => ({ ...one, port }))
    const opened = openSource(truth, { validators }, { world: quickWorld() })
    t.after(opened.close)
    const unreachable = new RegExp(`no bootstrap node could be reached: open outgoing ${port}`)
    await untilSaid(opened, matches(unreachable))
    for (const { nodeId } of validators) assert.equal(opened.peers.offence(nodeId), undefined)
    const [finding] = await doctorOf(truth, validators)
    assert.equal(finding?.level, 'problem')
    assert.match(finding?.remedy ?? '', unreachable)
  }
})
