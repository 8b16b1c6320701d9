/**
 * An operation: its path, its parameters, the shape of its response, and the function that answers.
 *
 * An operation knows no status code, no header and no dialect; `server.ts` does these for all.
 */

import { Fault } from '../../core/fault.ts'
import type { Static, ObjectSchema, Schema } from '../../shape/type.ts'

/** The declared half of an operation, as pages write it. */
export type DeclaredShape = {
  /** `operationId` of the OpenAPI document. */
  readonly id: string
  /** GET where none is named. */
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in the documents, `{name}` for a path parameter, `:verb` literally. */
  readonly path: string
  readonly summary: string
  /** Heading in the OpenAPI document. */
  readonly tag: string
  /** Compute units, as the original service weighs the call: 20 where none are named, as of most. */
  readonly weight?: number
  readonly parameters: {
    readonly path: ObjectSchema
    readonly query: ObjectSchema
    readonly body?: Schema
  }
  readonly response: Schema
  /** Status of success where the documents and clients know another than 200. */
  readonly status?: number
  /** True when `message` of an error is a list, as in version 1 of document C. */
  readonly listMessages?: boolean
  /** Answered to everybody, also where keys are required: how the service is. */
  readonly open?: boolean
  /** Bytes that its body may have, where the general limit does not fit. */
  readonly bodyBytes?: number
  /** Its body may be a form instead of JSON: what web pages and older tools send. */
  readonly takesForm?: boolean
  /** Its body is a JSON-RPC call: failures have that form, whoever finds them. */
  readonly isJsonRpc?: boolean
  /** A 404 may have the form of the response: {@link Answer.isAbsent}. */
  readonly mayBeAbsent?: boolean
  /** It reads its query by itself, as text by name or a list of texts where a name is given twice. */
  readonly anyQuery?: boolean
  /** Milliseconds the answer may take where the general limit does not fit. */
  readonly timeoutMs?: number
}

const usual = { method: 'GET', weight: 20 } as const

/** The declared half of an operation, whole. */
export type OperationShape = DeclaredShape & Required<Pick<DeclaredShape, keyof typeof usual>>

/** Checked input of an operation. */
export type Input<S extends DeclaredShape> = {
  readonly path: Static<S['parameters']['path']>
  readonly query: Static<S['parameters']['query']>
  readonly body: S['parameters']['body'] extends Schema
    ? Static<S['parameters']['body']>
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
  /** Height up to which this answer is complete: header `x-indexed-height`. */
  readonly indexedHeight?: number | undefined
  /** Headers that say more about this answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body says that what was requested is not there: 404. */
  readonly isAbsent?: boolean
  /** Never changes again, whatever is indexed, priced or named later: it may be cached for ever. */
  readonly immutable?: boolean | undefined
}

/** An operation ready to serve; what its shape promised the compiler is checked, and forgotten. */
export type Operation<Id extends string = string> = {
  readonly shape: OperationShape & { readonly id: Id }
  readonly answer: (input: Input<DeclaredShape>) => Promise<Answer>
}

/** Ties a shape to its answer: types of the input and the body follow the shape. */
export function operation<S extends DeclaredShape>(
  shape: S,
  answer: (input: Input<NoInfer<S>>) => Promise<Answer<Static<NoInfer<S>['response']>>>,
): Operation<S['id']> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server reads the input by this shape
  return { shape: { ...usual, ...shape }, answer: answer as Operation['answer'] }
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
