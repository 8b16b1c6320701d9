/**
 * Replays the X-Chain: transactions of the DAG it once was, then blocks.
 *
 * The DAG's transactions have no block and no time. They get heights below 0 in the order of the
 * node's index, and the time of the newest output they spend.
 */

import type { GenesisFacts } from '../../../../codec/primary/genesis.ts'
import { outputKeyOf, type OutputPlace } from '../../../../codec/primary/ids.ts'
import type { XOutput, XUnsigned, XUnsignedOf } from '../../../../codec/primary/x-transaction.ts'
import { equalBytes } from '../../../../core/bytes.ts'
import { itemAt } from '../../../../core/item-at.ts'
import { operationTypes, outputTypes, xTypes } from '../../../../core/type-ids.ts'
import { firstUtxoOf } from '../../../../store/schema/primary/position.ts'
import type { AssetNumbers, KeptInMemory } from '../../batch/asset-numbers.ts'
import type { AssetRow } from '../../batch/ledger-rows.ts'
import type { Checkpoint, RowBatch } from '../../batch/rows.ts'
import type { Found, Wanted } from '../../batch/stored-state.ts'
import { chainNameOf, networkIdsOf, wantedOf, type NetworkIds } from '../chains.ts'
import { newDraft, unlinked, type Draft, type Place } from '../draft.ts'
import type { OutputFields } from '../output-bytes.ts'
import type { ReadTransaction, ReadXBlock } from '../read-blocks.ts'
import {
  beginStep,
  checkFlow,
  emit,
  endStep,
  type Moves,
  ownerOf,
  spend,
  spendImport,
} from '../step.ts'
import {
  endBatch,
  createdAtOf,
  createUtxo,
  newUtxoSet,
  takeFound,
  type UtxoSet,
} from '../utxo-set.ts'

/** Everything the X-Chain's replay knows between two batches. */
export type XState = {
  readonly ids: NetworkIds
  readonly utxos: UtxoSet
  height: number
  blockId: Uint8Array
  time: number
  /** As of `Checkpoint`. */
  burned: bigint | undefined
}

/** Height of the first transaction of the DAG; far enough below 0 for any DAG. */
export const dagHeight = -4_294_967_296

const noBlock = new Uint8Array(0)

/**
 * The state after genesis, and the rows of its assets. Height 0 is the block linearization made.
 */
export function beginXChain(
  facts: GenesisFacts,
  { utxoLimit, assets }: KeptInMemory,
): { readonly state: XState; readonly batch: RowBatch } {
  const state: XState = {
    ids: networkIdsOf(facts),
    utxos: newUtxoSet('X', utxoLimit, { next: firstUtxoOf('X'), assets }),
    height: dagHeight - 1,
    blockId: noBlock,
    time: Number(facts.genesis.time),
    burned: 0n,
  }
  const draft = newDraft('X', { firstUtxo: state.utxos.next, follows: undefined })
  for (const asset of facts.xGenesis) {
    // Networks have had one genesis asset; upstream derives each id as for AVAX.
    const txId = facts.avaxAssetId
    const place = { chain: 'X', height: 0, position: -1, time: state.time, txId } as const
    draft.assets.push(assetRow(place, asset, assets))
    let outputIndex = asset.outputs.length
    for (const { outputs } of asset.initialStates) {
      for (const output of outputs) {
        const made = { txId, outputIndex, assetId: txId, ...xOutputFields(output) }
        createUtxo({ utxos: state.utxos, draft, place }, made)
        outputIndex++
      }
    }
  }
  draft.from = state.height
  return { state, batch: endBatch(state, draft) }
}

/** The state as a checkpoint says. */
export function loadXState(
  ids: NetworkIds,
  checkpoint: Checkpoint,
  { utxoLimit, assets }: KeptInMemory,
): XState {
  const { height, blockId, time, nextUtxo: next, burned } = checkpoint
  const utxos = newUtxoSet('X', utxoLimit, { next, assets })
  return { ids, utxos, height, blockId, time, burned }
}

/** Look-ups before {@link applyXBlocks} of the same blocks. */
export function wantedOfXBlocks(state: XState, blocks: readonly ReadXBlock[]): Wanted {
  return wantedOfXDag(
    state,
    blocks.flatMap(({ transactions }) => transactions),
  )
}

