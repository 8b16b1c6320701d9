/** A Firn that has no node, only peers, held against one that has a node. */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { rebuildPrimary } from '../../src/indexing/primary/run/rebuild.ts'
import { checkpointHeights } from '../../src/store/checkpoint.ts'
import { openStore } from '../../src/store/open.ts'
import { primaryTables } from '../../src/store/schema/primary/tables.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import { fileWorld } from '../support/services/primary-service.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import type { FollowingFirn } from './firn.ts'
import { ewoq } from './keys.ts'
import { type L1, l1Answers } from './l1-steps.ts'
import { networkId } from './plan.ts'
import { type RealNetwork, settled } from './real-network.ts'
import { avax } from './utxo-wallet.ts'
import type { Signing } from './warp-steps.ts'

/** Nodes whose word counts at first, with that of a stranger. */
const first = [1, 2, 3, 4, 5]
const others = [2, 3, 4, 5]
/** Head of the one by peers behind that of the one by a node, milliseconds. */
const mostBehindMs = 3_000
const lookMs = 25
const key = 'primary-fuji'

/** Settings of a network whose blocks come from its peers alone; one of them is of another network. */
export async function byPeers(network: RealNetwork, stranger: RealNetwork): Promise<object> {
  const { folder } = network
  const address = async ({ node }: RealNetwork, number: number): Promise<string> => {
    const { nodeID } = await node(number).call('/ext/info', 'info.getNodeID')
    const { ip } = await node(number).call('/ext/info', 'info.getNodeIP')
    return `${String(nodeID)}@${String(ip)}`
  }
  return {
    source: 'peers',
    cAtomic: 'on',
    networkId,
    genesis: `${folder}/genesis.json`,
    upgradeFile: `${folder}/upgrades.json`,
    peers: await Promise.all([
      address(stranger, 1),
      ...first.map((number) => address(network, number)),
    ]),
  }
}

/**
 * Rows whose numbers, or whether an import came before its export, tell which chain was stored first.
 * They are held against each other after both stores were made again from their blocks.
 */
const ofArrival: readonly string[] = [
  'address',
  'raw_block',
  'primary_transaction',
  'primary_transaction_by_address',
  'early_import',
  'late_spend',
  'open_holding',
  'ordered_list',
  'spent_holding',
  'reward_by_address',
  'staker_by_address',
]

/** The one by a node and the one by peers have the same rows, as soon as both are at one height. */
export async function sameRows({ firns: [node, , peers], say }: Signing): Promise<void> {
  await settled('the one by a node and the one by peers are at one height', async () => {
    await Promise.all([node, peers].map((firn) => firn.caughtUp()))
    const [ofNode, ofPeers] = await Promise.all([rowsOf(node), rowsOf(peers)])
    if (ofNode.heights !== ofPeers.heights) return false
    assert.deepEqual(ofPeers, ofNode)
    say(`the one by peers has the rows of the one by a node: ${ofNode.heights}`)
    return true
  })
}

type Rows = { readonly heights: string; readonly stored: object; readonly again: object }

