/**
 * P-Chain transactions, every type up to 42.
 *
 * Fields of a record stand in the order of the bytes. Optional features of later upgrades are
 * types of their own upstream, so nothing here depends on time.
 *
 * Source: avalanchego vms/platformvm/txs (codec.go has the type ids).
 */

import type { Decoded } from '../cursor.ts'
import { array, nothing, sliced, struct, union, unread, versioned } from '../kit.ts'
import { bytes, fixed, text, u32, u64, u8 } from '../primitives.ts'
import { maxBytes, maxGenesisBytes, maxItems, maxMemoBytes, maxTextBytes } from './limits.ts'
import {
  authorization,
  chainOwner,
  commonAssetId,
  commonChainId,
  id,
  shortId,
  signatures,
  stakeableLockIn,
  stakeableLockOut,
  taggedOwners,
  transferInput,
  transferOutput,
} from './secp.ts'

/** What a P-Chain output can be. */
export const pOutput = union({ 7: transferOutput, 22: stakeableLockOut })
/** Decoded {@link pOutput}. */
export type POutput = Decoded<typeof pOutput>

/** An output of an asset. */
export const pTransferableOutput = struct({ assetId: commonAssetId, output: pOutput })
/** Decoded {@link pTransferableOutput}. */
export type PTransferableOutput = Decoded<typeof pTransferableOutput>

/** What a P-Chain input can be. */
const pInput = union({ 5: transferInput, 21: stakeableLockIn })

/** An input: which output it spends, of which asset. */
const pTransferableInput = struct({
  txId: id,
  outputIndex: u32,
  assetId: commonAssetId,
  input: pInput,
})
/** Decoded {@link pTransferableInput}. */
export type PTransferableInput = Decoded<typeof pTransferableInput>

const outputs = array(pTransferableOutput, maxItems)
const inputs = array(pTransferableInput, maxItems)
const publicKey = fixed(48)
const proofOfPossession = fixed(96)

/** Fields every transaction but 19, 20 and 42 begins with. */
const base = {
  networkId: u32,
  blockchainId: commonChainId,
  outputs,
  inputs,
  memo: bytes(maxMemoBytes),
} as const

/** `start` and `end` in Unix seconds, `weight` in nAVAX or the subnet's own unit. */
const validator = { nodeId: shortId, start: u64, end: u64, weight: u64 } as const

/** BLS key of a validator: none (27) or a key with its proof (28). */
export const signer = union({ 27: nothing, 28: struct({ publicKey, proofOfPossession }) })

/** One validator of a conversion to an L1; `balance` in nAVAX. */
const conversionValidator = struct({
  nodeId: bytes(maxBytes),
  weight: u64,
  balance: u64,
  publicKey,
  proofOfPossession,
  remainingBalanceOwner: chainOwner,
  deactivationOwner: chainOwner,
})

/** Type id 24: the rules of an elastic subnet. Rates and shares in millionths, times in seconds. */
const transformSubnet = struct({
  ...base,
  subnetId: id,
  assetId: commonAssetId,
  initialSupply: u64,
  maximumSupply: u64,
  minConsumptionRate: u64,
  maxConsumptionRate: u64,
  minValidatorStake: u64,
  maxValidatorStake: u64,
  minStakeDuration: u32,
  maxStakeDuration: u32,
  minDelegationFee: u32,
  minDelegatorStake: u64,
  maxValidatorWeightFactor: u8,
  uptimeRequirement: u32,
  authorization,
})

const createChain = struct({
  ...base,
  subnetId: id,
  chainName: text(maxTextBytes),
  vmId: id,
  fxIds: array(id, maxItems),
  genesis: bytes(maxGenesisBytes),
  authorization,
})

/** Type id 40. `nodeId` is a byte string here; `period` in seconds; shares in millionths. */
const addAutoRenewedValidator = struct({
  ...base,
  nodeId: bytes(maxBytes),
  signer,
  stake: outputs,
  validationOwner: taggedOwners,
  delegationOwner: taggedOwners,
  authority: taggedOwners,
  delegationShares: u32,
  autoCompoundRewardShares: u32,
  period: u64,
})

