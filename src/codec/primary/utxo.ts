/**
 * UTXOs as nodes serialise them.
 *
 * Source: avalanchego vms/components/avax/utxo.go.
 */

import type { Decoded } from '../cursor.ts'
import { struct, union, versioned } from '../kit.ts'
import { u32 } from '../primitives.ts'
import { pOutput } from './p-transaction.ts'
import { commonId, id, transferOutput } from './secp.ts'
import { xOutput } from './x-transaction.ts'

const place = { txId: id, outputIndex: u32, assetId: commonId } as const

/** A P-Chain UTXO without codec version, as genesis holds it. */
export const pUtxoBare = struct({ ...place, output: pOutput })

/** A P-Chain UTXO as `platform.getUTXOs` gives it. */
export const pUtxo = versioned(pUtxoBare)
/** Decoded {@link pUtxo}. */
export type PUtxo = Decoded<typeof pUtxo>

/** An X-Chain UTXO as `avm.getUTXOs` gives it. */
export const xUtxo = versioned(struct({ ...place, output: xOutput }))
/** Decoded {@link xUtxo}. */
export type XUtxo = Decoded<typeof xUtxo>

/** A UTXO in the C-Chain's shared memory, as `avax.getUTXOs` gives it. */
export const cUtxo = versioned(struct({ ...place, output: union({ 7: transferOutput }) }))
