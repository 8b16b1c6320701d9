/** Parameters for each operation of the official clients, in the order of the requests. */

import { randomUUID } from 'node:crypto'

import type { RunningFirn } from '../processes/firn-process.ts'
import type { Json } from './evm-service.ts'
import type { SignatureService } from './signature-service.ts'

/**
 * Operations that are deliberately not offered. The guide "Moving from the hosted API" names them, and
 * a caller is told why.
 */
export const deliberatelyAbsent: readonly string[] = [
  'dataPrimaryNetworkVerticesGetByHash',
  'dataPrimaryNetworkVerticesListByHeight',
  'dataPrimaryNetworkVerticesListLatest',
  'dataUsageMetricsGetRpcUsageMetrics',
  'dataUsageMetricsGetSubnetRpcUsage',
  'lookingGlassCompositeQuery',
  'metricsChainsListBTCbBridgersAboveThreshold',
]

/**
 * Operations that need more than is indexed in these tests, and what they say then. The bundled demo
 * has it all: `demo.test.ts` asks it.
 */
export const needsMore: ReadonlyMap<string, RegExp> = new Map([
  ['avaxSupplyGet', /the supply is not known .* totalCBurned: the C-Chain is not among/],
])

/** Lists of which the demo network has nothing: it is young, and its blocks have no proposers. */
export const emptyInDemo: readonly string[] = [
  'dataPrimaryNetworkBlocksListByNodeId',
  'dataPrimaryNetworkRewardsListHistoricalRewards',
]

const clientNames = ['chainkit', 'chainkit 0.3.14', 'avacloud']

/** Answers so far, by operation, and the name of the client as `client`. */
export type Seen = ReadonlyMap<string, Json>

/** Parameters of one operation; `undefined` for one that takes none. */
export type ClientRequest = (seen: Seen) => Json

/** A thing of each kind that the demo network holds. */
type Subjects = {
  readonly address: string
  readonly erc20: string
  readonly erc721: string
  readonly erc1155: string
  readonly nftHolder: string
  readonly deployer: string
  readonly txHash: string
  readonly messageId: string
  readonly sender: string
  readonly nodeId: string
  readonly subnetId: string
  readonly blockchainId: string
  readonly rewardAddress: string
  readonly pTxHash: string
  readonly validationId: string
  readonly l1NodeId: string
  readonly l1SubnetId: string
  readonly assetId: string
}

const chainId = '51002'

/** Reads such things from plain lists. */
async function subjectsOf(firn: RunningFirn): Promise<Subjects> {
  const get = async (path: string): Promise<Json> => firn.get(path)
  const chain = `/v1/chains/${chainId}`
  const deployer = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const of = `${chain}/addresses/${deployer}/transactions`
  const [erc20] = (await get(`${of}:listErc20`)).transactions
  const [erc721] = (await get(`${of}:listErc721`)).transactions
  const [erc1155] = (await get(`${of}:listErc1155`)).transactions
  const [latest] = (await get(`${chain}/transactions`)).transactions
  const [message] = (await get('/v1/icm/messages')).messages
  const network = '/v1/networks/fuji'
  const [validator] = (await get(`${network}/validators`)).validators
  const pending = `${network}/rewards:listPending?nodeIds=${validator.nodeId}`
  const [reward] = (await get(pending)).pendingRewards
  const [blockchain] = (await get(`${network}/blockchains`)).blockchains
  const [pTx] = (await get(`${network}/blockchains/p-chain/transactions`)).transactions
  const [l1] = (await get(`${network}/l1Validators`)).validators
  const [utxo] = (await get(`${network}/blockchains/x-chain/transactions`)).transactions
  return {
    address: deployer,
    deployer,
    erc20: erc20.erc20Token.address,
    erc721: erc721.erc721Token.address,
    erc1155: erc1155.erc1155Token.address,
    nftHolder: erc721.to.address,
    txHash: latest.txHash,
    messageId: message?.messageId ?? '',
    sender: message?.from ?? '',
    nodeId: validator.nodeId,
    subnetId: validator.subnetId,
    blockchainId: blockchain.blockchainId,
    rewardAddress: reward?.addresses[0] ?? '',
    pTxHash: pTx.txHash,
    validationId: l1?.validationId ?? '',
    l1NodeId: l1?.nodeId ?? '',
    l1SubnetId: l1?.subnetId ?? '',
    assetId: utxo?.emittedUtxos[0]?.asset.assetId ?? '',
  }
}

