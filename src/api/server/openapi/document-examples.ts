/**
 * Examples of the OpenAPI document by the name of a field or parameter, where no printed answer has one.
 * `operation.name` is one of that operation alone.
 */

/** By name. */
export const examples: Readonly<Record<string, unknown>> = {
  nextPageToken: 'AQ3gk2…',
  error: 'Bad Request',
  statusCode: 400,
  height: 75,
  hash: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  explorerUrl: 'https://explorer.example',
  wsUrl: 'wss://rpc.example/ws',
  standardAbi: [{ type: 'event', name: 'ApprovalForAll', inputs: [] }],
  tokenAddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  counterparty: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  unindexedChains: [],
  notTold: [],
  topic3: '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff',
  sourceChainId: '51001',
  deployerContractAddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  verificationId: 'eyJtYXRjaCI6…',
  jobStartTime: '2026-11-24T12:00:00.000Z',
  jobFinishTime: '2026-11-24T12:00:03.000Z',
  errorId: '3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11',
  creationTransactionHash: '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff',
  decimalsUnknown: 'decimals() fails: reverted',
  metadataLastUpdatedTimestamp: 1795372747,
  animationUri: 'https://pictures.example/1.mp4',
  externalUrl: 'https://pictures.example/1',
  background: 'ffffff',
  properties: '{"level":3}',
  nodeIds: ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  subnetIds: ['2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'],
  stakeableLocktime: 1795372747,
  utxoStartTimestamp: 1795372747,
  utxoEndTimestamp: 1796582347,
  payload: '0x',
  fromAddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  toAddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  verificationsAhead: 2,
  authority: '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC',
  authorityLabel: 'Treasury',
  deployerContractLabel: 'TokenMaker',
  relayerRewardLabel: 'Relayer',
  sourceChain: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  destinationChain: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  delegationFeePercent: '2',
  period: 1_209_600,
  autoCompoundRewardShares: 300_000,
  createdAtTimestamp: 1795372747,
  updatedAtTimestamp: 1795372747,
  avalancheGoVersion: 'avalanchego/1.14.2',
  geolocation: null,
  uptimePerformance: 99.9,
  reachabilityPercent: 100,
  removeTxHash: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  removeTimestamp: 1795372747,
  estimatedGrossReward: '1000000000',
  estimatedNetReward: '980000000',
  progress: 50,
  version: '1.0.0',
  lastUpdated: '2026-11-24T12:00:00.000Z',
  airdropAmount: null,
  airdropHash: '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff',
  code: '0x',
  baseFeePerGas: null,
  blobGasUsed: null,
  excessBlobGas: null,
  berlinBlock: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  homesteadBlock: 0,
  istanbulBlock: 0,
  londonBlock: 0,
  muirGlacierBlock: 0,
  petersburgBlock: 0,
  subnetEVMTimestamp: 0,
  eip150Hash: '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff',
  adminAddresses: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  managerAddresses: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  enabledAddresses: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  receivedMessageNonce: '1',
  relayerRewardAddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  justification: '0a02',
  signingSubnetId: '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  keys: ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'],
  balanceThreshold: '1000000000',
  l1ValidatorFeeBalanceThreshold: '1000000000',
  eventSignatures: ['0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff'],
  secret: 'c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffee',
  createdAt: 1795372747000,
  toldUntilBlock: '75',
  failedAttempts: 0,
  nextAttemptAt: 1795372747000,
  problem: 'answered 500',
  attempts: 12,
  failedAt: 1795372747000,
  operationId: '3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11',
  downloadUrl: 'http://127.0.0.1:8080/v1/operations/3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11/file',
  startDate: '2026-11-01',
  endDate: '2026-11-24',
  cChainEvmAddresses: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  totalRequests: 10,
  requestsPerSecond: 0.1,
  medianResponseTimeMsecs: 4,
  apiCreditsUsed: 100,
  logId: '3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11',
  eventTimestamp: 1795372747,
  apiKeyId: 'k3f1c7a52',
  requestDurationMsecs: 4,
  responseCode: '200',
  ipAddress: '192.0.2.1',
  host: '127.0.0.1:8080',
  userAgent: 'curl/8.5.0',
  headAt: 1795372747,
  blocksPerSecond: 120,
  etaSeconds: 30,
  unverified: 'unknown header field',
  votedBy: '24 bootstrap nodes',
  from: 0,
  without: 'traces: the node offers none',
  completeFrom: 0,
  'Utxo.groupId': 1,
  lastEventId: '3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11',
  omit: 'sources',
  startBlock: 12,
  endBlock: 76,
  pageToken: 'AQ3gk2…',
  minHeight: 75,
  apikey: 'firn_k3f1c7a52',
  contractaddress: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  contractaddresses: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  txhash: '0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff',
  startblock: '12',
  endblock: '75',
  fromBlock: '12',
  toBlock: '75',
  sort: 'asc',
  tag: 'latest',
  closest: 'before',
  guid: 'eyJtYXRjaCI6…',
  boolean: 'true',
  index: '0x0',
  position: '0x0',
  hex: '0x02f8…',
  gas: '0x5208',
  minDelegationCapacity: '1000000000',
  maxDelegationCapacity: '100000000000',
  minTimeRemaining: 86400,
  maxTimeRemaining: 1209600,
  minFeePercentage: 2,
  maxFeePercentage: 20,
  minUptimePerformance: 80,
  maxUptimePerformance: 100,
  'listContractEvents.arguments': { from: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc' },
  'listDelegators.rewardAddresses': 'P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t',
  endedAtTimestamp: null,
  balancesComparedAt: 1795372747,
  topic0_1_opr: 'and',
  topic1_2_opr: 'and',
  topic2_3_opr: 'and',
  topic0_2_opr: 'and',
  topic0_3_opr: 'and',
  topic1_3_opr: 'and',
  // The whole answer, of a transaction on anvil: no recording has one.
  listStateChanges: {
    accountCount: 2,
    slotCount: 1,
    accounts: [
      {
        address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
        label: 'Vault',
        isCreated: true,
        isDestroyed: false,
        nonceBefore: 0,
        nonceAfter: 1,
        codeBytesBefore: 0,
        codeBytesAfter: 8,
        storage: [
          {
            slot: '0x0000000000000000000000000000000000000000000000000000000000000000',
            valueBefore: '0x0000000000000000000000000000000000000000000000000000000000000000',
            valueAfter: '0x0000000000000000000000000000000000000000000000000000000000000001',
          },
        ],
      },
      {
        address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        isCreated: false,
        isDestroyed: false,
        balanceBefore: '9998999816658684375000',
        balanceAfter: '9998999680524264705160',
        nonceBefore: 2,
        nonceAfter: 3,
        storage: [],
      },
    ],
  },
  compilers: ['0.8.30+commit.73712a01'],
  event: 'Transfer(address,address,uint256)',
}

