/**
 * Everything that happens on a network, on a real one, with Firn beside it.
 *
 * Five nodes cross Durango, Etna and Granite, and Helicon where they know it; every type of transaction that today's node
 * takes is sent; an L1 lives; nodes restart and stay away; Firn is killed. Three Firns follow, one on
 * SQLite, one on PostgreSQL, and one that has no node, only peers. In the middle and at the end the first
 * two are held against the nodes, by their own `firn verify` and by a program that shares nothing with them
 * (`outside.ts`), and the third against the first.
 */

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { toCb58 } from '../../src/core/cb58.ts'
import { run } from '../support/processes/firn-process.ts'
import { startPostgres } from '../support/stores/postgres.ts'
import { workWithAssets } from './asset-steps.ts'
import { avalancheTree, knowsHelicon } from './avalanche-tree.ts'
import { beforeDurango, betweenDurangoAndEtna, longSeconds, splitFunds } from './early-steps.ts'
import { liveOn } from './evm-steps.ts'
import { FollowingFirn, type Wanted } from './firn.ts'
import { ewoq } from './keys.ts'
import { convert, type L1, l1Answers, restartWithL1 } from './l1-steps.ts'
import { checkLivePrimary } from './live-primary.ts'
import { checkLiveWarp } from './live-warp.ts'
import { makeMessengers, talkBothWays } from './messenger-steps.ts'
import {
  acceptedByPeers,
  behind,
  byPeers,
  sameAnswers,
  sameRows,
  withoutNodes,
} from './peers-steps.ts'
import { scenarioPlan, strangePlan } from './plan.ts'
import { type NetworkPlan, type RealNetwork, startNetwork } from './real-network.ts'
import { addRenewing, configureRenewal, cycleSeconds, renewed } from './renewal-steps.ts'
import { candidateAt, candidateNamed, openScene, type Scene, upgraded } from './scene.ts'
import { soak } from './soak-rounds.ts'
import { type Finding, findingsOfOutside, findingsOfVerify, tableOf } from './table.ts'
import { avax } from './utxo-wallet.ts'
import { lateLife, type Signing, signOverEpochs, signWithNodesAway } from './warp-steps.ts'

const outside = fileURLToPath(new URL('outside.ts', import.meta.url))
const tree = avalancheTree() ?? ''
const skip = tree === '' && 'no Go that builds AvalancheGo, and no FIRN_AVALANCHE_TREE'
const withHelicon = tree !== '' && knowsHelicon(tree)

/** A scene with its Firns. */
type Stage = Signing & {
  /** Chains that all follow, and where each has its primary network from. */
  readonly chains: Wanted['chains']
  readonly networks: readonly object[]
  readonly findings: Finding[]
}

void test('a real network: what Firn says is what its nodes say', { skip }, async (t) => {
  const beganAt = Math.floor(Date.now() / 1_000)
  const plan = scenarioPlan(beganAt, withHelicon)
  const network = await startNetwork(tree, plan)
  t.after(() => network.down())
  const stage = await begin(t, network, { plan, beganAt })
  const { say } = stage
  await splitFunds(stage)
  const subnetId = await beforeDurango(stage)
  await Promise.all([workWithAssets(stage), betweenChains(stage).then(() => liveOn(stage.c))])
  await upgraded(stage, 'durango')
  await sameRows(stage)
  await betweenDurangoAndEtna(stage, subnetId)
  await upgraded(stage, 'etna')
  const l1 = await convert(stage)
  await upgraded(stage, 'granite')
  await sameRows(stage)
  await Promise.all(stage.firns.map((firn) => firn.kill()))
  say('all Firns are killed')
  await restartWithL1(stage, l1, [2, 3, 4, 5, 1])
  const chains = withL1(stage, l1)
  await Promise.all([1, 2, 3, 4, 5].map((node) => l1Answers(stage, l1, node)))
  await startFirns(stage, chains)
  await liveOn(l1.evm)
  const messengers = await makeMessengers(stage, l1)
  await network.stop(5)
  await talkBothWays(stage, messengers)
  await network.restart(5)
  await network.ready(5)
  const late = await signWithNodesAway(stage, l1)
  await compareAll(stage, l1, 'in the middle')
  if (withHelicon) await upgraded(stage, 'helicon')
  const renewing = withHelicon ? afterHelicon(stage) : undefined
  const epochs = await signOverEpochs(stage, l1, late)
  await lateLife(stage, l1, { ...epochs, late })
  await renewing
  await liveOn(stage.c)
  await betweenChains(stage)
  const killed = async (): Promise<void> => {
    await Promise.all([0, 1, 2].map((at) => killAndStart(stage, chains, at)))
    say('all Firns were killed, and follow again')
  }
  await withoutNodes(stage, l1, () => killAndStart(stage, chains, 2))
  await behind(stage)
  await sameAnswers(stage)
  await acceptedByPeers(stage)
  await talkBothWays(stage, messengers, killed)
  await compareAll(stage, l1, 'at the end')
  await soak(stage, {
    life: async () => {
      await Promise.all([betweenChains(stage).then(() => liveOn(stage.c)), liveOn(l1.evm)])
      await talkBothWays(stage, messengers)
    },
    restart: (node) => network.restart(node),
    kill: (at) => killAndStart(stage, chains, at),
    compare: (when) => compareAll(stage, l1, when),
  })
  const nodeUrl = network.url(1)
  await checkLivePrimary({ nodeUrl, genesis: `${network.folder}/genesis.json` })
  await checkLiveWarp({ nodeUrl, conversion: toCb58(l1.conversion) })
  console.log(tableOf(stage.findings))
  for (const firn of stage.firns) assert.equal(await firn.stop(), 0)
})

