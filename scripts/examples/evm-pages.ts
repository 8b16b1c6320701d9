/** Examples of operations on EVM chains. */

import type { Demo, ExamplePage } from './example.ts'

const summit = '/v1/chains/51001'

function address(role: string, rest: string): (demo: Demo) => string {
  return ({ of }) => `${summit}/addresses/${of(role)}${rest}`
}

async function latest({ told }: Demo): Promise<string> {
  return told(`${summit}/transactions?pageSize=1`, 'transactions.0.txHash')
}

/** Chains, blocks and transactions. */
export const chainsPage: ExamplePage = {
  name: 'chains-blocks-transactions',
  title: 'Chains, blocks and transactions',
  introduction: `The demo has three EVM chains of one recorded network, the L1s Summit (51001) and Harbor (51002) and the
C-Chain (43112), and Meridian (51003), which has a past of ninety days.`,
  examples: [
    { id: 'supportedChains', path: '/v1/chains' },
    { id: 'getChainInfo', path: summit },
    {
      id: 'callChain',
      about: 'With `publicRpc` of the chain set; of a recording there is no node to call.',
      path: `${summit}/rpc`,
      body: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
    },
    {
      id: 'callBlockchain',
      path: '/ext/bc/51001/rpc',
      body: { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
    },
    {
      id: 'listAddressChains',
      about: 'The chains on which an address did something.',
      path: ({ of }) => `/v1/address/${of('traveller')}/chains`,
    },
    { id: 'getAddressChains', path: ({ of }) => `/v1/chains/address/${of('traveller')}` },
    { id: 'getLatestBlocks', path: `${summit}/blocks?pageSize=1` },
    { id: 'getBlock', about: 'By height, or by hash.', path: `${summit}/blocks/12` },
    { id: 'getTransactionsForBlock', path: `${summit}/blocks/12/transactions?pageSize=1` },
    { id: 'listLatestBlocksAllChains', path: '/v1/blocks?pageSize=1' },
    { id: 'listAllLatestBlocks', path: '/v1/chains/allBlocks?pageSize=1' },
    { id: 'listLatestTransactions', path: `${summit}/transactions?pageSize=1` },
    { id: 'listLatestTransactionsAllChains', path: '/v1/transactions?pageSize=1' },
    { id: 'listAllLatestTransactions', path: '/v1/chains/allTransactions?pageSize=1' },
    {
      id: 'getTransaction',
      about: 'With its transfers, internal transactions and the message it sent.',
      path: async (demo) => `${summit}/transactions/${await latest(demo)}`,
    },
    {
      id: 'listTransactionLogs',
      path: ({ of }) => `${summit}/transactions/${of('tx message')}/logs`,
    },
    {
      id: 'listLogs',
      about: 'With `logs: on` of the chain; in words where an ABI is given for it.',
      path: ({ of }) => `${summit}/logs?address=${of('Summit.token')}&pageSize=1`,
    },
    {
      id: 'listTransactionCalls',
      about: 'Every call with its depth; a node executes the block again for it.',
      path: ({ of }) => `${summit}/transactions/${of('tx internal')}/calls`,
    },
    {
      id: 'listActiveSenders',
      about: 'Of a day, a week or a month; by transactions, or by the gas that they used.',
      path: `${summit}/activeSenders?timeInterval=month&pageSize=2`,
    },
    {
      id: 'listCalledContracts',
      about: 'Counted are transactions that call an address with four bytes of data or more.',
      path: `${summit}/calledContracts?timeInterval=month&sortBy=gasUsed&pageSize=2`,
    },
    {
      id: 'listStateChanges',
      needsNode: true,
      about:
        'Balances, nonces, code and storage before and after; a node tells them, which a recording is not.',
      path: ({ of }) => `${summit}/transactions/${of('tx internal')}/stateChanges`,
    },
    {
      id: 'listTransactions',
      about: 'Everything an address took part in, by transaction.',
      path: address('trader', '/transactions?pageSize=1'),
    },
    {
      id: 'listTransactionsV2',
      path: ({ of }) => `/v2/chains/51001/addresses/${of('trader')}/transactions?pageSize=1`,
    },
    {
      id: 'listNativeTransactions',
      path: address('trader', '/transactions:listNative?pageSize=1'),
    },
    {
      id: 'listInternalTransactions',
      about: 'Coins that the exchange paid for tokens, for one.',
      path: address('trader', '/transactions:listInternals?pageSize=1'),
    },
  ],
}

/** Tokens and balances. */
export const tokensPage: ExamplePage = {
  name: 'tokens-balances',
  title: 'Tokens, balances and contracts',
  introduction: `On Summit people trade Glacier (GLC) for the chain's coin, pay each other in Demo Dollars (DUSD), and
are bothered by a token that only pretends to be one. Prices come from \`demo/prices.csv\`, warnings from
\`demo/reputation.csv\`.`,
  examples: [
    {
      id: 'getNativeBalance',
      about: 'With its value in the currency that is asked for.',
      path: address('trader', '/balances:getNative?currency=usd'),
    },
    {
      id: 'listEvmBalanceSeries',
      about: 'For a chart; what neither logs nor a node can tell is absent, and named.',
      path: async ({ of, told }) => {
        const end = await told('/v1/chains/51001/blocks?pageSize=1', 'blocks.0.blockTimestamp')
        const query = `timeInterval=hour&endTimestamp=${end}&startTimestamp=${Number(end) - 3_600}`
        return `${summit}/addresses/${of('trader')}/balances:listSeries?contractAddresses=${of('Summit.token')}&${query}`
      },
    },
    {
      id: 'listErc20Balances',
      about: 'The largest values first; what looks like spam is left out.',
      path: address('trader', '/balances:listErc20?pageSize=2&filterSpamTokens=true&currency=usd'),
    },
    {
      id: 'listErc20Transactions',
      path: address('trader', '/transactions:listErc20?pageSize=1'),
    },
    {
      id: 'listErc721Transactions',
      path: address('collector', '/transactions:listErc721?pageSize=1'),
    },
    {
      id: 'listErc1155Transactions',
      path: address('collector', '/transactions:listErc1155?pageSize=1'),
    },
    {
      id: 'listAddressTransfers',
      about: 'All of them in one list; each has the token of its standard.',
      path: address('collector', '/transfers?pageSize=2'),
    },
    {
      id: 'listTransfers',
      about: 'Of one token, whoever sent it.',
      path: ({ of }) => `${summit}/tokens/${of('Summit.token')}/transfers?pageSize=1`,
    },
    {
      id: 'getAddressesByBalanceOverTime',
      about: 'Who holds more than so much of a token.',
      path: ({ of }) =>
        `/v2/chains/51001/contracts/${of('Summit.token')}/balances?threshold=1000000000000000000&pageSize=1`,
    },
    {
      id: 'listErc20Tokens',
      about: 'The token that most addresses ever had.',
      path: `${summit}/tokens?sortBy=holders&pageSize=1`,
    },
    {
      id: 'listNftCollections',
      about: 'The collection that moved most often.',
      path: `${summit}/nfts/collections?pageSize=1`,
    },
    {
      id: 'listContracts',
      about: 'The contract that was verified last.',
      path: `${summit}/contracts?verified=true&pageSize=1`,
    },
    {
      id: 'getContractCode',
      about: 'Sources that were proved, the ABI, and what a proxy leads to.',
      path: ({ of }) => `${summit}/contracts/${of('Summit.token')}`,
    },
    {
      id: 'callContract',
      about: 'Any method by its ABI; values come decoded.',
      path: ({ of }) => `${summit}/contracts/${of('Summit.token')}/calls`,
      body: ({ of }) => ({
        calls: [
          {
            abi: {
              type: 'function',
              name: 'balanceOf',
              inputs: [{ type: 'address' }],
              outputs: [{ type: 'uint256' }],
            },
            arguments: [of('trader')],
          },
        ],
      }),
    },
    {
      id: 'getSourcifyContract',
      about: 'The same in the form of Sourcify.',
      path: ({ of }) => `/v2/contract/51001/${of('Summit.token')}?fields=compilation`,
    },
    {
      id: 'verifyContract',
      about:
        'With `contracts.compilers` set. The answer comes when it is done; its id tells how it ended, here that there are no compilers.',
      path: ({ of }) => `/v2/verify/51001/${of('Summit.token')}`,
      body: {
        stdJsonInput: {
          language: 'Solidity',
          sources: { 'Token.sol': { content: 'contract Token {}' } },
          settings: {},
        },
        compilerVersion: '0.8.30+commit.73712a01',
        contractIdentifier: 'Token.sol:Token',
      },
      keeps: { variable: 'VERIFICATION', field: 'verificationId' },
    },
    { id: 'getVerification', path: '/v2/verify/$VERIFICATION' },
    {
      id: 'etherscanOfChain',
      about: 'What tools of EVM chains speak: one path, `module` and `action`.',
      path: ({ of }) =>
        `${summit}/api?module=account&action=tokentx&address=${of('trader')}&page=1&offset=1`,
    },
    {
      id: 'etherscan',
      about: 'The same for all chains.',
      path: ({ of }) =>
        `/v2/api?chainid=51001&module=account&action=txlist&address=${of('trader')}&page=1&offset=1`,
    },
    {
      id: 'etherscanFormOfChain',
      about: 'A form, or JSON, in place of the query: sources are sent so.',
      path: `${summit}/api`,
      body: ({ of }) => ({ module: 'account', action: 'balance', address: of('trader') }),
    },
    {
      id: 'etherscanForm',
      about: 'The same for all chains.',
      path: '/v2/api?chainid=51001',
      body: ({ of }) => ({ module: 'contract', action: 'getabi', address: of('Summit.token') }),
    },
    { id: 'getContractMetadata', path: ({ of }) => `${summit}/addresses/${of('Summit.token')}` },
    {
      id: 'getDeploymentTransaction',
      path: ({ of }) => `${summit}/contracts/${of('Summit.token')}/transactions:getDeployment`,
    },
    {
      id: 'listContractEvents',
      about:
        'A column for each argument, also as CSV and Parquet; conditions are the names of indexed ones. With `logs: on` of the chain.',
      path: ({ of }) =>
        `${summit}/contracts/${of('Summit.token')}/events/Transfer?from=${of('trader')}&pageSize=1`,
    },
    {
      id: 'listContractDeployments',
      about: 'What an address deployed.',
      path: ({ of }) => `${summit}/contracts/${of('builder')}/deployments?pageSize=1`,
    },
  ],
}

/** NFTs. */
export const nftPage: ExamplePage = {
  name: 'nfts',
  title: 'NFTs',
  introduction: `Summit Views (ERC-721) and Trail Badges (ERC-1155) tell their names and pictures themselves, in
\`data:\` URIs, so nothing is fetched from elsewhere.`,
  examples: [
    {
      id: 'listTokens',
      path: ({ of }) => `${summit}/nfts/collections/${of('Summit.pictures')}/tokens?pageSize=1`,
    },
    {
      id: 'getTokenDetails',
      path: ({ of }) => `${summit}/nfts/collections/${of('Summit.pictures')}/tokens/3`,
    },
    {
      id: 'getNftHoldersByContractAddress',
      path: ({ of }) =>
        `/v2/chains/51001/contracts/${of('Summit.badges')}/nfts:listHolders?pageSize=1`,
    },
    {
      id: 'reindexNft',
      about: 'Asks the contract again.',
      path: ({ of }) => `${summit}/nfts/collections/${of('Summit.pictures')}/tokens/3:reindex`,
    },
    {
      id: 'listErc721Balances',
      path: address('collector', '/balances:listErc721?pageSize=1'),
    },
    {
      id: 'listErc1155Balances',
      path: address('collector', '/balances:listErc1155?pageSize=1'),
    },
    {
      id: 'listCollectibleBalances',
      path: address('collector', '/balances:listCollectibles?pageSize=1'),
    },
  ],
}

/** Metrics of chains. */
export const metricsPage: ExamplePage = {
  name: 'chain-metrics',
  title: 'Metrics of chains',
  introduction: `The recording covers less than an hour, so that each series has a point or two.`,
  examples: [
    { id: 'listMetricsChains', path: '/v2/chains?network=fuji' },
    { id: 'getMetricsChain', path: '/v2/chains/51001' },
    {
      id: 'getChainMetrics',
      path: '/v2/chains/51001/metrics/activeAddresses?timeInterval=hour&pageSize=1',
    },
    { id: 'getRollingWindowMetrics', path: '/v2/chains/51001/rollingWindowMetrics/txCount' },
    { id: 'getAverageTps', path: '/v1/avg_tps/51001' },
  ],
}
