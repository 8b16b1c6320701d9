/**
 * The request for one validator's signature and its answer, inside app messages.
 *
 * Source: avalanchego network/p2p/acp118/handler.go, proto/sdk/sdk.proto, ACP-118.
 */

import { concatBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { message, ownBytes, type RecordOf } from './protobuf.ts'

/** Handler id of signature requests, as the varint before the request. */
const handlerId = Uint8Array.of(2)

const request = message({ message: [1, ownBytes], justification: [2, ownBytes] })
/** A request: an unsigned message and, for some P-Chain messages, the reason why it is true. */
export type SignatureRequest = RecordOf<typeof request>

const response = message({ signature: [1, ownBytes] })

/** App bytes of a request, handler id before it. */
export function encodeSignatureRequest(wanted: SignatureRequest): Uint8Array {
  return concatBytes(handlerId, request.encode(wanted))
}

/** Reads a request's app bytes, as a validator does. Throws `bad-bytes`. */
export function decodeSignatureRequest(appBytes: Uint8Array): SignatureRequest {
  if (appBytes[0] !== handlerId[0]) {
    throw new Fault('bad-bytes', `not a signature request: handler ${appBytes[0]}`)
  }
  return request.decode(appBytes.subarray(1))
}

/** App bytes of an answer: no handler id. */
export function encodeSignatureResponse(signature: Uint8Array): Uint8Array {
  return response.encode({ signature })
}

/**
 * The signature of an answer's app bytes; empty when the validator did not sign. Throws
 * `bad-bytes`.
 */
export function decodeSignatureResponse(appBytes: Uint8Array): Uint8Array {
  return response.decode(appBytes).signature
}