/** Look-ups before {@link applyXDag} of the same transactions. */
export function wantedOfXDag(
  state: XState,
  transactions: readonly ReadTransaction<XUnsigned>[],
): Wanted {
  return wantedOf(
    state.utxos,
    transactions.map((read) => {
      const { unsigned, txId, importedKeys, exportedKeys } = read
      const imported = unsigned.typeId === xTypes.ImportTx ? unsigned.importedInputs : []
      return { txId, inputs: inputsOf(unsigned), imported, importedKeys, exportedKeys }
    }),
  )
}

/** Outputs of its own chain that it spends: inputs, then those of its operations. */
function inputsOf(unsigned: XUnsigned): readonly OutputPlace[] {
  if (unsigned.typeId !== xTypes.OperationTx) return unsigned.inputs
  return [...unsigned.inputs, ...unsigned.operations.flatMap(({ utxos }) => utxos)]
}

/** Replays transactions of the DAG, in the order of the index. Throws `state-violation`. */
export function applyXDag(
  state: XState,
  draft: Draft,
  transactions: readonly ReadTransaction<XUnsigned>[],
  found: Found,
): void {
  takeFound(state.utxos, found)
  for (const read of transactions) {
    const height = ++state.height
    // `state.time` stays at genesis until blocks come.
    let time = state.time
    for (const input of inputsOf(read.unsigned)) {
      time = Math.max(time, createdAtOf(state.utxos, input))
    }
    for (const key of read.importedKeys) {
      time = Math.max(time, state.utxos.imports.get(key)?.createdAt ?? 0)
    }
    draft.from ??= height
    applyTransaction(state, draft, { read, height, position: 0, time })
  }
}

/**
 * Replays blocks from height 0 on, without a gap. Throws `state-violation`; the state is void then.
 */
export function applyXBlocks(
  state: XState,
  draft: Draft,
  blocks: readonly ReadXBlock[],
  found: Found,
): void {
  takeFound(state.utxos, found)
  for (const read of blocks) {
    follow(state, read)
    draft.from ??= read.height
    for (const [position, transaction] of read.transactions.entries()) {
      const { height } = read
      applyTransaction(state, draft, { read: transaction, height, position, time: state.time })
    }
    draft.blocks.push({
      height: read.height,
      blockId: read.blockId,
      parentId: read.block.parentId,
      typeId: read.block.typeId,
      time: state.time,
      sizeBytes: read.sizeBytes,
      transactionCount: read.transactions.length,
      proposer: read.proposer,
    })
  }
}

function follow(state: XState, read: ReadXBlock): void {
  const { height, block } = read
  const isFirst = state.height < 0 && height === 0
  const isNext = height === state.height + 1 && equalBytes(block.parentId, state.blockId)
  if (!isFirst && !isNext) {
    throw unlinked({ chain: 'X', height }, state.height)
  }
  state.height = height
  state.blockId = read.blockId
  state.time = Number(block.time)
}

type At = {
  readonly read: ReadTransaction<XUnsigned>
  readonly height: number
  readonly position: number
  readonly time: number
}

