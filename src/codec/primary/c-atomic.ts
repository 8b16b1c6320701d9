/**
 * Atomic transactions of the C-Chain, which move assets to and from the other two chains. They lie
 * in a block's extra data: one alone before Apricot Phase 5, a batch since.
 *
 * Source: avalanchego graft/coreth/plugin/evm/atomic, vms/saevm/cchain/tx.
 */

import { Fault } from '../../core/fault.ts'
import { cTypes, namesOf } from '../../core/type-ids.ts'
import { decode, type Decoded } from '../cursor.ts'
import { array, sliced, struct, union, versioned, type Sliced } from '../kit.ts'
import { u32, u64 } from '../primitives.ts'
import { maxAtomicTransactions, maxItems } from './limits.ts'
import { commonAssetId, id, shortId, signatures, transferInput, transferOutput } from './secp.ts'

/** Assets on an EVM address; `amount` in the asset's smallest unit (nAVAX for AVAX). */
const evmOutput = struct({ address: shortId, amount: u64, assetId: commonAssetId })

/** An unsigned atomic transaction: import (0) or export (1). */
export const cUnsigned = union({
  [cTypes.ImportTx]: struct({
    networkId: u32,
    blockchainId: id,
    sourceChain: id,
    importedInputs: array(
      struct({
        txId: id,
        outputIndex: u32,
        assetId: commonAssetId,
        input: union({ 5: transferInput }),
      }),
      maxItems,
    ),
    outputs: array(evmOutput, maxItems),
  }),
  [cTypes.ExportTx]: struct({
    networkId: u32,
    blockchainId: id,
    destinationChain: id,
    inputs: array(
      struct({ address: shortId, amount: u64, assetId: commonAssetId, nonce: u64 }),
      maxItems,
    ),
    exportedOutputs: array(
      struct({ assetId: commonAssetId, output: union({ 7: transferOutput }) }),
      maxItems,
    ),
  }),
})
/** Decoded {@link cUnsigned}. */
export type CUnsigned = Decoded<typeof cUnsigned>

/** A signed atomic transaction as it lies in a batch. */
const cTransaction = struct({
  unsigned: cUnsigned,
  credentials: array(union({ 9: struct({ signatures }) }), maxItems),
})
/** Decoded {@link cTransaction}. */
export type CTransaction = Decoded<typeof cTransaction>

/** One signed atomic transaction alone: `avax.getAtomicTx`, or extra data before the batch form. */
export const cTransactionAlone = versioned(sliced(cTransaction))

/** Extra data since Apricot Phase 5; the transactions repeat no codec version. */
export const cBatch = versioned(array(sliced(cTransaction), maxAtomicTransactions))

/** Upstream's name of a transaction type, as the API shows it. */
export const cTransactionNames = namesOf(cTypes)

/**
 * Atomic transactions of a C-Chain block's extra data; none when it is empty.
 *
 * `batched`: whether the block's time is at or after Apricot Phase 5. Throws `bad-bytes`, also for
 * an empty batch, which no node accepts.
 */
export function decodeExtraData(
  extraData: Uint8Array,
  batched: boolean,
): readonly Sliced<CTransaction>[] {
  if (extraData.length === 0) return []
  if (!batched) return [decode(cTransactionAlone, extraData)]
  const transactions = decode(cBatch, extraData)
  if (transactions.length === 0) throw new Fault('bad-bytes', 'a batch holds no transactions: 0')
  return transactions
}
