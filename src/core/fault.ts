/**
 * Every expected failure of the product, in one table.
 *
 * Wrong input, bad bytes, a silent node or a full disk is a `Fault` with a code from this table.
 * An impossible state is an assertion and ends as a bug report. Error strings are never compared.
 */

/** Meaning of each code, and whether a retry can help. */
export const faults = {
  'bad-bytes': { retryable: false, meaning: 'bytes do not have the form their format demands' },
  'bad-text': {
    retryable: false,
    meaning: 'an id, address or number is not written as it must be',
  },
  'bad-parameter': { retryable: false, meaning: 'a request parameter is outside what is allowed' },
  'bad-page-token': { retryable: false, meaning: 'a page token is forged, foreign or expired' },
  'bad-config': { retryable: false, meaning: 'a setting is unknown or outside what is allowed' },
  'address-taken': {
    retryable: true,
    meaning: 'an address to listen on is taken by another process, or not allowed',
  },
  'not-found': { retryable: false, meaning: 'the requested item is not known here' },
  'not-ready': { retryable: true, meaning: 'a configured chain has not been reached yet' },
  'key-required': {
    retryable: false,
    meaning: 'an API key is required, or the one sent is unknown',
  },
  forbidden: { retryable: false, meaning: 'the caller may not do this' },
  'rate-limited': { retryable: true, meaning: 'the caller asked more than its limit allows' },
  overloaded: { retryable: true, meaning: 'the service is at its limit' },
  'not-served': { retryable: true, meaning: 'the answer needs a node, and none can give it now' },
  'node-unreachable': { retryable: true, meaning: 'a node did not answer in time' },
  'node-throttled': { retryable: true, meaning: 'a node asked us to slow down' },
  'node-too-large': { retryable: true, meaning: 'a node refused the size of a request or reply' },
  'node-answer': { retryable: true, meaning: 'a node answered something it must not' },
  'node-not-yet': { retryable: true, meaning: 'a node does not have this yet' },
  'node-refused': { retryable: false, meaning: 'a node does not offer what was requested' },
  'source-mismatch': {
    retryable: false,
    meaning: 'a node has another history than the one stored',
  },
  'foreign-store': {
    retryable: false,
    meaning: 'a store holds another chain or network than the one configured',
  },
  'rows-refuted': {
    retryable: true,
    meaning: 'stored rows are not those of the chain; they are taken away and read again',
  },
  'rows-altered': {
    retryable: false,
    meaning: 'stored rows are not those that were written',
  },
  'state-violation': { retryable: false, meaning: 'a block contradicts the state before it' },
  'store-version': { retryable: false, meaning: 'the store was written by another version' },
  'store-full': { retryable: true, meaning: 'the disk is full' },
  'store-failed': { retryable: true, meaning: 'the database did not do what was requested' },
  'lease-lost': { retryable: true, meaning: 'another process writes this chain now' },
  'quorum-not-reached': { retryable: false, meaning: 'too little weight signed the message' },
  'no-message': { retryable: false, meaning: 'there is no message to sign' },
  'peer-misbehaved': { retryable: true, meaning: 'a peer broke the protocol' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>

/** A code of the table. */
export type FaultCode = keyof typeof faults

/** Where it happened: height, id, offset, limit. Never keys, bodies or secrets. */
export type FaultDetail = Readonly<Record<string, string | number | bigint | boolean | undefined>>

/** An expected failure. `message` says what and where, with the offending value last. */
export class Fault extends Error {
  readonly code: FaultCode
  readonly detail: FaultDetail

  constructor(
    code: FaultCode,
    message: string,
    options: { detail?: FaultDetail; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.detail = options.detail ?? {}
  }

  /** True when the same call may succeed later. */
  get retryable(): boolean {
    return faults[this.code].retryable
  }
}

/** The fault inside `error`, or `undefined` when it is not one of ours. */
export function faultOf(error: unknown): Fault | undefined {
  return error instanceof Fault ? error : undefined
}

/** The fault that `error` is; what is none of ours is thrown. */
export function faultIn(error: unknown): Fault {
  if (error instanceof Fault) return error
  throw error
}

/** The answer of `work`; `undefined` where it ends in a fault of `code`. */
export async function orAbsent<T>(
  code: FaultCode,
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (faultOf(error)?.code !== code) throw error
    return undefined
  }
}

/** States what must hold. A violation is our bug, never the caller's. */
export function assert(condition: boolean, whyItHolds: string): asserts condition {
  if (!condition) throw new Error(`broken invariant: ${whyItHolds}`)
}
