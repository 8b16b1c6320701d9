/**
 * Two Firns beside a real network, one fed by a node and one by its peers alone, while Durango, Etna and
 * Granite come and transactions flow: after kills of either and of four of five nodes their stores hold the
 * same rows, and their answers are the same.
 */

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { nodeIdOf } from '../../src/peer/certificate.ts'
import { openStore } from '../../src/store/open.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import { storeDigest } from '../store-digest.ts'
import { splitFunds } from './early-steps.ts'
import { FollowingFirn, type Wanted } from './firn.ts'
import { ewoq } from './keys.ts'
import { scenarioPlan } from './plan.ts'
import { networkScript, startNetwork } from './real-network.ts'
import { openScene, upgraded } from './scene.ts'
import { avax } from './utxo-wallet.ts'

const script = networkScript()
/** Rows that say of a source what only a node knows, or when a process wrote. */
const others = new Set(['meta', 'lease', 'validator_health', 'checkpoint', 'pace'])

void test('peers of a real network', { skip: script === undefined }, async (t) => {
  const beganAt = Math.floor(Date.now() / 1_000)
  const plan = scenarioPlan(beganAt, false)
  const network = await startNetwork(script!, plan)
  t.after(network.down)
  const genesis = join(network.folder, 'genesis.json')
  const upgradeFile = join(network.folder, 'upgrades.json')
  const peers = [1, 2, 3, 4].map((node) => {
    const flags = readFileSync(join(network.folder, `node${node}`, 'flags'), 'utf8')
    const file = (name: string): string =>
      new RegExp(`--${name}=(\\S+)`).exec(flags)?.[1] ?? assert.fail(name)
    const { raw } = new X509Certificate(readFileSync(file('staking-tls-cert-file')))
    return `${nodeIdOf(raw)}@127.0.0.1:${file('staking-port')}`
  })
  const byNode: Wanted = { nodeUrl: network.url(1), genesis, chains: {} }
  const byPeers: Wanted = { ...byNode, nodeUrl: '', peers, upgradeFile }
  const firns = [
    await FollowingFirn.open(t, 'by node', 'embedded'),
    await FollowingFirn.open(t, 'by peers', 'embedded'),
  ] as const
  await firns[0].start(byNode)
  await firns[1].start(byPeers)
  const scene = await openScene(network, beganAt)
  const { wallet, say } = scene

  /** Sends on both chains, `rounds` times. */
  const live = async (rounds: number): Promise<void> => {
    const payments = [{ amount: avax, owners: [ewoq.address] }]
    for (let round = 0; round < rounds; round++) {
      await wallet.issueX({ payments }, (base) => ({ typeId: 0, ...base }))
      await wallet.export('X', 'P', payments, false)
      await wallet.import('P', 'X', ewoq, false)
    }
  }
  const heads = async (): Promise<{ readonly P: number; readonly X: number }> => {
    const height = async (chain: 'P' | 'X', method: string): Promise<number> =>
      Number((await network.node(1).call(`/ext/bc/${chain}`, method))['height'])
    return { P: await height('P', 'platform.getHeight'), X: await height('X', 'avm.getHeight') }
  }
  const compare = async (when: string): Promise<void> => {
    const { P, X } = await heads()
    const wanted = { 'primary-fuji P': P, 'primary-fuji X': X }
    await Promise.all(firns.map((firn) => firn.caughtUp(wanted)))
    const digests = await Promise.all(
      firns.map(async ({ dataDir }) => {
        const tables = primaryStoreTables.filter(({ name }) => !others.has(name))
        const location = { store: 'embedded', dataDir }
        const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
        const digest = await storeDigest(store, tables)
        await store.close()
        return digest
      }),
    )
    assert.deepEqual(digests[1], digests[0], when)
    say(`${when}: equal at P ${P}, X ${X}: ${JSON.stringify(digests[0]['block'])}`)
  }

  await splitFunds(scene)
  await compare('before Durango')
  await upgraded(scene, 'durango')
  await Promise.all([live(2), firns[1].kill().then(() => firns[1].start(byPeers))])
  await compare('after Durango and a kill of the one by peers')
  await upgraded(scene, 'etna')
  await Promise.all([live(2), firns[0].kill().then(() => firns[0].start(byNode))])
  await upgraded(scene, 'granite')
  await live(2)
  await compare('after Granite and a kill of the one by node')

  // How far the one by peers is behind the one by node, at each new block.
  const lags: number[] = []
  for (let block = 0; block < 6; block++) {
    const seen = [0, 0]
    const { X } = await heads()
    await wallet.issueX({ payments: [{ amount: avax, owners: [ewoq.address] }] }, (base) => ({
      typeId: 0,
      ...base,
    }))
    await Promise.all(
      firns.map(async (firn, at) => {
        while (seen[at] === 0) {
          if ((await firn.height('X')) > X) seen[at] = performance.now()
          else await pause(50)
        }
      }),
    )
    lags.push(seen[1]! - seen[0]!)
  }
  say(`behind the one by node, ms: ${lags.map(Math.round).join(' ')}`)
  assert.ok(Math.max(...lags) <= 3_000, lags.join())

  for (const node of [2, 3, 4, 5]) await network.stop(node)
  await firns[1].kill()
  await firns[1].start(byPeers)
  await pause(5_000)
  assert.notEqual(await firns[1].state('P'), 'live', 'one of four peers is no vote')
  for (const node of [2, 3, 4, 5]) await network.restart(node)
  for (const node of [2, 3, 4, 5]) await network.ready(node)
  await live(1)
  await compare('after four of five nodes were away')

  for (const path of [
    '/v1/networks/fuji/blocks?pageSize=20',
    '/v1/networks/fuji/validators?pageSize=20',
    '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=20',
    '/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=20',
    '/v1/networks/fuji/subnets',
  ]) {
    const [node, peer] = await Promise.all(
      firns.map(async (firn) => withoutUptime(await firn.get(path))),
    )
    assert.deepEqual(peer, node, path)
  }
})

/** Answers without what a node measured itself. */
function withoutUptime(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, one: unknown) =>
      ['uptimePerformance', 'validatorHealth', 'avalancheGoVersion', 'nextPageToken'].includes(name)
        ? undefined
        : one,
    ),
  )
}