/** Parameters of every operation of the clients that this service answers. */
export async function clientRequests(
  firn: RunningFirn,
  signatures: SignatureService,
): Promise<ReadonlyMap<string, ClientRequest>> {
  const found = await subjectsOf(firn)
  return new Map([
    ...evmRequests(found),
    ...primaryRequests(found),
    ...otherRequests(found, signatures),
    ...metricsRequests(found),
    ...webhookRequests(found),
  ])
}

type Requests = readonly (readonly [string, ClientRequest])[]

function evmRequests(of: Subjects): Requests {
  const { address, erc20, erc721, txHash, deployer } = of
  const mine = (): Json => ({ chainId, address, pageSize: 2 })
  return [
    ['dataHealthCheck', () => undefined],
    ['dataLiveCheck', () => undefined],
    ['dataEvmAddressBalancesGetNative', () => ({ chainId, address })],
    ['dataEvmAddressBalancesListCollectibles', mine],
    ['dataEvmAddressBalancesListErc1155', mine],
    ['dataEvmAddressBalancesListErc20', () => ({ ...mine(), filterSpamTokens: false })],
    ['dataEvmAddressBalancesListErc721', () => ({ ...mine(), address: of.nftHolder })],
    ['dataEvmAddressChainsList', () => ({ address })],
    ['dataEvmAddressContractsListDeployments', () => ({ ...mine(), address: deployer })],
    ['dataEvmAddressTransactionsList', mine],
    ['dataEvmAddressTransactionsListErc1155', mine],
    ['dataEvmAddressTransactionsListErc20', mine],
    ['dataEvmAddressTransactionsListErc721', mine],
    ['dataEvmAddressTransactionsListInternal', mine],
    ['dataEvmAddressTransactionsListNative', mine],
    ['dataEvmBlocksGet', () => ({ chainId, blockId: '3' })],
    ['dataEvmBlocksListLatest', () => ({ chainId, pageSize: 2 })],
    ['dataEvmBlocksListLatestAllChains', () => ({ pageSize: 2 })],
    ['dataEvmBlocksListTransactions', () => ({ chainId, blockId: '3' })],
    ['dataEvmChainsGet', () => ({ chainId })],
    ['dataEvmChainsGetAddressChains', () => ({ address })],
    ['dataEvmChainsList', () => ({})],
    ['dataEvmChainsListAllLatestBlocks', () => ({ pageSize: 2 })],
    ['dataEvmChainsListAllLatestTransactions', () => ({ pageSize: 2 })],
    ['dataEvmContractsGetDeploymentTransaction', () => ({ chainId, address: erc20 })],
    ['dataEvmContractsGetMetadata', () => ({ chainId, address: erc20 })],
    ['dataEvmContractsListTransfers', () => ({ chainId, address: erc20, pageSize: 2 })],
    ['dataEvmTransactionsGet', () => ({ chainId, txHash })],
    ['dataEvmTransactionsListLatest', () => ({ chainId, pageSize: 2 })],
    ['dataEvmTransactionsListLatestAllChains', () => ({ pageSize: 2 })],
    ['dataNftsList', () => ({ chainId, address: erc721, pageSize: 3 })],
    [
      'dataNftsGet',
      (seen) => ({
        chainId,
        address: erc721,
        tokenId: seen.get('dataNftsList').result.tokens[0].tokenId,
      }),
    ],
    [
      'dataNftsReindex',
      // Once an hour each: the clients ask for different ones.
      (seen) => ({
        chainId,
        address: erc721,
        tokenId: seen.get('dataNftsList').result.tokens.at(clientNames.indexOf(seen.get('client')))
          .tokenId,
      }),
    ],
  ]
}

