/**
 * The hash of a header, from its fields as JSON-RPC gives them.
 *
 * Three forms are known: Ethereum's, which anvil and most other chains have, and the two that
 * Avalanche's virtual machines put their own fields into. All begin with the same fifteen fields;
 * the rest came with upgrades, and a form ends after the last field its block has. Which form a
 * block has follows from its fields alone: all that Firn keeps of a header is then under the hash.
 *
 * Source: avalanchego graft/coreth and graft/subnet-evm, plugin/evm/customtypes/header_ext.go;
 * libevm core/types/block.go, EIP-4895, EIP-4844, EIP-4788, EIP-7685.
 */

import { keccak256 } from '../../../core/hash.ts'
import { hexBytes, hexQuantity, isHexOf } from '../hex.ts'
import type { RawBlock } from '../raw.ts'
import { encodeRlp } from './rlp.ts'

type Field = readonly [name: string, kind: 'bytes' | 'quantity']
type Block = Readonly<Record<string, unknown>>

/** In every header. */
const common: readonly Field[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
]

const baseFee: Field = ['baseFeePerGas', 'quantity']

const blobs: readonly Field[] = [
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'bytes'],
]

/** Granite, on both of Avalanche's virtual machines. */
const granite: readonly Field[] = [
  ['timestampMilliseconds', 'quantity'],
  ['minDelayExcess', 'quantity'],
]

/** The fields a form has after the common ones. */
type Form = readonly Field[]

const ethereum: Form = [baseFee, ['withdrawalsRoot', 'bytes'], ...blobs, ['requestsHash', 'bytes']]

const subnetEvm: Form = [baseFee, ['blockGasCost', 'quantity'], ...blobs, ...granite]

const coreth: Form = [
  ['extDataHash', 'bytes'],
  baseFee,
  ['extDataGasUsed', 'quantity'],
  ['blockGasCost', 'quantity'],
  ...blobs,
  ...granite,
  // Helicon.
  ['targetExponent', 'quantity'],
  ['minPriceExponent', 'quantity'],
  ['settledHeight', 'quantity'],
  ['settledGasUnix', 'quantity'],
  ['settledGasNumerator', 'quantity'],
  ['settledExcess', 'quantity'],
]

/** Fields that nodes give of a block beside its header. */
const beside: readonly string[] = [
  'hash',
  'size',
  'totalDifficulty',
  'transactions',
  'uncles',
  'withdrawals',
  'blockExtraData',
]

const known: ReadonlySet<string> = new Set(
  [...common, ...ethereum, ...subnetEvm, ...coreth].map(([name]) => name).concat(beside),
)

/** Returns whether the hash that a node gives a block is that of its header. */
export function compareHeader(block: RawBlock): 'hold' | 'broken' {
  const hash = headerHash(block)
  return hash !== undefined && isHexOf(block.hash, hash) ? 'hold' : 'broken'
}

/** Hash of the header in `block`; undefined where a field that it must have is not there. */
export function headerHash(block: object): Uint8Array | undefined {
  const header = headerRlp(block)
  return header === undefined ? undefined : keccak256(header)
}

/** The header in `block` as RLP; undefined where a field that it must have is not there. */
export function headerRlp(block: object): Uint8Array | undefined {
  const fields: Block = { ...block }
  const form = formOf(fields)
  const last = form.findLastIndex(([name]) => has(fields, name))
  const items: string[] = []
  for (const field of common) {
    const item = itemOf(fields, field)
    if (item === undefined) return undefined
    items.push(item)
  }
  // A field left out before one that is there is an empty string.
  for (const field of form.slice(0, last + 1)) {
    const item = has(fields, field[0]) ? itemOf(fields, field) : '0x'
    if (item === undefined) return undefined
    items.push(item)
  }
  return encodeRlp(items)
}

/**
 * Hash of a C-Chain block's extra data, as its header has it. Source: graft/coreth
 * customtypes/hashing.go.
 */
export function extraDataHash(extraData: Uint8Array): Uint8Array {
  return keccak256(encodeRlp(extraData))
}

/**
 * Distinguishes forms of headers: the names of the optional fields that a header has, known or
 * not. An upgrade that changes headers changes it. At most {@link maxFormLength} characters.
 */
export function headerFormOf(block: object): string {
  return formOfNames(optionalNames(block))
}

/** Forms of a chain's headers, as {@link headerFormOf} gives them. */
export class HeaderForms {
  // By the names as nodes order them: one block in thousands has another than the one before.
  readonly #known = new Map<string, string>()

  of(block: object): string {
    const names = optionalNames(block)
    const known = this.#known.get(names)
    if (known !== undefined) return known
    const form = formOfNames(names)
    if (this.#known.size < maxOrders) this.#known.set(names, form)
    return form
  }
}

const maxOrders = 64

function optionalNames(block: object): string {
  let names = ''
  for (const [name, value] of Object.entries(block))
    if (value !== null && value !== undefined && !always.has(name)) names += `${name} `
  return names
}

function formOfNames(names: string): string {
  return names.split(' ').toSorted().join(' ').trim().slice(0, maxFormLength)
}

/** Names in `block` that stand for nothing we know; at most 8, each at most 40 characters. */
export function unknownFields(block: object): readonly string[] {
  return Object.keys(block)
    .filter((name) => !known.has(name))
    .slice(0, 8)
    .map((name) => name.slice(0, 40))
}

/** Some forty names of usual length. */
const maxFormLength = 1_000

const always: ReadonlySet<string> = new Set([...common.map(([name]) => name), ...beside])

function formOf(block: Block): Form {
  if (has(block, 'extDataHash')) return coreth
  return ['blockGasCost', ...granite.map(([name]) => name)].some((name) => has(block, name))
    ? subnetEvm
    : ethereum
}

function has(block: Block, name: string): boolean {
  return block[name] !== undefined && block[name] !== null
}

function itemOf(block: Block, [name, kind]: Field): string | undefined {
  return kind === 'bytes' ? hexBytes(block[name]) : hexQuantity(block[name])
}
