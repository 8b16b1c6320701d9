/**
 * An operation: its contract, and the function that answers.
 *
 * An operation knows no status code, no header and no dialect; `server.ts` does these for all.
 */

import { Fault } from '../../core/fault.ts'
import type { Contract } from '../../shape/operations/contract.ts'
import type { Schema, Static } from '../../shape/type.ts'
import type { ListColumn } from './list-columns.ts'

/** Checked input of an operation. */
export type Input<C extends Contract> = {
  readonly path: Static<C['parameters']['path']>
  readonly query: Static<C['parameters']['query']>
  readonly body: C['parameters']['body'] extends Schema
    ? Static<C['parameters']['body']>
    : undefined
  /** Aborted when the caller goes away or the time is over. */
  readonly signal: AbortSignal
  /** The caller, for operations that keep something for their callers. */
  readonly caller: Caller
  /** Counts units besides those of the operation. Throws `rate-limited`. */
  readonly charge: (weight: number) => Promise<void>
}

/** Answer of an operation. */
export type Answer<Body = unknown> = {
  readonly body: Body
  /** The body as JSON text written straight from rows, byte for byte what `JSON.stringify` gives. */
  readonly json?: () => string
  /** Parts of a body as JSON text, in place of one that is too long to hold; they are read as they are sent. */
  readonly texts?: AsyncIterable<string>
  /** Height up to which this answer is complete: header `x-indexed-height`. */
  readonly indexedHeight?: number | undefined
  /** Headers that say more about this answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body says that what was requested is not there: 404. */
  readonly isAbsent?: boolean
  /** Columns of its list as a file, where they do not follow from the shape. */
  readonly columns?: readonly ListColumn[]
  /** Never changes again, whatever is indexed, priced or named later: it may be cached for ever. */
  readonly immutable?: boolean | undefined
}

/** An operation ready to serve; what its contract promised the compiler is checked, and forgotten. */
export type Operation<Id extends string = string> = {
  readonly contract: Contract & { readonly id: Id }
  readonly answer: (input: Input<Contract>) => Promise<Answer>
}

/** An operation for each contract of a table: the compiler misses none, and swaps none. */
export type AllOf<T> = { readonly [Id in keyof T & string]: Operation<Id> }

/** Ties a contract to its answer: types of the input and the body follow the contract. */
export function operation<C extends Contract>(
  contract: C,
  answer: (input: Input<NoInfer<C>>) => Promise<Answer<Static<NoInfer<C>['response']>>>,
): Operation<C['id']> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server reads the input by this contract
  return { contract, answer: answer as Operation['answer'] }
}

/** The same operation by an older name. */
export function renamed<Id extends string>(
  contract: Contract & { readonly id: Id },
  { answer }: Operation,
): Operation<Id> {
  return { contract, answer }
}

/** A caller as admission found it. */
export type Caller = {
  /** As limits count it: its key, else its address. */
  readonly name: string
  /** Id of its API key. */
  readonly key: string | undefined
  /** True when any key was ever made here. */
  readonly hasKeys: boolean
  /** True when it calls from this machine. */
  readonly isLoopback: boolean
  /** Scheme, host and port it named, for addresses in answers; empty where none is known. */
  readonly origin: string
}

/** A caller of whom nothing is known. */
export const unknownCaller: Caller = {
  name: '',
  key: undefined,
  hasKeys: false,
  isLoopback: false,
  origin: '',
}

/**
 * The owner of the things a caller keeps here: the id of its key. Where there are no keys, all
 * callers of this machine are one owner without a name, and other callers may keep nothing. Throws
 * `key-required`.
 */
export function ownerOf({ key, hasKeys, isLoopback }: Caller): string {
  if (key !== undefined) return key
  if (!hasKeys && isLoopback) return ''
  throw new Fault(
    'key-required',
    hasKeys
      ? 'an API key is required: send it as x-service-api-key'
      : 'an API key is required from other machines, and none was made here: see firn keys create',
  )
}
