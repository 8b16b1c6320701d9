/** A sentence that says what a transaction of the primary network did. */

import type { TransactionName } from '../../core/type-ids.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { amount, ends, moment, visible } from './kit/format.ts'

/** Words for every type of transaction. */
const actions: Readonly<Record<TransactionName, string>> = {
  AddValidatorTx: 'added a validator',
  AddPermissionlessValidatorTx: 'added a validator',
  AddAutoRenewedValidatorTx: 'added an auto-renewed validator',
  AddDelegatorTx: 'delegated to a validator',
  AddPermissionlessDelegatorTx: 'delegated to a validator',
  AddSubnetValidatorTx: 'added a validator to a subnet',
  RemoveSubnetValidatorTx: 'removed a validator from a subnet',
  RewardValidatorTx: 'ended a staking period and decided on the reward',
  RewardAutoRenewedValidatorTx:
    'ended a cycle of an auto-renewed validator and decided on the reward',
  SetAutoRenewedValidatorConfigTx: 'changed the settings of an auto-renewed validator',
  CreateSubnetTx: 'created a subnet',
  CreateChainTx: 'created a blockchain',
  ConvertSubnetToL1Tx: 'converted a subnet to an L1',
  TransferSubnetOwnershipTx: 'transferred the ownership of a subnet',
  TransformSubnetTx: 'opened a subnet to permissionless staking',
  RegisterL1ValidatorTx: 'registered an L1 validator',
  SetL1ValidatorWeightTx: 'set the weight of an L1 validator',
  IncreaseL1ValidatorBalanceTx: "topped up an L1 validator's balance",
  DisableL1ValidatorTx: 'disabled an L1 validator',
  AdvanceTimeTx: 'advanced the time of the chain',
  ImportTx: 'imported funds from another chain',
  ExportTx: 'exported funds to another chain',
  CreateAssetTx: 'created an asset',
  OperationTx: 'minted or transferred assets',
  BaseTx: 'transferred assets',
}

function verbOf(txType: string): string {
  const found = Object.entries(actions).find(([name]) => name === txType)
  return found?.[1] ?? 'did what this explorer has no words for'
}

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
  const fee = sumText(feeBurned(tx))
  return [
    `It ${actionOf(tx)}`,
    fee === '' ? '.' : `. Fee burned: ${fee}.`,
    tx.status === 'Aborted' ? ' It was aborted: nothing changed.' : '',
  ].join('')
}

/** The same in the few words of a list. */
export function whatHappened(tx: PrimaryNetworkTransaction): string {
  const action = actionOf(tx)
  const words = `${action.charAt(0).toUpperCase()}${action.slice(1)}`
  return tx.status === 'Aborted' ? `${words}; aborted` : words
}

function actionOf(tx: PrimaryNetworkTransaction): string {
  const { txType, nodeId, endTimestamp } = tx
  const staked = sumText(tx.amountStaked)
  const moved = sumText(tx.value ?? tx.amountUnlocked)
  const paidIn = sumText(tx.amountL1ValidatorBalanceBurned)
  const isMove = /^(Base|Import|Export|Operation)/.test(txType)
  return [
    verbOf(txType),
    nodeId === undefined ? '' : `, node ${ends(nodeId, 14, 6)}`,
    staked !== '' ? `, with ${staked}` : isMove && moved !== '' ? `: ${moved}` : '',
    endTimestamp === undefined || staked === ''
      ? ''
      : `, until ${moment(endTimestamp).slice(0, 10)}`,
    paidIn === '' ? '' : `, with ${paidIn} paid into its balance`,
  ].join('')
}

function sumText(sums: PrimaryNetworkTransaction['value'] | undefined): string {
  return (sums ?? [])
    .filter((sum) => sum.amount !== '0')
    .map((sum) => `${amount(sum.amount, sum.denomination)} ${visible(sum.symbol)}`)
    .join(', ')
}
