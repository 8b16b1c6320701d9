/**
 * UTXOs of the three chains. Source: document A, Utxo; the names used by the official clients for
 * the X- and C-Chain stand beside the document's.
 */

import { Type, type Static } from '../type.ts'
import { AssetAmount } from './asset.ts'

const seconds = Type.Integer({ description: 'Unix seconds' })
const hash = Type.String({ description: 'cb58' })

/** A signature of the consuming transaction. */
export const UtxoCredential = Type.Object(
  {
    signature: Type.Optional(Type.String({ description: '65 bytes, base64' })),
    publicKey: Type.Optional(Type.String({ description: '33 bytes, base64' })),
  },
  { $id: 'UtxoCredential', additionalProperties: false },
)

/** One UTXO. */
export const Utxo = Type.Object(
  {
    addresses: Type.Array(Type.String({ description: 'bech32 without chain prefix' })),
    asset: AssetAmount,
    consumedOnChainId: Type.String({ description: 'chain where it is or can be consumed, cb58' }),
    consumingTxHash: Type.Optional(hash),
    createdOnChainId: hash,
    utxoId: Type.String({ description: 'cb58 of sha256(output index, transaction id)' }),
    utxoBytes: Type.Optional(Type.String({ description: 'hex with the 4-byte checksum' })),
    amount: Type.String({ description: 'smallest unit, base 10', pattern: '^[0-9]+$' }),
    assetId: hash,
    blockNumber: Type.String(),
    blockTimestamp: seconds,
    consumingBlockNumber: Type.Optional(Type.String()),
    consumingBlockTimestamp: Type.Optional(seconds),
    platformLocktime: Type.Optional(seconds),
    outputIndex: Type.Integer(),
    rewardType: Type.Optional(Type.String({ description: 'VALIDATOR, DELEGATOR, VALIDATOR_FEE' })),
    stakeableLocktime: Type.Optional(seconds),
    staked: Type.Optional(Type.Boolean()),
    threshold: Type.Optional(Type.Integer({ description: 'signatures needed' })),
    txHash: hash,
    utxoEndTimestamp: Type.Optional(seconds),
    utxoStartTimestamp: Type.Optional(seconds),
    utxoType: Type.String({ description: 'STAKE, TRANSFER; X-Chain also MINT and others' }),
    // Names of the X- and C-Chain variant.
    creationTxHash: Type.Optional(hash),
    consumingTxTimestamp: Type.Optional(seconds),
    credentials: Type.Optional(Type.Array(UtxoCredential)),
    groupId: Type.Optional(Type.Integer({ description: 'group of an NFT output' })),
    locktime: Type.Optional(seconds),
    payload: Type.Optional(Type.String({ description: 'hex' })),
    timestamp: Type.Optional(seconds),
  },
  { $id: 'Utxo', additionalProperties: false },
)
/** Decoded {@link Utxo}. */
export type Utxo = Static<typeof Utxo>
