/**
 * The root a header commits to its transactions with, from what JSON-RPC gives of them.
 *
 * Types 0 to 4: legacy, access lists (EIP-2930), dynamic fees (EIP-1559), blobs (EIP-4844) and set
 * code (EIP-7702), as blocks hold them: blobs themselves are not in blocks.
 *
 * The sender that a node gives of a transaction is not under the root: it would have to be
 * recovered from the signature, which takes longer than all of this.
 */

import { hexBytes, hexQuantity, isHexOf, isHexOfDigits, hexNumberOr } from '../hex.ts'
import { type RawBlock, listOf, objectOf } from '../raw.ts'
import { OrderedList } from './ordered-root.ts'
import { headRoom, threadWriter, type RlpWriter } from './rlp-writer.ts'
import { encodeRlp, type Rlp } from './rlp.ts'

type Tx = Readonly<Record<string, unknown>>

/** Writes a field of a transaction; false when a node did not give it. */
type Write = (writer: RlpWriter, tx: Tx) => boolean

/** Lists as RLP; undefined when a node did not give them. */
type Reader = (tx: Tx) => Rlp | undefined

const nonce = quantityOf('nonce')
const gas = quantityOf('gas')
const value = quantityOf('value')
const input = bytesOf('input')
const signature = [quantityOf('r'), quantityOf('s')]

/** Everything but a creation has a receiver. */
const receiver: Write = (writer, { to }) =>
  to === null || to === undefined ? writer.string('0x') : writer.string(to)

/** Older nodes call it `v`. */
const parity: Write = (writer, tx) => writer.quantity(tx['yParity'] ?? tx['v'])

const accessList = listed('accessList', (entry) => {
  const address = hexBytes(entry['address'])
  const keys = defined(listOf(entry['storageKeys'] ?? [], 'storage keys').map(hexBytes))
  return address === undefined || keys === undefined ? undefined : [address, keys]
})

const authorizations = listed('authorizationList', (entry) =>
  defined([
    hexQuantity(entry['chainId']),
    hexBytes(entry['address']),
    hexQuantity(entry['nonce']),
    hexQuantity(entry['yParity'] ?? entry['v']),
    hexQuantity(entry['r']),
    hexQuantity(entry['s']),
  ]),
)

const blobFields: readonly Write[] = [
  quantityOf('maxFeePerBlobGas'),
  (writer, tx) => {
    const hashes = defined(listOf(tx['blobVersionedHashes'] ?? [], 'blob hashes').map(hexBytes))
    if (hashes !== undefined) writer.raw(encodeRlp(hashes))
    return hashes !== undefined
  },
]

const chainId = quantityOf('chainId')
const gasPrice = quantityOf('gasPrice')
const fees = [quantityOf('maxPriorityFeePerGas'), quantityOf('maxFeePerGas')]
const call = [gas, receiver, value, input]

/** Fields of each type in the order of bytes. */
const types: readonly (readonly Write[])[] = [
  [nonce, gasPrice, ...call, quantityOf('v'), ...signature],
  [chainId, nonce, gasPrice, ...call, accessList, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, ...blobFields, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, authorizations, parity, ...signature],
]

/** Result of comparing a block's transactions with the root in its header. */
export type TransactionsOutcome = 'none' | 'hold' | 'broken' | { readonly unknown: string }

/**
 * Returns whether the transactions of a block are those its header commits to, under the hashes
 * that the node gives them; unknown for types that are not known and where a node left fields
 * out. Throws `node-answer` for anything but a transaction.
 */
export function compareTransactions(block: RawBlock): TransactionsOutcome {
  const all = listOf(block.transactions, 'transactions').map((tx) => objectOf(tx, 'transaction'))
  const writer = threadWriter()
  const list = new OrderedList(writer, all.length)
  let hashesHold = true
  for (const tx of all) {
    const from = list.begin()
    const start = writeTransaction(writer, tx, from)
    if (typeof start !== 'number') return start
    hashesHold &&= isHexOfDigits(tx['hash'], writer.hashDigits(start)) || isForged(tx)
    list.end(start)
  }
  if (!hashesHold || !isHexOf(block.transactionsRoot, list.root())) return 'broken'
  return all.length === 0 ? 'none' : 'hold'
}

/** A transaction as blocks hold it, or why it cannot be made of what the node gave. */
export function encodeTransaction(tx: Tx): Uint8Array | { readonly unknown: string } {
  const writer = threadWriter()
  writer.skip(headRoom)
  const start = writeTransaction(writer, tx, writer.at)
  return typeof start === 'number' ? writer.bytes.slice(start, writer.at) : start
}

/**
 * Writes a transaction whose fields begin at `from`. Returns where it begins, a head before them.
 */
function writeTransaction(
  writer: RlpWriter,
  tx: Tx,
  from: number,
): number | { readonly unknown: string } {
  const type = hexNumberOr(tx['type'], 0, 'transaction type')
  const fields = types[type]
  if (fields === undefined) return { unknown: `type ${type}` }
  // anvil keeps the blobs themselves in its blocks and hashes them with the rest.
  if (tx['blobs'] !== undefined) return { unknown: `type ${type} with its blobs` }
  for (const write of fields)
    if (!write(writer, tx)) return { unknown: `type ${type} without all of its fields` }
  const start = writer.headBefore(from, 0xc0)
  if (type === 0) return start
  writer.bytes[start - 1] = type
  return start - 1
}

/**
 * Sent in another's name, which development nodes let one do: without a signature, under a hash
 * that the node made up. No chain accepts a signature of zeros.
 */
function isForged(tx: Tx): boolean {
  return hexQuantity(tx['r']) === '0x' && hexQuantity(tx['s']) === '0x'
}

function quantityOf(name: string): Write {
  return (writer, tx) => writer.quantity(tx[name])
}

function bytesOf(name: string): Write {
  return (writer, tx) => writer.string(tx[name])
}

/** A list of objects; an absent one is empty. */
function listed(name: string, read: Reader): Write {
  return (writer, tx) => {
    const entries = listOf(tx[name] ?? [], name)
    if (entries.length === 0) {
      writer.head(0, 0xc0)
      return true
    }
    const items = defined(entries.map((entry) => read(objectOf(entry, name))))
    if (items !== undefined) writer.raw(encodeRlp(items))
    return items !== undefined
  }
}

function defined(items: readonly (Rlp | undefined)[]): readonly Rlp[] | undefined {
  const all: Rlp[] = []
  for (const item of items) {
    if (item === undefined) return undefined
    all.push(item)
  }
  return all
}
