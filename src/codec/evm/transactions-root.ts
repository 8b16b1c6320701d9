/**
 * The root a header commits to its transactions with, from what JSON-RPC tells of them.
 *
 * Types 0 to 4: legacy, access lists (EIP-2930), dynamic fees (EIP-1559), blobs (EIP-4844) and set
 * code (EIP-7702), as blocks hold them: blobs themselves are not in blocks.
 *
 * The sender that a node tells of a transaction is not under the root: it would have to be
 * recovered from the signature, which takes longer than all of this.
 */

import { concatBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { hexBytes, hexQuantity, isHexOf } from './hex-bytes.ts'
import { hexNumberOr } from './hex.ts'
import { orderedRoot } from './ordered-root.ts'
import type { RawBlock } from './raw.ts'
import { listOf, objectOf } from './raw.ts'
import { encodeRlp } from './rlp.ts'
import type { Rlp } from './rlp.ts'

type Tx = Readonly<Record<string, unknown>>

/** How a field of a transaction becomes RLP; undefined when a node did not give it. */
type Reader = (tx: Tx) => Rlp | undefined

const nonce = quantityOf('nonce')
const gas = quantityOf('gas')
const value = quantityOf('value')
const input = bytesOf('input')
const signature = [quantityOf('r'), quantityOf('s')]

/** Everything but a creation has a receiver. */
const receiver: Reader = ({ to }) => (to === null || to === undefined ? '0x' : hexBytes(to))

/** Older nodes call it `v`. */
const parity: Reader = (tx) => hexQuantity(tx['yParity'] ?? tx['v'])

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
    parity(entry),
    ...signature.map((read) => read(entry)),
  ]),
)

const blobFields: readonly Reader[] = [
  quantityOf('maxFeePerBlobGas'),
  (tx) => defined(listOf(tx['blobVersionedHashes'] ?? [], 'blob hashes').map(hexBytes)),
]

const chainId = quantityOf('chainId')
const gasPrice = quantityOf('gasPrice')
const fees = [quantityOf('maxPriorityFeePerGas'), quantityOf('maxFeePerGas')]
const call = [gas, receiver, value, input]

/** Fields of each type in the order of bytes. */
const types: readonly (readonly Reader[])[] = [
  [nonce, gasPrice, ...call, quantityOf('v'), ...signature],
  [chainId, nonce, gasPrice, ...call, accessList, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, ...blobFields, parity, ...signature],
  [chainId, nonce, ...fees, ...call, accessList, authorizations, parity, ...signature],
]

/** What a block's transactions are to the root in its header, or why that cannot be told. */
export type TransactionsOutcome = 'none' | 'hold' | 'broken' | { readonly unknown: string }

/**
 * Whether the transactions of a block are those its header commits to, under the hashes that the
 * node gives them. Cannot be told of types that are not known and where a node left fields out.
 * Throws `node-answer` for what is no transaction.
 */
export function compareTransactions(block: RawBlock): TransactionsOutcome {
  const encoded: Uint8Array[] = []
  for (const each of listOf(block.transactions, 'transactions')) {
    const tx = objectOf(each, 'transaction')
    const bytes = encodeTransaction(tx)
    if ('unknown' in bytes) return bytes
    if (!isForged(tx) && !isHexOf(tx['hash'], keccak256(bytes))) return 'broken'
    encoded.push(bytes)
  }
  if (!isHexOf(block.transactionsRoot, orderedRoot(encoded))) return 'broken'
  return encoded.length === 0 ? 'none' : 'hold'
}

/** A transaction as blocks hold it, or why it cannot be made of what the node gave. */
export function encodeTransaction(tx: Tx): Uint8Array | { readonly unknown: string } {
  const type = hexNumberOr(tx['type'], 0, 'transaction type')
  const fields = types[type]
  if (fields === undefined) return { unknown: `type ${type}` }
  // anvil keeps the blobs themselves in its blocks and hashes them with the rest.
  if (tx['blobs'] !== undefined) return { unknown: `type ${type} with its blobs` }
  const body = defined(fields.map((read) => read(tx)))
  if (body === undefined) return { unknown: `type ${type} without all of its fields` }
  return type === 0 ? encodeRlp(body) : concatBytes(Uint8Array.of(type), encodeRlp(body))
}

/**
 * Sent in another's name, which development nodes let one do: without a signature, under a hash
 * that the node made up. No chain accepts a signature of zeros.
 */
function isForged(tx: Tx): boolean {
  return hexQuantity(tx['r']) === '0x' && hexQuantity(tx['s']) === '0x'
}

function quantityOf(name: string): Reader {
  return (tx) => hexQuantity(tx[name])
}

function bytesOf(name: string): Reader {
  return (tx) => hexBytes(tx[name])
}

/** A list of objects; an absent one is empty. */
function listed(name: string, read: Reader): Reader {
  return (tx) => defined(listOf(tx[name] ?? [], name).map((entry) => read(objectOf(entry, name))))
}

function defined(items: readonly (Rlp | undefined)[]): readonly Rlp[] | undefined {
  const all: Rlp[] = []
  for (const item of items) {
    if (item === undefined) return undefined
    all.push(item)
  }
  return all
}
