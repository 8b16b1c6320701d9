/**
 * The request for one validator's signature and its answer, inside app messages.
 *
 * Source: avalanchego network/p2p/acp118/handler.go, proto/sdk/sdk.proto, ACP-118.
 */

import { concatBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ProtobufReader, ProtobufWriter } from './protobuf.ts'

/** Handler id of signature requests, as the varint before the request. */
const handlerId = Uint8Array.of(2)

/** A request: an unsigned message and, for some P-Chain messages, the reason why it is true. */
export type SignatureRequest = {
  readonly message: Uint8Array
  readonly justification: Uint8Array
}

/** App bytes of a request, handler id before it. */
export function encodeSignatureRequest(request: SignatureRequest): Uint8Array {
  const body = new ProtobufWriter()
    .bytes(1, request.message)
    .bytes(2, request.justification)
    .finish()
  return concatBytes(handlerId, body)
}

/** Reads a request's app bytes, as a validator does. Throws `bad-bytes`. */
export function decodeSignatureRequest(appBytes: Uint8Array): SignatureRequest {
  if (appBytes[0] !== handlerId[0]) {
    throw new Fault('bad-bytes', `not a signature request: handler ${appBytes[0]}`)
  }
  const reader = new ProtobufReader(appBytes.subarray(1))
  let message = new Uint8Array()
  let justification = new Uint8Array()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) message = Uint8Array.from(reader.bytes())
    else if (field === 2) justification = Uint8Array.from(reader.bytes())
    else reader.skip()
  }
  return { message, justification }
}

/** App bytes of an answer: no handler id. */
export function encodeSignatureResponse(signature: Uint8Array): Uint8Array {
  return new ProtobufWriter().bytes(1, signature).finish()
}

/**
 * The signature of an answer's app bytes; empty when the validator did not sign. Throws
 * `bad-bytes`.
 */
export function decodeSignatureResponse(appBytes: Uint8Array): Uint8Array {
  const reader = new ProtobufReader(appBytes)
  let signature = new Uint8Array()
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) signature = Uint8Array.from(reader.bytes())
    else reader.skip()
  }
  return signature
}
