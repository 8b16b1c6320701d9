/**
 * Logs of the Teleporter messenger.
 *
 * Source: icm-services icm-contracts/avalanche/teleporter/ITeleporterMessenger.sol. ABI words are
 * 32 bytes, big-endian; dynamic parts are named by their offset from where their tuple begins.
 */

import { concatBytes, equalBytes } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { smallWord, wordBytes } from './abi.ts'

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

/**
 * A log of a messenger: its contract of 20 bytes, the topics after the first, 32 bytes each, and
 * its data.
 */
export type MessengerWords = {
  readonly contract: Uint8Array
  readonly topics: Uint8Array
  readonly data: Uint8Array
}

/** Both ends of a message, and the id that they and its nonce have. */
export type ProvenMessage = {
  readonly messageId: Uint8Array
  readonly sourceId: Uint8Array
  readonly destinationId: Uint8Array
  readonly message: IcmMessage
}

/**
 * The message that a SendCrossChainMessage log of the chain `sourceId` proves. Throws `bad-bytes`.
 */
export function provenSend(
  log: MessengerWords,
  sourceId: Uint8Array,
): ProvenMessage & { readonly fee: IcmFee } {
  const { message, fee } = decodeSend(log.data)
  return { ...proven(log, message, [sourceId, topicAt(log, 1)]), fee }
}

/**
 * The message that a ReceiveCrossChainMessage log of the chain `destinationId` proves. Throws
 * `bad-bytes`.
 */
export function provenReceive(
  log: MessengerWords,
  destinationId: Uint8Array,
): ProvenMessage & { readonly deliverer: Uint8Array; readonly rewardRedeemer: Uint8Array } {
  const { message, rewardRedeemer } = decodeReceive(log.data)
  const deliverer = topicAt(log, 2).subarray(12)
  return { ...proven(log, message, [topicAt(log, 1), destinationId]), deliverer, rewardRedeemer }
}

/**
 * Any code may lie at a messenger's address: a message is what has the hash of messenger, which has
 * one address on both chains, source, destination and nonce. Source: TeleporterMessenger.sol
 * calculateMessageID.
 */
function proven(
  log: MessengerWords,
  message: IcmMessage,
  [sourceId, destinationId]: readonly [Uint8Array, Uint8Array],
): ProvenMessage {
  const messageId = topicAt(log, 0)
  const words = [new Uint8Array(12), log.contract, sourceId, destinationId, message.nonce]
  const isItsOwn = equalBytes(message.destinationBlockchainId, destinationId)
  if (!isItsOwn || !equalBytes(messageId, keccak256(concatBytes(...words))))
    throw new Fault('bad-bytes', 'a message does not have the id of its ends and nonce')
  return { messageId, sourceId, destinationId, message }
}

function topicAt({ topics }: MessengerWords, at: number): Uint8Array {
  if (topics.length < (at + 1) * wordBytes) throw endsEarly(topics, at * wordBytes)
  return topics.subarray(at * wordBytes, (at + 1) * wordBytes)
}

/** Fee for delivery. `amount` is big-endian, 32 bytes. */
export type IcmFee = { readonly token: Uint8Array; readonly amount: Uint8Array }

/** Data of SendCrossChainMessage: `(Message, FeeInfo)`. Throws `bad-bytes`. */
export function decodeSend(data: Uint8Array): { message: IcmMessage; fee: IcmFee } {
  return { message: messageAt(data, offsetAt(data, 0, 0)), fee: feeAt(data, wordBytes) }
}

/** Data of ReceiveCrossChainMessage: `(address rewardRedeemer, Message)`. Throws `bad-bytes`. */
function decodeReceive(data: Uint8Array): {
  rewardRedeemer: Uint8Array
  message: IcmMessage
} {
  return {
    rewardRedeemer: addressAt(data, 0),
    message: messageAt(data, offsetAt(data, wordBytes, 0)),
  }
}

/** Data of AddFeeAmount and ReceiptReceived: `(FeeInfo)`. Throws `bad-bytes`. */
export function decodeFee(data: Uint8Array): IcmFee {
  return feeAt(data, 0)
}

/** `(uint256 nonce, address, bytes32, address, uint256 gas, address[], Receipt[], bytes)`. */
function messageAt(data: Uint8Array, start: number): IcmMessage {
  return {
    nonce: wordAt(data, start),
    sender: addressAt(data, start + wordBytes),
    destinationBlockchainId: wordAt(data, start + 2 * wordBytes),
    destination: addressAt(data, start + 3 * wordBytes),
    receipts: receiptsAt(data, offsetAt(data, start + 6 * wordBytes, start)),
    data: bytesAt(data, offsetAt(data, start + 7 * wordBytes, start)),
  }
}

function receiptsAt(data: Uint8Array, start: number): IcmReceipt[] {
  const count = numberAt(data, start)
  if (count > data.length / (2 * wordBytes)) throw tooLong(start, count)
  return Array.from({ length: count }, (_, at) => {
    const place = start + wordBytes + at * 2 * wordBytes
    return { nonce: wordAt(data, place), relayer: addressAt(data, place + wordBytes) }
  })
}

function bytesAt(data: Uint8Array, start: number): Uint8Array {
  const length = numberAt(data, start)
  if (length > data.length - start - wordBytes) throw tooLong(start, length)
  return data.slice(start + wordBytes, start + wordBytes + length)
}

function feeAt(data: Uint8Array, start: number): IcmFee {
  return { token: addressAt(data, start), amount: wordAt(data, start + wordBytes) }
}

function wordAt(data: Uint8Array, at: number): Uint8Array {
  if (at + wordBytes > data.length) throw endsEarly(data, at)
  return data.slice(at, at + wordBytes)
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
  if (at + wordBytes > data.length) throw endsEarly(data, at)
  const value = smallWord(data, at)
  if (value === undefined || value > data.length) throw tooLong(at, value)
  return value
}

function endsEarly({ length }: Uint8Array, offset: number): Fault {
  return new Fault('bad-bytes', `log data ends early: ${length}`, { detail: { offset } })
}

/**
 * An honest message fits a block: a list or byte string longer than the log itself cannot be.
 * `value` is absent where it is 2^32 or more.
 */
function tooLong(offset: number, value?: number): Fault {
  const named = value ?? '2^32 or more'
  return new Fault('bad-bytes', `log data names more than it holds: ${named}`, {
    detail: { offset },
  })
}
