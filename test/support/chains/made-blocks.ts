/** Blocks of a made-up chain, as batches of its reader. */

import { zstdCompressSync } from 'node:zlib'

import { ChainText, usualShape } from '../../../bench/evm-chain.ts'
import type { BlockBatch } from '../../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../../../src/codec/evm/raw.ts'

/** Gives the next blocks of a made-up chain. */
export function chainReader(): (count: number) => BlockBatch {
  const chain = new ChainText({ ...usualShape, txsPerBlock: 2, holders: 60, tokens: 5 })
  let from = 0
  return (count) => {
    const raws = Array.from({ length: count }, (): RawUnit => JSON.parse(chain.next() ?? ''))
    const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
    from += count
    return batch
  }
}
