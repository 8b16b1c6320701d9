/**
 * Addresses by number, ready to show, and what each is called: as the operator says, else by the symbol of its token,
 * else as its verified contract is named, else as the chain's registry of names says: a token is known by its symbol, and
 * many are compiled as `Token`. What looks like spam has no name but the operator's.
 *
 * A number never changes its address, so numbers and texts are kept for long. Whether an address
 * has become a token or a verified contract, and what the token says of itself, is read again after ten seconds;
 * after one on a chain of development, and while the token has not said anything yet, for then it is about to be called.
 */

import { casedAddress, parseEvmAddress, toChecksumAddress } from '../../core/address.ts'
import { createGenerations } from '../../core/bounded-maps.ts'
import { fromHex, keyOf } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Clock } from '../../core/world.ts'
import type { Decoded } from '../../shape/evm/log.ts'
import type { Erc20Token, RichAddress } from '../../shape/evm/token.ts'
import type { MaybePromise } from '../../store/engine/database.ts'
import {
  addressId,
  addressIds,
  richAddressesOfIds,
  type TokenRow,
} from '../../store/query/evm/addresses.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { TokenNote, TokenNotes } from '../prices/token-lists.ts'
import { type Moved, onlyUnit, unitOf, withUnit } from './abi/amounts.ts'
import type { RegistryNames } from './registry-names.ts'
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
  /** Facts about addresses, also those that the chain has never shown; of the first {@link mostLabelled}. */
  readonly about: (addresses: readonly Uint8Array[]) => Promise<AboutOf>
}

/** Label, symbol and decimals of an address, as far as it has them, and its token, if it is one. */
type AboutOf = (address: Uint8Array) => {
  readonly rich: Partial<RichAddress>
  readonly token?: Pick<TokenRow, 'standard'> | undefined
}

/** Names of verified contracts at addresses, in their order. */
export type ContractNames = (
  chain: ServedChain,
  addresses: readonly Uint8Array[],
) => MaybePromise<readonly (string | undefined)[]>

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

/** Labels of addresses of a page that stand as text. */
export type Labels = {
  readonly of: (address: string | undefined) => string | undefined
  /**
   * A call or an event in words, with what the addresses in it are called and what its amounts are of: `contract`
   * was called or logged it, `moved` is what its transaction moved.
   */
  readonly in: <D extends Decoded | undefined>(
    decoded: D,
    of?: { readonly contract?: string | undefined; readonly moved?: Moved | undefined },
  ) => D
}

const nothing: Moved = new Map()

/** Addresses in decoded values of an answer that are looked up: a list of a stranger may have thousands. */
const mostInValues = 2_000

/** Labels of `addresses` and of the first {@link mostInValues} in decoded values. Cost: two look-ups of all. */
export async function labelsOf(
  { about }: Pick<RichAddressBook, 'about'>,
  addresses: readonly (string | undefined)[],
  decoded: readonly (Decoded | undefined)[] = [],
): Promise<Labels> {
  const values = decoded.flatMap((one) => one?.parameters.flatMap(addressesIn) ?? [])
  const wanted = [...addresses.flatMap((one) => one ?? []), ...values.slice(0, mostInValues)]
  const aboutOf = await about(wanted.map(fromHex))
  const labelOf = (address: string): string | undefined => aboutOf(fromHex(address)).rich.label
  const labelled = (each: Value): Value => {
    const [first, ...others] = addressesIn(each)
    if (first === undefined) return each
    if (each.type === 'address') return { ...each, label: labelOf(first) }
    const known = [first, ...others].flatMap((one) => {
      const label = labelOf(one)
      return label === undefined ? [] : [[one, label] as const]
    })
    return known.length === 0 ? each : { ...each, labels: Object.fromEntries(known) }
  }
  return {
    of: (address) => (address === undefined ? undefined : labelOf(address)),
    in: (one, { contract, moved = nothing } = {}) => {
      if (one === undefined) return one
      const called = contract === undefined ? undefined : aboutOf(fromHex(contract))
      // Of a token's own amounts nothing beside it tells.
      const beside = called?.token === undefined ? one.parameters.flatMap(addressesIn) : []
      const tokens = beside.flatMap((each) => {
        const { rich, token } = aboutOf(fromHex(each))
        return token?.standard === 20 ? [rich] : []
      })
      const own = called && unitOf(called.rich)
      const of = { method: one.name, own, beside: onlyUnit(tokens), moved }
      return { ...one, parameters: one.parameters.map((each) => withUnit(labelled(each), of)) }
    },
  }
}

/** Logs with the labels of those who logged them, and {@link Labels.in} words; `movedBy` by place. */
export async function labelledLogs<
  L extends { readonly address: string; readonly decoded?: Decoded | undefined },
>(
  book: RichAddressBook,
  logs: readonly L[],
  movedBy: (at: number) => Moved | undefined,
): Promise<(L & { label: string | undefined })[]> {
  const labels = await labelsOf(
    book,
    logs.map(({ address }) => address),
    logs.map(({ decoded }) => decoded),
  )
  return logs.map((log, at) => ({
    ...log,
    label: labels.of(log.address),
    decoded: labels.in(log.decoded, { contract: log.address, moved: movedBy(at) }),
  }))
}

type Value = Decoded['parameters'][number]

/** Addresses in a value: itself, or those in a list or tuple. */
function addressesIn({ type, value }: Value): readonly string[] {
  return type.includes('address') ? (value.match(/\b0x[0-9a-fA-F]{40}\b/g) ?? []) : []
}

type Kept = RichAddressEntry & { readonly until: number }

// An entry is about 800 bytes, what is found by a text 400: two generations are 24 MB per busy
// chain.
const generationSize = 10_000
const silentFreshMs = 1_000
const freshMs = 10_000

