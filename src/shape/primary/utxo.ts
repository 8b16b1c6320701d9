/**
 * UTXOs of the three chains. Source: document A, Utxo; the names used by the official clients for
 * the X- and C-Chain stand beside the document's.
 */

import { Type, type Static, Optional } from '../type.ts'
import { AssetAmount } from './asset.ts'
import { seconds, cb58 } from './scalars.ts'

/** A signature of the consuming transaction. */
export const UtxoCredential = Type.Component(
  'UtxoCredential',
  'A signature of the consuming transaction',
  {
    signature: Optional.String('65 bytes, base64'),
    publicKey: Optional.String('33 bytes, base64'),
  },
)

/** One UTXO. */
export const Utxo = Type.Component('Utxo', 'An output of a transaction', {
  addresses: Type.Array(Type.String('bech32 without chain prefix'), 'Addresses'),
  asset: AssetAmount,
  consumedOnChainId: Type.String('chain where it is or can be consumed, cb58'),
  consumingTxHash: Type.Optional(cb58),
  createdOnChainId: cb58,
  utxoId: Type.String('cb58 of sha256(output index, transaction id)'),
  utxoBytes: Optional.String('hex with the 4-byte checksum'),
  amount: Type.String('smallest unit, base 10', { pattern: '^[0-9]+$' }),
  assetId: cb58,
  blockNumber: Type.String('Height of the block'),
  blockTimestamp: seconds,
  consumingBlockNumber: Optional.String('Height of the block that spent it'),
  consumingBlockTimestamp: Type.Optional(seconds),
  platformLocktime: Type.Optional(seconds),
  outputIndex: Type.Integer('Place among the outputs of its transaction'),
  rewardType: Optional.String('VALIDATOR, DELEGATOR, VALIDATOR_FEE'),
  stakeableLocktime: Type.Optional(seconds),
  staked: Optional.Boolean('Whether it is at stake'),
  threshold: Optional.Integer('signatures needed'),
  txHash: cb58,
  utxoEndTimestamp: Type.Optional(seconds),
  utxoStartTimestamp: Type.Optional(seconds),
  utxoType: Type.String('STAKE, TRANSFER; X-Chain also MINT and others'),
  // Names of the X- and C-Chain variant.
  creationTxHash: Type.Optional(cb58),
  consumingTxTimestamp: Type.Optional(seconds),
  credentials: Optional.Array(UtxoCredential, 'Who signed, with which signatures'),
  groupId: Optional.Integer('group of an NFT output', { examples: [1] }),
  locktime: Type.Optional(seconds),
  payload: Optional.String('hex', { examples: ['0x'] }),
  timestamp: Type.Optional(seconds),
})
/** Decoded {@link Utxo}. */
export type Utxo = Static<typeof Utxo>
