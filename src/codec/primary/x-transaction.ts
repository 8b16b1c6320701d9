/**
 * X-Chain transactions, blocks and outputs of its three feature extensions: secp256k1 (fx 0), NFT
 * (fx 1), property (fx 2).
 *
 * Source: avalanchego vms/avm/txs, vms/avm/block, vms/nftfx, vms/propertyfx, vms/secp256k1fx. Type
 * ids follow from the order of registration in vms/avm/txs/parser.go and block/parser.go.
 */

import { operationTypes, outputTypes, xTypes, namesOf } from '../../core/type-ids.ts'
import { decode, type Decoded } from '../cursor.ts'
import { array, sliced, struct, union, unread, versioned } from '../kit.ts'
import { bytes, text, u32, u64, u8 } from '../primitives.ts'
import { maxBytes, maxGenesisBytes, maxItems, maxMemoBytes, maxTextBytes } from './limits.ts'
import {
  commonAssetId,
  commonChainId,
  id,
  outputOwners,
  ownerFields,
  signatureIndices,
  signatures,
  transferInput,
  transferOutput,
} from './secp.ts'

const payload = bytes(maxBytes)

/**
 * Kinds of X-Chain outputs: secp256k1 right to mint (6) and amount (7), NFT right to mint
 * (10) and token (11), property right to mint (15) and property (16).
 */
export const xOutput = union({
  [outputTypes.secpMint]: outputOwners,
  [outputTypes.secpTransfer]: transferOutput,
  [outputTypes.nftMint]: struct({ groupId: u32, ...ownerFields }),
  [outputTypes.nftTransfer]: struct({ groupId: u32, payload, ...ownerFields }),
  [outputTypes.propertyMint]: outputOwners,
  [outputTypes.propertyOwned]: outputOwners,
})
/** Decoded {@link xOutput}. */
export type XOutput = Decoded<typeof xOutput>

/** An output of an asset. */
const xTransferableOutput = struct({ assetId: commonAssetId, output: xOutput })

/** An input: which output it spends, of which asset. */
const xTransferableInput = struct({
  txId: id,
  outputIndex: u32,
  assetId: commonAssetId,
  input: union({ 5: transferInput }),
})

const outputs = array(xTransferableOutput, maxItems)
const inputs = array(xTransferableInput, maxItems)

function baseOf(memoMax: number): {
  readonly networkId: typeof u32
  readonly blockchainId: typeof commonChainId
  readonly outputs: typeof outputs
  readonly inputs: typeof inputs
  readonly memo: ReturnType<typeof bytes>
} {
  return { networkId: u32, blockchainId: commonChainId, outputs, inputs, memo: bytes(memoMax) }
}

const base = baseOf(maxMemoBytes)

/**
 * Kinds of operations: secp256k1 mint (8), NFT mint (12) and transfer (13), property mint (17)
 * and burn (18). Pieces inside carry no type ids.
 */
const xOperation = union({
  [operationTypes.secpMint]: struct({ signatureIndices, mintOutput: outputOwners, transferOutput }),
  [operationTypes.nftMint]: struct({
    signatureIndices,
    groupId: u32,
    payload,
    owners: array(outputOwners, maxItems),
  }),
  [operationTypes.nftTransfer]: struct({ signatureIndices, groupId: u32, payload, ...ownerFields }),
  [operationTypes.propertyMint]: struct({
    signatureIndices,
    mintOutput: outputOwners,
    ownedOutput: outputOwners,
  }),
  [operationTypes.propertyBurn]: struct({ signatureIndices }),
})

/** Outputs an asset begins with, of one feature extension. */
const initialStates = array(struct({ fxIndex: u32, outputs: array(xOutput, maxItems) }), maxItems)

const assetFields = {
  name: text(maxTextBytes),
  symbol: text(maxTextBytes),
  denomination: u8,
  initialStates,
} as const

/** An unsigned X-Chain transaction: type id, then the body. */
export const xUnsigned = union({
  [xTypes.BaseTx]: struct(base),
  [xTypes.CreateAssetTx]: struct({ ...base, ...assetFields }),
  [xTypes.OperationTx]: struct({
    ...base,
    operations: array(
      struct({
        assetId: commonAssetId,
        utxos: array(struct({ txId: id, outputIndex: u32 }), maxItems),
        operation: xOperation,
      }),
      maxItems,
    ),
  }),
  [xTypes.ImportTx]: struct({ ...base, sourceChain: id, importedInputs: inputs }),
  [xTypes.ExportTx]: struct({ ...base, destinationChain: id, exportedOutputs: outputs }),
})
/** Decoded {@link xUnsigned}. */
export type XUnsigned = Decoded<typeof xUnsigned>

/** The unsigned transaction with type id `Id`. */
export type XUnsignedOf<Name extends keyof typeof xTypes> = Extract<
  XUnsigned,
  { typeId: (typeof xTypes)[Name] }
>

const credential = struct({ signatures })

const credentials = array(union({ 9: credential, 14: credential, 19: credential }), maxItems)

/** A signed transaction as it lies in a block, its signatures unread. */
const xTransaction = struct({ unsigned: xUnsigned, credentials: unread(credentials) })

/** A signed transaction alone, as `avm.getTx` gives it. */
export const xTransactionAlone = versioned(sliced(struct({ unsigned: xUnsigned, credentials })))

/** Upstream's name of a transaction type, as the API shows it. */
export const xTransactionNames = namesOf(xTypes)

/** A block of the linear X-Chain, type id 20; `time` is Unix seconds. */
export const xBlock = versioned(
  union({
    20: struct({
      parentId: id,
      height: u64,
      time: u64,
      merkleRoot: id,
      transactions: array(sliced(xTransaction), maxItems),
    }),
  }),
)
/** Decoded {@link xBlock}. */
export type XBlock = Decoded<typeof xBlock>

/** The block of `bytes`. Throws `bad-bytes`. The slices of its transactions are views. */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  return decode(xBlock, bytes)
}

/** Genesis of the X-Chain: assets by alias, each a CreateAssetTx body without type id. */
export const xGenesis = versioned(
  array(
    struct({ alias: text(maxTextBytes), ...baseOf(maxGenesisBytes), ...assetFields }),
    maxItems,
  ),
)
/** Decoded {@link xGenesis}. */
export type XGenesis = Decoded<typeof xGenesis>

/**
 * The transaction that makes a genesis asset: type id 1, no credentials, a memo of any length. Its
 * id is the asset's.
 */
export const xGenesisTransaction = struct({
  unsigned: union({ 1: struct({ ...baseOf(maxGenesisBytes), ...assetFields }) }),
  credentials: array(union({ 9: credential }), 0),
})
