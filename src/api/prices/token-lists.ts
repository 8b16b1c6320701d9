/**
 * Operators' lists: which tokens are known by name and logo, and which are to be trusted.
 *
 * Lists have the schema of token lists (tokenlists.org): `{ tokens: [{ chainId, address, name,
 * symbol, decimals, logoURI }] }`.
 */

import { fromHex, keyOf } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { withPoint } from '../../core/text.ts'
import type { CurrencyCode } from '../../shape/evm/token.ts'
import type { ChainFacts } from '../operation/chain-directory.ts'
import { offsetOf, parseJsonFile, placeIn, wrongAt } from './text-place.ts'

/** One entry of a list. */
export type ListedToken = {
  readonly chainId: number
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly name?: string
  readonly symbol?: string
  readonly logoUri?: string
}

/** One line of the reputation file. */
type RatedToken = {
  readonly chainId: number
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly reputation: 'Malicious' | 'Benign'
}

/** Reads a token list. Throws `bad-config` with line and column. */
export function readTokenList(file: string, text: string): ListedToken[] {
  const list = parseJsonFile(file, text)
  const wrong = (path: readonly (string | number)[], what: string): Fault =>
    wrongAt(file, placeIn(text, offsetOf(text, path)), what)
  const tokens = ownField(list, 'tokens')
  if (!Array.isArray(tokens)) throw wrong(['tokens'], 'a token list has a list of tokens')
  return tokens.map((token: unknown, at) => {
    const chainId = ownField(token, 'chainId')
    const address = ownField(token, 'address')
    if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId))
      throw wrong(['tokens', at, 'chainId'], 'chainId must be an integer')
    if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address))
      throw wrong(['tokens', at, 'address'], 'address must be an EVM address')
    const texts: { name?: string; symbol?: string; logoUri?: string } = {}
    for (const [name, shown] of textFields) {
      const value = ownField(token, name)
      if (value === undefined) continue
      if (typeof value !== 'string') throw wrong(['tokens', at, name], `${name} must be text`)
      if (value !== '') texts[shown] = value
    }
    return { chainId, address: fromHex(address), ...texts }
  })
}

const textFields = [
  ['name', 'name'],
  ['symbol', 'symbol'],
  ['logoURI', 'logoUri'],
] as const

/**
 * Reads a file of `chainId,address,Malicious|Benign` lines; empty ones and those that begin with
 * `#` are left out. Throws `bad-config` with line and column.
 */
export function readReputation(file: string, text: string): RatedToken[] {
  return text.split('\n').flatMap((raw, at) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) return []
    const fields = raw.split(',')
    const [chainId = '', address = '', reputation = '', more] = fields.map((each) => each.trim())
    const wrong = (place: number, what: string): Fault => {
      const column = fields.slice(0, place).join(',').length + (place === 0 ? 1 : 2)
      return wrongAt(file, { line: at + 1, column }, what)
    }
    if (!/^\d{1,15}$/.test(chainId)) throw wrong(0, `not an EVM chain id: ${chainId}`)
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw wrong(1, `not an EVM address: ${address}`)
    if (reputation !== 'Malicious' && reputation !== 'Benign')
      throw wrong(2, `neither Malicious nor Benign: ${reputation}`)
    if (more !== undefined) throw wrong(3, 'a line has three fields')
    return [{ chainId: Number(chainId), address: fromHex(address), reputation }]
  })
}

/** The name that an operator gives an address. */
export type LabelledAddress = {
  /** `undefined`: on every chain. */
  readonly chainId: number | undefined
  /** 20 bytes. */
  readonly address: Uint8Array
  readonly label: string
}

const longestLabel = 80

/**
 * Reads a file of `address,label` or `chainId,address,label` lines, in which a label may have commas; empty
 * lines and those that begin with `#` are left out. Throws `bad-config` with line and column.
 */