async function rowsOf({ location }: FollowingFirn): Promise<Rows> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-again-'))
  const to = { store: 'embedded', dataDir }
  const from = await openStore(location, key, primaryStoreTables, 'read')
  try {
    const tables = primaryTables.filter(({ name }) => !ofArrival.includes(name))
    const stored = await from.snapshot((view) => storeDigest(view, tables))
    const { signal } = new AbortController()
    await rebuildPrimary({ from, to, key, world: fileWorld, signal, progress: () => undefined })
    const again = await openStore(to, key, primaryStoreTables, 'read')
    const heights = JSON.stringify([...(await checkpointHeights(again))])
    const rows = { heights, stored, again: await storeDigest(again, primaryTables) }
    await again.close()
    return rows
  } finally {
    await from.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** How late the one by peers has a block after the one by a node, each time. */
export async function behind(stage: Signing): Promise<void> {
  const { firns, wallet, say } = stage
  const [node, , peers] = firns
  const lags: number[] = []
  for (let block = 0; block < 5; block++) {
    const before = (await node.stage('X'))?.indexedHeight ?? 0
    const hasNext = async (firn: FollowingFirn): Promise<number> => {
      while (((await firn.stage('X'))?.indexedHeight ?? 0) <= before) await pause(lookMs)
      return performance.now()
    }
    const seen = Promise.all([node, peers].map(hasNext))
    await wallet.issueX({ payments: [{ amount: avax, owners: [ewoq.address] }] }, (base) => ({
      typeId: 0,
      ...base,
    }))
    const [ofNode = 0, ofPeers = 0] = await seen
    lags.push(Math.round(ofPeers - ofNode))
  }
  say(`the one by peers is behind the one by a node by milliseconds: ${lags.join()}`)
  assert.ok(Math.max(...lags) <= mostBehindMs, lags.join())
}

/** Four of five nodes go, and the Firn by peers is killed: it is not live until they are back. */
export async function withoutNodes(
  stage: Signing,
  l1: L1,
  killAndStart: () => Promise<void>,
): Promise<void> {
  const { firns, network, say } = stage
  const says = (words: RegExp): Promise<void> =>
    settled(`the one by peers says: ${words}`, async () => {
      const { state, reason = '' } = (await firns[2].stage('P')) ?? {}
      return state !== 'live' && words.test(reason)
    })
  await Promise.all(others.map((number) => network.stop(number)))
  await says(
    /peers do not agree on a block since 2\S+Z: .* % of the stake of \d+ validators agree, 80 % are needed/,
  )
  await killAndStart()
  await says(/% of 6 bootstrap nodes agree, 80 % are needed: 66\.66 % say nothing/)
  say('one of five nodes is left: the one by peers is not live, and says so')
  await Promise.all(others.map((number) => network.restart(number)))
  await Promise.all(others.map((number) => network.ready(number)))
  await Promise.all(others.map((number) => l1Answers(stage, l1, number)))
  await Promise.all(firns.map((firn) => firn.caughtUp()))
}

/** Answers that the explorer's pages of the primary network and of staking are made of are the same of both. */
export async function sameAnswers({ firns: [node, , peers], say }: Signing): Promise<void> {
  const network = '/v1/networks/fuji'
  const validators = `${network}/validators?pageSize=100`
  const validatorsText = JSON.stringify(await node.get(validators))
  const one = (words: RegExp): string =>
    words.exec(validatorsText)?.[0] ?? assert.fail(validatorsText)
  const of = `addresses=${one(/(?:fuji|custom|local)1[a-z0-9]{38}/)}`
  const paths = [
    network,
    validators,
    ...['active', 'pending', 'completed'].map(
      (state) => `${network}/validators/${one(/NodeID-\w+/)}?validationStatus=${state}`,
    ),
    ...['delegators', 'subnets', 'l1Validators', 'blockchains'].map(
      (list) => `${network}/${list}?pageSize=100`,
    ),
    ...['rewards', 'rewards:listPending'].map((list) => `${network}/${list}?${of}`),
    ...['validatorWeight', 'delegatorWeight'].map(
      (metric) => `/v2/networks/fuji/metrics/${metric}?pageSize=365`,
    ),
    ...['p-chain', 'x-chain', 'c-chain'].flatMap((chain) => {
      const lists = ['blocks?pageSize=100', 'transactions?pageSize=100']
      const own = ['transactions', 'utxos', 'balances'].map((list) => `${list}?${of}`)
      return [...lists, ...own].map((list) => `${network}/blockchains/${chain}/${list}`)
    }),
  ]
  for (const path of paths)
    await settled(`${path} is the same of both`, async () => {
      const [ofNode, ofPeers] = await Promise.all([node, peers].map((firn) => firn.get(path)))
      assert.deepEqual(withoutMeasures(ofPeers), withoutMeasures(ofNode))
      return true
    })
  say(`${paths.length} answers are the same of both`)
}

/** Leaves out what a node measured, and tokens, which name numbers of rows. */
function withoutMeasures(answer: unknown): unknown {
  const measured = ['uptimePerformance', 'validatorHealth', 'nextPageToken']
  const text = JSON.stringify(answer, (name, value: unknown) =>
    measured.includes(name) ? undefined : value,
  )
  return JSON.parse(text)
}

/** `firn verify --peers` asks validators drawn by their stake. */
export async function acceptedByPeers({ firns }: Signing): Promise<void> {
  const { code, output } = await firns[2].verify('--peers')
  assert.equal(code, 0, output)
  for (const chain of ['P', 'X'])
    assert.match(
      output,
      new RegExp(
        `^${chain} \\d+: accepted by 100 % of the stake of \\d+ validators, 80 % are needed$`,
        'm',
      ),
    )
}
