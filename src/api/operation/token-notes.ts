/** Notes on addresses from the operator's lists: labels, and of tokens logos and trust. */

import type { ChainFacts } from './chain-directory.ts'

/** Notes on one address. */
export type TokenNote = {
  /** The operator's name of it. */
  readonly label?: string
  /** For contracts that tell no name or symbol themselves. */
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
