/**
 * Transactions as answers show them: document A's names for all three chains, and beside them
 * those the official clients know for the X- and C-Chain.
 */

import { cTransactionNames } from '../../../codec/primary/c-atomic.ts'
import { pTransactionNames } from '../../../codec/primary/p-transaction.ts'
import { xTransactionNames } from '../../../codec/primary/x-transaction.ts'
import { toChecksumAddress, toPrimaryAddress } from '../../../core/address.ts'
import { keyOf, to0x } from '../../../core/bytes.ts'
import { toCb58, toNodeId } from '../../../core/cb58.ts'
import { cTypes } from '../../../core/type-ids.ts'
import type { AssetAmount } from '../../../shape/primary/asset.ts'
import type {
  L1ValidatorChange,
  PrimaryNetworkTransaction,
} from '../../../shape/primary/transaction.ts'
import type { StoredL1Change } from '../../../store/query/primary/l1-validators.ts'
import type { StoredTransaction } from '../../../store/query/primary/transactions.ts'
import type { StoredAmount, StoredEvmSide } from '../../../store/schema/primary/bodies.ts'
import { placeOfPos } from '../../../store/schema/primary/position.ts'
import type { ChainOf } from '../inputs.ts'
import { avax } from './asset.ts'
import { genesisView } from './subnet.ts'
import type { PageFacts } from './transaction-facts.ts'
import { utxoView } from './utxo.ts'
import {
  blsCredentials,
  heightOf,
  heightText,
  percentOf,
  wideInteger,
  ownershipView,
  ownerAddresses,
} from './values.ts'

type View = PrimaryNetworkTransaction

const names = { P: pTransactionNames, X: xTransactionNames, C: cTransactionNames } as const

/** Wire type ids a type name stands for on a chain; none when the chain has no such type. */
export function transactionTypesNamed(chain: ChainOf['chain'], name: string): number[] {
  const unnamed = name === 'UNKNOWN' && chain === 'P' ? [40, 41, 42] : []
  const known = Object.entries(names[chain]).filter(([, one]) => one === name)
  return [...known.map(([type]) => Number(type)), ...unnamed]
}

/** One transaction. */
export function transactionView(of: ChainOf, row: StoredTransaction, facts: PageFacts): View {
  const { body } = row
  // Upstream's name of a transaction type of a chain.
  const known: Readonly<Record<number, string>> = names[of.chain]
  const common = {
    txHash: toCb58(row.txId),
    txType: known[row.type] ?? 'UNKNOWN',
    blockTimestamp: row.timestamp,
    blockNumber: heightText(row.pos),
    blockHash: blockHash(of, row.blockHash),
    consumedUtxos: (facts.spent.get(row.pos) ?? []).map((utxo) => utxoView(of, utxo, facts)),
    emittedUtxos: (facts.made.get(row.pos) ?? []).map((utxo) => {
      const view = utxoView(of, utxo, facts)
      return utxo.reward === '' ? view : { ...view, rewardType: utxo.reward }
    }),
    sourceChain: body.sourceChain && toCb58(body.sourceChain),
    destinationChain: body.destinationChain && toCb58(body.destinationChain),
    value: amounts(body.value, facts),
    amountBurned: amounts(body.burned, facts),
    amountStaked: amounts(body.staked, facts),
    amountL1ValidatorBalanceBurned:
      body.l1BalanceBurned === undefined ? [] : [facts.book.view(1, body.l1BalanceBurned)],
    memo: body.memo && to0x(body.memo),
  }
  if (of.chain === 'P') return { ...common, ...pView(of, row, facts) }
  return { ...common, ...(of.chain === 'X' ? xView(row, facts) : cView(row, facts)) }
}

/** Ids of EVM blocks are hashes in hex, all others cb58. */
function blockHash(of: ChainOf, hash: Uint8Array | undefined): string {
  if (hash === undefined) return ''
  return of.chain === 'C' ? to0x(hash) : toCb58(hash)
}

function amounts(list: readonly StoredAmount[], { book }: PageFacts): AssetAmount[] {
  return list.map(({ asset, amount }) => book.view(asset, amount))
}

function pView(of: ChainOf, row: StoredTransaction, facts: PageFacts): Partial<View> {
  const { body } = row
  const changes = facts.l1Changes.get(row.pos) ?? []
  return {
    status: row.committed ? undefined : 'Aborted',
    ...stakingView(of, row, facts),
    subnetId: body.subnetId && toCb58(body.subnetId),
    subnetOwnershipInfo: body.subnetOwner && ownershipView(of.hrp, body.subnetOwner),
    l1ValidatorManagerDetails: body.managerChainId &&
      body.managerAddress && {
        blockchainId: toCb58(body.managerChainId),
        contractAddress: to0x(body.managerAddress),
      },
    l1ValidatorDetails: changes.length === 0 ? undefined : changes.map(changeView),
    ...chainView(row, facts),
  }
}