export function readLabels(file: string, text: string): LabelledAddress[] {
  return text.split('\n').flatMap((raw, at) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) return []
    const [, chainId, address = '', label = ''] =
      /^(?:(\d{1,15}),)?(0x[0-9a-fA-F]{40}),(.+)$/.exec(line) ?? []
    if (label === '' || label.length > longestLabel)
      throw wrongAt(
        file,
        { line: at + 1, column: 1 },
        `not address,label or chainId,address,label: ${line.slice(0, 80)}`,
      )
    return [
      {
        chainId: chainId === undefined ? undefined : Number(chainId),
        address: fromHex(address),
        label: label.trim().replace(/^"(.*)"$/, '$1'),
      },
    ]
  })
}

/**
 * Notes on tokens from the lists (an earlier entry wins) and from a reputation file, and labels of
 * addresses.
 */
export function listedNotes(
  lists: readonly (readonly ListedToken[])[],
  rated: readonly RatedToken[],
  labels: readonly LabelledAddress[] = [],
): TokenNotes {
  const notes = new Map<string, TokenNote>()
  for (const { chainId, address, ...texts } of lists.flat()) {
    const key = `${chainId} ${keyOf(address)}`
    if (!notes.has(key)) notes.set(key, { ...texts, listed: true })
  }
  for (const { chainId, address, reputation } of rated) {
    const key = `${chainId} ${keyOf(address)}`
    notes.set(key, { ...notes.get(key), reputation })
  }
  const named = new Map(
    labels.map(({ chainId = '', address, label }) => [`${chainId} ${keyOf(address)}`, { label }]),
  )
  return (chain, address) => {
    const key = ` ${keyOf(address)}`
    const note = notes.get(chain.evmChainId + key)
    const label = named.get(chain.evmChainId + key) ?? named.get(key)
    return note === undefined || label === undefined ? (note ?? label) : { ...note, ...label }
  }
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

// Prices of coins and tokens, from the sources that the operator names.
//
// Prices are decimal text: they never pass through a double before the dialect prints them.

/** The native coin of a chain, or the 20 bytes of a token contract. */
export type Priced = 'native' | Uint8Array

/** Reads prices of many things of one chain at once. */
export type PriceQuestion = {
  readonly chain: Pick<ChainFacts, 'evmChainId'>
  readonly of: readonly Priced[]
  readonly currency: CurrencyCode
}

/** A source of prices. Answers are in the order requested, `undefined` where it knows none. */
export type PriceSource = {
  /** False when every answer would be `undefined`; callers then do not call. */
  readonly offered: boolean
  /** Price of one whole coin or token now. */
  readonly current: (question: PriceQuestion) => Promise<readonly (string | undefined)[]>
  /** Price on the day of `timestamp`, Unix seconds. */
  readonly historical: (
    question: PriceQuestion & { readonly timestamp: number },
  ) => Promise<readonly (string | undefined)[]>
}

/** No prices: every field of money stays absent. */
export const noPrices: PriceSource = {
  offered: false,
  current: async ({ of }) => of.map(() => undefined),
  historical: async ({ of }) => of.map(() => undefined),
}

/**
 * `amount` smallest units at `price` for a whole one, as decimal text, exact to the last digit.
 *
 * `price` is `123` or `123.456`.
 */
export function valueAt(amount: bigint, decimals: number, price: string): string {
  const [whole = '0', fraction = ''] = price.split('.')
  return withPoint(amount * BigInt(whole + fraction), decimals + fraction.length)
}

/** Notes on one address. */
export type TokenNote = {
  /** The operator's name of it. */
  readonly label?: string
  /** For contracts that give no name or symbol themselves. */
  readonly name?: string
  readonly symbol?: string
  readonly logoUri?: string
  /** On one of the operator's token lists: never taken for spam by its looks. */
  readonly listed?: boolean
  readonly reputation?: 'Malicious' | 'Benign'
}

/** Finds notes by chain and address (20 bytes). */
export type TokenNotes = (chain: ChainFacts, token: Uint8Array) => TokenNote | undefined

/** No lists. */
export const noTokenNotes: TokenNotes = () => undefined
