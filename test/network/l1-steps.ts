/** An L1 of its own chain: converted, registered, weighed anew, starved, fed, disabled. */

import { encode } from '../../src/codec/cursor.ts'
import { l1Message, registeredValidationId } from '../../src/codec/warp/l1-message.ts'
import { compareBytes, concatBytes, fromBigint, fromHex, to0x } from '../../src/core/bytes.ts'
import { fromCb58, toCb58 } from '../../src/core/cb58.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { subnetEvm } from './avalanche-tree.ts'
import { EvmWallet } from './evm-wallet.ts'
import { ewoq } from './keys.ts'
import { list, type JsonObject } from './node-rpc.ts'
import { settled } from './real-network.ts'
import { type Candidate, candidateAt, fromNow, type Scene } from './scene.ts'
import { avax } from './utxo-wallet.ts'

const owner = { threshold: 1, addresses: [ewoq.address] }
const authorization = { signatureIndices: [0] }
const authorizers = [ewoq]

/** Where the Warp precompile lies. */
export const warpPrecompile = fromHex('0x0200000000000000000000000000000000000005')

/** Number of the EVM chain. */
export const l1ChainNumber = 99_001

/** Things that exist once the L1 lives. */
export type L1 = {
  readonly subnetId: Uint8Array
  readonly chainId: Uint8Array
  readonly conversion: Uint8Array
  /** Path of its RPC. */
  readonly path: string
  readonly evm: EvmWallet
}

/** What the genesis of a chain has besides. */
type ChainWords = {
  /** Members of `config`, from the chain's first second. */
  readonly config?: (seconds: number) => object
  readonly alloc?: object
}

/** The chain of the L1: everything is ewoq's, messages can be sent. */
function genesisOf(nowSeconds: bigint, { config, alloc }: ChainWords): Uint8Array {
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
  const genesis = {
    config: {
      chainId: l1ChainNumber,
      feeConfig,
      warpConfig: { blockTimestamp: Number(nowSeconds), quorumNumerator: 67 },
      ...config?.(Number(nowSeconds)),
    },
    alloc: { [to0x(ewoq.evm).slice(2)]: { balance: '0x295BE96E64066972000000' }, ...alloc },
    nonce: '0x0',
    timestamp: `0x${nowSeconds.toString(16)}`,
    extraData: '0x00',
    gasLimit: '0xe4e1c0',
    difficulty: '0x0',
    mixHash: `0x${'0'.repeat(64)}`,
    coinbase: `0x${'0'.repeat(40)}`,
    number: '0x0',
    gasUsed: '0x0',
    parentHash: `0x${'0'.repeat(64)}`,
  }
  return new TextEncoder().encode(JSON.stringify(genesis))
}

/** Types 15, 16 and 35: a subnet with a chain becomes an L1 of the nodes, with equal weights. */
export async function convert(
  scene: Scene,
  { nodes: members = [1, 2, 3, 4, 5], ...words }: ChainWords & { nodes?: readonly number[] } = {},
): Promise<L1> {
  const { wallet, network, say } = scene
  const subnetId = await wallet.issueP({}, (base) => ({
    typeId: 16,
    ...base,
    owner: { locktime: 0n, ...owner },
  }))
  const chainId = await wallet.issueP({ authorizers, spends: avax }, (base) => ({
    typeId: 15,
    ...base,
    subnetId,
    chainName: 'Scenario',
    vmId: fromCb58(subnetEvm),
    fxIds: [],
    genesis: genesisOf(fromNow(0), words),
    authorization,
  }))
  const nodes = await Promise.all(members.map((node) => candidateAt(network, node)))
  const validators = nodes
    .map((candidate) => ({ ...candidate, weight: 100n, balance: avax }))
    .toSorted((a, b) => compareBytes(a.nodeId, b.nodeId))
  const spends = validators.reduce((sum, { balance }) => sum + balance, 0n)
  const conversion = await wallet.issueP({ authorizers, spends }, (base) => ({
    typeId: 35,
    ...base,
    subnetId,
    managerChainId: chainId,
    managerAddress: ewoq.evm,
    validators: validators.map((one) => ({
      ...one,
      remainingBalanceOwner: owner,
      deactivationOwner: owner,
    })),
    authorization,
  }))
  say('a subnet is an L1')
  const path = `/ext/bc/${toCb58(chainId)}/rpc`
  return {
    subnetId,
    chainId,
    conversion,
    path,
    evm: new EvmWallet(() => network.node(1), path, ewoq),
  }
}

