/** What the operator's lists say of tokens: logos, and whether they are to be trusted. */

import type { ChainFacts } from './chain-directory.ts'

/** Notes on one token. */
export type TokenNote = {
  readonly logoUri?: string
  readonly reputation?: 'Malicious' | 'Benign'
}

/** Finds notes by chain and contract (20 bytes). */
export type TokenNotes = (chain: ChainFacts, token: Uint8Array) => TokenNote | undefined

/** No lists. */
export const noTokenNotes: TokenNotes = () => undefined