/** Distinct addresses of one page that are looked up by their text. */
const mostLabelled = 2_000

/** Makes books, one per store. */
export function createRichAddressBooks(
  clock: Clock,
  notes: TokenNotes,
  contractNames: ContractNames = () => [],
  registryNames: RegistryNames['of'] = () => [],
): RichAddressBooks {
  const books = new WeakMap<ServedChain['store'], RichAddressBook>()
  return (chain) => {
    const known = books.get(chain.store)
    if (known !== undefined) return known
    const made = createBook(chain, clock, { notes, contractNames, registryNames })
    books.set(chain.store, made)
    return made
  }
}

/** Where names come from besides tokens. */
type NameSources = {
  readonly notes: TokenNotes
  readonly contractNames: ContractNames
  readonly registryNames: RegistryNames['of']
}

function createBook(chain: ServedChain, clock: Clock, sources: NameSources): RichAddressBook {
  const entries = createGenerations<number, Kept>(generationSize)
  const renew = renewing(chain, sources)

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
  return { load, find: finding(chain), about: looking(chain, sources.notes, load) }
}

/** Makes entries of numbers anew, `stale` with those that were kept. */
function renewing(
  chain: ServedChain,
  { notes, contractNames, registryNames }: NameSources,
): (stale: ReadonlyMap<number, Kept | undefined>, now: number) => Promise<[number, Kept][]> {
  return async (stale, now) => {
    const ids = [...stale.keys()]
    const rows = (await richAddressesOfIds(chain.store, ids)).map((row) => {
      assert(row !== undefined, 'every number in a row names an address')
      return { ...row, bytes: fromHex(row.digits) }
    })
    const addresses = rows.map(({ bytes }) => bytes)
    const contracts = await contractNames(chain, addresses)
    const registered = registryNames(chain, addresses)
    return rows.map(({ digits, bytes, mask, token }, at) => {
      const id = itemAt(ids, at)
      // Hashing is by far the dearest part of an entry: it is done where the stored case is damaged.
      const address =
        stale.get(id)?.address ??
        (mask === undefined ? toChecksumAddress(bytes) : casedAddress(digits, mask))
      const note = notes(chain.facts, bytes)
      const isSpam = token !== undefined && looksLikeSpam(token, note, chain.facts)
      const own = registered[at]
      const contractName = contracts[at] ?? (own === '' ? undefined : own)
      const entry = entryOf(token, address, { note, isSpam, contractName })
      const silent = token?.name === undefined && token?.symbol === undefined
      const isAsked = chain.facts.nameRegistry !== undefined && own === undefined
      const isNews = chain.beginsAnew === true || isAsked || (token !== undefined && silent)
      const keptMs = isNews ? silentFreshMs : freshMs
      return [id, { ...entry, until: now + keptMs }]
    })
  }
}

function finding({ store }: ServedChain): RichAddressBook['find'] {
  const known = createGenerations<string, Found>(generationSize)
  const search = async (text: string): Promise<Found> => {
    const bytes = parseEvmAddress(text)
    const id = await addressId(store, bytes)
    const found = { bytes, lowerText: text.toLowerCase(), id }
    // A number that an address has got is never changed.
    if (id !== undefined) known.set(text, found)
    return found
  }
  return (text) => known.get(text) ?? search(text)
}

/** Addresses by their bytes; of what the chain has not shown the operator's label. */
function looking(
  { store, facts }: ServedChain,
  notes: TokenNotes,
  load: RichAddressBook['load'],
): RichAddressBook['about'] {
  return async (addresses) => {
    const distinct = [...new Map(addresses.map((one) => [keyOf(one), one])).values()]
    const looked = distinct.slice(0, mostLabelled)
    const ids = looked.length === 0 ? [] : await addressIds(store, looked)
    const named = await load(ids.flatMap((id) => id ?? []))
    const found = new Map(looked.map((one, at) => [keyOf(one), ids[at]]))
    return (address) => {
      const id = found.get(keyOf(address))
      return id === undefined ? { rich: { label: notes(facts, address)?.label } } : named(id)
    }
  }
}

/** Facts about an address beside its token. */
type About = {
  readonly note: TokenNote | undefined
  readonly isSpam: boolean
  readonly contractName: string | undefined
}

/** The rule of this module's head. */
function labelOf(
  token: TokenRow | undefined,
  { note, isSpam, contractName }: About,
): string | undefined {
  if (note?.label !== undefined || isSpam) return note?.label
  return token?.symbol === undefined || token.symbol === '' ? contractName : token.symbol
}

function entryOf(token: TokenRow | undefined, address: string, about: About): RichAddressEntry {
  const { note, isSpam } = about
  const notes = { logoUri: note?.logoUri, isSpam: isSpam ? true : undefined } as const
  const erc20 = {
    address,
    name: token?.name ?? note?.name ?? '',
    symbol: token?.symbol ?? note?.symbol ?? '',
    ...knownDecimals(token),
    ...notes,
    ercType: 'ERC-20',
  } as const
  const name = token?.name ?? (isSpam ? undefined : about.contractName)
  const rich = richAddressOf(address, token, { ...notes, name, label: labelOf(token, about) })
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

/** Symbol only where the contract gives it, decimals only of ERC-20. */
function richAddressOf(
  address: string,
  token: TokenRow | undefined,
  { name, ...more }: Pick<RichAddress, 'name' | 'logoUri' | 'isSpam' | 'label'>,
): RichAddress {
  if (token === undefined) return { name, label: more.label, address }
  return {
    name,
    symbol: token.symbol,
    decimals: token.standard === 20 ? token.decimals : undefined,
    ...more,
    address,
  }
}