/** An unsigned P-Chain transaction: type id, then the body. Shares are millionths. */
export const pUnsigned = union({
  12: struct({
    ...base,
    ...validator,
    stake: outputs,
    rewardsOwner: taggedOwners,
    delegationShares: u32,
  }),
  13: struct({ ...base, ...validator, subnetId: id, authorization }),
  14: struct({ ...base, ...validator, stake: outputs, rewardsOwner: taggedOwners }),
  15: createChain,
  16: struct({ ...base, owner: taggedOwners }),
  17: struct({ ...base, sourceChain: id, importedInputs: inputs }),
  18: struct({ ...base, destinationChain: id, exportedOutputs: outputs }),
  19: struct({ time: u64 }),
  20: struct({ stakingTxId: id }),
  23: struct({ ...base, nodeId: shortId, subnetId: id, authorization }),
  24: transformSubnet,
  25: struct({
    ...base,
    ...validator,
    subnetId: id,
    signer,
    stake: outputs,
    validationOwner: taggedOwners,
    delegationOwner: taggedOwners,
    delegationShares: u32,
  }),
  26: struct({ ...base, ...validator, subnetId: id, stake: outputs, rewardsOwner: taggedOwners }),
  33: struct({ ...base, subnetId: id, authorization, newOwner: taggedOwners }),
  34: struct(base),
  35: struct({
    ...base,
    subnetId: id,
    managerChainId: id,
    managerAddress: bytes(maxBytes),
    validators: array(conversionValidator, maxItems),
    authorization,
  }),
  36: struct({ ...base, balance: u64, proofOfPossession, message: bytes(maxBytes) }),
  37: struct({ ...base, message: bytes(maxBytes) }),
  38: struct({ ...base, validationId: id, balance: u64 }),
  39: struct({ ...base, validationId: id, authorization }),
  40: addAutoRenewedValidator,
  41: struct({
    ...base,
    stakingTxId: id,
    authorization,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  42: struct({ stakingTxId: id, timestamp: u64 }),
})
/** Decoded {@link pUnsigned}, told apart by `typeId`. */
export type PUnsigned = Decoded<typeof pUnsigned>

/** The unsigned transaction with type id `Id`. */
export type PUnsignedOf<Id extends PUnsigned['typeId']> = Extract<PUnsigned, { typeId: Id }>

const credentials = array(union({ 9: struct({ signatures }) }), maxItems)

/** A signed transaction as it lies in a block, its signatures unread. */
export const pTransaction = struct({ unsigned: pUnsigned, credentials: unread(credentials) })
/** Decoded {@link pTransaction}. */
export type PTransaction = Decoded<typeof pTransaction>

/** A signed transaction alone, as `platform.getTx` gives it. */
export const pTransactionAlone = versioned(sliced(struct({ unsigned: pUnsigned, credentials })))

/** Upstream's name of a transaction type, as the API shows it. */
export const pTransactionNames: Readonly<Record<PUnsigned['typeId'], string>> = {
  12: 'AddValidatorTx',
  13: 'AddSubnetValidatorTx',
  14: 'AddDelegatorTx',
  15: 'CreateChainTx',
  16: 'CreateSubnetTx',
  17: 'ImportTx',
  18: 'ExportTx',
  19: 'AdvanceTimeTx',
  20: 'RewardValidatorTx',
  23: 'RemoveSubnetValidatorTx',
  24: 'TransformSubnetTx',
  25: 'AddPermissionlessValidatorTx',
  26: 'AddPermissionlessDelegatorTx',
  33: 'TransferSubnetOwnershipTx',
  34: 'BaseTx',
  35: 'ConvertSubnetToL1Tx',
  36: 'RegisterL1ValidatorTx',
  37: 'SetL1ValidatorWeightTx',
  38: 'IncreaseL1ValidatorBalanceTx',
  39: 'DisableL1ValidatorTx',
  40: 'AddAutoRenewedValidatorTx',
  41: 'SetAutoRenewedValidatorConfigTx',
  42: 'RewardAutoRenewedValidatorTx',
}
