/** Where document B and the official clients disagree: prices and the state of NFT metadata. */

import {
  type DialectRule,
  type DialectRules,
  moneyAsNumbers,
  statusInLowerCase,
} from './dialect.ts'

const withMoney: DialectRule = { sdk: moneyAsNumbers }
const withStatus: DialectRule = { documented: statusInLowerCase }
const withBoth: DialectRule = { documented: statusInLowerCase, sdk: moneyAsNumbers }

/** Rules of the EVM and NFT operations, by operation id. */
export const evmDialectRules: DialectRules = {
  listErc20Transactions: withMoney,
  listErc20Balances: withMoney,
  getNativeBalance: withMoney,
  listErc721Transactions: withStatus,
  listErc1155Transactions: withStatus,
  listTransfers: withBoth,
  getTransaction: withBoth,
  getDeploymentTransaction: withBoth,
  listTransactions: withBoth,
  listTransactionsV2: withBoth,
  listTokens: withStatus,
  getTokenDetails: withStatus,
  listErc721Balances: withBoth,
  listErc1155Balances: withBoth,
  listCollectibleBalances: withStatus,
}
