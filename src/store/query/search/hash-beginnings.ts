/** Hashes and addresses of an EVM chain by their first digits. */

import { fromHex } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { hash, integer, storedRow } from '../stored-row.ts'

const txRow = storedRow({ hash: hash('x.hash') })
const blockRow = storedRow({ hash: hash('b.hash'), height: integer('b.height') })

const transactions = txRow.statement(
  (columns) => `select ${columns}
   from evm_transaction_by_hash h join evm_transaction x on x.pos = h.pos
   where h.hash_prefix >= ? and h.hash_prefix <= ? order by h.pos desc limit ?`,
  { over: 'newest' },
)
const blocks = blockRow.statement(
  (columns) => `select ${columns} from evm_block b
   where b.hash_prefix >= ? and b.hash_prefix <= ? order by b.height desc limit ?`,
  { over: 'newest' },
)
const addresses = statement(
  'select bytes from address_by_bytes where bytes >= ? and bytes <= ? order by bytes limit ?',
)

/** Digits of a hash by which it is indexed. */
const indexed = 12

/** Things that begin with the same digits: texts with `0x`, of addresses the bytes. */
export type Begun = {
  readonly transactions: readonly string[]
  readonly blocks: readonly { readonly hash: string; readonly height: number }[]
  readonly addresses: readonly Uint8Array[]
}

/**
 * Things that begin with `digits`, lower-case hex without `0x`: the newest transactions and blocks, and addresses in their
 * order, `limit` of each that share the first twelve digits.
 *
 * Cost: one range of each of three indexes.
 */
export async function beginningWith(store: Reader, digits: string, limit: number): Promise<Begun> {
  const range = ['0', 'f'].map((fill) =>
    Number(`0x${digits.slice(0, indexed).padEnd(indexed, fill)}`),
  )
  const ofAddresses =
    digits.length > 40 ? [] : ['0', 'f'].map((fill) => fromHex(digits.padEnd(40, fill)))
  const [txs, headers, parties] = await Promise.all([
    txRow.all(store, transactions, [...range, limit]),
    blockRow.all(store, blocks, [...range, limit]),
    ofAddresses.length === 0 ? [] : store.all(addresses, [...ofAddresses, limit]),
  ])
  const fits = (one: { readonly hash: string }): boolean => one.hash.startsWith(`0x${digits}`)
  return {
    transactions: txs.filter(fits).map((one) => one.hash),
    blocks: headers.filter(fits),
    addresses: parties.map(([bytes]) => bytes),
  }
}
