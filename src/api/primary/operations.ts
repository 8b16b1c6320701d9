/**
 * The operations of document A on the primary network, and their neighbours.
 *
 * Each is a page: path, parameters, shape and answer; rows come from the questions of
 * `store/query/primary`, views from the `…-view.ts` beside it. Stored wire bytes of outputs are
 * decoded here; nothing here asks a node.
 */

import type { Operation } from '../operation.ts'
import { getBalances } from './get-balances.ts'
import { getPrimaryBlock } from './get-block.ts'
import { getBlockchain } from './get-blockchain.ts'
import { getLastActivity, getLastActivityOfMany } from './get-last-activity.ts'
import { getNetworkDetails } from './get-network-details.ts'
import { getStakingMetrics } from './get-staking-metrics.ts'
import { getSubnet } from './get-subnet.ts'
import { getTransaction } from './get-transaction.ts'
import { nodeFees, subnetFees, totalL1Fees, validationFees } from './l1-fee-metrics.ts'
import { listBlockchains } from './list-blockchains.ts'
import { listPrimaryBlocks } from './list-blocks.ts'
import { listChainIds } from './list-chain-ids.ts'
import { listDelegators } from './list-delegators.ts'
import { listL1Funds, listL1ValidatorFunds } from './list-l1-funds.ts'
import { listL1Validators } from './list-l1-validators.ts'
import { listNodeBlocks } from './list-node-blocks.ts'
import { listNodeValidators } from './list-node-validators.ts'
import { listPendingRewards } from './list-pending-rewards.ts'
import { listRewards } from './list-rewards.ts'
import { listStakingTransactions } from './list-staking-transactions.ts'
import { listSubnetOwners } from './list-subnet-owners.ts'
import { listSubnets } from './list-subnets.ts'
import { listTransactions } from './list-transactions.ts'
import { listUtxosByQuery } from './list-utxos-by-query.ts'
import { listUtxos } from './list-utxos.ts'
import { listValidatorCycles } from './list-validator-cycles.ts'
import { listValidators } from './list-validators.ts'
import type { PrimaryParts } from './parts.ts'
import { getAssetDetails, listAssetTransactions } from './x-assets.ts'

/** All of them. */
export function primaryOperations(parts: PrimaryParts): Operation[] {
  return [
    listUtxos(parts),
    listTransactions(parts),
    listStakingTransactions(parts),
    getBalances(parts),
    listValidators(parts),
    listSubnets(parts),
    listRewards(parts),
    listNodeBlocks(parts),
    listUtxosByQuery(parts),
    getTransaction(parts),
    listPrimaryBlocks(parts),
    getPrimaryBlock(parts),
    getSubnet(parts),
    listBlockchains(parts),
    getBlockchain(parts),
    listNodeValidators(parts),
    listValidatorCycles(parts),
    listDelegators(parts),
    listL1Validators(parts),
    listPendingRewards(parts),
    listChainIds(parts),
    getNetworkDetails(parts),
    getAssetDetails(parts),
    listAssetTransactions(parts),
    getLastActivity(parts),
    getLastActivityOfMany(parts),
    listSubnetOwners(parts),
    listL1ValidatorFunds(parts),
    listL1Funds(parts),
    getStakingMetrics(parts),
    totalL1Fees(parts),
    validationFees(parts),
    nodeFees(parts),
    subnetFees(parts),
  ]
}
