/**
 * Addresses by number, ready to show.
 *
 * A number never changes its address, so numbers and texts are kept for long. Whether an address
 * has become a token, and what the token says of itself, is read again after ten seconds; after
 * one while the token has not said anything yet, for then it is about to be called.
 */

import { casedAddress, parseEvmAddress, toChecksumAddress } from '../../core/address.ts'
import { createGenerations } from '../../core/bounded-maps.ts'
import { fromHex } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Decoded } from '../../shape/evm/log.ts'
import type { Erc20Token, RichAddress } from '../../shape/evm/token.ts'
import type { MaybePromise } from '../../store/engine/database.ts'
import { addressId, richAddressesOfIds, type TokenRow } from '../../store/query/evm/addresses.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { TokenNote, TokenNotes } from '../prices/token-lists.ts'
import { looksLikeSpam } from './tokens/spam.ts'

/** One address as views use it. The objects are shared and must not be changed. */
export type RichAddressEntry = {
  /** EIP-55. */
  readonly address: string
  readonly rich: RichAddress
  /** JSON of the address. */
  readonly richText: string
  readonly token: TokenRow | undefined
  readonly note: TokenNote | undefined
  /** The address as an ERC-20 token, without a price. */
  readonly erc20: Erc20Token
  /** JSON of `erc20`, made at the first call. */
  readonly erc20Text: () => string
}

/** Finds entries of a page's addresses. */
export type Named = (id: number) => RichAddressEntry

/** The book of one chain. */
export type RichAddressBook = {
  readonly load: (ids: readonly number[]) => MaybePromise<Named>
  /** Throws `bad-text` for anything but an address. */
  readonly find: (text: string) => MaybePromise<Found>
  /** The operator's name of an address, also of one that the chain has never shown. */
  readonly labelOf: (address: Uint8Array) => string | undefined
}

/** An address that a caller wrote. */
export type Found = {
  readonly bytes: Uint8Array
  /** `0x` and lower-case digits, however it was written. */
  readonly lowerText: string
  /** `undefined` when the chain has never shown the address. */
  readonly id: number | undefined
}

/** Books by chain. */
export type RichAddressBooks = (chain: ServedChain) => RichAddressBook

/** A call or an event in words, with what the operator calls the addresses in it. */
export function withLabels(decoded: Decoded, { labelOf }: RichAddressBook): Decoded {
  const parameters = decoded.parameters.map((each) =>
    each.type === 'address' ? { ...each, label: labelOf(fromHex(each.value)) } : each,
  )
  return { ...decoded, parameters }
}

type Kept = RichAddressEntry & { readonly until: number }

// An entry is about 800 bytes, what is found by a text 400: two generations are 24 MB per busy
// chain.
const generationSize = 10_000
const silentFreshMs = 1_000
const freshMs = 10_000

/** Makes books, one per store. */
export function createRichAddressBooks(clock: Clock, notes: TokenNotes): RichAddressBooks {
  const books = new WeakMap<ServedChain['store'], RichAddressBook>()
  return (chain) => {
    const known = books.get(chain.store)
    if (known !== undefined) return known
    const made = createBook(chain, clock, notes)
    books.set(chain.store, made)
    return made
  }
}

function createBook(chain: ServedChain, clock: Clock, notes: TokenNotes): RichAddressBook {
  const entries = createGenerations<number, Kept>(generationSize)
  const known = createGenerations<string, Found>(generationSize)

  const find = (text: string): MaybePromise<Found> => known.get(text) ?? search(text)

  const search = async (text: string): Promise<Found> => {
    const bytes = parseEvmAddress(text)
    const id = await addressId(chain.store, bytes)
    const found = { bytes, lowerText: text.toLowerCase(), id }
    // A number that an address has got is never changed.
    if (id !== undefined) known.set(text, found)
    return found
  }

  const renew = async (
    stale: ReadonlyMap<number, Kept | undefined>,
    now: number,
  ): Promise<[number, Kept][]> => {
    const ids = [...stale.keys()]
    const rows = await richAddressesOfIds(chain.store, ids)
    return ids.map((id, at) => {
      const row = rows[at]
      assert(row !== undefined, 'every number in a row names an address')
      const { digits, mask, token } = row
      // Hashing is by far the dearest part of an entry: it is done where the stored case is damaged.
      const address =
        stale.get(id)?.address ??
        (mask === undefined ? toChecksumAddress(fromHex(digits)) : casedAddress(digits, mask))
      const note = notes(chain.facts, fromHex(digits))
      const isSpam = token !== undefined && looksLikeSpam(token, note, chain.facts)
      const entry = entryOf(token, address, { note, isSpam })
      const silent = token?.name === undefined && token?.symbol === undefined
      const keptMs = token !== undefined && silent ? silentFreshMs : freshMs
      return [id, { ...entry, until: now + keptMs }]
    })
  }

  const load = (ids: readonly number[]): MaybePromise<Named> => {
    const now = clock.monotonic()
    const page = new Map<number, Kept>()
    const stale = new Map<number, Kept | undefined>()
    for (const id of ids) {
      if (page.has(id)) continue
      const entry = entries.get(id)
      if (entry !== undefined && entry.until > now) page.set(id, entry)
      else stale.set(id, entry)
    }
    const named: Named = (id) => {
      const entry = page.get(id)
      assert(entry !== undefined, 'every address of a page was loaded')
      return entry
    }
    if (stale.size === 0) return named
    return renew(stale, now).then((renewed) => {
      for (const [id, entry] of renewed) {
        entries.set(id, entry)
        page.set(id, entry)
      }
      return named
    })
  }
  return { load, find, labelOf: (address) => notes(chain.facts, address)?.label }
}

function entryOf(
  token: TokenRow | undefined,
  address: string,
  { note, isSpam }: { readonly note: TokenNote | undefined; readonly isSpam: boolean },
): RichAddressEntry {
  const notes = { logoUri: note?.logoUri, isSpam: isSpam ? true : undefined } as const
  const erc20 = {
    address,
    name: token?.name ?? note?.name ?? '',
    symbol: token?.symbol ?? note?.symbol ?? '',
    ...knownDecimals(token),
    ...notes,
    ercType: 'ERC-20',
  } as const
  const rich = richAddressOf(address, token, { ...notes, label: note?.label })
  let erc20Text: string | undefined
  return {
    address,
    rich,
    richText: JSON.stringify(rich),
    token,
    note,
    erc20,
    erc20Text: () => (erc20Text ??= JSON.stringify(erc20)),
  }
}

/** Decimals of a token, or why there are none. */
export function knownDecimals(
  token: TokenRow | undefined,
): Pick<Erc20Token, 'decimals' | 'decimalsUnknown'> {
  if (token?.decimals !== undefined) return { decimals: token.decimals }
  return {
    decimals: null,
    decimalsUnknown: token?.decimals_reason ?? 'the contract was not called yet',
  }
}

/** Name and symbol only where the contract gives them, decimals only of ERC-20. */
function richAddressOf(
  address: string,
  token: TokenRow | undefined,
  more: Pick<RichAddress, 'logoUri' | 'isSpam' | 'label'>,
): RichAddress {
  if (token === undefined) return { label: more.label, address }
  return {
    name: token.name,
    symbol: token.symbol,
    decimals: token.standard === 20 ? token.decimals : undefined,
    ...more,
    address,
  }
}
