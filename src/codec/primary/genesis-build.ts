/**
 * Builds genesis bytes from a genesis file, byte for byte as AvalancheGo does.
 *
 * Source: avalanchego genesis/genesis.go FromConfig, vms/platformvm/genesis/genesis.go New,
 * vms/avm/genesis.go NewGenesis, vms/platformvm/txs/txheap/by_end_time.go.
 */

import { compareBytes, concatBytes, keyOf } from '../../core/bytes.ts'
import { newHeap, pushHeap } from '../../core/item-at.ts'
import { outputTypes, pTypes, signerTypes } from '../../core/type-ids.ts'
import { encode } from '../cursor.ts'
import type { Sliced } from '../kit.ts'
import type { Allocation, GenesisConfig, InitialStaker } from './genesis-config.ts'
import { fxIds, genesisAssetId, pGenesis, vmIds } from './genesis.ts'
import { emptyId } from './ids.ts'
import type { POutput, PTransaction, PTransferableOutput, PUnsigned } from './p-transaction.ts'
import { xGenesis, xOutput, type XGenesis } from './x-transaction.ts'

/** One amount of one address on the P-Chain. */
type Share = {
  readonly address: Uint8Array
  readonly amount: bigint
  readonly locktime: bigint
  readonly message: Uint8Array
}

/** Genesis bytes of a config. */
export function buildGenesis(config: GenesisConfig): Uint8Array {
  const assets = xGenesisOf(config)
  const [avax] = assets
  const assetId = avax === undefined ? emptyId : genesisAssetId(avax)
  const initiallyStaked = new Set(config.initialStakedFunds.map(keyOf))
  const staked = config.allocations.filter((one) => initiallyStaked.has(keyOf(one.address)))
  const free = config.allocations.filter((one) => !initiallyStaked.has(keyOf(one.address)))
  const utxos = free.flatMap(sharesOf).map((share, outputIndex) => ({
    utxo: {
      txId: emptyId,
      outputIndex,
      assetId,
      output: outputOf(share, config.startTime),
    },
    message: share.message,
  }))
  return encode(pGenesis, {
    utxos,
    validators: validatorsOf(config, staked, assetId),
    chains: chainsOf(config, encode(xGenesis, assets)),
    time: config.startTime,
    initialSupply: initialSupplyOf(config),
    message: config.message,
  })
}

/**
 * Start times a network of AvalancheGo's local genesis may have, newest first: nodes move it
 * forward by whole periods of 270 days to the newest not after their own start.
 */
export function localStartTimes(definedStart: bigint, now: bigint): bigint[] {
  const period = 23_328_000n
  const times: bigint[] = []
  for (let time = definedStart; time <= now; time += period) times.unshift(time)
  return times.length === 0 ? [definedStart] : times
}

function initialSupplyOf(config: GenesisConfig): bigint {
  let supply = 0n
  for (const { initialAmount, unlockSchedule } of config.allocations) {
    supply += initialAmount
    for (const { amount } of unlockSchedule) supply += amount
  }
  return supply
}

/** The X-Chain's one asset: everybody's initial amounts, the memo being their EVM addresses. */
function xGenesisOf(config: GenesisConfig): XGenesis {
  const holders = config.allocations
    .filter((one) => one.initialAmount > 0n)
    .toSorted(
      (a, b) =>
        compareBigint(a.initialAmount, b.initialAmount) || compareBytes(a.address, b.address),
    )
  const outputs = holders
    .map((holder) => ({
      typeId: outputTypes.secpTransfer,
      amount: holder.initialAmount,
      locktime: 0n,
      threshold: 1,
      addresses: [holder.address],
    }))
    .map((output) => ({ output, bytes: encode(xOutput, output) }))
    .toSorted((a, b) => compareBytes(a.bytes, b.bytes))
    .map(({ output }) => output)
  return [
    {
      alias: 'AVAX',
      networkId: config.networkId,
      blockchainId: emptyId,
      outputs: [],
      inputs: [],
      memo: concatBytes(...holders.map((holder) => holder.evmAddress)),
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      initialStates: outputs.length === 0 ? [] : [{ fxIndex: 0, outputs }],
    },
  ]
}

