/** Rows of the columns of a batch of the primary network. */

import assert from 'node:assert/strict'

import { type OutputContent, outputContent } from '../../../src/codec/primary/output-content.ts'
import { concatBytes, toHex } from '../../../src/core/bytes.ts'
import type { AssetNumbers } from '../../../src/indexing/primary/batch/asset-numbers.ts'
import {
  type BlockRow,
  type ProposerColumns,
  proposerKnown,
} from '../../../src/indexing/primary/batch/block-columns.ts'
import {
  outputFlags,
  type ChainName,
  type KnownUtxo,
} from '../../../src/indexing/primary/batch/ledger-rows.ts'
import {
  addressStride,
  type Held,
  type LedgerColumns,
  type OwnerLists,
  type Slices,
} from '../../../src/indexing/primary/batch/ledger.ts'
import type { RowBatch } from '../../../src/indexing/primary/batch/rows.ts'
import type { StakerColumns } from '../../../src/indexing/primary/batch/staker-columns.ts'
import type { StakerRow } from '../../../src/indexing/primary/batch/staking-rows.ts'
import type { Mutable } from '../../../src/indexing/primary/replay/draft.ts'
import type { Proposer } from '../../../src/source/primary/primary-source.ts'
import { stakerBody, txBody, type TxBody } from '../../../src/store/schema/primary/bodies.ts'
import { assetOf, neededOf } from '../../../src/store/schema/primary/holding.ts'
import {
  chainOfNumber,
  placeOfPos,
  rewardKinds,
  stakerStatuses,
  utxoKinds,
} from '../../../src/store/schema/primary/position.ts'
import { utxosOfRow } from '../../../src/store/schema/primary/utxo-row.ts'

/** Where and when a transaction spent something. */
export type SeenSpend = ReturnType<typeof placeOfPos> & { readonly time: number }

/** A block, and its chain. */
export type SeenBlock = BlockRow & { readonly chain: ChainName }

/** A transaction; `addresses` in hex, an EVM account's with a zero byte before it. */
export type SeenTransaction = Mutable<TxBody> &
  ReturnType<typeof placeOfPos> & { readonly txId: Uint8Array; addresses: readonly string[] }

/** A UTXO, and what became of it. */
export type SeenUtxo = {
  readonly number: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly traits: number
  readonly content: OutputContent
  readonly output: Uint8Array
  readonly createdOn: ChainName
  readonly consumableOn: ChainName
  readonly createdPos: number
  readonly createdAt: number
  readonly staked: boolean
  readonly stakeStart: number | undefined
  readonly stakeEnd: number | undefined
  readonly rewardKind: string
  returnedAt: number | undefined
  consumed: SeenSpend | undefined
}

/** Transactions of a batch, in its order. */
export function seenTransactions({ ledger }: RowBatch): SeenTransaction[] {
  const { transactions, arena } = ledger
  return Array.from({ length: transactions.count }, (_, row) => ({
    ...txBody.fromBytes(sliceOf(arena, transactions.body, row)),
    ...placeOfPos(transactions.pos[row] ?? 0),
    txId: transactions.txId.slice(row * 32, row * 32 + 32),
    addresses: addressesOf(ledger, ownersOfRow(transactions.owners, row)),
  }))
}

/** Blocks of a batch, in its order. */
export function seenBlocks({ chain, blocks }: RowBatch): SeenBlock[] {
  const id = (ids: Uint8Array, row: number): Uint8Array => ids.slice(row * 32, row * 32 + 32)
  return Array.from({ length: blocks.count }, (_, row): SeenBlock => {
    const { currentSupply, l1AccruedFees, activeL1Validators } = blocks.platform
    const platform = {
      currentSupply: currentSupply[row] ?? 0n,
      l1AccruedFees: l1AccruedFees[row] ?? 0n,
      activeL1Validators: activeL1Validators[row] ?? 0,
    }
    return {
      chain,
      height: blocks.height[row] ?? 0,
      blockId: id(blocks.blockId, row),
      parentId: id(blocks.parentId, row),
      typeId: blocks.typeId[row] ?? 0,
      time: blocks.time[row] ?? 0,
      sizeBytes: blocks.sizeBytes[row] ?? 0,
      transactionCount: blocks.transactionCount[row] ?? 0,
      proposer: proposerOf(blocks.proposers, row),
      ...(chain === 'P' ? { platform } : {}),
    }
  })
}

function proposerOf(columns: ProposerColumns, row: number): Proposer | undefined {
  const known = columns.known[row] ?? proposerKnown.nothing
  if (known === proposerKnown.nothing) return undefined
  const isSigned = known === proposerKnown.signed
  return {
    outerId: columns.outerId.slice(row * 32, row * 32 + 32),
    outerParentId: columns.outerParentId.slice(row * 32, row * 32 + 32),
    nodeId: isSigned ? columns.nodeId.slice(row * 20, row * 20 + 20) : undefined,
    pChainHeight: known >= proposerKnown.unsigned ? columns.pChainHeight[row] : undefined,
    timestamp: known >= proposerKnown.unsigned ? columns.timestamp[row] : undefined,
  }
}

