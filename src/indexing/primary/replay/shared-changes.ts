/**
 * Changes between chains by a batch, for the batches after it: they are replayed while the store
 * still writes this one.
 */

import { outputKeyOf } from '../../../codec/primary/ids.ts'
import type { KnownUtxo } from '../batch/ledger-rows.ts'
import type { KnownImport, UtxoReader } from '../batch/stored-state.ts'
import type { Draft } from './draft.ts'

/** Changes, by `outputKeyOf`. */
export type SharedChanges = {
  /** UTXOs between chains that it made or spent, as they are now. */
  readonly utxos: ReadonlyMap<string, KnownUtxo>
  /** Imports that wait for their export. */
  readonly early: ReadonlyMap<string, KnownImport>
}

/** The changes of a finished batch. */
export function changesOf({ crossing, earlyImports }: Draft): SharedChanges {
  const early = new Map(
    earlyImports.map((row) => [outputKeyOf(row.txId, row.outputIndex), row] as const),
  )
  return { utxos: crossing, early }
}

/** `find` as it will answer when `changes` are stored, whether they are or not. */
export function findAfter(find: UtxoReader['find'], changes: SharedChanges): UtxoReader['find'] {
  if (changes.utxos.size === 0 && changes.early.size === 0) return find
  return async (wanted, signal) => {
    const found = await find(wanted, signal)
    const keys = new Set(wanted.sharedKeys)
    // An import whose export came is no longer early.
    const kept = found.earlyImports.filter(
      (one) => !changes.utxos.has(keyIn(one)) && !changes.early.has(keyIn(one)),
    )
    return {
      utxos: [
        ...found.utxos.filter((utxo) => !changes.utxos.has(keyIn(utxo))),
        ...pick(changes.utxos, keys),
      ],
      earlyImports: [...kept, ...pick(changes.early, keys)],
    }
  }
}

function pick<T>(from: ReadonlyMap<string, T>, keys: ReadonlySet<string>): T[] {
  return [...keys].flatMap((key) => from.get(key) ?? [])
}

function keyIn({ txId, outputIndex }: KnownUtxo | KnownImport): string {
  return outputKeyOf(txId, outputIndex)
}