/** Starts the Firns at the network's first blocks. The second one has a node without an index. */
async function begin(
  t: TestContext,
  network: RealNetwork,
  { plan, beganAt }: { readonly plan: NetworkPlan; readonly beganAt: number },
): Promise<Stage> {
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const scene = await openScene(network, beganAt)
  const stranger = await startNetwork(tree, strangePlan(plan))
  t.after(() => stranger.down())
  // It is ahead of the network from now on.
  const other = { ...(await openScene(stranger, beganAt)), say: () => undefined }
  await splitFunds(other)
  await betweenChains(other)
  const firns: Stage['firns'] = [
    await FollowingFirn.open(t, 'SQLite', 'embedded'),
    await FollowingFirn.open(t, 'PostgreSQL', postgres.url),
    await FollowingFirn.open(t, 'peers', 'embedded'),
  ]
  const genesis = `${network.folder}/genesis.json`
  const networks = [
    { nodeUrl: network.url(1), genesis },
    { nodeUrl: network.url(4), genesis },
    await byPeers(network, stranger),
  ]
  const chains = { 'C-Chain': [1, 3].map((node) => `${network.url(node)}/ext/bc/C/rpc`) }
  const stage = { ...scene, firns, chains, networks, findings: [] }
  await startFirns(stage, chains)
  stage.say('one of the peers is ahead, of another network with the same genesis')
  return stage
}

async function startFirns(stage: Stage, chains: Wanted['chains']): Promise<void> {
  await Promise.all(stage.firns.map((_firn, at) => startFirn(stage, chains, at)))
  stage.say('all Firns follow')
}

async function startFirn(
  { firns, networks }: Stage,
  chains: Wanted['chains'],
  at: number,
): Promise<void> {
  await firns[at]!.start({ network: networks[at]!, chains })
}

async function killAndStart(stage: Stage, chains: Wanted['chains'], at: number): Promise<void> {
  await stage.firns[at]!.kill()
  await startFirn(stage, chains, at)
}

function withL1({ chains, network }: Stage, { path }: L1): Wanted['chains'] {
  return { ...chains, Scenario: [1, 2].map((node) => network.url(node) + path) }
}

/** Exports and imports between all three chains, in both directions. */
async function betweenChains({ wallet, say }: Scene): Promise<void> {
  const payment = { amount: 7n * avax, owners: [ewoq.address] }
  const cheap = false
  await wallet.export('X', 'C', [payment], cheap)
  await wallet.import('C', 'X', ewoq, cheap)
  await wallet.exportFromC('X', ewoq, { ...payment, amount: 2n * avax })
  await wallet.import('X', 'C', ewoq, cheap)
  await wallet.export('P', 'C', [payment], cheap)
  await wallet.import('C', 'P', ewoq, cheap)
  await wallet.exportFromC('P', ewoq, { ...payment, amount: 3n * avax })
  await wallet.import('P', 'C', ewoq, cheap)
  await wallet.export('P', 'X', [payment], cheap)
  await wallet.import('X', 'P', ewoq, cheap)
  say('moved between all chains')
}

/** Validators that renew themselves: one of them for longer than all else takes. */
async function afterHelicon(stage: Stage): Promise<void> {
  await Promise.all([
    renewals(stage),
    addRenewing(stage, candidateNamed('renews itself for long'), longSeconds),
  ])
}

/** A validator that renews itself: half, then everything is staked again; then it ends. */
async function renewals(stage: Stage): Promise<void> {
  const txId = await addRenewing(stage, await candidateAt(stage.network, 5), cycleSeconds)
  const first = await renewed(stage, txId, 2_000n * avax)
  assert.ok(first > 2_000n * avax)
  await configureRenewal(stage, txId, { shares: 1_000_000, period: 20 })
  const second = await renewed(stage, txId, first)
  assert.ok(second > first)
  await configureRenewal(stage, txId, { shares: 0, period: 0 })
  assert.equal(await renewed(stage, txId, second), 0n)
}

/** Processes that must run during the comparison. */
const runs: Readonly<Record<string, readonly string[]>> = {
  'in the middle': ['delegators: estimatedNetReward'],
  'at the end': [
    'delegators: estimatedNetReward',
    ...(withHelicon ? ['cycles: running, its delegators'] : []),
  ],
}

/** Compares all of it by both programs, for each Firn with a node, against one it does not follow. */
async function compareAll(stage: Stage, l1: L1, when: string): Promise<void> {
  const { network, firns, findings, say } = stage
  await Promise.all(firns.map((firn) => firn.caughtUp()))
  await sameRows(stage)
  for (const firn of firns.slice(0, 2)) {
    const verified = await firn.verify('--sample', '120', '--node', network.url(1))
    findings.push(...findingsOfVerify(verified.output, { source: `verify, ${firn.name}`, when }))
    assert.equal(verified.code, 0, verified.output)
    for (const chain of await firn.evmChains()) {
      const held = await firn.verify('--chain', chain, '--sample', '60')
      findings.push(...findingsOfVerify(held.output, { source: `verify, ${chain}`, when }))
      assert.equal(held.code, 0, held.output)
    }
    const compared = await run(process.execPath, [outside, firn.url, network.url(1), l1.path])
    assert.notEqual(compared.stdout, '', compared.stderr)
    const source = `outside, ${firn.name}`
    const compares = findingsOfOutside(compared.stdout, { source, when })
    findings.push(...compares)
    assert.equal(compared.code, 0, compared.stdout + compared.stderr)
    for (const kind of runs[when] ?? []) {
      const found = compares.some((one) => one.kind === kind)
      assert.ok(found, `${kind} ${when}`)
    }
    say(`${firn.name} was compared ${when}`)
  }
}
