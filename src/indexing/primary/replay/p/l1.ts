/**
 * P-Chain transactions about L1s and their validators (types 35 to 39).
 *
 * Source: avalanchego vms/platformvm/txs/executor/standard_tx_executor.go, ACP-77.
 */

import { decode } from '../../../../codec/cursor.ts'
import type { PUnsignedOf } from '../../../../codec/primary/p-transaction.ts'
import {
  l1MessageTypes,
  conversionId,
  convertedValidationId,
  l1Message,
  registeredValidationId,
  type L1Message,
} from '../../../../codec/warp/l1-message.ts'
import { decodeSigned } from '../../../../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../../../codec/warp/payload.ts'
import { keyOf } from '../../../../core/bytes.ts'
import type { L1Owner } from '../../batch/subnet-rows.ts'
import { violation, type Adds } from '../draft.ts'
import { type At, concern, type Concerns, emit, type Fills, type Moves } from '../step.ts'
import {
  addL1Validator,
  deactivate,
  l1ValidatorOf,
  noteL1Change,
  topUp,
  type L1Validator,
} from './l1-set.ts'
import type { PState } from './state.ts'

/** May note changes of L1 validators. */
type Changes = At & Adds<'l1Validators' | 'l1Changes'>

/** Type 35: a subnet becomes an L1 with its first validators. */
export function convertSubnet(
  state: PState,
  step: Changes &
    Concerns &
    Fills<'subnetId' | 'managerChainId' | 'managerAddress' | 'l1BalanceBurned'> &
    Adds<'subnets'>,
  unsigned: PUnsignedOf<'ConvertSubnetToL1Tx'>,
): void {
  const { place, draft, row } = step
  const subnet = state.subnets.get(keyOf(unsigned.subnetId))
  if (subnet === undefined) throw violation(place, 'converts a subnet that is not there')
  burnInto(
    step,
    unsigned.validators.reduce((sum, one) => sum + one.balance, 0n),
  )
  for (const [index, one] of unsigned.validators.entries()) {
    joinL1(state, step, one.balance, {
      validationId: convertedValidationId(unsigned.subnetId, index),
      subnetId: unsigned.subnetId,
      nodeId: one.nodeId,
      publicKey: one.publicKey,
      weight: one.weight,
      remainingBalanceOwner: one.remainingBalanceOwner,
      deactivationOwner: one.deactivationOwner,
    })
  }
  subnet.conversion = {
    txId: place.txId,
    height: place.height,
    conversionId: conversionId({
      subnetId: unsigned.subnetId,
      managerChainId: unsigned.managerChainId,
      managerAddress: unsigned.managerAddress,
      validators: unsigned.validators.map(({ nodeId, publicKey, weight }) => ({
        nodeId,
        blsPublicKey: publicKey,
        weight,
      })),
    }),
    managerChainId: unsigned.managerChainId,
    managerAddress: unsigned.managerAddress,
  }
  draft.subnets.add(subnet)
  row.subnetId = unsigned.subnetId
  row.managerChainId = unsigned.managerChainId
  row.managerAddress = unsigned.managerAddress
}

function joinL1(
  state: PState,
  step: Changes & Concerns,
  balance: bigint,
  joining: Pick<
    L1Validator,
    | 'validationId'
    | 'subnetId'
    | 'nodeId'
    | 'publicKey'
    | 'weight'
    | 'remainingBalanceOwner'
    | 'deactivationOwner'
  >,
): void {
  const { place, draft } = step
  const validator: L1Validator = {
    ...joining,
    remainingBalanceOwner: copyOwner(joining.remainingBalanceOwner),
    deactivationOwner: copyOwner(joining.deactivationOwner),
    startTime: state.time,
    minNonce: 0n,
    endAccumulatedFee: balance === 0n ? 0n : state.l1.accruedFees + balance,
    createdTxId: place.txId,
    createdHeight: place.height,
    createdPosition: place.position,
    removedHeight: undefined,
    removedTime: undefined,
  }
  addL1Validator(state.l1, validator)
  noteL1Change(state.l1, draft, validator, { place, balanceChange: balance })
  concern(step, validator.remainingBalanceOwner.addresses)
}

function copyOwner({ threshold, addresses }: L1Owner): L1Owner {
  return { threshold, addresses }
}

/** The L1's message inside a signed Warp message, and its exact bytes. */
function messageOf(
  step: At,
  signed: Uint8Array,
): { readonly bytes: Uint8Array; readonly said: L1Message } {
  const payload = decode(warpPayload, decodeSigned(signed).message.payload)
  if (payload.typeId !== payloadTypes.addressedCall)
    throw violation(step.place, 'Warp message is no addressed call')
  return { bytes: payload.payload, said: decode(l1Message, payload.payload) }
}

