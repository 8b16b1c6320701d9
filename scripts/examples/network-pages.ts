/** Examples of operations on the primary network, L1s, messages and signatures, and on Firn itself. */

import type { Demo, ExamplePage } from './example.ts'

const fuji = '/v1/networks/fuji'
const p = `${fuji}/blockchains/p-chain`
const x = `${fuji}/blockchains/x-chain`

async function latestOf(chain: string, { told }: Demo): Promise<string> {
  return told(`${chain}/transactions?pageSize=1`, 'transactions.0.txHash')
}

/** The ledgers of P, X and C. */
export const ledgersPage: ExamplePage = {
  name: 'primary-network',
  title: 'P-, X- and C-Chain',
  introduction: `\`fuji\` stands for the recorded network, as for every network that is not mainnet. \`p-chain\`, \`x-chain\`
and \`c-chain\` name its chains; their ids do as well.`,
  examples: [
    { id: 'getNetworkDetails', path: fuji },
    {
      id: 'getAvaxSupply',
      about: 'In AVAX with decimals, exact to the last one.',
      path: '/v1/avax/supply',
    },
    { id: 'listLatestPrimaryNetworkBlocks', path: `${p}/blocks?pageSize=1` },
    { id: 'getBlockById', about: 'By height, or by id.', path: `${p}/blocks/20` },
    {
      id: 'listPrimaryNetworkBlocksByNodeId',
      about: 'What a node proposed.',
      path: ({ of }) => `${p}/nodes/${of('node')}/blocks?pageSize=1`,
    },
    { id: 'listLatestPrimaryNetworkTransactions', path: `${p}/transactions?pageSize=1` },
    { id: 'getTxByHash', path: async (demo) => `${x}/transactions/${await latestOf(x, demo)}` },
    {
      id: 'listActivePrimaryNetworkStakingTransactions',
      path: ({ of }) => `${p}/transactions:listStaking?addresses=${of('staker')}&pageSize=1`,
    },
    {
      id: 'getUtxosByAddresses',
      path: ({ of }) => `${p}/utxos?addresses=${of('staker')}&includeSpent=true&pageSize=1`,
    },
    {
      id: 'getUtxosByAddressesV2',
      about: 'The same for up to 1,024 addresses.',
      path: `${p}/utxos?includeSpent=true&pageSize=1`,
      body: ({ of }) => ({ addresses: of('staker') }),
    },
    {
      id: 'getBalancesByAddresses',
      about: 'By what can be done with it: unlocked, staked, locked, to be imported.',
      path: ({ of }) => `${p}/balances?addresses=${of('owner')}`,
    },
    {
      id: 'listBalanceSeries',
      about: 'The same at regular moments, for a chart.',
      path: ({ of }) =>
        `${p}/balances:listSeries?addresses=${of('owner')}&timeInterval=hour&startTimestamp=1795366800&endTimestamp=1795374000`,
    },
    {
      id: 'getChainIdsForAddresses',
      path: ({ of }) => `${fuji}/addresses:listChainIds?addresses=${of('owner')}`,
    },
    {
      id: 'getLastActivityTimestampByAddresses',
      path: ({ of }) => `${p}/lastActivityTimestampByAddresses?addresses=${of('owner')}`,
    },
    {
      id: 'getLastActivityTimestampByAddressesV2',
      path: `${p}/lastActivityTimestampByAddresses`,
      body: ({ of }) => ({ addresses: of('owner') }),
    },
    { id: 'getAssetDetails', path: ({ of }) => `${x}/assets/${of('avax')}` },
    {
      id: 'listAssetTransactions',
      path: ({ of }) => `${x}/assets/${of('avax')}/transactions?pageSize=1`,
    },
  ],
}

/** Staking. */
export const stakingPage: ExamplePage = {
  name: 'staking',
  title: 'Validators, delegators and rewards',
  introduction: `Five nodes validate. Two terms of the past were paid, one node is back for another term with delegators,
one renews itself, and a newcomer waits for its start.`,
  examples: [
    {
      id: 'listValidators',
      path: `${fuji}/validators?validationStatus=active&pageSize=1`,
    },
    {
      id: 'getSingleValidatorDetails',
      about: 'Every term of a node, the running one first.',
      path: ({ of }) => `${fuji}/validators/${of('validator')}?pageSize=1`,
    },
    {
      id: 'listAutoRenewedValidatorCycles',
      about: 'What a validator that renews itself earned in each cycle.',
      path: ({ of }) => `${fuji}/validators/${of('renewingNode')}/cycles`,
    },
    {
      id: 'listProposerDays',
      about: 'Compare the shares of a node with those of the network on the same days.',
      path: ({ of }) => `${p}/nodes/${of('validator')}/slots:listDays`,
    },
    {
      id: 'listProposerSlots',
      path: ({ of }) => `${p}/nodes/${of('validator')}/slots?pageSize=2`,
    },
    {
      id: 'listDelegators',
      path: ({ of }) => `${fuji}/delegators?nodeIds=${of('validator')}&pageSize=1`,
    },
    {
      id: 'listHistoricalPrimaryNetworkRewards',
      path: ({ of }) => `${fuji}/rewards?addresses=${of('staker')}&pageSize=1`,
    },
    {
      id: 'listPendingPrimaryNetworkRewards',
      path: ({ of }) => `${fuji}/rewards:listPending?addresses=${of('staker')}&pageSize=1`,
    },
    { id: 'getStakingMetrics', path: '/v2/networks/fuji/metrics/validatorCount?pageSize=1' },
  ],
}

