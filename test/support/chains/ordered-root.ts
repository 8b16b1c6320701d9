import { OrderedList } from '../../../src/codec/evm/proof/ordered-root.ts'
import { threadWriter } from '../../../src/codec/evm/proof/rlp-writer.ts'

/** Root over `values` under the keys RLP(0), RLP(1), …; 32 bytes. */
export function orderedRoot(values: readonly Uint8Array[]): Uint8Array {
  const writer = threadWriter()
  const list = new OrderedList(writer, values.length)
  for (const value of values) {
    const from = list.begin()
    writer.raw(value)
    list.end(from)
  }
  return list.root()
}
