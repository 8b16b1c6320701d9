/**
 * Logs of the Teleporter messenger.
 *
 * Source: icm-services icm-contracts/avalanche/teleporter/ITeleporterMessenger.sol. ABI words are
 * 32 bytes, big-endian; dynamic parts are named by their offset from where their tuple begins.
 */

import { Fault } from '../../core/fault.ts'

/** A receipt carried by a message: which message of the other chain was received, by whom. */
export type IcmReceipt = {
  /** Big-endian, 32 bytes. */
  readonly nonce: Uint8Array
  /** 20 bytes. */
  readonly relayer: Uint8Array
}

/** A message as its sender wrote it. Addresses 20 bytes, ids 32. */
export type IcmMessage = {
  /** Big-endian, 32 bytes; counts the messages of its source messenger from 1. */
  readonly nonce: Uint8Array
  readonly sender: Uint8Array
  readonly destinationBlockchainId: Uint8Array
  readonly destination: Uint8Array
  readonly receipts: readonly IcmReceipt[]
  readonly data: Uint8Array
}

/** Fee for delivery. `amount` is big-endian, 32 bytes. */
export type IcmFee = { readonly token: Uint8Array; readonly amount: Uint8Array }

// An honest message fits a block; a list or byte string longer than the log itself cannot be.
const word = 32

/** Data of SendCrossChainMessage: `(Message, FeeInfo)`. Throws `bad-bytes`. */
export function decodeSend(data: Uint8Array): { message: IcmMessage; fee: IcmFee } {
  return { message: messageAt(data, offsetAt(data, 0, 0)), fee: feeAt(data, word) }
}

/** Data of ReceiveCrossChainMessage: `(address rewardRedeemer, Message)`. Throws `bad-bytes`. */
export function decodeReceive(data: Uint8Array): {
  rewardRedeemer: Uint8Array
  message: IcmMessage
} {
  return { rewardRedeemer: addressAt(data, 0), message: messageAt(data, offsetAt(data, word, 0)) }
}

/** Data of AddFeeAmount and ReceiptReceived: `(FeeInfo)`. Throws `bad-bytes`. */
export function decodeFee(data: Uint8Array): IcmFee {
  return feeAt(data, 0)
}

/** `(uint256 nonce, address, bytes32, address, uint256 gas, address[], Receipt[], bytes)`. */
function messageAt(data: Uint8Array, start: number): IcmMessage {
  return {
    nonce: wordAt(data, start),
    sender: addressAt(data, start + word),
    destinationBlockchainId: wordAt(data, start + 2 * word),
    destination: addressAt(data, start + 3 * word),
    receipts: receiptsAt(data, offsetAt(data, start + 6 * word, start)),
    data: bytesAt(data, offsetAt(data, start + 7 * word, start)),
  }
}

function receiptsAt(data: Uint8Array, start: number): IcmReceipt[] {
  const count = numberAt(data, start)
  if (count > data.length / (2 * word)) throw tooLong(start, count)
  return Array.from({ length: count }, (_, at) => {
    const place = start + word + at * 2 * word
    return { nonce: wordAt(data, place), relayer: addressAt(data, place + word) }
  })
}

function bytesAt(data: Uint8Array, start: number): Uint8Array {
  const length = numberAt(data, start)
  if (length > data.length - start - word) throw tooLong(start, length)
  return data.slice(start + word, start + word + length)
}

function feeAt(data: Uint8Array, start: number): IcmFee {
  return { token: addressAt(data, start), amount: wordAt(data, start + word) }
}

function wordAt(data: Uint8Array, at: number): Uint8Array {
  if (at + word > data.length) {
    throw new Fault('bad-bytes', `log data ends early: ${data.length}`, { detail: { offset: at } })
  }
  return data.slice(at, at + word)
}

function addressAt(data: Uint8Array, at: number): Uint8Array {
  return wordAt(data, at).subarray(12)
}

/** An offset relative to `base`, made absolute. */
function offsetAt(data: Uint8Array, at: number, base: number): number {
  return base + numberAt(data, at)
}

/** A word that must be a small number: an offset, a length. */
function numberAt(data: Uint8Array, at: number): number {
  const bytes = wordAt(data, at)
  let value = 0
  for (const byte of bytes) value = value * 256 + byte
  if (value > data.length) throw tooLong(at, value)
  return value
}

function tooLong(offset: number, value: number): Fault {
  return new Fault('bad-bytes', `log data names more than it holds: ${value}`, {
    detail: { offset },
  })
}