function primaryRequests(of: Subjects): Requests {
  const network = 'fuji'
  const blockchainId = 'p-chain'
  const chain = (): Json => ({ network, blockchainId, pageSize: 2 })
  const addresses = of.rewardAddress
  const held = (): Json => ({ ...chain(), addresses })
  const body = (): Json => ({ ...chain(), primaryNetworkAddressesBodyDto: { addresses } })
  const asset = (): Json => ({ network, blockchainId: 'x-chain', assetId: of.assetId })
  const nodeId = of.nodeId
  return [
    ['dataPrimaryNetworkBalancesListByAddresses', () => ({ network, blockchainId, addresses })],
    ['dataPrimaryNetworkBlocksListLatest', chain],
    ['dataPrimaryNetworkBlocksGet', () => ({ network, blockchainId, blockId: '1' })],
    ['dataPrimaryNetworkBlocksListByNodeId', () => ({ ...chain(), nodeId })],
    ['dataPrimaryNetworkGetAssetDetails', asset],
    ['dataPrimaryNetworkTransactionsListAssetTransactions', () => ({ ...asset(), pageSize: 2 })],
    ['dataPrimaryNetworkGetBlockchainById', () => ({ network, blockchainId: of.blockchainId })],
    ['dataPrimaryNetworkGetChainIdsForAddresses', () => ({ network, addresses })],
    ['dataPrimaryNetworkGetNetworkDetails', () => ({ network })],
    ['dataPrimaryNetworkGetSubnetById', () => ({ network, subnetId: of.subnetId })],
    ['dataPrimaryNetworkGetValidatorDetails', () => ({ network, nodeId, pageSize: 2 })],
    ['dataPrimaryNetworkListBlockchains', () => ({ network, pageSize: 2 })],
    ['dataPrimaryNetworkListDelegators', () => ({ network, pageSize: 2 })],
    ['dataPrimaryNetworkListL1Validators', () => ({ network, pageSize: 2 })],
    ['dataPrimaryNetworkListSubnets', () => ({ network, pageSize: 2 })],
    ['dataPrimaryNetworkListValidators', () => ({ network, pageSize: 2 })],
    ['dataPrimaryNetworkRewardsListHistoricalRewards', () => ({ network, addresses })],
    ['dataPrimaryNetworkRewardsListPendingRewards', () => ({ network, nodeIds: nodeId })],
    ['dataPrimaryNetworkTransactionsGet', () => ({ ...chain(), txHash: of.pTxHash })],
    ['dataPrimaryNetworkTransactionsListActiveStakingTransactions', held],
    ['dataPrimaryNetworkTransactionsListLatest', chain],
    ['dataPrimaryNetworkUtxosGetLastActivityTimestampByAddresses', held],
    ['dataPrimaryNetworkUtxosGetLastActivityTimestampByAddressesV2', body],
    ['dataPrimaryNetworkUtxosListByAddresses', held],
    ['dataPrimaryNetworkUtxosListByAddressesV2', body],
    [
      'dataPrimaryNetworkVerticesGetByHash',
      () => ({ network, blockchainId: 'x-chain', vertexHash: of.pTxHash }),
    ],
    [
      'dataPrimaryNetworkVerticesListByHeight',
      () => ({ network, blockchainId: 'x-chain', vertexHeight: 1 }),
    ],
    ['dataPrimaryNetworkVerticesListLatest', () => ({ network, blockchainId: 'x-chain' })],
    ['avaxSupplyGet', () => undefined],
  ]
}

function otherRequests(of: Subjects, { message, txHash }: SignatureService): Requests {
  const { messageId, sender } = of
  const network = 'fuji'
  return [
    ['dataIcmGet', () => ({ messageId })],
    ['dataIcmList', () => ({ network, pageSize: 2 })],
    ['dataIcmListByAddress', () => ({ address: sender, network, pageSize: 2 })],
    ['dataTeleporterGetTeleporterMessage', () => ({ messageId })],
    ['dataTeleporterListTeleporterMessages', () => ({ network, pageSize: 2 })],
    ['dataTeleporterListTeleporterMessagesByAddress', () => ({ address: sender, network })],
    [
      'dataSignatureAggregatorAggregate',
      () => ({ network, signatureAggregatorRequest: { message, quorumPercentage: 67 } }),
    ],
    ['dataSignatureAggregatorGet', () => ({ network, txHash })],
    [
      'dataOperationsExportTransactions',
      () => ({
        type: 'TRANSACTION_EXPORT_EVM',
        firstDate: '2020-01-01',
        lastDate: '2030-01-01',
        options: { addresses: [of.address], includeChains: [chainId] },
      }),
    ],
    [
      'dataOperationsGetResult',
      (seen) => ({ operationId: seen.get('dataOperationsExportTransactions').operationId }),
    ],
    ['dataUsageMetricsGetLogs', () => ({ pageSize: 2 })],
    ['dataUsageMetricsGetRpcUsageMetrics', () => ({})],
    ['dataUsageMetricsGetSubnetRpcUsage', () => ({})],
    ['dataUsageMetricsGetUsage', () => ({ timeInterval: 'hourly', groupBy: 'requestPath' })],
    [
      'lookingGlassCompositeQuery',
      () => ({
        operator: 'AND',
        queries: [
          {
            id: randomUUID(),
            type: 'LatestBalance',
            params: { minBalance: '1', evmChainId: chainId, tokenType: 'NATIVE' },
          },
        ],
      }),
    ],
  ]
}

