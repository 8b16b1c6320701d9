/** The chain and address a path names. */

import type { ServedChain } from '../operation/chain-directory.ts'
import type { EvmParts } from './parts.ts'

/** An address of a chain. */
export type Subject = {
  readonly chain: ServedChain
  readonly address: Uint8Array
  /** `undefined` when the chain has never shown the address. */
  readonly id: number | undefined
  /** Part of the binding of page tokens. */
  readonly binding: Readonly<Record<string, string>>
}

/** Finds chain and address. Throws `not-found` for a chain that is not served. */
export async function subjectOf(
  { chains, parties }: EvmParts,
  path: { readonly chainId: string; readonly address: string },
): Promise<Subject> {
  const chain = chains.find(path.chainId)
  const soon = parties(chain).find(path.address)
  const { bytes, lowerText, id } = soon instanceof Promise ? await soon : soon
  return { chain, address: bytes, id, binding: { chain: chain.facts.key, of: lowerText } }
}
