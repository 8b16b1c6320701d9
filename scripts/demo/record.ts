/**
 * Records the demo network from a real one, all of it at once:
 *
 *     node scripts/demo/record.ts [<folder to write to, `demo` when absent>]
 *
 * Needs AvalancheGo with Helicon (`FIRN_AVALANCHE_TREE`, CONTRIBUTING.md), and some ten minutes. It is a story with a fixed course, but of the moment: ids and times
 * are others each time. Afterwards `node scripts/demo/print-guides.ts` prints the guides again.
 */

import { fileURLToPath } from 'node:url'

import { toCb58 } from '../../src/core/cb58.ts'
import { workWithAssets } from '../../test/network/asset-steps.ts'
import { avalancheTree, knowsHelicon } from '../../test/network/avalanche-tree.ts'
import { beforeDurango, betweenDurangoAndEtna, splitFunds } from '../../test/network/early-steps.ts'
import { ewoq } from '../../test/network/keys.ts'
import {
  askRegistration,
  askWeight,
  disable,
  l1Answers,
  register,
  setWeight,
  starved,
} from '../../test/network/l1-steps.ts'
import { text } from '../../test/network/node-rpc.ts'
import { type RealNetwork, settled, startNetwork } from '../../test/network/real-network.ts'
import { candidateNamed, openScene, type Scene, upgraded } from '../../test/network/scene.ts'
import { avax } from '../../test/network/utxo-wallet.ts'
import { unzipped } from '../../test/support/chains/recorded-network.ts'
import { build, makeMessenger, sendMessages } from './bridge.ts'
import { compiledContracts } from './compile.ts'
import { type DemoL1, l1Plans, makeL1, runL1s } from './l1s.ts'
import {
  handOut,
  liveOneRound,
  makeByContract,
  type Market,
  noteMarket,
  openMarket,
} from './market.ts'
import { demoPlan } from './plan.ts'
import { Relay } from './relay.ts'
import { Cast, type Chain, type Codes, fund, walletsOn } from './stage.ts'
import { announceTerms, newTerms, pastTermsEnd, renewing } from './staking.ts'
import { writeDemo } from './write-demo.ts'

const rounds = 14

type Story = {
  readonly scene: Scene
  readonly cast: Cast
  readonly codes: Codes
  readonly relay: Relay
  /** Transactions of the P-Chain about which it signs something. */
  readonly announced: Uint8Array[]
}

/** Exports and imports between all three chains. */
async function betweenChains({ wallet }: Scene): Promise<void> {
  const payment = { amount: 2_000n * avax, owners: [ewoq.address] }
  const cheap = false
  await wallet.export('X', 'C', [payment], cheap)
  await wallet.import('C', 'X', ewoq, cheap)
  await wallet.exportFromC('X', ewoq, { ...payment, amount: 2n * avax })
  await wallet.import('X', 'C', ewoq, cheap)
  await wallet.exportFromC('P', ewoq, { ...payment, amount: 3n * avax })
  await wallet.import('P', 'C', ewoq, cheap)
  // These are left to be imported.
  await wallet.export('P', 'X', [{ ...payment, amount: 11n * avax }], cheap)
}

/** Before there were L1s. */
async function early(scene: Scene, cast: Cast): Promise<void> {
  await splitFunds(scene)
  await pastTermsEnd(scene)
  await announceTerms(scene, cast)
  const subnetId = await beforeDurango(scene)
  await Promise.all([workWithAssets(scene), betweenChains(scene)])
  await upgraded(scene, 'durango')
  await betweenDurangoAndEtna(scene, subnetId)
  await newTerms(scene, cast)
  cast.note('subnet', toCb58(subnetId))
  await upgraded(scene, 'etna')
}

/** The height with which the P-Chain verifies messages now is moved to that of now. */
async function epochPasses({ network, wallet, say }: Scene): Promise<void> {
  const node = network.node(1)
  const height = Number(text(await node.call('/ext/bc/P', 'platform.getHeight'), 'height'))
  await settled('the P-Chain verifies with the validators of now', async () => {
    const epoch = await node.call('/ext/bc/P/proposervm', 'proposervm.getCurrentEpoch')
    if (Number(text(epoch, 'pChainHeight')) >= height) return true
    await wallet.issueP({}, (base) => ({ typeId: 34, ...base }))
    return false
  })
  say('an epoch passed')
}

