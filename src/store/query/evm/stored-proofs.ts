/**
 * Blocks of a store that hashes do not prove. Written with the blocks, so that a process knows them
 * after a restart or when it only serves.
 */

import { Fault } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'

/** Receipts that a later header commits to, on a chain that executes after acceptance. */
export type StoredSettlement = {
  /** The last stored height. */
  readonly at: number
  /** Height that its header settles. */
  readonly settles: number
  /** Up to which height receipts are proven. */
  readonly proven: number
  /**
   * Heights after `settles`, each with a sum of the receipts that its rows were made of, in hex.
   */
  readonly unsettled: readonly (readonly [height: number, sum: string])[]
}

/** The unproven blocks; a part is absent where it has none. */
export type StoredProofs = {
  /** First height that was taken without a proof. */
  readonly unprovenFrom?: number | undefined
  /** Why blocks are taken that hashes do not prove. */
  readonly unverified?: string | undefined
  readonly settlement?: StoredSettlement | undefined
}

const question = statement("select value from meta where name = 'proofs'")

/** The text in `meta`; empty where there is nothing to say. */
export function proofsText(proofs: StoredProofs): string {
  const text = JSON.stringify(proofs)
  return text === '{}' ? '' : text
}

/** The stored text; empty when there is none. */
export async function storedProofsText(reader: Reader): Promise<string> {
  const [value] = (await reader.get(question)) ?? []
  return typeof value === 'string' ? value : ''
}

/**
 * The stored value. Throws `store-failed` for text that is no such value. Cost: one look-up by key.
 */
export async function storedProofs(reader: Reader): Promise<StoredProofs> {
  const text = await storedProofsText(reader)
  if (text === '') return {}
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `proofsText`
    return JSON.parse(text) as StoredProofs
  } catch (cause) {
    throw new Fault('store-failed', 'stored proofs are not JSON', { cause })
  }
}

/** Last height up to which every block is proven, of blocks stored up to `height`. */
export function provenHeightOf({ unprovenFrom, settlement }: StoredProofs, height: number): number {
  const checked = Math.min(height, (unprovenFrom ?? height + 1) - 1)
  return Math.min(checked, settlement?.proven ?? checked)
}
