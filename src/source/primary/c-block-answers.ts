/**
 * C-Chain blocks as `eth_getBlockByNumber` gives them, with their transactions: nothing of them is
 * believed but what the hash of the header proves.
 */

import { headerRlp } from '../../codec/evm/proof/header-hash.ts'
import { headSize } from '../../codec/evm/proof/rlp.ts'
import { compareTransactions, encodeTransaction } from '../../codec/evm/proof/transactions-root.ts'
import { equalBytes, isZero } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesIn, integerIn, listIn, parsed, type Reply, replyOf } from '../rpc/node-text.ts'
import { checkExtraData } from './evm-block.ts'
import type { NodeApi } from './node-api.ts'
import type { CBlock } from './primary-source.ts'

/**
 * Blocks `[from, until)`. Throws `node-answer` for one that its hash does not prove,
 * `node-not-yet`.
 */
export async function cBlocksByNumber(
  api: NodeApi,
  { from, until }: { readonly from: number; readonly until: number },
  signal: AbortSignal,
): Promise<CBlock[]> {
  const read = async (heights: readonly number[]): Promise<Proven[]> => {
    const calls = heights.map((height) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${height.toString(16)}`, true],
    }))
    const answers = await api.callEvm(calls, signal)
    return heights.map((height, at) => provenBlock(answers[at], height))
  }
  const blocks = await read(Array.from({ length: until - from }, (_, at) => from + at))
  // Before Apricot Phase 1 a header does not say what extra data is: it is read twice.
  const doubtful = blocks.filter(({ isCommitted }) => !isCommitted)
  const again = await read(doubtful.map(({ block }) => block.height))
  for (const [at, { block }] of again.entries()) {
    const first = doubtful[at]?.block
    const isSame = first !== undefined && equalBytes(first.blockId, block.blockId)
    if (!isSame || !equalBytes(first.extraData, block.extraData))
      throw wrong('is given in two ways', block.height)
  }
  return blocks.map(({ block }) => block)
}

/** A block, and whether its header says what its extra data is. */
type Proven = { readonly block: CBlock; readonly isCommitted: boolean }

function provenBlock(answer: unknown, height: number): Proven {
  if (answer === null)
    throw new Fault('node-not-yet', 'a node does not have a C-Chain block yet', {
      detail: { height },
    })
  const given = replyOf(answer, 'block')
  const blockId = bytesIn(given, 'hash', 32)
  const header = parsed('header', () => headerRlp(given))
  if (header === undefined || !equalBytes(keccak256(header), blockId))
    throw wrong('does not have the hash of its header', height)
  if (integerIn(given, 'number') !== height) throw wrong('is another one', height)
  const extraData = bytesIn(given, 'blockExtraData')
  const committed = bytesIn(given, 'extDataHash', 32)
  parsed('extra data', () => checkExtraData(extraData, committed))
  if (compareTransactions(given) === 'broken')
    throw wrong('has other transactions than its header', height)
  const block = {
    height,
    blockId,
    parentId: bytesIn(given, 'parentHash', 32),
    time: integerIn(given, 'timestamp'),
    sizeBytes: sizeOf(given, header, extraData) ?? integerIn(given, 'size'),
    transactionCount: listIn(given, 'transactions').length,
    extraData,
    proposer: undefined,
  }
  return { block, isCommitted: !isZero(committed) }
}

/** Bytes of the block as RLP; `undefined` where a transaction is of a type that is not known. */
function sizeOf(block: Reply, header: Uint8Array, extraData: Uint8Array): number | undefined {
  let transactions = 0
  for (const item of listIn(block, 'transactions')) {
    const tx = replyOf(item, 'transaction')
    const bytes = encodeTransaction(tx)
    if (!(bytes instanceof Uint8Array)) return undefined
    // One without a type is a list by itself, others are byte strings.
    transactions += bytes.length + ((bytes[0] ?? 0) >= 0xc0 ? 0 : headSize(bytes.length))
  }
  const isSmall = extraData.length === 1 && (extraData[0] ?? 0) < 0x80
  const extra = extraData.length + (isSmall ? 0 : headSize(extraData.length))
  // No uncles, version 0.
  const content = header.length + headSize(transactions) + transactions + 2 + extra
  return headSize(content) + content
}

function wrong(why: string, height: number): Fault {
  return new Fault('node-answer', `C-Chain block ${height} ${why}`, { detail: { height } })
}
