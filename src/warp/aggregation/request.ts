/**
 * A request for signatures: reading it, and refusing before anybody is called what nobody would
 * sign.
 *
 * Source: document A operation 1; avalanchego vms/platformvm/network/warp.go for what the P-Chain
 * refuses.
 */

import { decode, encode } from '../../codec/cursor.ts'
import {
  decodeJustification,
  type Justification,
  justifiedValidationId,
} from '../../codec/warp/justification.ts'
import { type L1Message, l1Message, l1MessageTypes } from '../../codec/warp/l1-message.ts'
import { type UnsignedMessage, unsignedMessage, unwrapMessage } from '../../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../codec/warp/payload.ts'
import { clip, fromHex, isZero } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'

/** A request as a caller writes it. Absent fields have the defaults of document A. */
export type RequestBody = {
  readonly message?: string | undefined
  readonly justification?: string | undefined
  readonly signingSubnetId?: string | undefined
  readonly quorumPercentage?: number | undefined
  readonly quorumPercentageBuffer?: number | undefined
  readonly pChainHeight?: number | undefined
}

/** A request understood. */
export type AggregationRequest = {
  /** `undefined`: derive it from the justification. */
  readonly unsigned: Uint8Array | undefined
  readonly justification: Uint8Array
  /** `undefined`: the subnet of the source chain. */
  readonly signingSubnetId: Uint8Array | undefined
  /** 1 to 100. */
  readonly quorum: number
  /** 0 to 100 - `quorum`. */
  readonly buffer: number
  /**
   * `undefined`: the P-Chain's epoch for what the P-Chain will verify, else the proposed height.
   */
  readonly height: number | undefined
}

/** Quorum when none is given, in percent. Source: document A; the P-Chain's own is the same. */
export const defaultQuorum = 67
/** 24 KiB of payload fit twice over, ABI wrapping included. */
const maxMessageBytes = 64 * 1024
const maxJustificationBytes = 24 * 1024

/**
 * Reads a request for the network with `networkId`; `undefined` where none is served, which leaves
 * out only the check that the message is of it. Throws `bad-parameter`.
 */
export function parseRequest(body: RequestBody, networkId: number | undefined): AggregationRequest {
  const message = hexField('message', body.message, maxMessageBytes)
  const justification = hexField('justification', body.justification, maxJustificationBytes)
  if (isZero(message) && isZero(justification)) {
    throw bad('either message or justification must be provided')
  }
  const quorum = percentField('quorumPercentage', body.quorumPercentage) || defaultQuorum
  const buffer = percentField('quorumPercentageBuffer', body.quorumPercentageBuffer)
  if (quorum + buffer > 100) {
    throw bad(`quorumPercentage and quorumPercentageBuffer exceed 100 together: ${quorum + buffer}`)
  }
  const unsigned = isZero(message) ? undefined : unwrapMessage(message)
  if (unsigned !== undefined) {
    const read = readMessage(unsigned)
    if (networkId !== undefined) checkSignable(read, networkId)
  }
  return {
    unsigned,
    justification: isZero(justification) ? new Uint8Array() : justification,
    signingSubnetId: idField('signingSubnetId', body.signingSubnetId),
    quorum,
    buffer,
    height: heightField(body.pChainHeight),
  }
}

function readMessage(unsigned: Uint8Array): UnsignedMessage {
  try {
    return decode(unsignedMessage, unsigned)
  } catch (error) {
    const why = faultOf(error)
    if (why === undefined) throw error
    throw bad(`message is not an unsigned warp message: ${why.message}`, error)
  }
}

/** Refuses what every validator would refuse, at any time. */
function checkSignable(message: UnsignedMessage, networkId: number): void {
  if (message.networkId !== networkId) {
    throw bad(`message is of another network than ${networkId}: ${message.networkId}`)
  }
  if (!isPChain(message.sourceChainId)) return
  const said = readL1Message(message.payload)
  if (said.typeId === l1MessageTypes.registerL1Validator) {
    throw bad('the P-Chain does not sign a request to register a validator')
  }
  if (said.typeId === l1MessageTypes.l1ValidatorWeight && said.nonce === (1n << 64n) - 1n) {
    throw bad(`the P-Chain never signs a weight with this nonce: ${said.nonce}`)
  }
}

function readL1Message(payload: Uint8Array): L1Message {
  try {
    const call = decode(warpPayload, payload)
    if (call.typeId === payloadTypes.addressedCall && call.sourceAddress.length === 0) {
      return decode(l1Message, call.payload)
    }
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    throw bad('the P-Chain signs only messages about L1 validators', error)
  }
  throw bad('the P-Chain signs only calls without a source address')
}

/** Returns whether a chain id is the P-Chain's: 32 zero bytes. */
export function isPChain(chainId: Uint8Array): boolean {
  return isZero(chainId)
}

/** Unsigned bytes of what the P-Chain says about an L1. */
export function pChainMessage(networkId: number, said: L1Message): Uint8Array {
  const payload = encode(warpPayload, {
    typeId: payloadTypes.addressedCall,
    sourceAddress: new Uint8Array(),
    payload: encode(l1Message, said),
  })
  return encode(unsignedMessage, { networkId, sourceChainId: new Uint8Array(32), payload })
}

/** A request by justification alone: that a subnet was converted, or that a validation is over. */
export type JustifiedQuestion =
  | { readonly kind: 'conversion'; readonly subnetId: Uint8Array }
  | { readonly kind: 'removal'; readonly validationId: Uint8Array }

/** Reads a justification that came without a message. Throws `bad-parameter`. */
export function justifiedQuestion(justification: Uint8Array): JustifiedQuestion {
  if (justification.length === 32) return { kind: 'conversion', subnetId: justification }
  let origin: Justification
  try {
    origin = decodeJustification(justification)
  } catch (error) {
    const why = faultOf(error)
    if (why === undefined) throw error
    throw bad(
      `justification without a message is neither a subnet id nor an origin of a validation: ${why.message}`,
      error,
    )
  }
  return { kind: 'removal', validationId: justifiedValidationId(origin) }
}

function hexField(name: string, value: string | undefined, max: number): Uint8Array {
  if (value === undefined) return new Uint8Array()
  const digits = value.length - (/^0x/i.test(value) ? 2 : 0)
  if (digits > 2 * max) throw bad(`${name} is longer than ${max} bytes`)
  try {
    return fromHex(value)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    throw bad(`${name} is not hex: ${clip(value)}`, error)
  }
}

function idField(name: string, value: string | undefined): Uint8Array | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return parseId(value)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    throw bad(`${name} is neither hex nor cb58 of 32 bytes: ${clip(value)}`, error)
  }
}

function percentField(name: string, value: number | undefined): number {
  const percent = value ?? 0
  if (Number.isInteger(percent) && percent >= 0 && percent <= 100) return percent
  throw bad(`${name} must be an integer from 0 to 100: ${percent}`)
}

function heightField(value: number | undefined): number | undefined {
  if (value === undefined || value === 0) return undefined
  if (Number.isSafeInteger(value) && value > 0) return value
  throw bad(`pChainHeight must be an integer from 0: ${value}`)
}

function bad(message: string, cause?: unknown): Fault {
  return new Fault('bad-parameter', message, cause === undefined ? {} : { cause })
}
