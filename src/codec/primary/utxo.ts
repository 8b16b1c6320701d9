/**
 * UTXOs as nodes serialise them.
 *
 * Source: avalanchego vms/components/avax/utxo.go.
 */

import { struct, versioned } from '../kit.ts'
import { u32 } from '../primitives.ts'
import { pOutput } from './p-transaction.ts'
import { commonAssetId, id } from './secp.ts'

const place = { txId: id, outputIndex: u32, assetId: commonAssetId } as const

/** A P-Chain UTXO without codec version, as genesis holds it. */
export const pUtxoBare = struct({ ...place, output: pOutput })

/** A P-Chain UTXO as `platform.getUTXOs` gives it. */
export const pUtxo = versioned(pUtxoBare)
