/**
 * Checks between a header, its transactions and its receipts.
 *
 * Cheap comparisons of what the node itself says twice. They catch nodes that mix two answers,
 * lose logs or answer for another block; altered but consistent content is for hashes.
 */

import { Fault } from '../../../core/fault.ts'
import { hexNumber } from '../hex.ts'
import {
  type RawBlock,
  type RawLog,
  type RawReceipt,
  type RawTx,
  type RawUnit,
  listOf,
  objectOf,
} from '../raw.ts'
import { checkDerived } from './check-receipts.ts'

/** The parts of a unit, known to belong together. */
export type CheckedUnit = {
  readonly block: RawBlock
  readonly txs: readonly RawTx[]
  readonly receipts: readonly RawReceipt[]
  /** Logs of each receipt. */
  readonly logs: readonly (readonly RawLog[])[]
  readonly logCount: number
}

/**
 * Checks one block against its receipts.
 *
 * Faults: `node-not-yet` when receipts are missing or too few (the block is accepted but not
 * executed), `node-answer` for every contradiction.
 */
export function checkUnit(raw: RawUnit, height: number): CheckedUnit {
  const { block } = raw
  expectEqual(hexNumber(block.number, 'block number'), height, 'block number', height)
  const txs = listOf(block.transactions, 'transactions').map((tx) => objectOf(tx, 'transaction'))
  if (raw.receipts.length < txs.length)
    throw new Fault('node-not-yet', `receipts are not complete at height ${height}`, {
      detail: { height, transactions: txs.length, receipts: raw.receipts.length },
    })
  expectEqual(raw.receipts.length, txs.length, 'number of receipts', height)
  const receipts = raw.receipts.map((receipt) => objectOf(receipt, 'receipt'))
  let logCount = 0
  const logs: RawLog[][] = []
  let gasUsed = 0
  for (let index = 0; index < txs.length; index++) {
    const receipt: RawReceipt = receipts[index] ?? {}
    const tx: RawTx = txs[index] ?? {}
    checkPair(tx, receipt, { block, index, height })
    gasUsed = checkDerived({ block, tx, receipt, gasBefore: gasUsed, height })
    const own = listOf(receipt.logs, 'logs').map((log) => objectOf(log, 'log'))
    for (const log of own) {
      const place: RawLog = log
      expectEqual(hexNumber(place.logIndex, 'log index'), logCount, 'log index', height)
      logCount++
    }
    logs.push(own)
  }
  checkGas(block, gasUsed, height)
  return { block, txs, receipts, logs, logCount }
}

/** That `block` follows the block with hash `parent`; both sides as hex text. */
export function checkParent(block: RawBlock, parent: unknown, height: number): void {
  expectEqual(block.parentHash, parent, 'parent hash', height)
}

function checkPair(
  tx: RawTx,
  receipt: RawReceipt,
  at: { readonly block: RawBlock; readonly index: number; readonly height: number },
): void {
  const { block, index, height } = at
  expectEqual(receipt.transactionHash, tx.hash, 'transaction hash of a receipt', height)
  expectEqual(tx.blockHash, block.hash, 'block hash of a transaction', height)
  expectEqual(receipt.blockHash, block.hash, 'block hash of a receipt', height)
  expectEqual(hexNumber(tx.transactionIndex, 'transaction index'), index, 'index', height)
  expectEqual(hexNumber(receipt.transactionIndex, 'receipt index'), index, 'index', height)
}

function checkGas(block: RawBlock, used: number, height: number): void {
  // With asynchronous execution (saevm) the header's gas belongs to settled blocks.
  if (block.settledHeight !== undefined) return
  expectEqual(used, hexNumber(block.gasUsed, 'gas used'), 'cumulative gas', height)
}

function expectEqual(found: unknown, wanted: unknown, what: string, height: number): void {
  if (found === wanted) return
  throw new Fault('node-answer', `${what} does not match at height ${height}`, {
    detail: { height, found: String(found), wanted: String(wanted) },
  })
}
