/** The caller, for operations that keep something for their callers. */

import { Fault } from '../../core/fault.ts'

/** A caller as admission found it. */
export type Caller = {
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
