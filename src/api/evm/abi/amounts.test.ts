import assert from 'node:assert/strict'
import { test } from 'node:test'

import { transferKinds } from '../../../codec/evm/columns/columns.ts'
import { to0x } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Decoded, Unit } from '../../../shape/evm/log.ts'
import { labelsOf, type RichAddressBook } from '../rich-addresses.ts'
import { type Moved, unitOf } from './amounts.ts'
import { movedIn } from './moved.ts'

const [coin, badge, vault, person, share] = ['c0', 'ba', 'fa', '11', '5a'].map(
  (byte) => `0x${byte.repeat(20)}`,
)
const usd = { address: coin ?? '', symbol: 'USD', decimals: 6 }
const xusd = { address: share ?? '', symbol: 'xUSD', decimals: 18 }
const token = { standard: 20 }

/** USD and xUSD are tokens, BADGE one without decimals. */
const book: Pick<RichAddressBook, 'about'> = {
  about: async () => (address) => {
    const text = to0x(address)
    if (text === coin) return { rich: usd, token }
    if (text === share) return { rich: xusd, token }
    return text === badge ? { rich: { address: text, symbol: 'BADGE' }, token } : { rich: {} }
  },
}

type Values = readonly (readonly [name: string, type: string, value: string | undefined])[]

/** Symbols of the values' units, by their numbers in lists and tuples. */
async function unitsOf(
  contract: string | undefined,
  values: Values,
  moved?: Moved,
  method = 'said',
): Promise<unknown[]> {
  const parameters = values.map(([name, type, value = '']) => ({ name, type, value }))
  const decoded: Decoded = { name: method, signature: `${method}()`, parameters }
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

void test('amounts: beside two tokens a number is of neither, also where one has no decimals', async () => {
  const value: Values = [['amount', 'uint256', '7']]
  const both: Values = [['in', 'address', coin], ['out', 'address', share], ...value]
  assert.deepEqual((await unitsOf(vault, both)).at(-1), undefined)
  const unknown: Values = [['in', 'address', coin], ['out', 'address', badge], ...value]
  assert.deepEqual((await unitsOf(vault, unknown)).at(-1), undefined)
})

void test('amounts: in a tuple a number that stands there as something else, too, is no amount', async () => {
  const fee = JSON.stringify({ token: coin, amount: '5', nonce: '5' })
  assert.deepEqual(await unitsOf(vault, [['fee', '(address,uint256,uint256)', fee]]), [undefined])
})

void test('amounts: what a token takes of another one is not of its own', async () => {
  const moved: Moved = new Map<string, Unit>([
    ['123456', usd],
    ['777777', { symbol: 'AVAX', decimals: 18 }],
  ])
  const taken: Values = [['_amount', 'uint256', '123456']]
  assert.deepEqual(await unitsOf(share, taken, moved, 'enter'), ['USD'])
  for (const method of ['transfer', 'Approval'])
    assert.deepEqual(await unitsOf(share, taken, moved, method), ['xUSD'])
  // A wrapped coin is paid in coins, and its events are of its own.
  assert.deepEqual(await unitsOf(share, [['wad', 'uint256', '777777']], moved, 'Deposit'), ['xUSD'])
})

void test('amounts: a number of as many of two tokens is one of neither', () => {
  const rich = [usd, usd, xusd, { address: badge ?? '', symbol: 'BADGE' }]
  const of = (...ids: number[]): unknown =>
    movedIn(
      { symbol: 'AVAX', decimals: 18 },
      {
        transfers: ids.map((tokenId) => ({
          kind: transferKinds.erc20,
          tokenId,
          value: '0x0f4240',
        })),
        internals: [],
        value: '0x0f4240',
      },
      (id) => itemAt(rich, id),
    ).get('1000000')
  assert.deepEqual(of(), { symbol: 'AVAX', decimals: 18 })
  assert.deepEqual(of(1, 1), usd)
  assert.deepEqual(of(1, 2), undefined)
  assert.deepEqual(of(1, 2, 1), undefined)
  assert.deepEqual(of(1, 3), undefined)
})

void test('amounts: what looks like spam has no symbol', () => {
  assert.deepEqual(unitOf({ ...usd, isSpam: true }), { ...usd, symbol: '' })
})