/** Type 36: a validator joins an L1. */
export function registerL1Validator(
  state: PState,
  step: Changes &
    Concerns &
    Fills<'subnetId' | 'nodeId' | 'publicKey' | 'proofOfPossession' | 'l1BalanceBurned'>,
  unsigned: PUnsignedOf<'RegisterL1ValidatorTx'>,
): void {
  const { bytes, said } = messageOf(step, unsigned.message)
  if (said.typeId !== l1MessageTypes.registerL1Validator)
    throw violation(step.place, 'Warp message registers no validator')
  burnInto(step, unsigned.balance)
  step.row.subnetId = said.subnetId
  step.row.nodeId = said.nodeId
  step.row.publicKey = said.blsPublicKey
  step.row.proofOfPossession = unsigned.proofOfPossession
  joinL1(state, step, unsigned.balance, {
    validationId: registeredValidationId(bytes),
    subnetId: said.subnetId,
    nodeId: said.nodeId,
    publicKey: said.blsPublicKey,
    weight: said.weight,
    remainingBalanceOwner: said.remainingBalanceOwner,
    deactivationOwner: said.disableOwner,
  })
}

/** Type 37: a validator's weight changes; 0 ends it and refunds its balance. */
export function setL1ValidatorWeight(
  state: PState,
  step: Changes & Describing & Moves,
  unsigned: PUnsignedOf<'SetL1ValidatorWeightTx'>,
  setHeight: number,
): void {
  const { place, draft } = step
  const { said } = messageOf(step, unsigned.message)
  if (said.typeId !== l1MessageTypes.l1ValidatorWeight)
    throw violation(place, 'Warp message sets no weight')
  const validator = l1ValidatorOf(state.l1, place, said.validationId)
  if (said.nonce < validator.minNonce) throw violation(place, `nonce is stale: ${said.nonce}`)
  describe(step, validator)
  validator.minNonce = said.nonce + 1n
  validator.weight = said.weight
  let refunded = 0n
  if (said.weight === 0n) {
    refunded = deactivate(state.l1, validator)
    refund(state, step, validator, { index: unsigned.outputs.length, amount: refunded })
    validator.removedHeight = setHeight
    validator.removedTime = place.time
    state.l1.byId.delete(keyOf(validator.validationId))
  }
  noteL1Change(state.l1, draft, validator, { place, balanceChange: -refunded })
}

/** Type 38: adds to a validator's balance and makes it active again. */
export function increaseL1Balance(
  state: PState,
  step: Changes & Describing & Fills<'l1BalanceBurned'>,
  unsigned: PUnsignedOf<'IncreaseL1ValidatorBalanceTx'>,
): void {
  const { place, draft } = step
  const validator = l1ValidatorOf(state.l1, place, unsigned.validationId)
  describe(step, validator)
  burnInto(step, unsigned.balance)
  topUp(state.l1, validator, unsigned.balance)
  noteL1Change(state.l1, draft, validator, { place, balanceChange: unsigned.balance })
}

/** Type 39: a validator stops paying and gets the rest back; nothing when it has stopped before. */
export function disableL1Validator(
  state: PState,
  step: Changes & Describing & Moves,
  unsigned: PUnsignedOf<'DisableL1ValidatorTx'>,
): void {
  const { place, draft } = step
  const validator = l1ValidatorOf(state.l1, place, unsigned.validationId)
  describe(step, validator)
  const refunded = deactivate(state.l1, validator)
  refund(state, step, validator, { index: unsigned.outputs.length, amount: refunded })
  noteL1Change(state.l1, draft, validator, { place, balanceChange: -refunded })
}

/** Notes the amount that went into balances of L1 validators; 0 is not noted. */
function burnInto(step: Fills<'l1BalanceBurned'>, balance: bigint): void {
  if (balance > 0n) step.row.l1BalanceBurned = balance
}

type Describing = Concerns & Fills<'subnetId' | 'nodeId'>

function describe(step: Describing, validator: L1Validator): void {
  step.row.subnetId = validator.subnetId
  step.row.nodeId = validator.nodeId
  concern(step, validator.remainingBalanceOwner.addresses)
}

function refund(
  state: PState,
  step: Moves,
  validator: L1Validator,
  { index, amount }: { readonly index: number; readonly amount: bigint },
): void {
  if (amount === 0n) return
  if (amount < 0n) throw violation(step.place, `L1 validator owes fees: ${amount}`)
  const { txId } = step.place
  emit(step, {
    txId,
    outputIndex: index,
    assetId: state.ids.avaxAssetId,
    outputType: 7,
    amount,
    owner: { locktime: 0n, ...validator.remainingBalanceOwner },
    stakeableLocktime: 0n,
  })
}
