/** Transactions of EVM chains, their transfers and logs. */

import { Decoded, Log } from '../evm/log.ts'
import {
  AddressListQuery,
  AddressTransactionsQuery,
  AddressTransfersQuery,
  ChainAddressPath,
  ChainBlockPath,
  ChainPath,
  ChainTransactionPath,
  TokenTransfersQuery,
  blockRange,
  network,
  pageSize,
  pageToken,
  sortOrder,
  status,
} from '../evm/parameters.ts'
import { address, amount, decimal, hash, hashExample, hex } from '../evm/scalars.ts'
import { Erc1155Transfer, Erc20Transfer, Erc721Transfer } from '../evm/token-transfer.ts'
import { label } from '../evm/token.ts'
import {
  AddressTransaction,
  AddressTransactionV2,
  InternalTransaction,
  NativeTransaction,
  TransactionDetail,
} from '../evm/transaction.ts'
import { pageShape } from '../page-shape.ts'
import { type OptionalSchema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const topic = (place: string): OptionalSchema<string> =>
  Optional.String(`Only logs whose ${place} topic is this`, {
    pattern: '^0x[0-9a-fA-F]{64}$',
    allowed: 'a topic: 0x and 64 hex digits',
    examples: [hashExample],
  })

const list = { ...blockRange, sortOrder, pageToken, pageSize }

const transferList = {
  pathParameters: ChainAddressPath,
  query: AddressTransfersQuery,
} as const

const transfers = pageShape({
  transfers: Type.Array(Type.Union([Erc20Transfer, Erc1155Transfer, Erc721Transfer])),
})

const summaries = Optional.Boolean('Tell each transaction in a sentence')

const ListAllTransactions = {
  path: '/v1/transactions',
  summary: 'Latest transactions of all chains, newest first',
  query: { network, status, summaries, pageToken, pageSize },
  response: pageShape({ transactions: Type.Array(NativeTransaction) }),
} as const

/** Transactions of EVM chains, their transfers and logs. */
export const EvmTransactions = contracts('EVM transactions', {
  listErc1155Transactions: {
    ...transferList,
    path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc1155',
    summary: 'ERC-1155 transfers of an address, newest first',
    response: pageShape({ transactions: Type.Array(Erc1155Transfer) }),
  },
  listErc20Transactions: {
    ...transferList,
    path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc20',
    summary: 'ERC-20 transfers of an address, newest first',
    response: pageShape({ transactions: Type.Array(Erc20Transfer) }),
  },
  listAddressTransfers: {
    ...transferList,
    path: '/v1/chains/{chainId}/addresses/{address}/transfers',
    summary: 'Token transfers of an address, of every standard, newest first',
    response: transfers,
  },
  listTransfers: {
    path: '/v1/chains/{chainId}/tokens/{address}/transfers',
    summary: 'Transfers of a token contract, newest first',
    tag: 'EVM contracts',
    pathParameters: ChainAddressPath,
    query: TokenTransfersQuery,
    response: transfers,
  },
  listInternalTransactions: {
    path: '/v1/chains/{chainId}/addresses/{address}/transactions:listInternals',
    summary: 'Internal transactions of an address, newest first',
    pathParameters: ChainAddressPath,
    query: AddressListQuery,
    response: pageShape({ transactions: Type.Array(InternalTransaction) }),
  },
  listLatestTransactions: {
    path: '/v1/chains/{chainId}/transactions',
    summary: 'Latest transactions of a chain, newest first',
    pathParameters: ChainPath,
    query: { status, summaries, pageToken, pageSize },
    response: pageShape({ transactions: Type.Array(NativeTransaction) }),
  },
  getTransaction: {
    path: '/v1/chains/{chainId}/transactions/{txHash}',
    summary: 'A transaction with its transfers and internal transactions',
    lane: 'item',
    pathParameters: ChainTransactionPath,
    response: TransactionDetail,
  },
  listTransactionLogs: {
    path: '/v1/chains/{chainId}/transactions/{txHash}/logs',
    summary: 'Logs of a transaction, as a node of the chain gives them',
    lane: 'patient',
    pathParameters: ChainTransactionPath,
    response: Type.Object({
      logs: Type.Array(
        Type.Object({
          address: Type.String('contract that logged it, 0x hex'),
          label,
          topics: Type.Array(Type.String(), '32 bytes each, 0x hex; at most 4'),
          data: Type.String('0x hex'),
          logIndex: Type.Integer('place among the logs of the block'),
          decoded: Type.Optional(Decoded),
        }),
      ),
    }),
  },
  listLogs: {
    path: '/v1/chains/{chainId}/logs',
    summary: 'Logs by contract and topics, newest first, where the operator keeps logs',
    pathParameters: ChainPath,
    query: {
      address: Optional.String('Only logs of this contract', {
        pattern: '^0x[0-9a-fA-F]{40}$',
        allowed: 'an EVM address: 0x and 40 hex digits',
      }),
      event: Optional.String('Only logs of this event: `Transfer(address,address,uint256)`', {
        pattern: '^[A-Za-z_$][\\w$]*\\([\\w\\[\\](),]*\\)$',
        maxLength: 2_000,
        allowed: 'the signature of an event, types alone',
        examples: ['Transfer(address,address,uint256)'],
      }),
      topic0: topic('first'),
      topic1: topic('second'),
      topic2: topic('third'),
      topic3: topic('fourth'),
      amounts: Optional.Boolean(
        'Say of what each decoded number is an amount, by what its transaction moved',
      ),
      ...blockRange,
      sortOrder,
      pageToken,
      pageSize,
    },
    response: pageShape({ logs: Type.Array(Log) }),
  },
  listTransactionCalls: {
    path: '/v1/chains/{chainId}/transactions/{txHash}/calls',
    summary: 'Calls inside a transaction with their depth, as a node of the chain traces them',
    // A node executes the whole block for it.
    weight: 100,
    lane: 'patient',
    pathParameters: ChainTransactionPath,
    response: Type.Object({
      calls: Type.Array(
        Type.Object({
          depth: Type.Integer('0: the transaction itself; 1: what it called'),
          callType: Type.String('as the tracer names it: CALL, STATICCALL, …'),
          from: address('Caller'),
          fromLabel: label,
          to: Type.Optional(address('Callee, or the contract created; absent where that failed')),
          toLabel: label,
          value: amount('Coins moved, wei', 18),
          gasLimit: decimal('Gas the call was given'),
          gasUsed: decimal('Gas used by the call and those inside it'),
          methodHash: Optional.String('first four bytes of the input, 0x hex'),
          methodName: Optional.String('signature of the method, where it is known'),
          input: Type.Optional(hex('Input; absent where it is empty')),
          decodedInput: Type.Optional(Decoded),
          error: Optional.String('why it failed, in the words of the node', {
            examples: ['execution reverted'],
          }),
          isReverted: Type.Boolean('Whether the call, or one around it, was undone'),
        }),
        'Each call before those inside it, in their order; the first 1,000. Inputs are given and decoded until they come to 250 kB, by the ABIs of the first 100 contracts',
      ),
      callCount: Type.Integer('How many calls there are'),
    }),
  },
  listStateChanges: {
    path: '/v1/chains/{chainId}/transactions/{txHash}/stateChanges',
    summary:
      'Changes of balances, nonces, code and storage by a transaction, as a node of the chain traces them',
    // A node executes the block up to it.
    weight: 100,
    lane: 'patient',
    pathParameters: ChainTransactionPath,
    // Of a transaction on anvil.
    example: {
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
    response: Type.Object({
      accounts: Type.Array(
        Type.Object({
          address: address('Account'),
          label,
          isCreated: Type.Boolean('Whether it was not there before'),
          isDestroyed: Type.Boolean('Whether it is not there any more'),
          balanceBefore: Type.Optional(amount('Coins before, wei', 18)),
          balanceAfter: Type.Optional(amount('Coins after, wei', 18)),
          nonceBefore: Optional.Integer('Nonce before'),
          nonceAfter: Optional.Integer('Nonce after'),
          codeBytesBefore: Optional.Integer('Bytes of its code before'),
          codeBytesAfter: Optional.Integer('Bytes of its code after'),
          storage: Type.Array(
            Type.Object({
              slot: hash('Place'),
              valueBefore: hash('Word before'),
              valueAfter: hash('Word after'),
            }),
            'Slots that changed, in their order',
          ),
        }),
        'In order of addresses; parts that did not change are absent. The first 1,000, and as many slots of all',
      ),
      accountCount: Type.Integer('How many accounts changed'),
      slotCount: Type.Integer('How many slots changed'),
    }),
  },
  listErc721Transactions: {
    ...transferList,
    path: '/v1/chains/{chainId}/addresses/{address}/transactions:listErc721',
    summary: 'ERC-721 transfers of an address, newest first',
    response: pageShape({ transactions: Type.Array(Erc721Transfer) }),
  },
  listNativeTransactions: {
    path: '/v1/chains/{chainId}/addresses/{address}/transactions:listNative',
    summary: 'Native transactions of an address, newest first',
    pathParameters: ChainAddressPath,
    query: { ...AddressTransactionsQuery, summaries },
    response: pageShape({ transactions: Type.Array(NativeTransaction) }),
  },
  listTransactions: {
    path: '/v1/chains/{chainId}/addresses/{address}/transactions',
    summary: 'Transactions an address took part in',
    pathParameters: ChainAddressPath,
    query: { ...list, summaries },
    response: pageShape({ transactions: Type.Array(AddressTransaction) }),
  },
  listTransactionsV2: {
    path: '/v2/chains/{chainId}/addresses/{address}/transactions',
    summary: 'Transactions an address took part in, with token reputation',
    pathParameters: ChainAddressPath,
    query: {
      ...list,
      filterSpamTokens: Optional.Boolean({
        default: true,
        description: 'Leave transfers of tokens out that look like spam',
      }),
    },
    response: pageShape({ transactions: Type.Array(AddressTransactionV2) }),
  },
  getTransactionsForBlock: {
    path: '/v1/chains/{chainId}/blocks/{blockId}/transactions',
    summary: 'Transactions of a block, in block order',
    pathParameters: ChainBlockPath,
    query: {
      pageToken,
      pageSize: Optional.Integer({
        minimum: 0,
        maximum: 100,
        default: 0,
        description: 'Items per page; 0 is all of them, but of those that are told 100',
      }),
      summaries,
    },
    response: pageShape({ transactions: Type.Array(NativeTransaction) }),
  },
  listLatestTransactionsAllChains: ListAllTransactions,
  listAllLatestTransactions: {
    ...ListAllTransactions,
    path: '/v1/chains/allTransactions',
    summary: 'Older name of /v1/transactions',
  },
} as const satisfies Declarations)
