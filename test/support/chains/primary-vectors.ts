/** Vectors of the primary network's codec, and what must be true of each of them. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { decode, encode, type Format } from '../../../src/codec/cursor.ts'
import { versioned } from '../../../src/codec/kit.ts'
import { transactionIdOf } from '../../../src/codec/primary/ids.ts'
import { toPrimaryAddress } from '../../../src/core/address.ts'
import { fromHex, to0x, toHex } from '../../../src/core/bytes.ts'
import { toCb58, toNodeId } from '../../../src/core/cb58.ts'
import { Fault } from '../../../src/core/fault.ts'
import { hrpOf } from '../../../src/core/network.ts'

/** A value of a vector. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** One vector; which fields it has depends on its file. */
export type Entry = Readonly<Record<string, never>> & {
  readonly name: string
  readonly hex: string
  readonly typeId: number
  readonly signed?: boolean
  readonly txID: string
  readonly txIDs: readonly string[]
  readonly unsignedLength: number
  readonly avalanchejs520?: string
  readonly decoded: Json
  readonly derived?: boolean
  readonly blockID: string
  readonly utxoID: string
}

/** The vectors of a file in `vectors/primary`. */
export function vectors(name: string): readonly Entry[] {
  return JSON.parse(
    readFileSync(new URL(`../../../vectors/primary/${name}.json`, import.meta.url), 'utf8'),
  )
}

type Signed = {
  readonly record: { readonly unsigned: Fields; readonly credentials: readonly unknown[] }
  readonly bytes: Uint8Array
}

/** Reader of the transactions of a chain. */
export type Transactions = {
  readonly alone: Format<Signed>
  readonly unsigned: Format<Fields>
  /** By type id. */
  readonly names: Readonly<Record<number, string>>
  /** Name of the chain in avalanchejs. */
  readonly manager: 'PVM' | 'AVM' | 'EVM'
}

/**
 * Every vector decodes to its fields, encodes back, and no truncation passes; all types are there.
 */
export function checkTransactions(entries: readonly Entry[], chain: Transactions): void {
  const { alone, unsigned, names } = chain
  const seen = new Set<string>()
  for (const entry of entries) {
    if (entry.txIDs !== undefined) continue
    if (entry.signed === true) checkSigned(entry, alone, names)
    else check<Fields>(versioned(unsigned), entry, (value) => transactionView(value, names))
    seen.add(String(entry.typeId))
  }
  for (const id of Object.keys(names)) assert.ok(seen.has(id), id)
}

type SdkTransaction = { readonly opaque: never }
type SdkCodec = { readonly PackPrefix: (value: SdkTransaction) => Uint8Array }
type Sdk = {
  readonly avaxSerial: {
    readonly SignedTx: {
      readonly fromBytes: (
        bytes: Uint8Array,
        codec: SdkCodec,
      ) => [{ readonly unsignedTx: SdkTransaction }, Uint8Array]
    }
  }
  readonly utils: {
    readonly getManagerForVM: (vm: string) => { readonly getDefaultCodec: () => SdkCodec }
  }
}
// Its declarations do not resolve under nodenext; `Sdk` is the part used here.
const { avaxSerial, utils }: Sdk = createRequire(import.meta.url)('@avalabs/avalanchejs')

/** Avalanchejs agrees on every signed vector it knows; gives how many those are. */
export function checkAgainstSdk(
  entries: readonly Entry[],
  { alone, manager }: Transactions,
): number {
  const codec = utils.getManagerForVM(manager).getDefaultCodec()
  let compared = 0
  for (const entry of entries) {
    if (entry.signed !== true || entry.avalanchejs520 !== 'decodes') continue
    const bytes = fromHex(entry.hex)
    const [theirs, rest] = avaxSerial.SignedTx.fromBytes(bytes.subarray(2), codec)
    const ours = encode(alone, decode(alone, bytes))
    assert.equal(rest.length, 0, entry.name)
    const unsigned = ours.subarray(2, entry.unsignedLength)
    assert.equal(toHex(codec.PackPrefix(theirs.unsignedTx)), toHex(unsigned), entry.name)
    compared++
  }
  return compared
}

/** Bytes cut anywhere, or one too long, are a fault. */
export function everyTruncationFails<T>(format: Format<T>, bytes: Uint8Array, name: string): void {
  // Most of the time of a thousand faults is their stacks, which nobody reads here.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  for (let size = 0; size < bytes.length; size++) {
    assert.throws(
      () => decode(format, bytes.subarray(0, size)),
      (error) => error instanceof Fault && error.code === 'bad-bytes',
      `${name}: ${size}`,
    )
  }
  const longer = new Uint8Array(bytes.length + 1)
  longer.set(bytes)
  assert.throws(() => decode(format, longer), Fault, name)
  Error.stackTraceLimit = stackTraceLimit
}

