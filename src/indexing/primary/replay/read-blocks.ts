/**
 * From bytes to what replay takes in: decoded blocks with every id that needs a hash. Pure and
 * without state, so that it may run on another thread.
 */

import { decode } from '../../../codec/cursor.ts'
import type { Sliced } from '../../../codec/kit.ts'
import { decodeExtraData, type CUnsigned } from '../../../codec/primary/c-atomic.ts'
import { transactionIdOf, outputKeyOf } from '../../../codec/primary/ids.ts'
import { decodePBlock, transactionsOf, type PBlock } from '../../../codec/primary/p-block.ts'
import type { PUnsigned } from '../../../codec/primary/p-transaction.ts'
import {
  decodeXBlock,
  xTransactionAlone,
  type XBlock,
  type XUnsigned,
} from '../../../codec/primary/x-transaction.ts'
import { sha256 } from '../../../core/hash.ts'
import { cTypes, pTypes, xTypes } from '../../../core/type-ids.ts'
import type { CBlock, Proposer } from '../../../source/primary/primary-source.ts'

/** A transaction with the ids, as map keys, of what it imports and exports. */
export type ReadTransaction<Unsigned> = {
  readonly unsigned: Unsigned
  readonly txId: Uint8Array
  readonly importedKeys: readonly string[]
  readonly exportedKeys: readonly string[]
}

/** A block of the P- or X-Chain ready for replay. */
export type ReadBlock<Block, Unsigned> = {
  readonly block: Block
  readonly blockId: Uint8Array
  readonly height: number
  readonly sizeBytes: number
  readonly transactions: readonly ReadTransaction<Unsigned>[]
  readonly proposer: Proposer | undefined
}

/** A P-Chain block ready for replay. */
export type ReadPBlock = ReadBlock<PBlock, PUnsigned>

/** An X-Chain block ready for replay. */
export type ReadXBlock = ReadBlock<XBlock, XUnsigned>

/** A C-Chain block ready for replay. */
export type ReadCBlock = CBlock & {
  readonly transactions: readonly (ReadTransaction<CUnsigned> & {
    readonly signatures: readonly (readonly Uint8Array[])[]
  })[]
}

/** Reads an inner P-Chain block, as `platform.getBlockByHeight` gives it. Throws `bad-bytes`. */
export function readPBlock(bytes: Uint8Array, proposer?: Proposer): ReadPBlock {
  const block = decodePBlock(bytes)
  return {
    block,
    blockId: sha256(bytes),
    height: Number(block.height),
    sizeBytes: bytes.length,
    transactions: transactionsOf(block).map(readPTransaction),
    proposer,
  }
}

/** Reads an inner X-Chain block, as `avm.getBlockByHeight` gives it. Throws `bad-bytes`. */
export function readXBlock(bytes: Uint8Array, proposer?: Proposer): ReadXBlock {
  const block = decodeXBlock(bytes)
  return {
    block,
    blockId: sha256(bytes),
    height: Number(block.height),
    sizeBytes: bytes.length,
    transactions: block.transactions.map(readXTransaction),
    proposer,
  }
}

/** Reads a signed X-Chain transaction alone, as the index of the DAG holds it. */
export function readXTransactionAlone(bytes: Uint8Array): ReadTransaction<XUnsigned> {
  return readXTransaction(decode(xTransactionAlone, bytes))
}

/** Reads a C-Chain block's atomic part. Throws `bad-bytes`. */
export function readCBlock(input: CBlock, apricotPhase5: number): ReadCBlock {
  const transactions = decodeExtraData(input.extraData, input.time >= apricotPhase5)
  return {
    ...input,
    transactions: transactions.map(({ record, bytes }) => {
      const { unsigned } = record
      const txId = transactionIdOf(bytes)
      return {
        unsigned,
        txId,
        importedKeys: unsigned.typeId === cTypes.ImportTx ? keysOf(unsigned.importedInputs) : [],
        exportedKeys:
          unsigned.typeId === cTypes.ExportTx
            ? outputKeys(txId, 0, unsigned.exportedOutputs.length)
            : [],
        signatures: record.credentials.map(({ signatures }) => signatures),
      }
    }),
  }
}

type Spending = { readonly txId: Uint8Array; readonly outputIndex: number }

const none: readonly string[] = []

function keysOf(spendings: readonly Spending[]): readonly string[] {
  if (spendings.length === 0) return none
  return spendings.map(({ txId, outputIndex }) => outputKeyOf(txId, outputIndex))
}

function outputKeys(txId: Uint8Array, first: number, count: number): readonly string[] {
  const keys: string[] = []
  for (let at = 0; at < count; at++) keys.push(outputKeyOf(txId, first + at))
  return keys
}

type Record<Unsigned> = Sliced<{ readonly unsigned: Unsigned }>

function readPTransaction({ record, bytes }: Record<PUnsigned>): ReadTransaction<PUnsigned> {
  const { unsigned } = record
  const txId = transactionIdOf(bytes)
  return {
    unsigned,
    txId,
    importedKeys: unsigned.typeId === pTypes.ImportTx ? keysOf(unsigned.importedInputs) : none,
    exportedKeys:
      unsigned.typeId === pTypes.ExportTx
        ? outputKeys(txId, unsigned.outputs.length, unsigned.exportedOutputs.length)
        : none,
  }
}

function readXTransaction({ record, bytes }: Record<XUnsigned>): ReadTransaction<XUnsigned> {
  const { unsigned } = record
  const txId = transactionIdOf(bytes)
  return {
    unsigned,
    txId,
    importedKeys: unsigned.typeId === xTypes.ImportTx ? keysOf(unsigned.importedInputs) : none,
    exportedKeys:
      unsigned.typeId === xTypes.ExportTx
        ? outputKeys(txId, unsigned.outputs.length, unsigned.exportedOutputs.length)
        : none,
  }
}