/** Stakers of a batch: those it made, then those it changed. */
export function seenStakers({ stakers, ledger }: RowBatch): StakerRow[] {
  return [stakers.made, stakers.changed].flatMap((columns) =>
    Array.from({ length: columns.count }, (_, row) => {
      const staker = stakerOf(columns, row)
      const owners = [staker.validationOwner, staker.delegationOwner]
      const addresses = owners.flatMap((owner) => owner?.addresses.map(toHex) ?? [])
      assert.deepEqual(addressesOf(ledger, ownersOfRow(columns.owners, row)), [
        ...new Set(addresses),
      ])
      return staker
    }),
  )
}

function stakerOf(columns: StakerColumns, row: number): StakerRow {
  const id = (ids: Uint8Array): Uint8Array => ids.slice(row * 32, row * 32 + 32)
  const height = (heights: Float64Array): number | undefined =>
    (heights[row] ?? -1) < 0 ? undefined : heights[row]
  const place = placeOfPos(columns.pos[row] ?? 0)
  return {
    ...stakerBody.fromBytes(sliceOf(columns.arena, columns.body, row)),
    txId: id(columns.txId),
    role: columns.role[row] === 0 ? 'validator' : 'delegator',
    subnetId: id(columns.subnetId),
    nodeId: columns.nodeId.slice(row * 20, row * 20 + 20),
    validatorTxId: columns.hasValidator[row] === 1 ? id(columns.validatorTxId) : undefined,
    status: stakerStatuses[columns.status[row] ?? 0] ?? 'removed',
    createdHeight: place.height,
    createdPosition: place.position,
    activatedHeight: height(columns.activatedHeight),
    endedHeight: height(columns.endedHeight),
  }
}

/** UTXOs a batch made. What lists of addresses show of them must be what they are. */
export function seenUtxos({ ledger, stakeReturns }: RowBatch, assets: AssetNumbers): SeenUtxo[] {
  const { made, utxoRows, arena } = ledger
  const utxos = [...utxoRows.last].flatMap((last, row) =>
    utxosOfRow(last, sliceOf(arena, utxoRows.body, row)),
  )
  assert.deepEqual(
    utxos.map(({ number }) => number),
    [...made.number],
  )
  const returned = new Map(stakeReturns.map(({ number, time }) => [number, time]))
  return utxos.map((utxo, row): SeenUtxo => {
    const { number, createdOn, consumableOn, reward = 0, kind, asset, ...body } = utxo
    const content = outputContent(body.output)
    const traits = made.traits[row] ?? 0
    assert.equal(content.amount, made.amount[row])
    assert.equal(assetOf(traits), asset)
    assert.equal(neededOf(traits), content.threshold)
    assert.equal(made.createdAt[row], body.createdAt)
    assert.deepEqual([made.createdOn[row], made.consumableOn[row]], [createdOn, consumableOn])
    assert.deepEqual(
      addressesOf(ledger, ownersOfRow(made.owners, row)),
      content.addresses.map(toHex),
    )
    return {
      ...body,
      number,
      traits,
      content,
      assetId: assets.idOf(asset),
      createdOn: chainOfNumber(createdOn),
      consumableOn: chainOfNumber(consumableOn),
      staked: (kind & utxoKinds.staked) !== 0,
      rewardKind: rewardKinds[reward] ?? '',
      returnedAt: returned.get(number),
      consumed: spendOf(made, row),
    }
  })
}

/** UTXOs of earlier batches that a batch spent, by number. */
export function seenSpends({ ledger }: RowBatch): (SeenSpend & { readonly number: number })[] {
  const { spent } = ledger
  return Array.from({ length: spent.count }, (_, row) => {
    const spend = spendOf(spent, row)
    assert.ok(spend !== undefined)
    return { ...spend, number: spent.number[row] ?? 0 }
  })
}

/** A UTXO as a node's `getUTXOs` gives it: codec version first. */
export function bytesOfUtxo({ txId, outputIndex, assetId, output }: SeenUtxo): Uint8Array {
  const index = new Uint8Array(4)
  new DataView(index.buffer).setUint32(0, outputIndex)
  return concatBytes(new Uint8Array(2), txId, index, assetId, output)
}

/** A UTXO as the store gives it to a later batch. */
export function knownOf(row: SeenUtxo): KnownUtxo {
  const { number, txId, outputIndex, traits, createdOn, consumableOn, createdAt } = row
  const { amount, addresses } = row.content
  const flags =
    (row.staked ? outputFlags.staked : 0) |
    (row.returnedAt === undefined ? 0 : outputFlags.returned) |
    (row.consumed === undefined ? 0 : outputFlags.spent)
  const place = { number, txId, outputIndex, createdOn, consumableOn, createdAt }
  return { ...place, amount, traits, addresses, flags }
}

function spendOf({ spentPos, spentAt }: Held, row: number): SeenSpend | undefined {
  const pos = spentPos[row] ?? 0
  return pos === 0 ? undefined : { ...placeOfPos(pos), time: spentAt[row] ?? 0 }
}

function addressesOf({ addresses }: LedgerColumns, places: Uint32Array): string[] {
  return [...places].map((place) => {
    const from = place * addressStride
    return toHex(addresses.subarray(from + (addresses[from] ?? 0), from + addressStride))
  })
}

function sliceOf(arena: Uint8Array, { offset, length }: Slices, row: number): Uint8Array {
  const from = offset[row] ?? 0
  return arena.slice(from, from + (length[row] ?? 0))
}

/** A list of a row of {@link OwnerLists}. */
function ownersOfRow({ places, until }: OwnerLists, row: number): Uint32Array {
  return places.subarray(row === 0 ? 0 : until[row - 1], until[row])
}
