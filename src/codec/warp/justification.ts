/**
 * Why a validation is not registered: how its id came to be, so that validators can check it.
 *
 * Source: avalanchego proto/platformvm/platformvm.proto, L1ValidatorRegistrationJustification.
 */

import { Fault } from '../../core/fault.ts'
import { convertedValidationId, registeredValidationId } from './l1-message.ts'
import { message, ownBytes, ProtobufReader, ProtobufWriter, u32 } from './protobuf.ts'

/** Origin of a validation: a place in a conversion, or the message that registered it. */
export type Justification =
  | { readonly kind: 'conversion'; readonly subnetId: Uint8Array; readonly index: number }
  | { readonly kind: 'registration'; readonly registerL1Validator: Uint8Array }

/** A place in a conversion. */
const place = message({ subnetId: [1, ownBytes], index: [2, u32] })

/** Bytes of a justification, canonical: index 0 is left out. */
export function encodeJustification(justification: Justification): Uint8Array {
  const [field, bytes] =
    justification.kind === 'registration'
      ? [2, justification.registerL1Validator]
      : [1, place.encode(justification)]
  return new ProtobufWriter().bytes(field, bytes).finish()
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
  const { subnetId, index } = place.decode(bytes)
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
