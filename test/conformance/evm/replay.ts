/**
 * Answers that the EVM operations must give, worked out from the node's raw JSON alone.
 *
 * Written without the product's codec, store or views: a second, slow and plain reading of
 * document B. Addresses are lower case; numbers are as the API writes them.
 */

import type { Json } from '../../support/services/evm-service.ts'
import {
  type DemoChainId,
  rawChain,
  type RawFrame,
  type RawLog,
} from '../../support/stores/demo-store.ts'

/** One transfer, standard by the form of its log. */
export type ExpectedTransfer = {
  readonly standard: 20 | 721 | 1155
  readonly height: number
  readonly timestamp: number
  readonly blockHash: string
  readonly txHash: string
  readonly logIndex: number
  readonly token: string
  readonly from: string
  readonly to: string
  /** Amount; absent of ERC-721. */
  readonly value?: string
  /** Token id; absent of ERC-20. */
  readonly tokenId?: string
}

/** One internal transaction. */
export type ExpectedInternal = {
  readonly height: number
  readonly txHash: string
  readonly type: string
  readonly from: string
  readonly to: string
  readonly value: string
  readonly isReverted: boolean
  readonly gasUsed: string
  readonly gasLimit: string
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const singleTopic = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const batchTopic = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
const zeroAddress = `0x${'0'.repeat(40)}`

/** All transfers of a chain in order of history. */
export function expectedTransfers(chainId: DemoChainId): ExpectedTransfer[] {
  const transfers: ExpectedTransfer[] = []
  for (const { block, receipts } of rawChain(chainId)) {
    for (const receipt of receipts) {
      for (const log of receipt.logs) {
        const place = {
          height: Number(block.number),
          timestamp: Number(block.timestamp),
          blockHash: block.hash,
          txHash: receipt.transactionHash,
          logIndex: Number(log.logIndex),
          token: log.address.toLowerCase(),
        }
        for (const moved of readLog(log)) transfers.push({ ...place, ...moved })
      }
    }
  }
  return transfers
}

type Moved = Pick<ExpectedTransfer, 'standard' | 'from' | 'to' | 'value' | 'tokenId'>

function readLog({ topics, data }: RawLog): Moved[] {
  const words = data.slice(2).match(/.{64}/g) ?? []
  const topic = (at: number): string => topics[at] ?? '0x'
  if (topics[0] === transferTopic && topics.length === 3 && words.length > 0) {
    return [{ standard: 20, ...ends(topic(1), topic(2)), value: number(words[0]) }]
  }
  if (topics[0] === transferTopic && topics.length === 4 && words.length === 0) {
    return [{ standard: 721, ...ends(topic(1), topic(2)), tokenId: number(topic(3).slice(2)) }]
  }
  if (topics[0] === transferTopic && topics.length === 1 && words.length === 3) {
    return [{ standard: 721, ...ends(words[0], words[1]), tokenId: number(words[2]) }]
  }
  if (topics[0] === singleTopic && topics.length === 4 && words.length === 2) {
    const [tokenId, value] = words.map(number)
    return [{ standard: 1155, ...ends(topic(2), topic(3)), tokenId: tokenId!, value: value! }]
  }
  if (topics[0] === batchTopic && topics.length === 4) {
    const listAt = (head: number): string[] => {
      const start = Number(number(words[head])) / 32
      const count = Number(number(words[start]))
      return words.slice(start + 1, start + 1 + count)
    }
    const values = listAt(1)
    return listAt(0).map((id, at) => ({
      standard: 1155,
      ...ends(topic(2), topic(3)),
      tokenId: number(id),
      value: number(values[at]),
    }))
  }
  return []
}

function ends(from: string | undefined, to: string | undefined): { from: string; to: string } {
  return { from: `0x${from!.slice(-40)}`, to: `0x${to!.slice(-40)}` }
}

function number(word: string | undefined): string {
  return BigInt(`0x${word ?? ''}`).toString()
}

/** All listed internal transactions of a chain in order of history. */
export function expectedInternals(chainId: DemoChainId): ExpectedInternal[] {
  const found: ExpectedInternal[] = []
  for (const { block, traces } of rawChain(chainId)) {
    for (const [index, trace] of traces.entries()) {
      const txHash = block.transactions[index]!.hash
      const proxies = new Set<string>()
      const visit = (frame: RawFrame, depth: number, above: boolean): void => {
        const isReverted = above || frame.error !== undefined
        const type =
          frame.type === 'CREATE' && proxies.has(frame.from.toLowerCase()) ? 'CREATE3' : frame.type
        const creates = type.startsWith('CREATE')
        const value = BigInt(frame.value ?? '0x0')
        const moves = (type === 'CALL' || type === 'CALLCODE') && value > 0n
        if (frame.type === 'CREATE2' && frame.input === '0x67363d3d37363d34f03d5260086018f3')
          proxies.add(frame.to?.toLowerCase() ?? '')
        if (depth > 0 && (creates || moves)) {
          const failed = creates && (frame.to === undefined || frame.error !== undefined)
          found.push({
            height: Number(block.number),
            txHash,
            type,
            from: frame.from.toLowerCase(),
            to: failed ? zeroAddress : frame.to!.toLowerCase(),
            value: value.toString(),
            isReverted,
            gasUsed: BigInt(frame.gasUsed).toString(),
            gasLimit: BigInt(frame.gas).toString(),
          })
        }
        for (const call of frame.calls ?? []) visit(call, depth + 1, isReverted)
      }
      visit(trace.result, 0, false)
    }
  }
  return found
}

/** One transaction as the lists must show it, addresses in lower case, without names. */
export type ExpectedTransaction = {
  readonly blockNumber: string
  readonly blockTimestamp: number
  readonly blockHash: string
  readonly chainId: string
  readonly blockIndex: number
  readonly txHash: string
  readonly txStatus: string
  readonly txType: number
  readonly gasLimit: string
  readonly gasUsed: string
  readonly gasPrice: string
  readonly nonce: string
  readonly from: string
  readonly to: string
  readonly callType: string
  readonly methodHash: string
  readonly value: string
  readonly created: string | undefined
}

/** All transactions of a chain in order of history. */
export function expectedTransactions(chainId: DemoChainId): ExpectedTransaction[] {
  return rawChain(chainId).flatMap(({ block, receipts }) =>
    block.transactions.map((transaction, blockIndex): ExpectedTransaction => {
      const receipt = receipts[blockIndex]!
      const { input, to } = transaction
      const callType =
        to === null ? 'CONTRACT_CREATION' : input === '0x' ? 'NATIVE_TRANSFER' : 'CONTRACT_CALL'
      return {
        blockNumber: text(block.number),
        blockTimestamp: Number(block.timestamp),
        blockHash: block.hash,
        chainId: String(chainId),
        blockIndex,
        txHash: transaction.hash,
        txStatus: text(receipt.status),
        txType: Number(transaction.type),
        gasLimit: text(transaction.gas),
        gasUsed: text(receipt.gasUsed),
        gasPrice: text(receipt.effectiveGasPrice),
        nonce: text(transaction.nonce),
        from: transaction.from.toLowerCase(),
        to: to?.toLowerCase() ?? zeroAddress,
        callType,
        methodHash: callType === 'CONTRACT_CALL' ? input.slice(0, 10) : '',
        value: text(transaction.value),
        created: receipt.contractAddress?.toLowerCase(),
      }
    }),
  )
}

/** A hex quantity in base 10. */
export function text(quantity: string): string {
  return BigInt(quantity).toString()
}

/** A transfer of the API in the form of {@link ExpectedTransfer}. */
export function transferOf(view: Json): ExpectedTransfer {
  const token = view.erc20Token ?? view.erc721Token ?? view.erc1155Token
  return {
    standard: view.erc20Token ? 20 : view.erc721Token ? 721 : 1155,
    height: Number(view.blockNumber),
    timestamp: view.blockTimestamp,
    blockHash: view.blockHash,
    txHash: view.txHash,
    logIndex: view.logIndex,
    token: token.address.toLowerCase(),
    from: view.from.address.toLowerCase(),
    to: view.to.address.toLowerCase(),
    ...(view.value === undefined ? {} : { value: view.value }),
    ...(token.tokenId === undefined ? {} : { tokenId: token.tokenId }),
  }
}

/** An internal transaction of the API in the form of {@link ExpectedInternal}. */
export function internalOf(view: Json): ExpectedInternal {
  return {
    height: Number(view.blockNumber),
    txHash: view.txHash,
    type: view.internalTxType,
    from: view.from.address.toLowerCase(),
    to: view.to.address.toLowerCase(),
    value: view.value,
    isReverted: view.isReverted,
    gasUsed: view.gasUsed,
    gasLimit: view.gasLimit,
  }
}

/** A transaction of the API in the form of {@link ExpectedTransaction}, without `created`. */
export function transactionOf(view: Json): Omit<ExpectedTransaction, 'created'> {
  return {
    blockNumber: view.blockNumber,
    blockTimestamp: view.blockTimestamp,
    blockHash: view.blockHash,
    chainId: view.chainId,
    blockIndex: view.blockIndex,
    txHash: view.txHash,
    txStatus: view.txStatus,
    txType: view.txType,
    gasLimit: view.gasLimit,
    gasUsed: view.gasUsed,
    gasPrice: view.gasPrice,
    nonce: view.nonce,
    from: view.from.address.toLowerCase(),
    to: view.to.address.toLowerCase(),
    callType: view.method.callType,
    methodHash: view.method.methodHash,
    value: view.value,
  }
}

/** Without `created`, which the API does not show. */
export function shownOf({ created: _created, ...shown }: ExpectedTransaction): object {
  return shown
}

/** Distinct values, the most frequent first; ties by value. */
export function busiest(values: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value)
}

/** The first `count` of a list and as many spread over the rest. */
export function sample<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor((list.length - count) / count))
  const spread = list.filter((_, at) => at >= count && (at - count) % step === 0)
  return [...list.slice(0, count), ...spread]
}
