/** Notes on tokens from the operator's lists: logos, and trust. */

import type { ChainFacts } from './chain-directory.ts'

/** Notes on one token. */
export type TokenNote = {
  /** For contracts that tell no name or symbol themselves. */
  readonly name?: string
  readonly symbol?: string
  readonly logoUri?: string
  /** On one of the operator's token lists: never taken for spam by its looks. */
  readonly listed?: boolean
  readonly reputation?: 'Malicious' | 'Benign'
}

/** Finds notes by chain and contract (20 bytes). */
export type TokenNotes = (chain: ChainFacts, token: Uint8Array) => TokenNote | undefined

/** No lists. */
export const noTokenNotes: TokenNotes = () => undefined