/** Decodes to what the vector says, encodes back, refuses every truncation. */
function check<T>(format: Format<T>, entry: Entry, look: (value: T) => Json): void {
  const bytes = fromHex(entry.hex)
  const value = decode(format, bytes)
  assert.deepEqual(look(value), expectedOf(entry).tx, entry.name)
  assert.equal(toHex(encode(format, value)), toHex(bytes), entry.name)
  everyTruncationFails(format, bytes, entry.name)
}

function checkSigned(
  entry: Entry,
  format: Format<Signed>,
  names: Readonly<Record<number, string>>,
): void {
  check(format, entry, ({ record, bytes }) => {
    assert.equal(toCb58(transactionIdOf(bytes)), entry.txID, entry.name)
    const { credentials } = expectedOf(entry)
    const signatures = record.credentials.map((one) => {
      assert.ok(isFields(one) && Array.isArray(one['signatures']))
      return { typeId: Number(one['typeId']), sigs: one['signatures'].map((bytes) => to0x(bytes)) }
    })
    assert.deepEqual(signatures, credentials, entry.name)
    return transactionView(record.unsigned, names)
  })
}

function expectedOf(entry: Entry): { tx: Json; credentials: Json } {
  return JSON.parse(JSON.stringify(entry.decoded))
}

const renamed: Readonly<Record<string, string>> = {
  outputs: 'outs',
  inputs: 'ins',
  importedInputs: 'importedIns',
  exportedOutputs: 'exportedOuts',
  delegationShares: 'shares',
  validationOwner: 'validatorRewardsOwner',
  delegationOwner: 'delegatorRewardsOwner',
  authority: 'validatorAuthority',
  stakingTxId: 'txId',
  managerChainId: 'chainId',
  managerAddress: 'address',
  genesis: 'genesisData',
  signatureIndices: 'sigIndices',
  operations: 'ops',
  utxos: 'utxoIds',
  owners: 'outputs',
}
const hexKeys = new Set([
  'memo',
  'genesis',
  'managerAddress',
  'message',
  'payload',
  'publicKey',
  'proofOfPossession',
  'address',
])
const operationNames: Readonly<Record<number, string>> = {
  8: 'secp256k1Mint',
  12: 'nftMint',
  13: 'nftTransfer',
  17: 'propertyMint',
  18: 'propertyBurn',
}
type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Our record as the vectors write it. */
function view(value: unknown, key: string, hrp: string): Json {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' || typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((item) => view(item, key, hrp))
  if (value instanceof Uint8Array) {
    if (key === 'nodeId') return toNodeId(value)
    if (key === 'addresses') return toPrimaryAddress(hrp, value)
    return hexKeys.has(key) ? to0x(value) : toCb58(value)
  }
  assert.ok(isFields(value))
  if (key === 'signer') return value['typeId'] === 27 ? null : plain(value, hrp, ['typeId'])
  if (key === 'output' || key === 'input' || key === 'initialOutput') return lockable(value, hrp)
  return plain(value, hrp, [])
}

function lockable(value: Fields, hrp: string): Json {
  const inner = value['output'] ?? value['input']
  if (!isFields(inner)) return { type: 'secp256k1Transfer', ...plain(value, hrp, ['typeId']) }
  return {
    type: 'secp256k1Transfer',
    ...plain(inner, hrp, []),
    stakeableLocktime: view(value['locktime'], '', hrp),
  }
}

function plain(value: Fields, hrp: string, without: readonly string[]): { [key: string]: Json } {
  const shown: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value)) {
    if (without.includes(key)) continue
    if (key === 'operation' && isFields(item)) {
      const id = Number(item['typeId'])
      shown['opTypeId'] = id
      shown['op'] = { type: operationNames[id] ?? '', ...plain(item, hrp, ['typeId']) }
    } else if (key === 'initialStates' && Array.isArray(item)) {
      shown[key] = item.map((state: Fields) => ({
        fxIndex: Number(state['fxIndex']),
        outs: view(state['outputs'], 'initialOutput', hrp),
      }))
    } else {
      const name = key === 'output' ? 'out' : key === 'input' ? 'in' : (renamed[key] ?? key)
      shown[name] = view(item, key, hrp)
    }
  }
  return shown
}

/** An unsigned transaction as the vectors write it. */
export function transactionView(unsigned: Fields, names: Readonly<Record<number, string>>): Json {
  const typeId = Number(unsigned['typeId'])
  const hrp = hrpOf(Number(unsigned['networkId'] ?? 0))
  const shown = plain(unsigned, hrp, [])
  shown['type'] = names[typeId] ?? ''
  if (typeId === 39 && 'authorization' in shown) shown['disableAuth'] = shown['authorization']
  else if (typeId === 41) shown['auth'] = shown['authorization'] ?? null
  else if ('authorization' in shown) shown['subnetAuth'] = shown['authorization']
  delete shown['authorization']
  if ('start' in shown) {
    const { nodeId, start, end, weight } = shown
    shown['validator'] = {
      nodeId: nodeId ?? '',
      start: start ?? '',
      end: end ?? '',
      weight: weight ?? '',
    }
    for (const key of ['nodeId', 'start', 'end', 'weight']) delete shown[key]
  }
  return shown
}
