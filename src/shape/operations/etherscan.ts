/** The form of Etherscan. */

import { ChainPath, NoPath } from '../evm/parameters.ts'
import { type OptionalSchema, Type } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'
import { sourceBytes, verifyMs } from './evm-contracts.ts'

/** Values of the parameter `module`. */
export const etherscanModules = [
  'account',
  'contract',
  'transaction',
  'block',
  'logs',
  'stats',
  'gastracker',
  'proxy',
] as const

/** Most characters of a parameter, but of those that have code or sources. */
export const longestText = 8_192

const text = (description: string): OptionalSchema<string> =>
  Type.Optional(Type.String({ description, maxLength: longestText }))

const longText = (description: string): OptionalSchema<string> =>
  Type.Optional(Type.String({ description, maxLength: sourceBytes }))

/** Parameters of all actions. */
export const etherscanParameters = {
  module: text(`one of ${etherscanModules.join(', ')}`),
  action: text('the action of the module, for instance txlist'),
  apikey: text('API key; the header x-service-api-key is another place for it'),
  address: text('address, or several with commas'),
  contractaddress: text('token or contract'),
  contractaddresses: text('up to five contracts'),
  txhash: text('hash of a transaction'),
  startblock: text('first block'),
  endblock: text('last block'),
  fromBlock: text('first block of logs'),
  toBlock: text('last block of logs'),
  page: text('page, from 1 on'),
  offset: text('rows of a page; page × offset is 10,000 at most'),
  sort: text('asc or desc'),
  tag: text('latest'),
  timestamp: text('Unix seconds'),
  closest: text('before or after'),
  guid: text('what a verification was answered with'),
  topic0: text('first topic'),
  topic1: text('second topic'),
  topic2: text('third topic'),
  topic3: text('fourth topic'),
  topic0_1_opr: text('and'),
  topic1_2_opr: text('and'),
  topic2_3_opr: text('and'),
  topic0_2_opr: text('and'),
  topic0_3_opr: text('and'),
  topic1_3_opr: text('and'),
  boolean: text('true: with whole transactions'),
  index: text('place in the block'),
  position: text('place in storage'),
  hex: longText('signed transaction'),
  to: text('contract that is called'),
  from: text('caller'),
  data: longText('input of a call'),
  value: text('wei of a call'),
  gas: text('gas of a call'),
  gasPrice: text('price of a call'),
}

const response = Type.Object(
  {
    status: Type.Optional(Type.String()),
    message: Type.Optional(Type.String('What is wrong, in a sentence')),
    result: Type.Optional(Type.Unknown('The answer')),
  },
  'status 1 and OK, or 0 with what is wrong in result',
)

const chainid = { chainid: Type.String('EVM chain id') }

const common = { anyQuery: true, response } as const

const form = {
  // What the form has besides depends on the action: sources, their settings, up to ten libraries.
  body: Type.Object({}, 'the parameters, and sources of a verification'),
} as const

const sent = { takesForm: true, bodyBytes: sourceBytes, timeoutMs: verifyMs } as const

const summary = 'The API of Etherscan: ?module=account&action=txlist&address=…'

/** The form of Etherscan. */
export const Etherscan = contracts('Etherscan form', {
  etherscanOfChain: {
    ...common,
    path: '/v1/chains/{chainId}/api',
    summary,
    parameters: { path: ChainPath, query: Type.Object(etherscanParameters) },
  },
  etherscanFormOfChain: {
    ...common,
    ...sent,
    method: 'POST',
    path: '/v1/chains/{chainId}/api',
    summary: `${summary}, as a form`,
    parameters: { path: ChainPath, query: Type.Object(etherscanParameters), ...form },
  },
  etherscan: {
    ...common,
    path: '/v2/api',
    summary,
    parameters: { path: NoPath, query: Type.Object({ ...chainid, ...etherscanParameters }) },
  },
  etherscanForm: {
    ...common,
    ...sent,
    method: 'POST',
    path: '/v2/api',
    summary: `${summary}, as a form`,
    parameters: {
      path: NoPath,
      query: Type.Object({ chainid: Type.Optional(chainid.chainid), ...etherscanParameters }),
      ...form,
    },
  },
} as const satisfies Declarations)