/** Where the pages call the demo. */
const origin = 'http://127.0.0.1:8080'

/** A printed example. */
export type PrintedExample = {
  /** Id of the operation. */
  readonly id: string
  /** A sentence on the request. */
  readonly about: string
  readonly method: string
  /** With its query; `$NAME` stands for what an answer before it gave. */
  readonly path: string
  /** JSON text. */
  readonly body: string | undefined
  readonly withKey: boolean
  /** The variable that its answer is kept in, and the field that is kept. */
  readonly keeps: { readonly variable: string; readonly field: string } | undefined
  /** The answer, shortened; empty where none is printed. */
  readonly answer: string
  /** The answer in its place where only a node could tell; empty elsewhere. */
  readonly refusal: string
}

/** Examples of a page in their order. */
export function printedExamples(page: string): PrintedExample[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const told = groupOf(/```json\n([^]*?)\n```/, part) ?? ''
      const isRefused = told.includes('"statusCode": 503')
      const request = groupOf(/```sh\n([^]*?)\n```/, part) ?? ''
      const body = groupOf(/-d '([^]*?)'/, request)
      const [, variable, field = ''] = /^(\w+)=\$\([^]*"(\w+)":/m.exec(request) ?? []
      return {
        id: groupOf(/^(\S+)/, part) ?? '',
        about: groupOf(/^\S+\n\n([^]*?)\n\n```sh/, part) ?? '',
        method: groupOf(/^curl -X (\w+)/, request) ?? (body === undefined ? 'GET' : 'POST'),
        path: (groupOf(/["'](http:\/\/[^"']+)["']/, request) ?? '').replace(origin, ''),
        body,
        withKey: request.includes('"x-service-api-key: $KEY"'),
        keeps: variable === undefined ? undefined : { variable, field },
        answer: isRefused ? '' : told,
        refusal: isRefused ? told : '',
      }
    })
}

function groupOf(form: RegExp, text: string): string | undefined {
  return form.exec(text)?.[1]
}