function metricsRequests(of: Subjects): Requests {
  const network = 'fuji'
  return [
    ['metricsHealthCheck', () => undefined],
    ['metricsLiveCheck', () => undefined],
    ['metricsChainsGet', () => ({ chainId })],
    ['metricsChainsList', () => ({})],
    ['metricsChainsGetMetrics', () => ({ chainId, metric: 'txCount', timeInterval: 'day' })],
    ['metricsChainsGetRollingWindowMetrics', () => ({ chainId, metric: 'txCount' })],
    ['metricsChainsGetICMSummary', () => ({ network })],
    ['metricsChainsGetICMTimeseries', () => ({ network })],
    ['metricsChainsGetTeleporterMetrics', () => ({ chainId, metric: 'teleporterTotalTxnCount' })],
    ['metricsChainsListBTCbBridgersAboveThreshold', () => ({ threshold: '1' })],
    ['metricsChainsListNftHolders', () => ({ chainId, address: of.erc721 })],
    [
      'metricsChainsListTokenHoldersAboveThreshold',
      () => ({ chainId, address: of.erc20, threshold: '1' }),
    ],
    [
      'metricsL1ValidatorsGetMetricsByNodeId',
      () => ({ nodeId: of.l1NodeId, metric: 'perNodeDailyFeesPaid' }),
    ],
    [
      'metricsL1ValidatorsGetMetricsBySubnetId',
      () => ({ subnetId: of.l1SubnetId, metric: 'perSubnetDailyFeesPaid' }),
    ],
    [
      'metricsL1ValidatorsGetMetricsByValidationId',
      () => ({ l1ValidationId: of.validationId, metric: 'validationFeesDaily' }),
    ],
    ['metricsL1ValidatorsListMetrics', () => ({ metric: 'totalValidatorFeesDaily' })],
    [
      'metricsNetworksGetStakingMetrics',
      () => ({ network, metric: 'validatorCount', subnetId: of.subnetId }),
    ],
    ['metricsSubnetsGetValidators', () => ({ network, subnetId: of.subnetId })],
  ]
}

function webhookRequests(of: Subjects): Requests {
  const id = (seen: Seen): string => seen.get('webhooksCreate').id
  const others = { addresses: [`0x${'ab'.repeat(20)}`] }
  return [
    ['webhooksGenerateOrRotateSharedSecret', () => undefined],
    ['webhooksGetSharedSecret', () => undefined],
    [
      'webhooksCreate',
      () => ({
        eventType: 'address_activity',
        url: 'https://example.com/hook',
        chainId,
        metadata: { addresses: [of.address] },
      }),
    ],
    ['webhooksGet', (seen) => ({ id: id(seen) })],
    ['webhooksList', () => ({})],
    ['webhooksUpdate', (seen) => ({ id: id(seen), updateWebhookRequest: { name: 'another' } })],
    ['webhooksAddressesAdd', (seen) => ({ id: id(seen), addressesChangeRequest: others })],
    ['webhooksAddressesList', (seen) => ({ id: id(seen) })],
    ['webhooksAddressesRemove', (seen) => ({ id: id(seen), addressesChangeRequest: others })],
    ['webhooksDeactivate', (seen) => ({ id: id(seen) })],
  ]
}
