/** Blocks with their receipts from nodes. */

import { listOf, objectOf, type RawBlock, type RawUnit } from '../../codec/evm/raw.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts'
import { isThrottle, mayLackHeight, rpcCodes } from '../rpc/node-words.ts'
import { faultOfAnswer, heightText, type NodeRpc, type Read } from './node-call.ts'

/**
 * Blocks with receipts from `range.from` on: all of the range, or those before the first that
 * cannot be had. At least one, else the fault of the first.
 */
export async function readBlocks(rpc: NodeRpc, read: Read): Promise<RawUnit[]> {
  const { endpoint, range, signal } = read
  const calls: RpcCall[] = []
  const withReceipts = !endpoint.lacks('receipts', rpc.monotonic())
  for (let height = range.from; height < range.until; height++) {
    const at = heightText(height)
    calls.push({ method: 'eth_getBlockByNumber', params: [at, true] })
    if (withReceipts) calls.push({ method: 'eth_getBlockReceipts', params: [at] })
  }
  const answers = await rpc.all(endpoint, calls, signal)
  const perBlock = calls.length / (range.until - range.from)
  const units: RawUnit[] = []
  for (let at = 0; at < answers.length; at += perBlock) {
    const height = range.from + units.length
    try {
      const block = blockOf(answers[at], height)
      const receipts = withReceipts
        ? await receiptsOf(rpc, read, { block, receipts: answers[at + 1], height })
        : await receiptsOneByOne(rpc, read, block)
      units.push({ block, receipts })
    } catch (error) {
      // Blocks before this one are good; the caller requests the rest again and meets the fault.
      if (units.length > 0 && error instanceof Fault) break
      throw error
    }
  }
  endpoint.height = Math.max(endpoint.height, range.from + units.length - 1)
  return units
}

function blockOf(answer: RpcAnswer | undefined, height: number): RawBlock {
  if (answer?.kind === 'result' && isObject(answer.result)) return answer.result
  // Above the accepted height: `null` on saevm, error -32000 on coreth and subnet-evm.
  if (
    (answer?.kind === 'result' && answer.result === null) ||
    (answer?.kind === 'error' && mayLackHeight(answer.error))
  )
    throw new Fault('node-not-yet', `a node does not have the block: ${height}`, {
      detail: { height },
    })
  throw faultOfAnswer(answer, { method: 'eth_getBlockByNumber', params: [] })
}

async function receiptsOf(
  rpc: NodeRpc,
  read: Read,
  of: { block: RawBlock; receipts: RpcAnswer | undefined; height: number },
): Promise<readonly unknown[]> {
  const { receipts, height } = of
  if (receipts?.kind === 'result' && receipts.result === null)
    throw new Fault('node-not-yet', `a node does not have the receipts: ${height}`, {
      detail: { height },
    })
  if (receipts?.kind === 'result') return listOf(receipts.result, 'receipts')
  if (receipts?.kind !== 'error' || isThrottle(receipts.error))
    throw faultOfAnswer(receipts, { method: 'eth_getBlockReceipts', params: [] })
  // Nodes refuse the method in many words and codes. Where the other way has what this one has not,
  // it is the method that is not there.
  const found = await receiptsOneByOne(rpc, read, of.block)
  const { code } = receipts.error
  if (code !== rpcCodes.tooLarge && (code === rpcCodes.methodNotFound || found.length > 0))
    read.endpoint.refuses('receipts', rpc.monotonic())
  return found
}

/** For nodes without `eth_getBlockReceipts`, and blocks whose receipts fit no reply. */
async function receiptsOneByOne(
  rpc: NodeRpc,
  read: Read,
  block: RawBlock,
): Promise<readonly unknown[]> {
  const calls = listOf(block.transactions, 'transactions').map((tx) => ({
    method: 'eth_getTransactionReceipt',
    params: [objectOf(tx, 'transaction')['hash']],
  }))
  const answers = await rpc.all(read.endpoint, calls, read.signal)
  return answers.map((answer, at) => {
    if (answer.kind === 'error')
      throw faultOfAnswer(answer, calls[at] ?? { method: '', params: [] })
    if (answer.result === null)
      throw new Fault('node-not-yet', 'a node does not have a receipt of a block it has')
    return answer.result
  })
}
