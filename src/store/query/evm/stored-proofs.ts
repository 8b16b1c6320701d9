/**
 * What hashes do not prove of the blocks of a store, written with them: so that a restart, and a
 * process that only serves, know it.
 */

import { Fault } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'

/** Receipts that a later header commits to, on a chain that executes after acceptance. */
export type StoredSettlement = {
  /** The last stored height. */
  readonly at: number
  /** How far its header settles. */
  readonly settles: number
  /** Up to which height receipts are proven. */
  readonly proven: number
  /**
   * Heights after `settles`, each with a sum of the receipts that its rows were made of, in hex.
   */
  readonly unsettled: readonly (readonly [height: number, sum: string])[]
}

/** What is not proven; nothing is absent where everything is. */
export type StoredProofs = {
  /** First height that was taken without a proof. */
  readonly unprovenFrom?: number
  /** Why blocks are taken that hashes do not prove. */
  readonly unverified?: string
  readonly settlement?: StoredSettlement
}

const question = statement("select value from meta where name = 'proofs'")

/** The text in `meta`; empty where there is nothing to say. */
export function proofsText(proofs: StoredProofs): string {
  return Object.keys(proofs).length === 0 ? '' : JSON.stringify(proofs)
}

/** What is stored as text; empty when nothing was ever said. */
export async function storedProofsText(reader: Reader): Promise<string> {
  const [value] = (await reader.get(question)) ?? []
  return typeof value === 'string' ? value : ''
}

/**
 * What is stored. Throws `store-failed` for text that is no such value. Cost: one look-up by key.
 */
export async function storedProofs(reader: Reader): Promise<StoredProofs> {
  const text = await storedProofsText(reader)
  if (text === '') return {}
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `proofsText`
    return JSON.parse(text) as StoredProofs
  } catch (cause) {
    throw new Fault('store-failed', 'what is stored of proofs is not JSON', { cause })
  }
}

/** Last height up to which every block is proven, of blocks stored up to `height`. */
export function provenHeightOf({ unprovenFrom, settlement }: StoredProofs, height: number): number {
  const checked = Math.min(height, (unprovenFrom ?? height + 1) - 1)
  return Math.min(checked, settlement?.proven ?? checked)
}
