/**
 * Replays the C-Chain's atomic transactions: assets that come from and go to the other two chains.
 *
 * The EVM side of the chain is indexed elsewhere; here an account is only where assets enter or
 * leave. Mainnet has 57 bonus blocks whose imports the network did not carry out in shared memory:
 * their transactions are rows, but they spend nothing.
 *
 * Source: avalanchego graft/coreth/plugin/evm/atomic, vms/saevm/cchain/state.
 */

import type { CUnsigned } from '../../../../codec/primary/c-atomic.ts'
import { outputKeyOf } from '../../../../codec/primary/ids.ts'
import { equalBytes } from '../../../../core/bytes.ts'
import { cTypes } from '../../../../core/type-ids.ts'
import { firstUtxoOf } from '../../../../store/schema/primary/position.ts'
import type { AssetNumbers } from '../../batch/asset-numbers.ts'
import type { Checkpoint } from '../../batch/rows.ts'
import type { PrimaryRules } from '../../batch/rules.ts'
import type { Found, Wanted } from '../../batch/stored-state.ts'
import { chainNameOf, wantedOf, type Needs, type NetworkIds } from '../chains.ts'
import { unlinked, type Draft } from '../draft.ts'
import type { ReadCBlock } from '../read-blocks.ts'
import {
  addConsumed,
  addValue,
  beginStep,
  checkFlow,
  concernAccount,
  type Concerns,
  emit,
  endStep,
  type Fills,
  type Moves,
  ownerOf,
  spendImport,
} from '../step.ts'
import { newUtxoSet, takeFound, type UtxoSet } from '../utxo-set.ts'

/** Everything the C-Chain's replay knows between two batches. */
export type CState = {
  readonly rules: PrimaryRules
  readonly ids: NetworkIds
  readonly utxos: UtxoSet
  height: number
  /** Empty before the first block. */
  blockId: Uint8Array
  time: number
  /** As of `Checkpoint`. */
  burned: bigint | undefined
}

/** The state before block 1. */
export function beginCChain(rules: PrimaryRules, ids: NetworkIds, assets: AssetNumbers): CState {
  const blockId = new Uint8Array(0)
  const checkpoint = { height: 0, blockId, time: 0, nextUtxo: firstUtxoOf('C'), burned: 0n }
  return loadCState(rules, ids, { checkpoint, assets })
}

/** The state as a checkpoint says. */
export function loadCState(
  rules: PrimaryRules,
  ids: NetworkIds,
  {
    checkpoint,
    assets,
  }: {
    readonly checkpoint: Pick<Checkpoint, 'height' | 'blockId' | 'time' | 'nextUtxo' | 'burned'>
    readonly assets: AssetNumbers
  },
): CState {
  const { height, blockId, time, nextUtxo: next, burned } = checkpoint
  // Every output of the C-Chain is an export, so nothing is ever kept.
  const utxos = newUtxoSet('C', 0, { next, assets })
  return { rules, ids, utxos, height, blockId, time, burned }
}

/** Look-ups before {@link applyCBlocks} of the same blocks. */
export function wantedOfCBlocks(state: CState, blocks: readonly ReadCBlock[]): Wanted {
  const needs: Needs[] = []
  for (const { transactions } of blocks) {
    for (const { unsigned, txId, importedKeys, exportedKeys } of transactions) {
      const imported = unsigned.typeId === cTypes.ImportTx ? unsigned.importedInputs : []
      needs.push({ txId, inputs: [], imported, importedKeys, exportedKeys })
    }
  }
  return wantedOf(state.utxos, needs)
}

/**
 * Replays blocks without a gap into a batch. Rows are made for those with atomic transactions or a
 * known proposer. Throws `state-violation`; the state is void then.
 */
