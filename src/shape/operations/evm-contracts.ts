/** Contracts and tokens, and their sources. */

import { mostCounted } from '../../core/token-counts.ts'
import { ContractCode, ContractMetadata, matchWord } from '../evm/contract.ts'
import { ContractEvent, DecodedValues } from '../evm/log.ts'
import {
  ChainAddressPath,
  ChainPath,
  PageQuery,
  blockRange,
  currency,
  pageSize,
  pageToken,
  sortOrder,
} from '../evm/parameters.ts'
import { addressExample, decimal, hex } from '../evm/scalars.ts'
import { TransactionDetail } from '../evm/transaction.ts'
import { pageShape } from '../page-shape.ts'
import { type Schema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const ListedSource = Type.Object(
  {
    name: Type.String('of the contract in its source'),
    match: matchWord,
    verifiedAt: Type.Integer('Unix seconds'),
  },
  'Of a contract that is verified itself',
)

const count = (of: string, most: number): Schema<number> =>
  Type.Integer(
    `${of}, when the token was last looked at: at most a day ago, mostly seconds; ${most.toLocaleString('en-US')} stands for so many or more`,
  )

const shared = {
  pathParameters: ChainPath,
  query: {
    sortBy: Optional.Enum(['transfers', 'holders'], {
      default: 'transfers',
      description: 'Of what those with the most come first',
    }),
    filterSpamTokens: Optional.Boolean({
      default: true,
      description: 'Leave tokens out that look like spam',
    }),
    pageToken,
    pageSize,
  },
  response: pageShape({
    tokens: Type.Array(
      Type.Object({
        ...ContractMetadata.properties,
        transferCount: count('Transfers', mostCounted.transfers),
        holderCount: count('Addresses that ever had some', mostCounted.holders),
      }),
    ),
  }),
} as const

/** Bytes of sources with their settings; the largest contracts in use have half of it. */
export const sourceBytes = 8_388_608

/** Milliseconds for waiting one's turn and compiling. */
export const verifyMs = 600_000

const matchText = (description: string): Schema<'exact_match' | 'match' | null> =>
  Type.Union([Type.Literal('exact_match'), Type.Literal('match'), Type.Null()], description)

const Matches = {
  match: matchText('How far the code is that of the sources'),
  creationMatch: matchText('The same of the code that created it'),
  runtimeMatch: matchText('The same of the deployed code'),
  chainId: Type.String('EVM chain id'),
  address: Type.String('Address'),
  verifiedAt: Optional.String('ISO 8601'),
  matchId: Optional.String('Id of the match'),
}

/** Contracts and tokens, and their sources. */
export const EvmContracts = contracts('EVM contracts', {
  listErc20Tokens: {
    ...shared,
    path: '/v1/chains/{chainId}/tokens',
    summary: 'ERC-20 tokens of a chain, those with the most transfers or holders first',
  },
  listNftCollections: {
    ...shared,
    path: '/v1/chains/{chainId}/nfts/collections',
    summary:
      'ERC-721 and ERC-1155 collections of a chain, those with the most transfers or holders first',
  },
  getContractMetadata: {
    path: '/v1/chains/{chainId}/addresses/{address}',
    summary: 'Facts about a contract',
    pathParameters: ChainAddressPath,
    response: ContractMetadata,
  },
  getContractCode: {
    path: '/v1/chains/{chainId}/contracts/{address}',
    summary: 'Verified sources and ABI of a contract, and of what a proxy leads to',
    lane: 'patient',
    pathParameters: ChainAddressPath,
    response: ContractCode,
  },
  callContract: {
    method: 'POST',
    path: '/v1/chains/{chainId}/contracts/{address}/calls',
    summary: 'Calls methods of a contract by their ABI on its node, without a transaction',
    weight: 10,
    pathParameters: ChainAddressPath,
    body: Type.Object({
      calls: Type.Array(
        Type.Object({
          abi: Type.Unknown('of one method, as the compiler writes it'),
          arguments: Optional.Array(
            Type.Unknown(),
            'integers as text in base 10, bytes in hex, lists and tuples as JSON',
          ),
        }),
        { minItems: 1, maxItems: 100, description: `1 to 100` },
      ),
      from: Optional.String('Who calls', {
        pattern: '^0x[0-9a-fA-F]{40}$',
        allowed: 'an EVM address: 0x and 40 hex digits',
      }),
      value: Optional.String({
        ...decimal('Coins that are sent along, smallest unit'),
        maxLength: 78,
      }),
    }),
    response: Type.Object({
      calls: Type.Array(
        Type.Object({
          signature: Type.String('`balanceOf(address)`'),
          data: hex('Input: selector and arguments'),
          values: Type.Optional(DecodedValues),
          error: Optional.String('why there are no values: the reason of the revert, …', {
            examples: ['execution reverted'],
          }),
        }),
      ),
    }),
  },
  verifyContract: {
    method: 'POST',
    path: '/v2/verify/{chainId}/{address}',
    summary: 'Verifies a contract by the standard JSON input of its compiler (Sourcify)',
    // What compiling costs.
    weight: 1_000,
    status: 202,
    timeoutMs: verifyMs,
    bodyBytes: sourceBytes,
    pathParameters: ChainAddressPath,
    body: Type.Object({
      stdJsonInput: Type.Unknown('standard JSON input with the content of sources'),
      compilerVersion: Type.String({ maxLength: 128, description: '0.8.30+commit.73712a01' }),
      contractIdentifier: Type.String({ maxLength: 2_048, description: 'src/Token.sol:Token' }),
      creationTransactionHash: Optional.String({
        maxLength: 128,
        description: 'not needed here',
        examples: ['0x9a97d124bb72f448851d147c08b579e46a0f56cbd457f356ce477c91775d3dff'],
      }),
    }),
    response: Type.Object({
      verificationId: Type.String('Id of the verification; how it ended is in it', {
        examples: ['eyJtYXRjaCI6…'],
      }),
    }),
  },
  getVerification: {
    path: '/v2/verify/{verificationId}',
    summary: 'How a verification ended (Sourcify)',
    weight: 10,
    pathParameters: {
      verificationId: Type.String({
        maxLength: 2_048,
        description: 'Id of the verification; how it ended is in it',
        examples: ['eyJtYXRjaCI6…'],
      }),
    },
    response: Type.Object({
      isJobCompleted: Type.Boolean('Whether it is done: always, since the answer waits for it'),
      verificationId: Type.String('Id of the verification; how it ended is in it', {
        examples: ['eyJtYXRjaCI6…'],
      }),
      jobStartTime: Type.String('ISO 8601', { examples: ['2026-11-24T12:00:00.000Z'] }),
      jobFinishTime: Type.String('ISO 8601', { examples: ['2026-11-24T12:00:03.000Z'] }),
      contract: Type.Object(Matches, 'The contract, with how far it matches'),
      error: Optional.Object(
        {
          customCode: Type.String('Which kind of failure'),
          message: Type.String('What is wrong, in a sentence'),
          errorId: Type.String('Id of the failure', {
            examples: ['3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11'],
          }),
        },
        'The standard word of the status, or what went wrong',
      ),
    }),
  },
  getSourcifyContract: {
    path: '/v2/contract/{chainId}/{address}',
    summary: 'A verified contract (Sourcify)',
    lane: 'patient',
    mayBeAbsent: true,
    pathParameters: ChainAddressPath,
    query: {
      fields: Optional.String('all, or names with commas: abi, sources, compilation, …'),
      omit: Optional.String('names that are left out', { examples: ['sources'] }),
    },
    response: Type.Object(Matches),
  },
  getDeploymentTransaction: {
    path: '/v1/chains/{chainId}/contracts/{address}/transactions:getDeployment',
    summary: 'The transaction that created a contract',
    lane: 'item',
    pathParameters: ChainAddressPath,
    query: { currency },
    response: TransactionDetail,
  },
  listContracts: {
    path: '/v1/chains/{chainId}/contracts',
    summary:
      'Contracts of a chain, newest first: the verified ones, or all that transactions created',
    pathParameters: ChainPath,
    query: {
      verified: Optional.Boolean({
        default: false,
        description: 'Only contracts that are verified, in the order in which they were',
      }),
      pageToken,
      pageSize,
    },
    response: pageShape({
      contracts: Type.Array(
        Type.Object({
          ...ContractMetadata.properties,
          source: Type.Optional(ListedSource),
          project: Optional.Object(
            { name: Type.String('of the contract in its source') },
            "It is not verified, and of the operator's project",
          ),
        }),
      ),
    }),
  },
  listContractEvents: {
    path: '/v1/chains/{chainId}/contracts/{address}/events/{event}',
    summary:
      'Events of a contract with their arguments by name, newest first, where the operator keeps logs',
    pathParameters: {
      ...ChainAddressPath,
      event: Type.String(
        'Name of the event, or its signature: `Transfer(address,address,uint256)`',
        { maxLength: 2_000, examples: ['Transfer(address,address,uint256)'] },
      ),
    },
    query: {
      arguments: Type.Optional(
        Type.Record(
          Type.String(),
          Type.String(),
          'Only events with these values, each under the name of an indexed argument: `from=0x…`',
          { examples: [{ from: addressExample }] },
        ),
      ),
      ...blockRange,
      sortOrder,
      pageToken,
      pageSize,
    },
    response: pageShape({
      signature: Type.String('of the event'),
      events: Type.Array(ContractEvent),
    }),
  },
  listContractDeployments: {
    path: '/v1/chains/{chainId}/contracts/{address}/deployments',
    summary: 'Contracts created by transactions of an address, also inside, newest first',
    pathParameters: ChainAddressPath,
    query: PageQuery,
    response: pageShape({ contracts: Type.Array(ContractMetadata) }),
  },
} as const satisfies Declarations)