/** Seats that come and go: one lives, one is about to run dry, one has, one is switched off, one leaves. */
async function seats({ scene, relay, cast, announced }: Story, summit: DemoL1): Promise<void> {
  const balances = {
    'demo guest': 12n * 86_400n,
    'demo thirsty': 21_600n,
    'demo starved': 40n,
    'demo disabled': avax / 10n,
    'demo leaver': avax / 100n,
  }
  await epochPasses(scene)
  const ids = new Map<string, Uint8Array>()
  for (const [name, balance] of Object.entries(balances)) {
    const candidate = candidateNamed(name)
    const asked = await askRegistration(summit, candidate, 12n)
    const signed = await relay.sign({ message: asked.log })
    announced.push(await register(scene, { signed, candidate, balance }))
    ids.set(name, asked.validationId)
    cast.note(`seat ${name.slice(5)}`, toCb58(asked.validationId))
  }
  const idOf = (name: string): Uint8Array => ids.get(name) ?? new Uint8Array(32)
  await disable(scene, idOf('demo disabled'))
  for (const [name, nonce, weight] of [
    ['demo guest', 0n, 30n],
    ['demo leaver', 0n, 0n],
  ] as const) {
    const log = await askWeight(summit, { validationId: idOf(name), nonce, weight })
    announced.push(await setWeight(scene, await relay.sign({ message: log })))
  }
  await starved(scene, idOf('demo starved'))
}

/** Markets on both L1s and the C-Chain, and a dozen minutes of life. */
async function live(story: Story, chains: readonly [DemoL1, DemoL1, Chain]): Promise<void> {
  const { scene, cast, codes, relay } = story
  const [summit, harbor, c] = chains
  const messengers = await Promise.all(
    chains.map(async (chain) => {
      await fund(chain, 200n)
      return makeMessenger(codes, chain)
    }),
  )
  const open = async (chain: Chain, names: Parameters<typeof openMarket>[2]): Promise<Market> => {
    const market = await openMarket(codes, chain, names)
    noteMarket(cast, chain, market)
    await handOut(chain, market)
    return market
  }
  const markets = await Promise.all([
    open(summit, { token: 'Glacier', symbol: 'GLC', pictures: 'Summit Views' }),
    open(harbor, { token: 'Lantern', symbol: 'LNT', pictures: 'Harbor Lights' }),
    open(c, { token: 'Ridge', symbol: 'RDG', pictures: 'C-Chain Peaks' }),
  ])
  scene.say('the markets are open')
  const bridges = await build(codes, { home: summit, harbor, c, market: markets[0], messengers })
  cast.note('messenger', bridges.messenger)
  await makeByContract(codes, summit, { cast, token: markets[0].token })
  const homeSubnet = toCb58(summit.subnetId)
  const lifeOn = async (chain: Chain, market: Market, count: number): Promise<void> => {
    for (let round = 0; round < count; round++) await liveOneRound(chain, market, round)
    scene.say(`life on ${chain.name} is over`)
  }
  await Promise.all([
    lifeOn(summit, markets[0], rounds),
    lifeOn(harbor, markets[1], rounds),
    lifeOn(c, markets[2], rounds / 2),
    seats(story, summit),
  ])
  await sendMessages(scene, bridges, { relay, homeSubnet, cast })
}

async function story(network: RealNetwork, beganAt: number, out: string): Promise<void> {
  const codes = compiledContracts()
  const scene = await openScene(network, beganAt)
  const cast = new Cast()
  await early(scene, cast)
  const summit = await makeL1(scene, l1Plans[0] as (typeof l1Plans)[number])
  const harbor = await makeL1(scene, l1Plans[1] as (typeof l1Plans)[number])
  const l1s = [summit, harbor]
  await runL1s(scene, l1s)
  for (const l1 of l1s) for (const node of [1, 2, 3, 4]) await l1Answers(scene, l1, node)
  const cPath = '/ext/bc/C/rpc'
  const c: Chain = {
    name: 'C-Chain',
    symbol: 'AVAX',
    chainNumber: 43_112,
    blockchainId: scene.wallet.ids.chains.C,
    path: cPath,
    of: walletsOn(scene, cPath, scene.c),
  }
  const relay = await Relay.open(scene)
  const announced = [summit.conversion, harbor.conversion]
  try {
    await upgraded(scene, 'helicon')
    const renewal = renewing(scene, cast)
    await live({ scene, cast, codes, relay, announced }, [summit, harbor, c])
    await renewal
    for (const l1 of l1s) {
      cast.note(`${l1.name}.subnet`, toCb58(l1.subnetId))
      cast.note(`${l1.name}.blockchain`, toCb58(l1.chainId))
      cast.note(`${l1.name}.conversion`, toCb58(l1.conversion))
    }
    await writeDemo({
      scene,
      cast,
      chains: [summit, harbor, c],
      sent: relay.signed,
      announced,
      out,
    })
  } finally {
    await relay.close()
  }
}

const out = process.argv[2] ?? fileURLToPath(new URL('../../demo', import.meta.url))
const tree = avalancheTree()
if (tree === undefined || !knowsHelicon(tree))
  throw new Error('no AvalancheGo with Helicon: FIRN_AVALANCHE_TREE')
const beganAt = Math.floor(Date.now() / 1_000)
const local = JSON.parse(unzipped('data/genesis/local.json.gz')) as { initialStakers: unknown[] }
const network = await startNetwork(tree, demoPlan(beganAt, local.initialStakers))
try {
  await story(network, beganAt, out)
} finally {
  await network.down()
}
process.exit(0)
