/** Single values as the operations of the primary network write them. */

import { Type, type Schema } from '../type.ts'

/** A moment. */
export const seconds = Type.Integer('Unix seconds', { examples: [1795372747] })

/** An id. */
export const cb58 = Type.String('cb58', {
  examples: ['2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'],
})

/** An amount of AVAX in its smallest unit. */
export function nanoAvax(description: string): Schema<string> {
  return Type.String(`${description}, nAVAX`, {
    pattern: '^[0-9]+$',
    'x-decimals': 9,
    examples: ['1000000000'],
  })
}