/** L1s. */
export const l1Page: ExamplePage = {
  name: 'l1s',
  title: 'Subnets and L1s',
  introduction: `Summit has validators of every kind: some that last, one whose balance is nearly used up, one whose balance is used up, one that
was switched off and one that left.`,
  examples: [
    { id: 'listSubnets', path: `${fuji}/subnets?pageSize=1` },
    { id: 'getSubnetById', path: ({ of }) => `${fuji}/subnets/${of('Summit.subnet')}` },
    { id: 'listBlockchains', path: `${fuji}/blockchains?pageSize=1` },
    {
      id: 'getBlockchainById',
      path: ({ of }) => `${fuji}/blockchains/${of('Summit.blockchain')}`,
    },
    {
      id: 'listL1Validators',
      path: ({ of }) => `${fuji}/l1Validators?subnetId=${of('Summit.subnet')}&pageSize=1`,
    },
    {
      id: 'listL1ValidatorChanges',
      about: 'Top-ups and weights; between two of them the balance pays the fee.',
      path: ({ of }) => `/v1/networks/fuji/l1Validators/${of('seat leaver')}/changes?pageSize=2`,
    },
    {
      id: 'listL1ValidatorFunds',
      about: 'What the validators of an L1 have left, and for how long that lasts.',
      path: ({ of }) => `${fuji}/l1Validators:listFunds?subnetId=${of('Summit.subnet')}&pageSize=1`,
    },
    { id: 'listL1Funds', about: 'The same by L1.', path: `${fuji}/subnets:listFunds?pageSize=1` },
    {
      id: 'getValidatorsByDateRange',
      about:
        'Whom validators of the primary network paid in a range of time. Validators of L1s earn nothing.',
      path: `/v2/subnets/11111111111111111111111111111111LpoYY/validators:getAddresses?startTimestamp=1795305600&endTimestamp=1795392000&pageSize=1`,
    },
    { id: 'getTotalL1ValidatorMetrics', path: '/v2/validators/metrics/totalCumulativeFeesDaily' },
    {
      id: 'getMetricsByValidationId',
      path: ({ of }) => `/v2/validation/${of('seat guest')}/metrics/validationFeesDaily`,
    },
    {
      id: 'getMetricsByNodeId',
      path: ({ of }) => `/v2/validator/${of('node')}/metrics/perNodeCumulativeFeesPaid`,
    },
    {
      id: 'getMetricsBySubnetId',
      path: ({ of }) => `/v2/subnet/${of('Summit.subnet')}/metrics/perSubnetDailyFeesPaid`,
    },
  ],
}

/** Messages and their signatures. */
export const messagesPage: ExamplePage = {
  name: 'messages-signatures',
  title: 'Interchain messages and signatures',
  introduction: `Glacier crosses from Summit to Harbor and the C-Chain, and comes back. One message was turned away
and taken later, one still waits to be delivered.`,
  examples: [
    { id: 'listIcmMessages', path: '/v1/icm/messages?pageSize=1' },
    {
      id: 'getIcmMessage',
      about: 'Both ends of a message, its fee, and who delivered it.',
      path: ({ of }) => `/v1/icm/messages/${of('deliveredMessage')}`,
    },
    {
      id: 'listIcmMessagesByAddress',
      about: 'Sent or received by a contract: here the bridge’s end on Harbor.',
      path: ({ of }) => `/v1/icm/addresses/${of('bridgedToken')}/messages?pageSize=1`,
    },
    { id: 'listTeleporterMessages', path: '/v1/teleporter/messages?pageSize=1' },
    {
      id: 'getTeleporterMessage',
      path: ({ of }) => `/v1/teleporter/messages/${of('waitingMessage')}`,
    },
    {
      id: 'listTeleporterMessagesByAddress',
      path: ({ of }) => `/v1/teleporter/addresses/${of('bridgedToken')}/messages?pageSize=1`,
    },
    { id: 'getICMSummary', path: '/v2/icm/summary' },
    { id: 'getICMTimeseries', path: '/v2/icm/timeseries' },
    {
      id: 'getTeleporterMetricsByChain',
      path: '/v2/chains/51001/teleporterMetrics/teleporterSourceTxnCount',
    },
    {
      id: 'aggregateSignatures',
      about:
        'The message that waits, signed by the validators of Summit: what a relayer would deliver. The demo holds each validator’s own signature; Firn verifies and adds them up as it does on a live network.',
      path: '/v1/signatureAggregator/fuji/aggregateSignatures',
      body: ({ of }) => ({ message: of('waitingMessageLog'), quorumPercentage: 67 }),
    },
    {
      id: 'getAggregatedSignatures',
      about: 'What the P-Chain says about the conversion of Summit, signed by its validators.',
      path: ({ of }) =>
        `/v1/signatureAggregator/fuji/aggregateSignatures/${of('Summit.conversion')}`,
    },
  ],
}

