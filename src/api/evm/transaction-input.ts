/** Input data of a transaction. */

import { zstdDecompressSync } from 'node:zlib'

import { packedInput, type TransactionRow } from '../../store/query/evm/transactions.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { hexText } from './text.ts'

/** `0x` hex, which lies compressed with that of its block. */
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
