/**
 * Why a validation is not registered: how its id came to be, so that validators can check it.
 *
 * Source: avalanchego proto/platformvm/platformvm.proto, L1ValidatorRegistrationJustification.
 */

import { Fault } from '../../core/fault.ts'
import { convertedValidationId, registeredValidationId } from './l1-message.ts'
import { ProtobufReader, ProtobufWriter } from './protobuf.ts'

/** Origin of a validation: a place in a conversion, or the message that registered it. */
export type Justification =
  | { readonly kind: 'conversion'; readonly subnetId: Uint8Array; readonly index: number }
  | { readonly kind: 'registration'; readonly registerL1Validator: Uint8Array }

/** Bytes of a justification, canonical: index 0 is left out. */
export function encodeJustification(justification: Justification): Uint8Array {
  if (justification.kind === 'registration') {
    return new ProtobufWriter().message(2, justification.registerL1Validator).finish()
  }
  const place = new ProtobufWriter()
    .bytes(1, justification.subnetId)
    .number(2, justification.index)
    .finish()
  return new ProtobufWriter().message(1, place).finish()
}

/** Reads a justification; of repeated fields the last counts. Throws `bad-bytes`. */
export function decodeJustification(bytes: Uint8Array): Justification {
  const reader = new ProtobufReader(bytes)
  let found: Justification | undefined
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) found = decodePlace(reader.bytes())
    else if (field === 2) found = { kind: 'registration', registerL1Validator: reader.bytes() }
    else reader.skip()
  }
  if (found === undefined) throw new Fault('bad-bytes', 'justification names no origin')
  return found
}

function decodePlace(bytes: Uint8Array): Justification {
  const reader = new ProtobufReader(bytes)
  let subnetId = new Uint8Array()
  let index = 0
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) subnetId = Uint8Array.from(reader.bytes())
    else if (field === 2) index = reader.u32()
    else reader.skip()
  }
  if (subnetId.length !== 32) {
    throw new Fault('bad-bytes', `justification: subnet id is not 32 bytes: ${subnetId.length}`)
  }
  return { kind: 'conversion', subnetId, index }
}

/** The validation id a justification stands for. */
export function justifiedValidationId(justification: Justification): Uint8Array {
  return justification.kind === 'conversion'
    ? convertedValidationId(justification.subnetId, justification.index)
    : registeredValidationId(justification.registerL1Validator)
}
