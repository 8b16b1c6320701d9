/**
 * Addresses by number, ready to show.
 *
 * A number never changes its address, so texts are kept for long. What a token contract says of
 * itself can change and is read again after a second, whether an address has become one after
 * ten. Kept are at most two generations of entries per chain: the older one is dropped when the
 * younger is full.
 */

import { toChecksumAddress } from '../../core/address.ts'
import { assert } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Erc20Token } from '../../shape/evm/erc20-token.ts'
import type { Party } from '../../shape/evm/party.ts'
import { partiesOfIds, type PartyRow, type TokenRow } from '../../store/query/evm/parties-of-ids.ts'
import type { ServedChain } from '../chain-directory.ts'
import type { TokenNote, TokenNotes } from '../token-notes.ts'

/** One address as views use it. The objects are shared: nobody may change them. */
export type PartyEntry = {
  /** EIP-55. */
  readonly address: string
  readonly party: Party
  readonly token: TokenRow | undefined
  readonly note: TokenNote | undefined
  /** The address as an ERC-20 token, without a price. */
  readonly erc20: Erc20Token
}

/** Finds entries of a page's addresses. */
export type Named = (id: number) => PartyEntry

/** The book of one chain. */
export type PartyBook = { readonly load: (ids: readonly number[]) => Promise<Named> }

/** Books by chain. */
export type PartyBooks = (chain: ServedChain) => PartyBook

type Kept = PartyEntry & { readonly until: number }

// An entry is about 700 bytes: two generations are 14 MB per busy chain.
const generationSize = 10_000
const tokenFreshMs = 1_000
const otherFreshMs = 10_000

/** Makes books, one per store. */
export function createPartyBooks(clock: Clock, notes: TokenNotes): PartyBooks {
  const books = new WeakMap<ServedChain['store'], PartyBook>()
  return (chain) => {
    const known = books.get(chain.store)
    if (known !== undefined) return known
    const made = createBook(chain, clock, notes)
    books.set(chain.store, made)
    return made
  }
}

function createBook(chain: ServedChain, clock: Clock, notes: TokenNotes): PartyBook {
  let younger = new Map<number, Kept>()
  let older = new Map<number, Kept>()

  const keep = (id: number, entry: Kept): void => {
    if (younger.size >= generationSize) {
      older = younger
      younger = new Map()
    }
    younger.set(id, entry)
  }
  const recall = (id: number, now: number): Kept | undefined => {
    const found = younger.get(id) ?? older.get(id)
    return found !== undefined && found.until > now ? found : undefined
  }

  const load = async (ids: readonly number[]): Promise<Named> => {
    const now = clock.monotonic()
    const page = new Map<number, Kept>()
    const missing = new Set<number>()
    for (const id of ids) {
      if (page.has(id)) continue
      const entry = recall(id, now)
      if (entry === undefined) missing.add(id)
      else page.set(id, entry)
    }
    if (missing.size > 0) {
      const wanted = [...missing]
      const rows = await partiesOfIds(chain.store, wanted)
      for (const [at, id] of wanted.entries()) {
        const row = rows[at]
        assert(row !== undefined, 'every number in a row names an address')
        // The checksum is by far the dearest part of an entry.
        const before = younger.get(id) ?? older.get(id)
        const address = before?.address ?? toChecksumAddress(row.bytes)
        const entry = entryOf(row, address, notes(chain.facts, row.bytes))
        const freshMs = row.token === undefined ? otherFreshMs : tokenFreshMs
        const kept = { ...entry, until: now + freshMs }
        keep(id, kept)
        page.set(id, kept)
      }
    }
    return (id) => {
      const entry = page.get(id)
      assert(entry !== undefined, 'every address of a page was loaded')
      return entry
    }
  }
  return { load }
}

function entryOf({ token }: PartyRow, address: string, note: TokenNote | undefined): PartyEntry {
  const logo = note?.logoUri === undefined ? {} : { logoUri: note.logoUri }
  const erc20 = {
    address,
    name: token?.name ?? note?.name ?? '',
    symbol: token?.symbol ?? note?.symbol ?? '',
    decimals: token?.decimals ?? 0,
    ...logo,
    ercType: 'ERC-20',
  } as const
  return { address, party: partyOf(address, token, logo), token, note, erc20 }
}

/** Name and symbol only where the contract tells them, decimals only of ERC-20. */
function partyOf(address: string, token: TokenRow | undefined, logo: { logoUri?: string }): Party {
  if (token === undefined) return { address }
  return {
    ...(token.name === undefined ? {} : { name: token.name }),
    ...(token.symbol === undefined ? {} : { symbol: token.symbol }),
    ...(token.standard !== 20 || token.decimals === undefined ? {} : { decimals: token.decimals }),
    ...logo,
    address,
  }
}
