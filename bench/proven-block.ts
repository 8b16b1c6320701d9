/**
 * Makes a block of a made-up chain what its header says: hashes of transactions, roots, blooms and
 * the hash of the header, as a node has them. Without that an indexer would refuse it.
 */

import { receiptsRoot, logsBloom } from '../src/codec/evm/proof/check-receipts.ts'
import { headerHash } from '../src/codec/evm/proof/header-hash.ts'
import { encodeTransaction } from '../src/codec/evm/proof/transactions-root.ts'
import { to0x } from '../src/core/bytes.ts'
import { keccak256 } from '../src/core/hash.ts'
import { orderedRoot } from '../test/support/chains/ordered-root.ts'

type Fields = Record<string, unknown>
type Draft = {
  readonly block: Fields & { readonly transactions: readonly Fields[] }
  readonly receipts: readonly (Fields & { readonly logs: readonly Fields[] })[]
}

/** Blocks that the header of a block after Helicon settles: up to which height, and the receipts of those blocks. */
export type Settled = { readonly height: number; readonly receipts: readonly Fields[] }

/**
 * Text of a block whose parent has the hash `parentHash`, and its own hash. With `settled` its header
 * commits to those receipts in the place of its own, as on a C-Chain after Helicon.
 */
export function provenBlock(
  text: string,
  parentHash: string,
  settled?: Settled,
): { readonly text: string; readonly hash: string } {
  const { block, receipts }: Draft = JSON.parse(text)
  const encoded = block.transactions.map((tx, at) => {
    const bytes = encodeTransaction(tx)
    if ('unknown' in bytes) throw new Error(`no transaction: ${bytes.unknown}`)
    const hash = to0x(keccak256(bytes))
    tx['hash'] = hash
    for (const one of partsOf(receipts[at])) one['transactionHash'] = hash
    return bytes
  })
  for (const receipt of receipts) receipt['logsBloom'] = to0x(logsBloom([receipt]))
  const committed = settled?.receipts ?? receipts
  Object.assign(block, {
    parentHash,
    transactionsRoot: to0x(orderedRoot(encoded)),
    receiptsRoot: to0x(receiptsRoot(committed)),
    logsBloom: to0x(logsBloom(committed)),
    ...(settled === undefined ? {} : settlementOf(settled, block)),
  })
  const hash = to0x(headerHash(block) ?? new Uint8Array())
  block['hash'] = hash
  for (const one of [...block.transactions, ...receipts.flatMap(partsOf)]) one['blockHash'] = hash
  return { text: JSON.stringify({ block, receipts }), hash }
}

function settlementOf({ height }: Settled, block: Fields): Fields {
  return {
    settledHeight: `0x${height.toString(16)}`,
    settledGasUnix: block['timestamp'],
    settledGasNumerator: '0x0',
    settledExcess: '0x0',
  }
}

/** A receipt and its logs. */
function partsOf(receipt: Draft['receipts'][number] | undefined): readonly Fields[] {
  return receipt === undefined ? [] : [receipt, ...receipt.logs]
}
