/**
 * Ids of the primary network: hashes of bytes.
 *
 * Source: avalanchego vms/platformvm/txs/tx.go, vms/components/avax/utxo_id.go, ids/id.go.
 */

import { bytesOfKey, keyOf } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'

/** 32 zero bytes: the primary network's subnet id, the P-Chain's id, the genesis "transaction". */
export const emptyId: Uint8Array = new Uint8Array(32)

/** The subnet whose validators are those of the primary network. Source: constants.PrimaryNetworkID. */
export const primarySubnetId: Uint8Array = emptyId

const scratch = { bytes: new Uint8Array(65_536) }

/** Id of a transaction from its signed bytes as they lie in a block, without codec version. */
export function transactionIdOf(slice: Uint8Array): Uint8Array {
  const size = slice.length + 2
  if (scratch.bytes.length < size) scratch.bytes = new Uint8Array(size * 2)
  scratch.bytes.set(slice, 2)
  return sha256(scratch.bytes.subarray(0, size))
}

/** Id of a UTXO: SHA-256 of the output's index as u64 and its transaction's id. */
export function utxoIdOf(txId: Uint8Array, outputIndex: number): Uint8Array {
  const place = new Uint8Array(40)
  new DataView(place.buffer).setUint32(4, outputIndex)
  place.set(txId, 8)
  return sha256(place)
}

/** An output of a transaction. */
export type OutputPlace = { readonly txId: Uint8Array; readonly outputIndex: number }

/** A key of an output for maps: its transaction's id and its index, one character per byte. */
export function outputKeyOf(txId: Uint8Array, outputIndex: number): string {
  // Cut from a pool: separate memory costs more than all the rest.
  const place = Buffer.allocUnsafe(36)
  place.set(txId)
  place.writeUInt32BE(outputIndex, 32)
  return keyOf(place)
}

/** The output of a key, see {@link outputKeyOf}. */
export function placeOfKey(key: string): OutputPlace {
  const bytes = bytesOfKey(key)
  return { txId: bytes.slice(0, 32), outputIndex: new DataView(bytes.buffer).getUint32(32) }
}
