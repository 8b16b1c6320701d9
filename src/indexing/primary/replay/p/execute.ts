/** Effects of a decided P-Chain transaction on the state. */

import { outputKeyOf } from '../../../../codec/primary/ids.ts'
import type {
  PTransferableInput,
  PUnsigned,
  PUnsignedOf,
} from '../../../../codec/primary/p-transaction.ts'
import { keyOf } from '../../../../core/bytes.ts'
import { inputTypes, pTypes } from '../../../../core/type-ids.ts'
import type { Owner } from '../../batch/ledger-rows.ts'
import type { BlockchainRow, SubnetRow } from '../../batch/subnet-rows.ts'
import { chainNameOf } from '../chains.ts'
import { violation, type Adds, type Mutable, type Place } from '../draft.ts'
import type { ReadTransaction } from '../read-blocks.ts'
import {
  type At,
  checkFlow,
  concern,
  type Concerns,
  emit,
  type Fills,
  type Moves,
  ownerOf,
  spend,
  spendImport,
  type Step,
} from '../step.ts'
import type { Spend } from '../utxo-set.ts'
import {
  convertSubnet,
  disableL1Validator,
  increaseL1Balance,
  registerL1Validator,
  setL1ValidatorWeight,
} from './l1.ts'
import {
  configureAutoRenewal,
  emitOutputs,
  executeStaking,
  isStaking,
  outputFields,
  removeSubnetValidator,
} from './staking.ts'
import { setSupply, type PState } from './state.ts'

/** Transactions with inputs and outputs: all but 19, 20 and 42. */
type Spending = Exclude<
  PUnsigned,
  PUnsignedOf<'AdvanceTimeTx' | 'RewardValidatorTx' | 'RewardAutoRenewedValidatorTx'>
>

/** Returns whether a transaction has inputs and outputs. */
export function isSpending(unsigned: PUnsigned): unsigned is Spending {
  return (
    unsigned.typeId !== pTypes.AdvanceTimeTx &&
    unsigned.typeId !== pTypes.RewardValidatorTx &&
    unsigned.typeId !== pTypes.RewardAutoRenewedValidatorTx
  )
}

/** Spends a transaction's inputs and emits its plain outputs, aborted or not. */
export function moveFunds(step: Moves, unsigned: Spending): void {
  for (const input of unsigned.inputs) spend(step, spendingOf(input))
  emitOutputs(step, unsigned.outputs, 0)
}

function spendingOf({
  txId,
  outputIndex,
  assetId,
  input,
}: PTransferableInput): Spend & { readonly amount: bigint } {
  const amount = input.typeId === inputTypes.stakeableLocked ? input.input.amount : input.amount
  return { txId, outputIndex, assetId, amount }
}

/** Does all of a decided transaction. `setHeight`: height sets of validators change at. */
export function executeDecided(
  state: PState,
  step: Step,
  read: ReadTransaction<PUnsigned>,
  setHeight: number,
): void {
  const { unsigned } = read
  if (!isSpending(unsigned)) {
    throw violation(step.place, `transaction type must be proposed: ${unsigned.typeId}`)
  }
  if (unsigned.typeId === pTypes.ImportTx) {
    const sourceChain = chainNameOf(state.ids, unsigned.sourceChain)
    step.row.sourceChain = unsigned.sourceChain
    step.row.destinationChain = state.ids.chainIds.P
    for (const [at, input] of unsigned.importedInputs.entries()) {
      const key = read.importedKeys[at] ?? outputKeyOf(input.txId, input.outputIndex)
      spendImport(step, { ...spendingOf(input), key, sourceChain })
    }
  }
  moveFunds(step, unsigned)
  if (unsigned.typeId === pTypes.ExportTx) {
    const { txId } = step.place
    const consumableOn = chainNameOf(state.ids, unsigned.destinationChain)
    step.row.sourceChain = state.ids.chainIds.P
    step.row.destinationChain = unsigned.destinationChain
    for (const [at, { assetId, output }] of unsigned.exportedOutputs.entries()) {
      const outputIndex = unsigned.outputs.length + at
      emit(step, { txId, outputIndex, assetId, ...outputFields(output), consumableOn })
    }
  }
  if (isStaking(unsigned)) executeStaking(state, step, unsigned, setHeight)
  checkFlow(step)
  executeEffect(state, step, unsigned, setHeight)
}

