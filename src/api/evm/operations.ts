/**
 * The operations of document B and their neighbours.
 *
 * Each is a page: path, parameters, shape and answer; rows come from one question of
 * `store/query/evm`, views from the `…-views.ts` beside it. None knows status codes, headers or
 * dialects, and none writes.
 */

import type { Operation } from '../operation.ts'
import { getBlock } from './get-block.ts'
import { getChain } from './get-chain.ts'
import { getContractDeployment } from './get-contract-deployment.ts'
import { getContract } from './get-contract.ts'
import { getNativeBalance } from './get-native-balance.ts'
import { getTransaction } from './get-transaction.ts'
import { listAddressChains } from './list-address-chains.ts'
import { listAddressTransactions, listAddressTransactionsV2 } from './list-address-transactions.ts'
import { listAllLatestBlocks } from './list-all-latest-blocks.ts'
import { listAllLatestTransactions } from './list-all-latest-transactions.ts'
import { listBlockTransactions } from './list-block-transactions.ts'
import { listBlocks } from './list-blocks.ts'
import { listChains } from './list-chains.ts'
import { listContractDeployments } from './list-contract-deployments.ts'
import { listErc20Balances } from './list-erc20-balances.ts'
import { listErc20Transfers } from './list-erc20-transfers.ts'
import { listErc721Transfers } from './list-erc721-transfers.ts'
import { listErc1155Transfers } from './list-erc1155-transfers.ts'
import { listInternalTransactions } from './list-internal-transactions.ts'
import { listLatestTransactions } from './list-latest-transactions.ts'
import { listNativeTransactions } from './list-native-transactions.ts'
import { listTokenTransfers } from './list-token-transfers.ts'
import { olderEvmOperations } from './older-names.ts'
import type { EvmParts } from './parts.ts'

/** All of them. */
export function evmOperations(parts: EvmParts): Operation[] {
  return [
    listErc1155Transfers(parts),
    listErc20Transfers(parts),
    listTokenTransfers(parts),
    listInternalTransactions(parts),
    listErc20Balances(parts),
    listLatestTransactions(parts),
    getTransaction(parts),
    listErc721Transfers(parts),
    listNativeTransactions(parts),
    listAddressTransactions(parts),
    listAddressTransactionsV2(parts),
    getNativeBalance(parts),
    listBlocks(parts),
    getBlock(parts),
    listBlockTransactions(parts),
    listChains(parts),
    getChain(parts),
    listAddressChains(parts),
    getContract(parts),
    getContractDeployment(parts),
    listContractDeployments(parts),
    listAllLatestTransactions(parts),
    listAllLatestBlocks(parts),
    ...olderEvmOperations(parts),
  ]
}