function compareBigint(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function sharesOf(allocation: Allocation): Share[] {
  return allocation.unlockSchedule
    .filter(({ amount }) => amount > 0n)
    .map(({ amount, locktime }) => ({
      address: allocation.address,
      amount,
      locktime,
      message: allocation.evmAddress,
    }))
}

function outputOf(share: Share, startTime: bigint): POutput {
  const inner = { amount: share.amount, locktime: 0n, threshold: 1, addresses: [share.address] }
  return share.locktime > startTime
    ? { typeId: outputTypes.stakeableLocked, locktime: share.locktime, output: inner }
    : { typeId: outputTypes.secpTransfer, ...inner }
}

/**
 * Splits the staked allocations into equal parts, cutting through amounts; the last takes the rest.
 */
function splitShares(staked: readonly Allocation[], parts: number): Share[][] {
  const all = staked.flatMap(sharesOf)
  const total = all.reduce((sum, { amount }) => sum + amount, 0n)
  const partAmount = total / BigInt(Math.max(parts, 1))
  const split: Share[][] = [[]]
  let filled = 0n
  for (const share of all) {
    let { amount } = share
    while (filled + amount > partAmount && split.length < parts) {
      const added = partAmount - filled
      split.at(-1)?.push({ ...share, amount: added })
      amount -= added
      split.push([])
      filled = 0n
    }
    if (amount === 0n) continue
    split.at(-1)?.push({ ...share, amount })
    filled += amount
  }
  return split
}

function validatorsOf(
  config: GenesisConfig,
  staked: readonly Allocation[],
  assetId: Uint8Array,
): Sliced<PTransaction>[] {
  const split = splitShares(staked, config.initialStakers.length)
  // Upstream collects validators in a binary min-heap by end time and writes out its array.
  const heap = newHeap<{ readonly end: bigint; readonly transaction: Sliced<PTransaction> }>(
    (a, b) => compareBigint(a.end, b.end),
  )
  for (const [index, staker] of config.initialStakers.entries()) {
    const end =
      config.startTime +
      config.initialStakeDuration -
      BigInt(index) * config.initialStakeDurationOffset
    const stake = (split[index] ?? [])
      .toSorted(
        (a, b) =>
          compareBigint(a.locktime, b.locktime) ||
          compareBigint(a.amount, b.amount) ||
          compareBytes(a.address, b.address),
      )
      .map((share) => ({ assetId, output: outputOf(share, config.startTime) }))
    const transaction = unsignedAlone(validatorOf(config, staker, end, stake))
    pushHeap(heap, { end, transaction })
  }
  return heap.items.map(({ transaction }) => transaction)
}

function validatorOf(
  config: GenesisConfig,
  staker: InitialStaker,
  end: bigint,
  stake: readonly PTransferableOutput[],
): PUnsigned {
  const weight = stake.reduce((sum, { output }) => sum + amountOf(output), 0n)
  const owner = { locktime: 0n, threshold: 1, addresses: [staker.rewardAddress] }
  const common = {
    ...baseOf(config.networkId),
    nodeId: staker.nodeId,
    start: config.startTime,
    end,
    weight,
    stake,
    delegationShares: staker.delegationFee,
  }
  if (staker.signer === undefined)
    return { typeId: pTypes.AddValidatorTx, ...common, rewardsOwner: owner }
  return {
    typeId: pTypes.AddPermissionlessValidatorTx,
    ...common,
    subnetId: emptyId,
    signer: { typeId: signerTypes.proofOfPossession, ...staker.signer },
    validationOwner: owner,
    delegationOwner: owner,
  }
}

function amountOf(output: POutput): bigint {
  return output.typeId === outputTypes.stakeableLocked ? output.output.amount : output.amount
}

function baseOf(networkId: number): {
  readonly networkId: number
  readonly blockchainId: Uint8Array
  readonly outputs: readonly PTransferableOutput[]
  readonly inputs: readonly never[]
  readonly memo: Uint8Array
} {
  return { networkId, blockchainId: emptyId, outputs: [], inputs: [], memo: new Uint8Array(0) }
}

// A count of 0.
const noCredentials = new Uint8Array(4)

/** A transaction without credentials; its bytes are not needed to encode it. */
function unsignedAlone(unsigned: PUnsigned): Sliced<PTransaction> {
  return { record: { unsigned, credentials: noCredentials }, bytes: new Uint8Array(0) }
}

function chainsOf(config: GenesisConfig, avmGenesis: Uint8Array): Sliced<PTransaction>[] {
  const common = {
    typeId: pTypes.CreateChainTx,
    ...baseOf(config.networkId),
    subnetId: emptyId,
    authorization: { signatureIndices: [] },
  } as const
  return [
    unsignedAlone({
      ...common,
      chainName: 'X-Chain',
      vmId: vmIds.avm,
      fxIds: [fxIds.secp256k1fx, fxIds.nftfx, fxIds.propertyfx],
      genesis: avmGenesis,
    }),
    unsignedAlone({
      ...common,
      chainName: 'C-Chain',
      vmId: vmIds.evm,
      fxIds: [],
      genesis: new TextEncoder().encode(config.cChainGenesis),
    }),
  ]
}
