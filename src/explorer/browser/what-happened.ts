/** A sentence that says what a transaction of the primary network did. */

import type { TransactionName } from '../../core/type-ids.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { amount, ends, moment, visible } from './kit/format.ts'

/** Words for every type of transaction. */
const actions: Readonly<Record<TransactionName, string>> = {
  AddValidatorTx: 'It added a validator',
  AddPermissionlessValidatorTx: 'It added a validator',
  AddAutoRenewedValidatorTx: 'It added an auto-renewed validator',
  AddDelegatorTx: 'It delegated to a validator',
  AddPermissionlessDelegatorTx: 'It delegated to a validator',
  AddSubnetValidatorTx: 'It added a validator to a subnet',
  RemoveSubnetValidatorTx: 'It removed a validator from a subnet',
  RewardValidatorTx: 'It ended a staking period and decided on the reward',
  RewardAutoRenewedValidatorTx:
    'It ended a cycle of an auto-renewed validator and decided on the reward',
  SetAutoRenewedValidatorConfigTx: 'It changed the settings of an auto-renewed validator',
  CreateSubnetTx: 'It created a subnet',
  CreateChainTx: 'It created a blockchain',
  ConvertSubnetToL1Tx: 'It converted a subnet to an L1',
  TransferSubnetOwnershipTx: 'It transferred the ownership of a subnet',
  TransformSubnetTx: 'It opened a subnet to permissionless staking',
  RegisterL1ValidatorTx: 'It registered an L1 validator',
  SetL1ValidatorWeightTx: 'It set the weight of an L1 validator',
  IncreaseL1ValidatorBalanceTx: "It topped up an L1 validator's balance",
  DisableL1ValidatorTx: 'It disabled an L1 validator',
  AdvanceTimeTx: 'It advanced the time of the chain',
  ImportTx: 'It imported funds from another chain',
  ExportTx: 'It exported funds to another chain',
  CreateAssetTx: 'It created an asset',
  OperationTx: 'It minted or transferred assets',
  BaseTx: 'It transferred assets',
}

function actionOf(txType: string): string {
  const found = Object.entries(actions).find(([name]) => name === txType)
  return found?.[1] ?? 'Its type is not known to this explorer'
}

type Sums = PrimaryNetworkTransaction['value'] | undefined

/**
 * The fee of a transaction, by asset: what is burned but for what went into balances of L1 validators, which
 * comes back when they are disabled.
 */
export function feeBurned(
  tx: Pick<PrimaryNetworkTransaction, 'amountBurned' | 'amountL1ValidatorBalanceBurned'>,
): PrimaryNetworkTransaction['amountBurned'] {
  return tx.amountBurned.flatMap((sum) => {
    const paidIn = tx.amountL1ValidatorBalanceBurned.find(({ assetId }) => assetId === sum.assetId)
    const fee = BigInt(sum.amount) - BigInt(paidIn?.amount ?? 0)
    return fee === 0n ? [] : [{ ...sum, amount: String(fee) }]
  })
}

/** Of a transaction of the P-, X- or C-Chain. */
export function primarySentence(tx: PrimaryNetworkTransaction): string {
  const { txType, nodeId, endTimestamp, status } = tx
  const action = actionOf(txType)
  const staked = sumText(tx.amountStaked)
  const moved = sumText(tx.value ?? tx.amountUnlocked)
  const fee = sumText(feeBurned(tx))
  const paidIn = sumText(tx.amountL1ValidatorBalanceBurned)
  const isMove = /^(Base|Import|Export|Operation)/.test(txType)
  return [
    action,
    nodeId === undefined ? '' : `, node ${ends(nodeId, 14, 6)}`,
    staked !== '' ? `, with ${staked}` : isMove && moved !== '' ? `: ${moved}` : '',
    endTimestamp === undefined || staked === ''
      ? ''
      : `, until ${moment(endTimestamp).slice(0, 10)}`,
    paidIn === '' ? '' : `, with ${paidIn} paid into L1 validator balances`,
    fee === '' ? '.' : `. Fee burned: ${fee}.`,
    status === 'Aborted' ? ' It was aborted: nothing changed.' : '',
  ].join('')
}

function sumText(sums: Sums): string {
  return (sums ?? [])
    .filter((sum) => sum.amount !== '0')
    .map((sum) => `${amount(sum.amount, sum.denomination)} ${visible(sum.symbol)}`)
    .join(', ')
}
