import assert from 'node:assert/strict'
import { test } from 'node:test'

import { to0x } from '../../../core/bytes.ts'
import type { Decoded, Unit } from '../../../shape/evm/log.ts'
import { labelsOf, type RichAddressBook } from '../rich-addresses.ts'
import type { Moved } from './amounts.ts'

const [coin, badge, vault, person] = ['c0', 'ba', 'fa', '11'].map((byte) => `0x${byte.repeat(20)}`)
const usd = { address: coin ?? '', symbol: 'USD', decimals: 6 }
const token = { standard: 20 }

/** USD is a token, BADGE one without decimals. */
const book: Pick<RichAddressBook, 'about'> = {
  about: async () => (address) => {
    const text = to0x(address)
    if (text === coin) return { rich: usd, token }
    return text === badge ? { rich: { address: text, symbol: 'BADGE' }, token } : { rich: {} }
  },
}

type Values = readonly (readonly [name: string, type: string, value: string | undefined])[]

/** Symbols of the values' units, by their numbers in lists and tuples. */
async function unitsOf(
  contract: string | undefined,
  values: Values,
  moved?: Moved,
): Promise<unknown[]> {
  const parameters = values.map(([name, type, value = '']) => ({ name, type, value }))
  const decoded: Decoded = { name: 'said', signature: 'said()', parameters }
  const labels = await labelsOf(book, [contract], [decoded])
  return labels
    .in(decoded, { contract, moved })
    .parameters.map(({ token, tokens }) =>
      tokens === undefined
        ? token?.symbol
        : Object.entries(tokens).map(([number, { symbol }]) => `${number} ${symbol}`),
    )
}

void test('amounts: by the name of the argument of the token, else of the only token beside it', async () => {
  const value: Values = [['value', 'uint256', '7']]
  assert.deepEqual(await unitsOf(coin, value), ['USD'])
  assert.deepEqual(await unitsOf(coin, [['tokenId', 'uint256', '12345']]), [undefined])
  assert.deepEqual(await unitsOf(vault, [['asset', 'address', coin], ...value]), [undefined, 'USD'])
  assert.deepEqual(await unitsOf(vault, value), [undefined])
  // Of items that went to a token's contract the number is none of the token.
  assert.deepEqual(await unitsOf(badge, [['to', 'address', coin], ...value]), [
    undefined,
    undefined,
  ])
  const fee = JSON.stringify({ token: coin, amount: '5', nonce: '9' })
  const other = JSON.stringify({ who: person, amount: '5' })
  assert.deepEqual(await unitsOf(vault, [['fee', '(address,uint256,uint256)', fee]]), [['5 USD']])
  assert.deepEqual(await unitsOf(vault, [['fee', '(address,uint256)', other]]), [undefined])
})

void test('amounts: a number of as many as the transaction moved is one of that', async () => {
  const moved: Moved = new Map<string, Unit>([
    ['123456', { symbol: 'AVAX', decimals: 18 }],
    ['12', usd],
  ])
  const values: Values = [
    ['paid', 'int256', '-123456'],
    ['few', 'uint256', '12'],
    ['text', 'string', '123456'],
    ['all', 'uint256[]', '["123456","7"]'],
  ]
  assert.deepEqual(await unitsOf(vault, values, moved), [
    'AVAX',
    undefined,
    undefined,
    ['123456 AVAX'],
  ])
})
