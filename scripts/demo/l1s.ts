/** The two L1s of the demo: Summit, where tokens are traded, and Harbor, where they are taken to. */

import { writeFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { compareBytes, to0x } from '../../src/core/bytes.ts'
import { fromCb58, toCb58 } from '../../src/core/cb58.ts'
import { subnetEvm } from '../../test/network/avalanche-tree.ts'
import { EvmWallet } from '../../test/network/evm-wallet.ts'
import { ewoq } from '../../test/network/keys.ts'
import type { L1 } from '../../test/network/l1-steps.ts'
import { candidateAt, fromNow, type Scene } from '../../test/network/scene.ts'
import { avax } from '../../test/network/utxo-wallet.ts'
import { type Chain, walletsOn } from './stage.ts'

const authorization = { signatureIndices: [0] }
const authorizers = [ewoq]

/** An L1 to be made; `seats` by the number of the node. */
export type L1Plan = {
  readonly name: string
  readonly symbol: string
  readonly chainNumber: number
  readonly seats: readonly {
    readonly node: number
    readonly weight: bigint
    /** nAVAX; at a quiet network's fee of one a second also its seconds. */
    readonly balance: bigint
  }[]
}

const daySeconds = 86_400n

/** Both. Harbor has seats that soon run dry. */
export const l1Plans: readonly L1Plan[] = [
  {
    name: 'Summit',
    symbol: 'SUM',
    chainNumber: 51_001,
    seats: [1, 2, 3, 4, 5].map((node) => ({
      node,
      weight: 100n,
      balance: BigInt(node) * 40n * daySeconds,
    })),
  },
  {
    name: 'Harbor',
    symbol: 'HBR',
    chainNumber: 51_002,
    seats: [
      { node: 1, weight: 500n, balance: avax },
      { node: 2, weight: 250n, balance: 90n * daySeconds },
      { node: 3, weight: 150n, balance: 3n * daySeconds },
      { node: 4, weight: 100n, balance: daySeconds + 3_600n },
    ],
  },
]

/** An L1 that lives: as the scenario's steps know it, and as a chain. */
export type DemoL1 = L1 & Chain

function genesisOf({ chainNumber }: L1Plan, nowSeconds: bigint): Uint8Array {
  const feeConfig = {
    gasLimit: 15_000_000,
    targetBlockRate: 1,
    minBaseFee: 25_000_000_000,
    targetGas: 15_000_000,
    baseFeeChangeDenominator: 36,
    minBlockGasCost: 0,
    maxBlockGasCost: 1_000_000,
    blockGasCostStep: 200_000,
  }
  const zero = (digits: number): string => `0x${'0'.repeat(digits)}`
  const genesis = {
    config: {
      chainId: chainNumber,
      feeConfig,
      warpConfig: { blockTimestamp: Number(nowSeconds), quorumNumerator: 67 },
    },
    alloc: { [to0x(ewoq.evm).slice(2)]: { balance: '0x295BE96E64066972000000' } },
    nonce: '0x0',
    timestamp: `0x${nowSeconds.toString(16)}`,
    extraData: '0x00',
    gasLimit: '0xe4e1c0',
    difficulty: '0x0',
    mixHash: zero(64),
    coinbase: zero(40),
    number: '0x0',
    gasUsed: '0x0',
    parentHash: zero(64),
  }
  return new TextEncoder().encode(JSON.stringify(genesis))
}

/** Makes a subnet with a chain and converts it. */
export async function makeL1(scene: Scene, plan: L1Plan): Promise<DemoL1> {
  const { wallet, network, say } = scene
  const owner = { threshold: 1, addresses: [ewoq.address] }
  const subnetId = await wallet.issueP({}, (base) => ({
    typeId: 16,
    ...base,
    owner: { locktime: 0n, ...owner },
  }))
  const chainId = await wallet.issueP({ authorizers, spends: avax }, (base) => ({
    typeId: 15,
    ...base,
    subnetId,
    chainName: plan.name,
    vmId: fromCb58(subnetEvm),
    fxIds: [],
    genesis: genesisOf(plan, fromNow(0)),
    authorization,
  }))
  const validators = await Promise.all(
    plan.seats.map(async ({ node, weight, balance }) => ({
      ...(await candidateAt(network, node)),
      weight,
      balance,
      remainingBalanceOwner: owner,
      deactivationOwner: owner,
    })),
  )
  validators.sort((a, b) => compareBytes(a.nodeId, b.nodeId))
  const spends = validators.reduce((sum, { balance }) => sum + balance, 0n)
  const conversion = await wallet.issueP({ authorizers, spends }, (base) => ({
    typeId: 35,
    ...base,
    subnetId,
    managerChainId: chainId,
    managerAddress: ewoq.evm,
    validators,
    authorization,
  }))
  say(`${plan.name} is an L1`)
  const path = `/ext/bc/${toCb58(chainId)}/rpc`
  const evm = new EvmWallet(() => network.node(1), path, ewoq)
  return {
    ...plan,
    subnetId,
    chainId,
    blockchainId: chainId,
    conversion,
    path,
    evm,
    of: walletsOn(scene, path, evm),
  }
}

/** Nodes that keep every state and trace: the first is recorded, the other is compared with. */
export const keepers = [1, 3] as const

/** Nodes restart one after the other, and run the chains of the L1s from then on. */
export async function runL1s(scene: Scene, l1s: readonly L1[]): Promise<void> {
  const { network } = scene
  const config = JSON.stringify({
    'eth-apis': [
      'eth',
      'eth-filter',
      'net',
      'web3',
      'debug',
      'debug-tracer',
      'internal-eth',
      'internal-blockchain',
      'internal-transaction',
    ],
    'pruning-enabled': false,
    'state-sync-enabled': false,
    'warp-api-enabled': true,
  })
  for (const node of keepers) {
    for (const { chainId } of l1s) {
      const folder = join(network.folder, `node${node}`, 'chains', toCb58(chainId))
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'config.json'), config)
    }
  }
  const flag = `--track-subnets=${l1s.map(({ subnetId }) => toCb58(subnetId)).join(',')}`
  for (const node of [2, 3, 4, 5, 1]) {
    await network.restart(node, [flag])
    await network.ready(node)
    scene.say(`node ${node} is back, and runs the L1s`)
  }
}
