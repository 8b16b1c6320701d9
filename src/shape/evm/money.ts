/** Amounts of money. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

/** Currencies in which prices are told. Source: document B, endpoint 5. */
export const currencies = [
  'usd',
  'eur',
  'aud',
  'cad',
  'chf',
  'clp',
  'cny',
  'czk',
  'dkk',
  'gbp',
  'hkd',
  'huf',
  'jpy',
  'nzd',
] as const

/** A code of {@link currencies}. */
export type CurrencyCode = (typeof currencies)[number]

/** A price or a value. Absent everywhere when the deployment has no source of prices. */
export const Money = Type.Object(
  {
    currencyCode: Type.Enum([...currencies], { description: 'Currency' }),
    value: Type.String({ description: 'Amount, base 10', pattern: '^[0-9]+(\\.[0-9]+)?$' }),
  },
  { $id: 'Money', additionalProperties: false },
)
/** Decoded {@link Money}. */
export type Money = Static<typeof Money>