/** Webhooks. */
export const webhooksPage: ExamplePage = {
  name: 'webhooks',
  title: 'Webhooks',
  introduction: `The guide on [webhooks](../guide/events.md) says what they tell and how to check it. Here one is made, asked
for and switched off. It has no address, so it is only listened to; \`$WEBHOOK\` is its id, which the second request puts there.`,
  examples: [
    {
      id: 'createWebhook',
      path: '/v1/webhooks',
      body: ({ of }) => ({
        chainId: '51001',
        eventType: 'address_activity',
        metadata: { addresses: [of('trader')] },
      }),
    },
    {
      id: 'listWebhooks',
      path: '/v1/webhooks',
      keeps: { variable: 'WEBHOOK', field: 'id' },
    },
    { id: 'getWebhook', path: '/v1/webhooks/$WEBHOOK' },
    { id: 'updateWebhook', path: '/v1/webhooks/$WEBHOOK', body: { name: 'Trades' } },
    {
      id: 'addAddressesToWebhook',
      path: '/v1/webhooks/$WEBHOOK/addresses',
      body: ({ of }) => ({ addresses: [of('traveller')] }),
    },
    { id: 'getAddressesFromWebhook', path: '/v1/webhooks/$WEBHOOK/addresses' },
    {
      id: 'removeAddressesFromWebhook',
      path: '/v1/webhooks/$WEBHOOK/addresses',
      body: ({ of }) => ({ addresses: [of('traveller')] }),
    },
    {
      id: 'replayWebhook',
      about: 'Tells once more what happened since a block.',
      path: '/v1/webhooks/$WEBHOOK:replay',
      body: { fromHeight: 10 },
    },
    { id: 'listDeadLetters', path: '/v1/webhooks/$WEBHOOK/deadLetters' },
    { id: 'generateOrRotateSharedSecret', path: '/v1/webhooks:generateOrRotateSharedSecret' },
    { id: 'getSharedSecret', path: '/v1/webhooks:getSharedSecret' },
    { id: 'deactivateWebhook', path: '/v1/webhooks/$WEBHOOK' },
  ],
}

/** Search and the state of the service. */
export const servicePage: ExamplePage = {
  name: 'search-health',
  title: 'Search, status and health',
  introduction: 'What is here, by whatever is known of it; and whether all of it is up to date.',
  examples: [
    { id: 'search', about: 'By name, symbol, address, hash or id.', path: '/v1/search?q=Glacier' },
    { id: 'getStatus', path: '/status' },
    { id: 'data-health-check', path: '/v1/health-check' },
    { id: 'metrics-health-check', path: '/v2/health-check' },
    { id: 'live-check', path: '/v1/live-check' },
    { id: 'metrics-live-check', path: '/v2/live-check' },
  ],
}

/** Exports. */
export const exportsPage: ExamplePage = {
  name: 'exports',
  title: 'Exports',
  introduction: `A file of everything that addresses did between two days. \`$EXPORT\` is the id of the export, which the
first requests put there; the file is read while it is fetched from \`downloadUrl\`.`,
  examples: [
    {
      id: 'postTransactionExportJob',
      path: '/v1/operations/transactions:export',
      body: ({ of }) => ({
        type: 'TRANSACTION_EXPORT_EVM',
        firstDate: '2026-01-01',
        lastDate: '2026-12-31',
        options: { addresses: [of('trader')], includeChains: ['51001'] },
      }),
      keeps: { variable: 'EXPORT', field: 'operationId' },
    },
    { id: 'getOperationResult', path: '/v1/operations/$EXPORT' },
  ],
}

/** Use of API keys. */
export const usagePage: ExamplePage = {
  name: 'usage',
  title: 'What a key has used',
  introduction: `Keys are told what was answered to them. Make one first, and ask something with it:

\`\`\`sh
KEY=$(npm run -s firn -- keys create trial)
curl -H "x-service-api-key: $KEY" 'http://127.0.0.1:8080/v1/chains'
\`\`\`

From then on webhooks and exports, too, are asked for with a key; \`firn keys revoke\` takes one back.`,
  examples: [
    {
      id: 'getApiUsageMetrics',
      path: '/v1/apiUsageMetrics?timeInterval=daily&groupBy=requestPath',
      withKey: true,
    },
    { id: 'getApiLogs', path: '/v1/apiLogs?pageSize=1', withKey: true },
  ],
}
