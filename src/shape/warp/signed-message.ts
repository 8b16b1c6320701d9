/** Document A, operation 1: validators' signatures for a Warp message. */

import { Type } from '../type.ts'

/** A message and the signature under it. */
export const SignedMessage = Type.Object({
  signedMessage: Type.String({ description: 'Signed Warp message, hex without 0x' }),
})

/** Longest time an aggregation may take over HTTP: its own limits are shorter. */
export const aggregationTimeoutMs = 65_000