function stakingView(of: ChainOf, row: StoredTransaction, facts: PageFacts): Partial<View> {
  const { body } = row
  const staker = facts.stakers.get(keyOf(row.txId))
  const { publicKey, proofOfPossession } = body
  return {
    startTimestamp: body.startTime,
    endTimestamp: body.endTime,
    delegationFeePercent:
      body.delegationShares === undefined ? undefined : percentOf(body.delegationShares),
    nodeId: body.nodeId && toNodeId(body.nodeId),
    stakingTxHash: body.stakingTxId && toCb58(body.stakingTxId),
    rewardAddresses:
      body.rewardAddresses.length === 0
        ? undefined
        : body.rewardAddresses.map((one) => toPrimaryAddress(of.hrp, one)),
    ...blsCredentials(publicKey, proofOfPossession),
    ...renewalView(of, row, facts),
    ...(staker === undefined || staker.permissioned
      ? {}
      : rewardToCome(facts, staker.potentialReward, body.staked[0]?.asset)),
    rewardTxHash:
      staker?.status === 'completed' ? staker.endTxId && toCb58(staker.endTxId) : undefined,
  }
}

/** An expected reward, in what is staked. */
function rewardToCome({ book }: PageFacts, amount: bigint, asset = avax): Partial<View> {
  return { estimatedReward: String(amount), estimatedRewardAsset: book.namesOf(asset) }
}

/** Members that only transactions of auto-renewed validators have. */
function renewalView(of: ChainOf, row: StoredTransaction, facts: PageFacts): Partial<View> {
  const { period, autoCompoundRewardShares, validatorAuthority } = row.body
  const staker = facts.stakers.get(keyOf(row.txId))
  const expected = facts.expected.get(row.pos)
  return {
    // Times of the running cycle, or of the last one.
    ...(staker?.autoRenewal === undefined
      ? {}
      : { startTimestamp: staker.startTime, endTimestamp: staker.endTime }),
    period,
    autoCompoundRewardShares,
    validatorAuthority: validatorAuthority && {
      addresses: ownerAddresses(of.hrp, validatorAuthority),
      threshold: validatorAuthority.threshold,
    },
    ...(expected === undefined ? {} : rewardToCome(facts, expected)),
  }
}

function changeView(change: StoredL1Change): L1ValidatorChange {
  return {
    validationId: toCb58(change.validationId),
    validationIdHex: to0x(change.validationId),
    nodeId: toNodeId(change.nodeId),
    subnetId: toCb58(change.subnetId),
    weight: wideInteger(change.weight),
    remainingBalance: wideInteger(change.remainingBalance),
    balanceChange: wideInteger(change.balanceChange),
    blsCredentials: { publicKey: to0x(change.publicKey) },
  }
}

function chainView(row: StoredTransaction, { chains }: PageFacts): Partial<View> {
  const chain = chains.get(keyOf(row.txId))
  if (chain === undefined) return {}
  const genesisData = genesisView(chain.genesis)
  return {
    blockchainInfo: { chainName: chain.name, vmId: toCb58(chain.vmId), genesisData },
  }
}

function xView(row: StoredTransaction, facts: PageFacts): Partial<View> {
  const linear = placeOfPos(row.pos).height >= 0
  const created = facts.createdAssets.get(keyOf(row.txId))
  return {
    ...clientNames(row, facts),
    chainFormat: linear ? 'linear' : 'non-linear',
    vertices: linear ? undefined : [],
    assetCreated: created,
  }
}

function cView(row: StoredTransaction, facts: PageFacts): Partial<View> {
  const { body } = row
  return {
    ...clientNames(row, facts),
    ...(row.type === cTypes.ExportTx
      ? { evmInputs: body.evmInputs.map((side) => evmSide('fromAddress', side, facts)) }
      : { evmOutputs: body.evmOutputs.map((side) => evmSide('toAddress', side, facts)) }),
  }
}

/** Names that the clients use for what both chains have. */
function clientNames(row: StoredTransaction, facts: PageFacts): Partial<View> {
  return {
    timestamp: row.timestamp,
    blockHeight: heightOf(row.pos),
    memo: to0x(row.body.memo ?? new Uint8Array()),
    amountUnlocked: amounts(row.body.consumed, facts),
    amountCreated: amounts(row.body.value, facts),
  }
}

function evmSide(
  name: 'fromAddress' | 'toAddress',
  side: StoredEvmSide,
  { book }: PageFacts,
): NonNullable<View['evmInputs']>[number] {
  const credentials = side.signatures.map((signature) => ({
    signature: Buffer.from(signature).toString('base64'),
  }))
  return {
    [name]: toChecksumAddress(side.address),
    asset: book.view(side.asset, side.amount),
    credentials: name === 'fromAddress' ? credentials : undefined,
  }
}
