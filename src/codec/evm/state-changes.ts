/**
 * Changes of the state by a transaction, as the prestateTracer tells them with `diffMode`.
 *
 * `pre` has the accounts that it changed as they were, `post` the parts of them that are other now. What is absent in
 * `post` is as before; an account that is absent there was destroyed, a slot that is absent is zero. Source: libevm
 * eth/tracers/native/prestate.go.
 */

import { toChecksumAddress } from '../../core/address.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { hexBytes } from './hex.ts'
import { objectOf } from './raw.ts'

/** A value before and after. */
export type Change<T> = { readonly before: T; readonly after: T }

/** An account that changed; parts that did not are absent. */
export type ChangedAccount = {
  /** EIP-55. */
  readonly address: string
  readonly isCreated: boolean
  readonly isDestroyed: boolean
  /** Wei. */
  readonly balance: Change<string> | undefined
  readonly nonce: Change<number> | undefined
  /** Bytes of code. */
  readonly codeBytes: Change<number> | undefined
  /** In order of the slots; words of 32 bytes, `0x` hex. */
  readonly storage: readonly (Change<string> & { readonly slot: string })[]
}

/** Accounts in order of their addresses, with the first slots of all, and how many there are. */
export type StateChanges = {
  readonly accounts: readonly ChangedAccount[]
  readonly accountCount: number
  readonly slotCount: number
}

const zeroWord = `0x${'0'.repeat(64)}`

/** Reads at most `most` accounts, and as many slots. Throws `node-answer` for what has no such form. */
export function stateChangesOf(answer: unknown, most: number): StateChanges {
  const { pre: given, post: after } = objectOf(answer, 'state changes')
  const pre = accountsOf(given)
  const post = accountsOf(after)
  const addresses = [...new Set([...pre.keys(), ...post.keys()])].toSorted()
  const all = addresses.map((address) => changeOf(address, pre.get(address), post.get(address)))
  const changed = all.filter(isChanged)
  let left = most
  const accounts = changed.slice(0, most).map((account) => {
    const storage = account.storage.slice(0, left)
    left -= storage.length
    return { ...account, storage }
  })
  return {
    accounts,
    accountCount: changed.length,
    slotCount: changed.reduce((sum, { storage }) => sum + storage.length, 0),
  }
}

type Account = Readonly<Record<string, unknown>>

/** Accounts by their lower-case addresses. */
function accountsOf(value: unknown): ReadonlyMap<string, Account> {
  const accounts = Object.entries(objectOf(value, 'accounts of state changes'))
  return new Map(
    accounts.map(([address, account]) => {
      if (!/^0x[0-9a-f]{40}$/i.test(address)) throw wrong('address')
      return [address.toLowerCase(), objectOf(account, 'account of state changes')]
    }),
  )
}

function changeOf(
  address: string,
  pre: Account | undefined,
  post: Account | undefined,
): ChangedAccount {
  const isDestroyed = post === undefined
  const before = partsOf(pre ?? {})
  const told = partsOf(post ?? {})
  const after = <T>(one: T | undefined, none: T, was: T): T => one ?? (isDestroyed ? none : was)
  const balance = before.balance ?? 0n
  const nonce = before.nonce ?? 0
  const codeBytes = before.codeBytes ?? 0
  return {
    address: toChecksumAddress(fromHex(address)),
    isCreated: pre === undefined,
    isDestroyed,
    balance: mapped(changed(balance, after(told.balance, 0n, balance)), String),
    nonce: changed(nonce, after(told.nonce, 0, nonce)),
    codeBytes: changed(codeBytes, after(told.codeBytes, 0, codeBytes)),
    storage: [...new Set([...before.storage.keys(), ...told.storage.keys()])]
      .toSorted()
      .map((slot) => ({
        slot,
        before: before.storage.get(slot) ?? zeroWord,
        after: told.storage.get(slot) ?? zeroWord,
      }))
      .filter((one) => one.before !== one.after),
  }
}

function isChanged({ balance, nonce, codeBytes, storage }: ChangedAccount): boolean {
  return [balance, nonce, codeBytes].some((part) => part !== undefined) || storage.length > 0
}

function changed<T>(before: T, after: T): Change<T> | undefined {
  return before === after ? undefined : { before, after }
}

function mapped<T, U>(change: Change<T> | undefined, to: (value: T) => U): Change<U> | undefined {
  return change && { before: to(change.before), after: to(change.after) }
}

function partsOf({ balance, nonce, code, storage }: Account): {
  readonly balance: bigint | undefined
  readonly nonce: number | undefined
  readonly codeBytes: number | undefined
  readonly storage: ReadonlyMap<string, string>
} {
  const bytes = code === undefined || code === null ? undefined : hexBytes(code)
  if (code !== undefined && code !== null && bytes === undefined) throw wrong('code')
  const slots = storage === undefined || storage === null ? {} : storage
  if (!isObject(slots)) throw wrong('storage')
  return {
    balance: quantity(balance, 'balance'),
    // Nodes write nonces as numbers or as quantities.
    nonce: typeof nonce === 'number' ? nonce : mappedNumber(quantity(nonce, 'nonce')),
    codeBytes: bytes === undefined ? undefined : bytes.length / 2 - 1,
    storage: new Map(Object.entries(slots).map(([slot, value]) => [word(slot), word(value)])),
  }
}

function mappedNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

function quantity(value: unknown, what: string): bigint | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw wrong(what)
  return BigInt(value)
}

function word(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw wrong('slot')
  return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`
}

function wrong(what: string): Fault {
  return new Fault('node-answer', `state changes have no form: ${what}`)
}