/** Effects of a transaction beside moving and staking funds: a type without one is named, too. */
// A case for each type is plain, however many there are.
// oxlint-disable-next-line complexity -- see above
function executeEffect(state: PState, step: Step, unsigned: Spending, setHeight: number): void {
  switch (unsigned.typeId) {
    case pTypes.CreateChainTx:
      createChain(step, unsigned)
      return
    case pTypes.CreateSubnetTx:
      createSubnet(state, step, unsigned)
      return
    case pTypes.RemoveSubnetValidatorTx:
      removeSubnetValidator(state, step, unsigned, setHeight)
      return
    case pTypes.TransformSubnetTx:
      transformSubnet(state, step, unsigned)
      return
    case pTypes.TransferSubnetOwnershipTx:
      changeOwner(state, step, unsigned)
      return
    case pTypes.ConvertSubnetToL1Tx:
      convertSubnet(state, step, unsigned)
      return
    case pTypes.RegisterL1ValidatorTx:
      registerL1Validator(state, step, unsigned)
      return
    case pTypes.SetL1ValidatorWeightTx:
      setL1ValidatorWeight(state, step, unsigned, setHeight)
      return
    case pTypes.IncreaseL1ValidatorBalanceTx:
      increaseL1Balance(state, step, unsigned)
      return
    case pTypes.DisableL1ValidatorTx:
      disableL1Validator(state, step, unsigned)
      return
    case pTypes.SetAutoRenewedValidatorConfigTx:
      configureAutoRenewal(state, step, unsigned)
      return
    case pTypes.BaseTx:
    case pTypes.ImportTx:
    case pTypes.ExportTx:
    case pTypes.AddValidatorTx:
    case pTypes.AddSubnetValidatorTx:
    case pTypes.AddDelegatorTx:
    case pTypes.AddPermissionlessValidatorTx:
    case pTypes.AddPermissionlessDelegatorTx:
    case pTypes.AddAutoRenewedValidatorTx:
  }
}

function createChain(
  step: At & Fills<'subnetId'> & Adds<'blockchains'>,
  unsigned: PUnsignedOf<'CreateChainTx'>,
): void {
  step.row.subnetId = unsigned.subnetId
  step.draft.blockchains.push(blockchainOf(unsigned, step.place))
}

/** The row of a new blockchain. */
export function blockchainOf(
  unsigned: PUnsignedOf<'CreateChainTx'>,
  place: Pick<Place, 'height' | 'position' | 'time' | 'txId'>,
): BlockchainRow {
  return {
    blockchainId: place.txId,
    subnetId: unsigned.subnetId,
    name: unsigned.chainName,
    vmId: unsigned.vmId,
    fxIds: unsigned.fxIds,
    genesis: unsigned.genesis,
    evmChainId: evmChainIdOf(unsigned.genesis),
    createdHeight: place.height,
    createdPosition: place.position,
    createdTime: place.time,
  }
}

/** `config.chainId` of an EVM genesis; `undefined` when these bytes are something else. */
export function evmChainIdOf(genesis: Uint8Array): number | undefined {
  const text = Buffer.from(genesis.buffer, genesis.byteOffset, genesis.length).toString('utf8')
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    const parsed: { readonly config?: { readonly chainId?: unknown } | null } | null =
      JSON.parse(text)
    const id = parsed?.config?.chainId
    return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Fields that noting the owner of a subnet changes. */
type Owning = At & Concerns & Fills<'subnetId' | 'subnetOwner'> & Adds<'subnetOwners'>

function noteOwner(step: Owning, subnetId: Uint8Array, owner: Owner): void {
  const { height, position, time, txId } = step.place
  step.draft.subnetOwners.push({ subnetId, height, position, time, txId, owner })
  step.row.subnetId = subnetId
  step.row.subnetOwner = owner
  concern(step, owner.addresses)
}

function createSubnet(
  state: PState,
  step: Owning & Adds<'subnets'>,
  unsigned: PUnsignedOf<'CreateSubnetTx'>,
): void {
  const { height, position, time, txId } = step.place
  const owner = ownerOf(unsigned.owner)
  const subnet: Mutable<SubnetRow> = {
    subnetId: txId,
    createdHeight: height,
    createdPosition: position,
    createdTime: time,
    owner,
    transformation: undefined,
    conversion: undefined,
  }
  state.subnets.set(keyOf(txId), subnet)
  step.draft.subnets.add(subnet)
  noteOwner(step, txId, owner)
}

function subnetOf(state: PState, step: At, subnetId: Uint8Array): Mutable<SubnetRow> {
  const subnet = state.subnets.get(keyOf(subnetId))
  if (subnet !== undefined) return subnet
  throw violation(step.place, `no such subnet: ${Buffer.from(subnetId).toString('hex')}`)
}

function changeOwner(
  state: PState,
  step: Owning & Adds<'subnets'>,
  unsigned: PUnsignedOf<'TransferSubnetOwnershipTx'>,
): void {
  const subnet = subnetOf(state, step, unsigned.subnetId)
  subnet.owner = ownerOf(unsigned.newOwner)
  step.draft.subnets.add(subnet)
  noteOwner(step, unsigned.subnetId, subnet.owner)
}

function transformSubnet(
  state: PState,
  step: At & Fills<'subnetId'> & Adds<'subnets' | 'supplies'>,
  unsigned: PUnsignedOf<'TransformSubnetTx'>,
): void {
  const subnet = subnetOf(state, step, unsigned.subnetId)
  subnet.transformation = {
    txId: step.place.txId,
    assetId: unsigned.assetId,
    maximumSupply: unsigned.maximumSupply,
    minConsumptionRate: unsigned.minConsumptionRate,
    maxConsumptionRate: unsigned.maxConsumptionRate,
    maxValidatorStake: unsigned.maxValidatorStake,
    maxValidatorWeightFactor: unsigned.maxValidatorWeightFactor,
    uptimeRequirement: unsigned.uptimeRequirement,
  }
  step.draft.subnets.add(subnet)
  step.row.subnetId = unsigned.subnetId
  setSupply(state, step.draft, unsigned.subnetId, unsigned.initialSupply)
}
