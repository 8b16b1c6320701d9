/**
 * Ids of the primary network: hashes of bytes.
 *
 * Source: avalanchego vms/platformvm/txs/tx.go, vms/components/avax/utxo_id.go, ids/id.go.
 */

import { bytesOfKey } from '../../core/bytes.ts'
import { sha256, sha256Key } from '../../core/hash.ts'

/** 32 zero bytes: the primary network's subnet id, the P-Chain's id, the genesis "transaction". */
export const emptyId: Uint8Array = new Uint8Array(32)

const scratch = { bytes: new Uint8Array(65_536) }

/** Id of a transaction from its signed bytes as they lie in a block, without codec version. */
export function transactionIdOf(slice: Uint8Array): Uint8Array {
  const size = slice.length + 2
  if (scratch.bytes.length < size) scratch.bytes = new Uint8Array(size * 2)
  scratch.bytes.set(slice, 2)
  return sha256(scratch.bytes.subarray(0, size))
}

const place = new Uint8Array(40)
const placeView = new DataView(place.buffer)

/** Id of a UTXO: SHA-256 of the output's index as u64 and its transaction's id. */
export function utxoIdOf(txId: Uint8Array, outputIndex: number): Uint8Array {
  return bytesOfKey(utxoKeyOf(txId, outputIndex))
}

/** {@link utxoIdOf} as a key for maps, one character per byte. */
export function utxoKeyOf(txId: Uint8Array, outputIndex: number): string {
  placeView.setUint32(4, outputIndex)
  place.set(txId, 8)
  return sha256Key(place)
}
