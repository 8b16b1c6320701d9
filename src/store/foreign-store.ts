import { Fault } from '../core/fault.ts'
import type { StoreLocation } from './open.ts'

/** The fault of a store that holds another chain than the one configured: where it lies, and both ways out. */
export function foreignStore(
  { store, dataDir }: StoreLocation,
  key: string,
  of: { readonly holds: string; readonly source: string },
): Fault {
  const place = store === 'embedded' ? dataDir : 'the database'
  const ways =
    store === 'embedded'
      ? 'choose another folder with --data-dir, or delete this one to index anew'
      : 'give the chain another name, or drop the namespace to index anew'
  return new Fault(
    'foreign-store',
    `the store ${key} in ${place} holds ${of.holds}, the source is ${of.source}: ${ways}`,
  )
}
