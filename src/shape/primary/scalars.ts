/** Single values as the operations of the primary network write them. */

import { Type, type Schema } from '../type.ts'

/** A moment. */
export const seconds = Type.Integer('Unix seconds')

/** An id. */
export const cb58 = Type.String('cb58')

/** An amount of AVAX in its smallest unit. */
export function nanoAvax(description: string): Schema<string> {
  return Type.String({
    description: `${description}, nAVAX`,
    pattern: '^[0-9]+$',
    'x-decimals': 9,
  })
}