/** Nodes of the network restart one after the other, and run the chain of the L1 from then on. */
export async function restartWithL1(scene: Scene, l1: L1, nodes: readonly number[]): Promise<void> {
  for (const node of nodes) {
    await scene.network.restart(node, [`--track-subnets=${toCb58(l1.subnetId)}`])
    await scene.network.ready(node)
    scene.say(`node ${node} is back, and runs the L1`)
  }
}

/** Waits until a node answers for the chain of the L1. */
export async function l1Answers(scene: Scene, l1: L1, node: number): Promise<void> {
  await settled(`node ${node} runs the L1`, async () => {
    const chain = toCb58(l1.chainId)
    const reply = await scene.network.node(node).call('/ext/info', 'info.isBootstrapped', { chain })
    return reply['isBootstrapped'] === true
  })
}

const sendWarpMessage = keccak256(new TextEncoder().encode('sendWarpMessage(bytes)')).subarray(0, 4)

/** ABI form of a lone byte string after a selector. */
export function callWithBytes(selector: Uint8Array, bytes: Uint8Array): Uint8Array {
  const padding = new Uint8Array((32 - (bytes.length % 32)) % 32)
  const head = [fromBigint(32n, 32), fromBigint(BigInt(bytes.length), 32)]
  return concatBytes(selector, ...head, bytes, padding)
}

/** Sends a Warp message from an EVM chain; the data of its log, as callers give it to Firn. */
export async function sendMessage(evm: EvmWallet, payload: Uint8Array): Promise<string> {
  const data = callWithBytes(sendWarpMessage, payload)
  const receipt = await evm.send({ to: warpPrecompile, data })
  const log = list(receipt, 'logs').find((one) => one['address'] === to0x(warpPrecompile))
  if (log === undefined) throw new Error('no message was sent')
  return String(log['data'])
}

/** Asks the manager of the L1, a plain account, for a registration. */
export async function askRegistration(
  l1: L1,
  candidate: Candidate,
  weight: bigint,
): Promise<{ readonly log: string; readonly validationId: Uint8Array }> {
  const payload = encode(l1Message, {
    typeId: 1,
    subnetId: l1.subnetId,
    nodeId: candidate.nodeId,
    blsPublicKey: candidate.publicKey,
    expiry: fromNow(3_600),
    remainingBalanceOwner: owner,
    disableOwner: owner,
    weight,
  })
  return {
    log: await sendMessage(l1.evm, payload),
    validationId: registeredValidationId(payload),
  }
}

/** Asks the manager of the L1 for another weight. */
export function askWeight(
  l1: L1,
  of: { readonly validationId: Uint8Array; readonly nonce: bigint; readonly weight: bigint },
): Promise<string> {
  return sendMessage(l1.evm, encode(l1Message, { typeId: 3, ...of }))
}

/** Type 36: delivers a registration. */
export function register(
  { wallet }: Scene,
  of: { readonly signed: Uint8Array; readonly candidate: Candidate; readonly balance: bigint },
): Promise<Uint8Array> {
  const { signed, candidate, balance } = of
  const { proofOfPossession } = candidate
  return wallet.issueP({ spends: balance }, (base) => ({
    typeId: 36,
    ...base,
    balance,
    proofOfPossession,
    message: signed,
  }))
}

/** Type 37: delivers a weight. */
export function setWeight({ wallet }: Scene, signed: Uint8Array): Promise<Uint8Array> {
  return wallet.issueP({}, (base) => ({ typeId: 37, ...base, message: signed }))
}

/** Type 38: pays for a validation. */
export function topUp(
  { wallet }: Scene,
  validationId: Uint8Array,
  balance: bigint,
): Promise<Uint8Array> {
  return wallet.issueP({ spends: balance }, (base) => ({
    typeId: 38,
    ...base,
    validationId,
    balance,
  }))
}

/** Type 39: makes a validation inactive. */
export function disable({ wallet }: Scene, validationId: Uint8Array): Promise<Uint8Array> {
  return wallet.issueP({ authorizers }, (base) => ({
    typeId: 39,
    ...base,
    validationId,
    authorization,
  }))
}

/** A validation as the node tells it. */
export function validationOf(scene: Scene, validationId: Uint8Array): Promise<JsonObject> {
  const params = { validationID: toCb58(validationId) }
  return scene.network.node(1).call('/ext/bc/P', 'platform.getL1Validator', params)
}

/** Waits until a validation has nothing left. */
export async function starved(scene: Scene, validationId: Uint8Array): Promise<void> {
  await settled('the balance has run out', async () => {
    return (await validationOf(scene, validationId))['balance'] === '0'
  })
  scene.say('a validator of the L1 starved')
}
