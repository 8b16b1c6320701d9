/**
 * P-Chain transactions, every type up to 42.
 *
 * Fields of a record stand in the order of the bytes. Optional features of later upgrades are
 * types of their own upstream, so nothing here depends on time.
 *
 * Source: avalanchego vms/platformvm/txs (codec.go has the type ids).
 */

import {
  inputTypes,
  namesOf,
  outputTypes,
  type PTypeId,
  pTypes,
  signerTypes,
} from '../../core/type-ids.ts'
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

/** Types of a P-Chain output. */
export const pOutput = union({
  [outputTypes.secpTransfer]: transferOutput,
  [outputTypes.stakeableLocked]: stakeableLockOut,
})
/** Decoded {@link pOutput}. */
export type POutput = Decoded<typeof pOutput>

/** An output of an asset. */
export const pTransferableOutput = struct({ assetId: commonAssetId, output: pOutput })
/** Decoded {@link pTransferableOutput}. */
export type PTransferableOutput = Decoded<typeof pTransferableOutput>

/** Types of a P-Chain input. */
const pInput = union({
  [inputTypes.secpTransfer]: transferInput,
  [inputTypes.stakeableLocked]: stakeableLockIn,
})

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
export const signer = union({
  [signerTypes.empty]: nothing,
  [signerTypes.proofOfPossession]: struct({ publicKey, proofOfPossession }),
})

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
  [pTypes.AddValidatorTx]: struct({
    ...base,
    ...validator,
    stake: outputs,
    rewardsOwner: taggedOwners,
    delegationShares: u32,
  }),
  [pTypes.AddSubnetValidatorTx]: struct({ ...base, ...validator, subnetId: id, authorization }),
  [pTypes.AddDelegatorTx]: struct({
    ...base,
    ...validator,
    stake: outputs,
    rewardsOwner: taggedOwners,
  }),
  [pTypes.CreateChainTx]: createChain,
  [pTypes.CreateSubnetTx]: struct({ ...base, owner: taggedOwners }),
  [pTypes.ImportTx]: struct({ ...base, sourceChain: id, importedInputs: inputs }),
  [pTypes.ExportTx]: struct({ ...base, destinationChain: id, exportedOutputs: outputs }),
  [pTypes.AdvanceTimeTx]: struct({ time: u64 }),
  [pTypes.RewardValidatorTx]: struct({ stakingTxId: id }),
  [pTypes.RemoveSubnetValidatorTx]: struct({
    ...base,
    nodeId: shortId,
    subnetId: id,
    authorization,
  }),
  [pTypes.TransformSubnetTx]: transformSubnet,
  [pTypes.AddPermissionlessValidatorTx]: struct({
    ...base,
    ...validator,
    subnetId: id,
    signer,
    stake: outputs,
    validationOwner: taggedOwners,
    delegationOwner: taggedOwners,
    delegationShares: u32,
  }),
  [pTypes.AddPermissionlessDelegatorTx]: struct({
    ...base,
    ...validator,
    subnetId: id,
    stake: outputs,
    rewardsOwner: taggedOwners,
  }),
  [pTypes.TransferSubnetOwnershipTx]: struct({
    ...base,
    subnetId: id,
    authorization,
    newOwner: taggedOwners,
  }),
  [pTypes.BaseTx]: struct(base),
  [pTypes.ConvertSubnetToL1Tx]: struct({
    ...base,
    subnetId: id,
    managerChainId: id,
    managerAddress: bytes(maxBytes),
    validators: array(conversionValidator, maxItems),
    authorization,
  }),
  [pTypes.RegisterL1ValidatorTx]: struct({
    ...base,
    balance: u64,
    proofOfPossession,
    message: bytes(maxBytes),
  }),
  [pTypes.SetL1ValidatorWeightTx]: struct({ ...base, message: bytes(maxBytes) }),
  [pTypes.IncreaseL1ValidatorBalanceTx]: struct({ ...base, validationId: id, balance: u64 }),
  [pTypes.DisableL1ValidatorTx]: struct({ ...base, validationId: id, authorization }),
  [pTypes.AddAutoRenewedValidatorTx]: addAutoRenewedValidator,
  [pTypes.SetAutoRenewedValidatorConfigTx]: struct({
    ...base,
    stakingTxId: id,
    authorization,
    autoCompoundRewardShares: u32,
    period: u64,
  }),
  [pTypes.RewardAutoRenewedValidatorTx]: struct({ stakingTxId: id, timestamp: u64 }),
} satisfies Readonly<Record<PTypeId, unknown>>)
/** Decoded {@link pUnsigned}, distinguished by `typeId`. */
export type PUnsigned = Decoded<typeof pUnsigned>

/** The unsigned transaction with type id `Id`. */
export type PUnsignedOf<Name extends keyof typeof pTypes> = Extract<
  PUnsigned,
  { typeId: (typeof pTypes)[Name] }
>

const credentials = array(union({ 9: struct({ signatures }) }), maxItems)

/** A signed transaction as it lies in a block, its signatures unread. */
export const pTransaction = struct({ unsigned: pUnsigned, credentials: unread(credentials) })
/** Decoded {@link pTransaction}. */
export type PTransaction = Decoded<typeof pTransaction>

/** A signed transaction alone, as `platform.getTx` gives it. */
export const pTransactionAlone = versioned(sliced(struct({ unsigned: pUnsigned, credentials })))

/** Upstream's name of a transaction type, as the API shows it. */
export const pTransactionNames = namesOf(pTypes)
