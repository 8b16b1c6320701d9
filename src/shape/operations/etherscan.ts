/** The form of Etherscan. */

import { ChainPath } from '../evm/parameters.ts'
import { addressExample, hashExample } from '../evm/scalars.ts'
import { type OptionalSchema, Type, Optional } from '../type.ts'
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

const text = (description: string, example: string): OptionalSchema<string> =>
  Optional.String({ description, maxLength: longestText, examples: [example] })

const longText = (description: string, example: string): OptionalSchema<string> =>
  Optional.String({ description, maxLength: sourceBytes, examples: [example] })

/** Parameters of all actions. */
export const etherscanParameters = {
  module: text(`one of ${etherscanModules.join(', ')}`, 'account'),
  action: text('the action of the module, for instance txlist', 'txlist'),
  apikey: text('API key; the header x-service-api-key is another place for it', 'firn_k3f1c7a52'),
  address: text('address, or several with commas', addressExample),
  contractaddress: text('token or contract', addressExample),
  contractaddresses: text('up to five contracts', addressExample),
  txhash: text('hash of a transaction', hashExample),
  startblock: text('first block', '12'),
  endblock: text('last block', '75'),
  fromBlock: text('first block of logs', '12'),
  toBlock: text('last block of logs', '75'),
  page: text('page, from 1 on', '1'),
  offset: text('rows of a page; page × offset is 10,000 at most', '10'),
  sort: text('asc or desc', 'asc'),
  tag: text('latest', 'latest'),
  timestamp: text('Unix seconds', '1795372747'),
  closest: text('before or after', 'before'),
  guid: text('what a verification was answered with', 'eyJtYXRjaCI6…'),
  topic0: text('first topic', hashExample),
  topic1: text('second topic', hashExample),
  topic2: text('third topic', hashExample),
  topic3: text('fourth topic', hashExample),
  topic0_1_opr: text('and', 'and'),
  topic1_2_opr: text('and', 'and'),
  topic2_3_opr: text('and', 'and'),
  topic0_2_opr: text('and', 'and'),
  topic0_3_opr: text('and', 'and'),
  topic1_3_opr: text('and', 'and'),
  boolean: text('true: with whole transactions', 'true'),
  index: text('place in the block', '0x0'),
  position: text('place in storage', '0x0'),
  hex: longText('signed transaction', '0x02f8…'),
  to: text('contract that is called', addressExample),
  from: text('caller', addressExample),
  data: longText('input of a call', '0x'),
  value: text('wei of a call', '0x0'),
  gas: text('gas of a call', '0x5208'),
  gasPrice: text('price of a call', '0x5d21dba00'),
}

const response = Type.Object(
  {
    status: Optional.String(),
    message: Optional.String('What is wrong, in a sentence'),
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

const summaryOf = (of: string): string =>
  `The API of Etherscan for ${of}: ?module=account&action=txlist&address=…`
const ofOne = summaryOf('one chain')
const ofNamed = summaryOf('the chain that chainid names')

/** The form of Etherscan. */
export const Etherscan = contracts('Etherscan form', {
  etherscanOfChain: {
    ...common,
    path: '/v1/chains/{chainId}/api',
    summary: ofOne,
    pathParameters: ChainPath,
    query: etherscanParameters,
  },
  etherscanFormOfChain: {
    ...common,
    ...sent,
    method: 'POST',
    path: '/v1/chains/{chainId}/api',
    summary: `${ofOne}, as a form`,
    pathParameters: ChainPath,
    query: etherscanParameters,
    ...form,
  },
  etherscan: {
    ...common,
    path: '/v2/api',
    summary: ofNamed,
    query: { ...chainid, ...etherscanParameters },
  },
  etherscanForm: {
    ...common,
    ...sent,
    method: 'POST',
    path: '/v2/api',
    summary: `${ofNamed}, as a form`,
    query: { chainid: Type.Optional(chainid.chainid), ...etherscanParameters },
    ...form,
  },
} as const satisfies Declarations)