export function applyCBlocks(
  state: CState,
  draft: Draft,
  blocks: readonly ReadCBlock[],
  found: Found,
): void {
  takeFound(state.utxos, found)
  for (const block of blocks) {
    draft.from ??= block.height
    const { height, parentId, blockId, time } = block
    const isLinked = state.blockId.length === 0 || equalBytes(parentId, state.blockId)
    if (height !== state.height + 1 || !isLinked) {
      throw unlinked({ chain: 'C', height }, state.height)
    }
    state.height = height
    state.blockId = blockId
    state.time = time
    for (const [position, read] of block.transactions.entries()) {
      applyTransaction(state, draft, { block, read, position })
    }
    draft.blocks.push({
      height: block.height,
      blockId: block.blockId,
      parentId: block.parentId,
      typeId: 0,
      time: block.time,
      sizeBytes: block.sizeBytes,
      transactionCount: block.transactionCount,
      proposer: block.proposer,
    })
  }
}

type CTransaction = ReadCBlock['transactions'][number]
type Import = Extract<CUnsigned, { typeId: typeof cTypes.ImportTx }>
type Export = Extract<CUnsigned, { typeId: typeof cTypes.ExportTx }>

function applyTransaction(
  state: CState,
  draft: Draft,
  at: { readonly block: ReadCBlock; readonly read: CTransaction; readonly position: number },
): void {
  const { block, read, position } = at
  const { height, time } = block
  const place = { chain: 'C', height, position, time, txId: read.txId } as const
  const { typeId } = read.unsigned
  const step = beginStep(state.utxos, draft, place, { unsigned: { typeId } })
  if (read.unsigned.typeId === cTypes.ImportTx) importAssets(state, step, read.unsigned, read)
  else exportAssets(state, step, read.unsigned, read)
  checkFlow(step)
  endStep(step)
}

type Crossing = Moves & Concerns & Fills<'sourceChain' | 'destinationChain'>

function importAssets(
  state: CState,
  step: Crossing & Fills<'evmOutputs'>,
  unsigned: Import,
  read: CTransaction,
): void {
  const sourceChain = chainNameOf(state.ids, unsigned.sourceChain)
  const isBonus = state.rules.bonusBlocks.has(step.place.height)
  step.row.sourceChain = unsigned.sourceChain
  step.row.destinationChain = state.ids.chainIds.C
  for (const [index, { input, ...place }] of unsigned.importedInputs.entries()) {
    const key = read.importedKeys[index] ?? outputKeyOf(place.txId, place.outputIndex)
    const { amount } = input
    if (isBonus) addConsumed(step, state.utxos.assets.of(place.assetId), amount)
    else spendImport(step, { ...place, key, amount, sourceChain })
  }
  step.row.evmOutputs = unsigned.outputs.map(({ address, amount, assetId }) => {
    concernAccount(step, address)
    return { address, amount, asset: state.utxos.assets.of(assetId), signatures: [] }
  })
  for (const { asset, amount } of step.row.evmOutputs) addValue(step, asset, amount)
}

function exportAssets(
  state: CState,
  step: Crossing & Fills<'evmInputs'>,
  unsigned: Export,
  read: CTransaction,
): void {
  const { txId } = step.place
  const consumableOn = chainNameOf(state.ids, unsigned.destinationChain)
  step.row.sourceChain = state.ids.chainIds.C
  step.row.destinationChain = unsigned.destinationChain
  step.row.evmInputs = unsigned.inputs.map(({ address, amount, assetId }, index) => {
    concernAccount(step, address)
    const signatures = read.signatures[index] ?? []
    return { address, amount, asset: state.utxos.assets.of(assetId), signatures }
  })
  for (const { asset, amount } of step.row.evmInputs) addConsumed(step, asset, amount)
  for (const [outputIndex, { assetId, output }] of unsigned.exportedOutputs.entries()) {
    emit(step, {
      txId,
      outputIndex,
      assetId,
      outputType: output.typeId,
      amount: output.amount,
      owner: ownerOf(output),
      stakeableLocktime: 0n,
      consumableOn,
    })
  }
}
