/**
 * Checks the fields of a receipt that its root does not cover: all follow from the transaction, the
 * header and the receipt before, so they are worked out again and compared.
 *
 * The one thing that follows from nothing cheap is the sender: block and receipt must name the same
 * one.
 */

import { Fault } from '../../core/fault.ts'
import { createdAddress } from './created-address.ts'
import { hexQuantity, isHexOf } from './hex-bytes.ts'
import { hexNumber, hexText } from './hex.ts'
import type { RawBlock, RawReceipt, RawTx } from './raw.ts'

/** A transaction with its receipt, and the gas that its block had used before it. */
export type Pair = {
  readonly block: RawBlock
  readonly tx: RawTx
  readonly receipt: RawReceipt
  readonly gasBefore: number
  readonly height: number
}

/** Gas used by the block up to this transaction. Throws `node-answer`. */
export function checkDerived(pair: Pair): number {
  const { tx, receipt, gasBefore, height } = pair
  const gasUntil = hexNumber(receipt.cumulativeGasUsed, 'cumulative gas')
  if (hexNumber(receipt.gasUsed, 'gas used') !== gasUntil - gasBefore)
    throw differing('gas used', height)
  if (!sameOrAbsent(receipt.from, tx.from)) throw differing('sender of a receipt', height)
  if (!sameOrAbsent(receipt.to, tx.to)) throw differing('receiver of a receipt', height)
  if (!isPriceOf(pair)) throw differing('gas price of a receipt', height)
  if (!isCreatedBy(pair)) throw differing('created contract', height)
  return gasUntil
}

/** The fault of a node whose answer contradicts the block. */
export function differing(what: string, height: number): Fault {
  return new Fault('node-answer', `${what} does not match at height ${height}`, {
    detail: { height },
  })
}

/** Both absent in a creation; a node may leave the second out altogether. */
function sameOrAbsent(repeated: unknown, told: unknown): boolean {
  if (repeated === undefined || repeated === told) return true
  if (typeof repeated !== 'string' || typeof told !== 'string') return repeated === (told ?? null)
  return repeated.toLowerCase() === told.toLowerCase()
}

/**
 * The price paid for gas: what the sender offers, or base fee and tip up to the cap.
 *
 * Where execution comes after acceptance (saevm) the header's base fee is the most that it can
 * become. Source: libevm core/types/tx_dynamic_fee.go effectiveGasPrice; avalanchego
 * vms/saevm/README.md.
 */
function isPriceOf({ block, tx, receipt }: Pair): boolean {
  const told = integer(receipt.effectiveGasPrice ?? tx.gasPrice, 'gas price')
  if (typeof tx.maxFeePerGas !== 'string')
    return tx.gasPrice === undefined || told === integer(tx.gasPrice, 'gas price')
  const most = integer(tx.maxFeePerGas, 'fee cap')
  const { baseFeePerGas } = block
  if (baseFeePerGas === undefined || baseFeePerGas === null) return told <= most
  const tip = integer(tx.maxPriorityFeePerGas ?? '0x0', 'tip cap')
  const offered = integer(baseFeePerGas, 'base fee') + tip
  const price = offered < most ? offered : most
  return block.settledHeight === undefined ? told === price : told <= price
}

function integer(value: unknown, what: string): bigint {
  const text = hexText(value, what)
  if (!/^0x[0-9a-f]+$/i.test(text)) throw new Fault('node-answer', `${what} is not hex`)
  return BigInt(text)
}

function isCreatedBy({ tx, receipt }: Pair): boolean {
  const { contractAddress } = receipt
  const isNone = contractAddress === undefined || contractAddress === null
  if (tx.to !== undefined && tx.to !== null) return isNone
  // A creation that failed created nothing; most nodes name the address all the same.
  if (isNone) return receipt.status === '0x0'
  const nonce = hexQuantity(tx.nonce)
  if (nonce === undefined) throw new Fault('node-answer', 'nonce is not hex')
  return isHexOf(contractAddress, createdAddress(hexText(tx.from, 'sender'), nonce))
}
