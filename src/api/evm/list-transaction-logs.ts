/** Logs of a transaction. */

import { parseEvmAddress } from '../../core/address.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { Decoded } from '../../shape/evm/log.ts'
import { ChainTransactionPath, NoQuery } from '../../shape/evm/parameters.ts'
import { Type } from '../../shape/type.ts'
import { transactionByHash } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { decodedLog } from './abi-book.ts'
import type { EvmParts } from './parts.ts'
import { receiptLogs } from './receipt-logs.ts'

const ListTransactionLogs = {
  id: 'listTransactionLogs',
  method: 'GET',
  path: '/v1/chains/{chainId}/transactions/{txHash}/logs',
  summary: 'Logs of a transaction, as a node of the chain tells them',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainTransactionPath, query: NoQuery },
  response: Type.Object({
    logs: Type.Array(
      Type.Object({
        address: Type.String({ description: 'contract that logged it, 0x hex' }),
        topics: Type.Array(Type.String(), { description: '32 bytes each, 0x hex; at most 4' }),
        data: Type.String({ description: '0x hex' }),
        logIndex: Type.Integer({ description: 'place among the logs of the block' }),
        decoded: Type.Optional(Decoded),
      }),
    ),
  }),
} as const

/**
 * Logs of a transaction, in their order. They are not stored: while no node tells them the answer is
 * 503. Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionLogs({ chains, contracts }: EvmParts): Operation {
  return operation(ListTransactionLogs, async (input) => {
    const { chainId, txHash } = input.path
    const chain = chains.find(chainId)
    const row = await transactionByHash(chain.store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const logs = await receiptLogs(chain, row.pos, input.signal)
    const addresses = logs.map(({ address }) => parseEvmAddress(String(address)))
    const abis = await contracts.abisOf(chain, addresses, input.signal)
    return {
      body: {
        logs: logs.map(({ address, topics, data, logIndex }) => {
          const log = {
            address: String(address),
            topics: Array.isArray(topics) ? topics.map(String) : [],
            data: String(data),
          }
          const decoded = decodedLog(abis, String(chain.facts.evmChainId), log)
          return {
            ...log,
            logIndex: Number(logIndex),
            decoded,
          }
        }),
      },
    }
  })
}
