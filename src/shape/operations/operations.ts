/** Every operation of the data API by its id, in the order of the OpenAPI document. */

import { Etherscan } from './etherscan.ts'
import { EvmActivity } from './evm-activity.ts'
import { EvmBalances } from './evm-balances.ts'
import { EvmBlocks } from './evm-blocks.ts'
import { EvmChains } from './evm-chains.ts'
import { EvmContracts } from './evm-contracts.ts'
import { EvmTransactions } from './evm-transactions.ts'
import { Health } from './health.ts'
import { Icm, Teleporter } from './icm.ts'
import { L1Validators } from './l1-validators.ts'
import { Metrics } from './metrics.ts'
import { Nfts } from './nft.ts'
import { PrimaryAddresses } from './primary-addresses.ts'
import { PrimaryNetwork } from './primary-network.ts'
import { PrimaryTransactions } from './primary-transactions.ts'
import { Proposers } from './proposers.ts'
import { Service } from './service.ts'
import { Signatures } from './signatures.ts'
import { Validators } from './validators.ts'
import { Webhooks } from './webhooks.ts'

/** All contracts by id. */
export const operations = {
  ...EvmTransactions,
  ...EvmActivity,
  ...EvmContracts,
  ...EvmBalances,
  ...EvmBlocks,
  ...EvmChains,
  ...Etherscan,
  ...Nfts,
  ...Metrics,
  ...PrimaryAddresses,
  ...PrimaryTransactions,
  ...Validators,
  ...Proposers,
  ...PrimaryNetwork,
  ...L1Validators,
  ...Signatures,
  ...Icm,
  ...Teleporter,
  ...Service,
  ...Webhooks,
  ...Health,
}

/** Id of an operation. */
export type OperationId = keyof typeof operations
