/** Bytes decoded by an ABI. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

/** Values with their types. */
export const DecodedValues = Type.Array(
  Type.Object({
    name: Type.String({ description: 'empty where the ABI names it not' }),
    type: Type.String(),
    indexed: Type.Optional(Type.Boolean({ description: 'of events: whether it is a topic' })),
    value: Type.String({
      description:
        'integers in base 10, bytes in hex, text as it is, lists and tuples as JSON; of an indexed parameter longer than a word the hash',
    }),
  }),
)

/** A log or an input in words. */
export const Decoded = Type.Object(
  {
    name: Type.String({ description: 'of the event or method' }),
    signature: Type.String({ description: '`Transfer(address,address,uint256)`' }),
    parameters: DecodedValues,
  },
  { $id: 'Decoded', additionalProperties: false },
)
/** Decoded {@link Decoded}. */
export type Decoded = Static<typeof Decoded>