function applyTransaction(state: XState, draft: Draft, at: At): void {
  const { read, height, position, time } = at
  const { unsigned, txId } = read
  const step = beginStep(state.utxos, draft, { chain: 'X', height, position, time, txId }, read)
  for (const { txId, outputIndex, assetId, input } of unsigned.inputs) {
    spend(step, { txId, outputIndex, assetId, amount: input.amount })
  }
  if (unsigned.typeId === xTypes.ImportTx) {
    const sourceChain = chainNameOf(state.ids, unsigned.sourceChain)
    step.row.sourceChain = unsigned.sourceChain
    step.row.destinationChain = state.ids.chainIds.X
    for (const [index, { input, ...place }] of unsigned.importedInputs.entries()) {
      const key = read.importedKeys[index] ?? outputKeyOf(place.txId, place.outputIndex)
      spendImport(step, { ...place, key, amount: input.amount, sourceChain })
    }
  }
  for (const [index, { assetId, output }] of unsigned.outputs.entries()) {
    emitAt(step, index, assetId, output)
  }
  if (unsigned.typeId === xTypes.ExportTx) {
    const { txId } = step.place
    const consumableOn = chainNameOf(state.ids, unsigned.destinationChain)
    step.row.sourceChain = state.ids.chainIds.X
    step.row.destinationChain = unsigned.destinationChain
    for (const [at, { assetId, output }] of unsigned.exportedOutputs.entries()) {
      const outputIndex = unsigned.outputs.length + at
      emit(step, { txId, outputIndex, assetId, ...xOutputFields(output), consumableOn })
    }
  }
  checkFlow(step)
  if (unsigned.typeId === xTypes.CreateAssetTx) {
    const { place, draft } = step
    draft.assets.push(assetRow(place, unsigned, step.utxos.assets))
    let outputIndex = unsigned.outputs.length
    for (const { outputs } of unsigned.initialStates) {
      for (const output of outputs) emitAt(step, outputIndex++, place.txId, output)
    }
  }
  if (unsigned.typeId === xTypes.OperationTx) {
    let outputIndex = unsigned.outputs.length
    for (const { assetId, utxos, operation } of unsigned.operations) {
      for (const { txId, outputIndex: index } of utxos) {
        spend(step, { txId, outputIndex: index, assetId, amount: undefined })
      }
      for (const output of outputsOf(operation)) emitAt(step, outputIndex++, assetId, output)
    }
  }
  endStep(step)
}

function emitAt(step: Moves, outputIndex: number, assetId: Uint8Array, output: XOutput): void {
  const { txId } = step.place
  emit(step, { txId, outputIndex, assetId, ...xOutputFields(output) })
}

/** An X-Chain output as a new UTXO's fields. */
function xOutputFields(output: XOutput): OutputFields {
  return {
    outputType: output.typeId,
    amount: output.typeId === outputTypes.secpTransfer ? output.amount : 0n,
    owner: ownerOf(output),
    stakeableLocktime: 0n,
    groupId: 'groupId' in output ? output.groupId : undefined,
    payload: 'payload' in output ? output.payload : undefined,
  }
}

const kinds = ['secp256k1', 'nft', 'property'] as const
const mintTypes: ReadonlySet<number> = new Set([
  outputTypes.secpMint,
  outputTypes.nftMint,
  outputTypes.propertyMint,
])

function assetRow(
  place: Pick<Place, 'height' | 'time' | 'txId'>,
  asset: Pick<XUnsignedOf<'CreateAssetTx'>, 'name' | 'symbol' | 'denomination' | 'initialStates'>,
  numbers: AssetNumbers,
): AssetRow {
  const { name, symbol, denomination, initialStates } = asset
  return {
    assetId: place.txId,
    number: numbers.of(place.txId),
    name,
    symbol,
    denomination,
    kind: itemAt(kinds, itemAt(initialStates, 0).fxIndex),
    variableCap: initialStates.some(({ outputs }) =>
      outputs.some(({ typeId }) => mintTypes.has(typeId)),
    ),
    createdHeight: place.height,
    createdTime: place.time,
  }
}

/** Outputs of an operation. Source: avalanchego vms/{secp256k1,nft,property}fx, Outs of each. */
function outputsOf(
  operation: XUnsignedOf<'OperationTx'>['operations'][number]['operation'],
): readonly XOutput[] {
  switch (operation.typeId) {
    case operationTypes.secpMint:
      return [
        { typeId: outputTypes.secpMint, ...operation.mintOutput },
        { typeId: outputTypes.secpTransfer, ...operation.transferOutput },
      ]
    case operationTypes.nftMint: {
      const { groupId, payload } = operation
      return operation.owners.map((owner) => ({
        typeId: outputTypes.nftTransfer,
        groupId,
        payload,
        ...owner,
      }))
    }
    case operationTypes.nftTransfer: {
      const { groupId, payload } = operation
      return [{ typeId: outputTypes.nftTransfer, groupId, payload, ...ownerOf(operation) }]
    }
    case operationTypes.propertyMint:
      return [
        { typeId: outputTypes.propertyMint, ...operation.mintOutput },
        { typeId: outputTypes.propertyOwned, ...operation.ownedOutput },
      ]
    default:
      return []
  }
}
