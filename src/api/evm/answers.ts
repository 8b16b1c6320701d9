/** Parts of answers that several pages share: stored bytes as text, headers, additions of a node, input data. */

import { zstdDecompressSync } from 'node:zlib'

import { faultOf } from '../../core/fault.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import { type StoredHeights, storedHeights } from '../../store/query/evm/heights.ts'
import { packedInput, type TransactionRow } from '../../store/query/evm/transactions.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

/** `0x` and lower-case digits. */
export function hexText(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** An integer of any length, `0x` hex, in base 10; `0x` alone is zero. */
export function decimalText(hex: string): string {
  if (hex.length === 2) return '0'
  // Twelve digits, 48 bits, fit a double exactly.
  return hex.length <= 14 ? String(Number(hex)) : BigInt(hex).toString()
}

/** Headers of such an answer; `x-indexed-height` as everywhere. */
type TracedHeaders = {
  readonly indexedHeight?: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Up to which height blocks and traces of a chain are complete. */
export async function tracedHeaders(chain: ServedChain): Promise<TracedHeaders> {
  const heights = await storedHeights(chain.store)
  return {
    indexedHeight: heights.blocks < 0 ? undefined : heights.blocks,
    headers: { 'x-traces-indexed-height': tracedText(chain, heights) },
  }
}

/**
 * `1210`: complete up to there. `4096-1210000`: complete between these. `none`: there are none, and
 * internal transactions are not known.
 */
export function tracedText({ wantsTraces }: ServedChain, heights: StoredHeights): string {
  if (!wantsTraces || heights.traces < 0) return 'none'
  const from = heights.tracesSince === undefined ? '' : `${heights.tracesSince}-`
  return `${from}${heights.traces}`
}

/** A caller waits this long for what is only an addition. */
const longestMs = 2_000

/** Returns what `read` gives; `undefined` where no node has it, or none answers in time. */
export async function answerOfNode<T>(
  clock: Clock,
  signal: AbortSignal,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController()
  const answer = read(AbortSignal.any([signal, late.signal])).catch((error: unknown) => {
    const code = faultOf(error)?.code
    const isOfNode =
      code === 'not-served' || code === 'source-mismatch' || code?.startsWith('node-') === true
    if (!isOfNode && !late.signal.aborted) throw error
    return undefined
  })
  const found = await inTime(answer, { clock, ms: longestMs })
  late.abort()
  return found
}

/** Call data as `0x` hex; it is compressed with the rest of its block. */
export async function inputOf(
  chain: ServedChain,
  row: Pick<TransactionRow, 'pos' | 'inputLength'>,
): Promise<string> {
  if (row.inputLength === 0) return '0x'
  const packed = await packedInput(chain.store, row.pos)
  if (packed === undefined) return '0x'
  const inputs = zstdDecompressSync(packed.inputs)
  return hexText(inputs.subarray(packed.offset, packed.offset + row.inputLength))
}
