import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import * as sdk from '@avalabs/avalanchejs'

import { toPrimaryAddress } from '../../core/address.ts'
import { fromHex, to0x, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { hrpOf } from '../../core/network.ts'
import { decode, encode } from '../cursor.ts'
import type { Format } from '../cursor.ts'
import { versioned } from '../kit.ts'
import { openContainer, outerBlock, outerBlockIdOf, proposerOf } from '../proposer/outer-block.ts'
import { conversionData, convertedValidationId, l1Message } from '../warp/l1-message.ts'
import {
  cBatch,
  cTransactionAlone,
  cTransactionNames,
  cUnsigned,
  decodeExtraData,
} from './c-atomic.ts'
import { transactionIdOf, utxoIdOf } from './ids.ts'
import { decodePBlock, pBlock, pBlockNames, transactionsOf } from './p-block.ts'
import { pTransactionAlone, pTransactionNames, pUnsigned } from './p-transaction.ts'
import { signatures, transferInput, transferOutput } from './secp.ts'
import { pUtxo } from './utxo.ts'
import { xBlock, xTransactionAlone, xTransactionNames, xUnsigned } from './x-transaction.ts'

type SdkTransaction = { readonly opaque: never }
type SdkCodec = { readonly PackPrefix: (value: SdkTransaction) => Uint8Array }
// The SDK's declarations do not resolve under nodenext; this is the part used here.
const { avaxSerial, utils } = sdk as unknown as {
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

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type Entry = Readonly<Record<string, never>> & {
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

function vectors(name: string): readonly Entry[] {
  return JSON.parse(
    readFileSync(new URL(`../../../vectors/primary/${name}.json`, import.meta.url), 'utf8'),
  )
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

function transactionView(unsigned: Fields, names: Readonly<Record<number, string>>): Json {
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

/** Convert validators and auto-renewed ones hold the node id as a byte string of 20. */
function expectedOf(entry: Entry): { tx: Json; credentials: Json } {
  return JSON.parse(JSON.stringify(entry.decoded))
}

function everyTruncationFails<T>(format: Format<T>, bytes: Uint8Array, name: string): void {
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
}

/** Decodes to what the vector says, encodes back, refuses every truncation. */
function check<T>(format: Format<T>, entry: Entry, look: (value: T) => Json): void {
  const bytes = fromHex(entry.hex)
  const value = decode(format, bytes)
  assert.deepEqual(look(value), expectedOf(entry).tx, entry.name)
  assert.equal(toHex(encode(format, value)), toHex(bytes), entry.name)
  everyTruncationFails(format, bytes, entry.name)
}

type Signed = {
  readonly record: { readonly unsigned: Fields; readonly credentials: readonly unknown[] }
  readonly bytes: Uint8Array
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

const chains = [
  {
    files: ['p-txs-signed', 'p-txs-unsigned'],
    alone: pTransactionAlone,
    unsigned: pUnsigned,
    names: pTransactionNames,
    manager: 'PVM',
  },
  {
    files: ['x-txs'],
    alone: xTransactionAlone,
    unsigned: xUnsigned,
    names: xTransactionNames,
    manager: 'AVM',
  },
  {
    files: ['c-atomic-txs'],
    alone: cTransactionAlone,
    unsigned: cUnsigned,
    names: cTransactionNames,
    manager: 'EVM',
  },
] as const

void test('primary transactions: every vector decodes to its fields, encodes back, and no truncation passes', () => {
  const seen = new Set<string>()
  for (const { files, alone, unsigned, names, manager } of chains) {
    for (const entry of files.flatMap((file) => vectors(file))) {
      if (entry.txIDs !== undefined) continue
      if (entry.signed === true) checkSigned(entry, alone, names)
      else
        check<Fields>(versioned<Fields>(unsigned), entry, (value) => transactionView(value, names))
      seen.add(`${manager}${entry.typeId}`)
    }
    for (const id of Object.keys(names)) assert.ok(seen.has(manager + id), `${manager} ${id}`)
  }
})

void test('primary transactions: avalanchejs agrees on every signed vector it knows', () => {
  let compared = 0
  for (const { files, alone, manager } of chains) {
    const codec = utils.getManagerForVM(manager).getDefaultCodec()
    for (const entry of files.flatMap((file) => vectors(file))) {
      if (entry.signed !== true || entry.avalanchejs520 !== 'decodes') continue
      const bytes = fromHex(entry.hex)
      const [theirs, rest] = avaxSerial.SignedTx.fromBytes(bytes.subarray(2), codec)
      const ours = encode<Signed>(alone, decode<Signed>(alone, bytes))
      assert.equal(rest.length, 0, entry.name)
      const unsigned = ours.subarray(2, entry.unsignedLength)
      assert.equal(toHex(codec.PackPrefix(theirs.unsignedTx)), toHex(unsigned), entry.name)
      compared++
    }
  }
  assert.ok(compared >= 60, `${compared}`)
})

void test('C-Chain extra data: one alone before, a batch since Apricot Phase 5, never an empty batch', () => {
  assert.deepEqual(decodeExtraData(new Uint8Array(0), true), [])
  assert.deepEqual(decodeExtraData(new Uint8Array(0), false), [])
  assert.throws(() => decodeExtraData(fromHex('000000000000'), true), Fault)
  for (const entry of vectors('c-atomic-txs')) {
    if (entry.txIDs === undefined) continue
    const bytes = fromHex(entry.hex)
    const ids = decodeExtraData(bytes, true).map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.txIDs)
    assert.equal(toHex(encode(cBatch, decode(cBatch, bytes))), toHex(bytes))
    everyTruncationFails(cBatch, bytes, entry.name)
    assert.throws(() => decodeExtraData(bytes, false), Fault)
  }
})

function isPBlock(inner: Uint8Array): boolean {
  try {
    decodePBlock(inner)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

type BlockEntry = Entry & {
  readonly containerHex?: string
  readonly containerID?: string
  readonly expected?: { id: string; type: string; parent: string; height: number; txIDs: string[] }
  readonly proposer?: {
    parentId: string
    timestamp?: string
    pChainHeight?: string
    nodeId: string | null
  } | null
  readonly decoded: { type: string; txs: { txID: string; tx: Json }[] }
}

void test('P-Chain blocks: real containers and upstream vectors give their ids, parents and transactions', () => {
  const entries: readonly BlockEntry[] = JSON.parse(JSON.stringify(vectors('p-blocks')))
  assert.equal(entries.length, 26)
  for (const entry of entries) {
    const container = fromHex(entry.containerHex ?? entry.hex)
    const { inner, outer } = openContainer(container, isPBlock)
    const block = decodePBlock(inner)
    const blockId = toCb58(sha256(inner))
    assert.equal(blockId, entry.expected?.id ?? entry.blockID, entry.name)
    assert.equal(outer === undefined ? blockId : toCb58(outer.id), entry.containerID ?? blockId)
    assert.equal(pBlockNames[block.typeId], entry.decoded.type)
    const ids = transactionsOf(block).map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.expected?.txIDs ?? entry.decoded.txs.map((one) => one.txID))
    assert.deepEqual(
      transactionsOf(block).map((one) => transactionView(one.record.unsigned, pTransactionNames)),
      entry.decoded.txs.map((one) => one.tx),
    )
    if (entry.expected !== undefined) {
      assert.equal(toCb58(block.parentId), entry.expected.parent)
      assert.equal(Number(block.height), entry.expected.height)
    }
    checkProposer(entry, outer)
    assert.equal(toHex(encode(pBlock, block)), toHex(inner))
    everyTruncationFails(pBlock, inner, entry.name)
    if (outer !== undefined) everyTruncationFails(outerBlock, container, entry.name)
  }
})

function checkProposer(entry: BlockEntry, outer: ReturnType<typeof openContainer>['outer']): void {
  if (entry.containerHex === undefined) return
  assert.equal(outer !== undefined, entry.proposer !== null, entry.name)
  if (outer === undefined) return
  const { block } = outer
  assert.equal(toCb58(block.parentId), entry.proposer?.parentId)
  const proposer = proposerOf(block)
  assert.equal(proposer === undefined ? null : toNodeId(proposer), entry.proposer?.nodeId)
  if (block.typeId === 1) return
  assert.equal(String(block.timestamp), entry.proposer?.timestamp)
  assert.equal(String(block.pChainHeight), entry.proposer?.pChainHeight)
}

void test('X-Chain blocks: ids and transaction ids match', () => {
  for (const entry of vectors('x-blocks')) {
    const bytes = fromHex(entry.hex)
    const block = decode(xBlock, bytes)
    assert.equal(toCb58(sha256(bytes)), entry.blockID)
    const ids = block.transactions.map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.txIDs ?? [])
    assert.equal(toHex(encode(xBlock, block)), toHex(bytes))
    everyTruncationFails(xBlock, bytes, entry.name)
  }
})

void test('outer blocks: upstream test bytes give ids, proposers and times', () => {
  const kinds: Readonly<Record<string, number>> = { block: 0, option: 1, graniteBlock: 2 }
  for (const entry of vectors('proposervm-blocks')) {
    const bytes = fromHex(entry.hex)
    const expected: Record<string, string> = JSON.parse(JSON.stringify(entry.decoded))
    if (expected['error'] !== undefined) {
      assert.throws(() => decode(outerBlock, bytes), Fault)
      continue
    }
    const block = decode(outerBlock, bytes)
    assert.equal(block.typeId, kinds[expected['type'] ?? ''])
    assert.equal(toCb58(outerBlockIdOf(block, bytes)), expected['id'], entry.name)
    assert.equal(to0x(block.inner), expected['innerHex'])
    const proposer = proposerOf(block)
    if (expected['nodeId'] !== undefined) {
      assert.equal(proposer === undefined ? '' : toNodeId(proposer), expected['nodeId'])
    }
    assert.equal(toHex(encode(outerBlock, block)), toHex(bytes))
    everyTruncationFails(outerBlock, bytes, entry.name)
  }
})

void test('UTXOs: the bytes nodes give decode, encode back and hash to their ids', () => {
  const entries = vectors('utxos')
  assert.equal(entries.length, 22)
  for (const entry of entries) {
    const bytes = fromHex(entry.hex)
    const utxo = decode(pUtxo, bytes)
    assert.equal(toCb58(utxoIdOf(utxo.txId, utxo.outputIndex)), entry.utxoID)
    const expected: { out: { amount: string } } = JSON.parse(JSON.stringify(entry.decoded))
    assert.equal(utxo.output.typeId, 7)
    if (utxo.output.typeId === 7) assert.equal(String(utxo.output.amount), expected.out.amount)
    assert.equal(toHex(encode(pUtxo, utxo)), toHex(bytes))
    everyTruncationFails(pUtxo, bytes, entry.name)
  }
})

void test('ids: UTXO and conversion validation ids follow upstream', () => {
  const [ids]: [
    {
      conversionValidationIDs: { subnetIDHex: string; index0: string; index1: string }
      utxoID: { utxoID: string; outputIndex1: string }
      fujiRewardUtxo: { stakingTxID: string; utxoID: string; outputIndex: number }
    },
  ] = JSON.parse(JSON.stringify(vectors('ids')))
  const subnet = fromHex(ids.conversionValidationIDs.subnetIDHex)
  assert.equal(toCb58(convertedValidationId(subnet, 0)), ids.conversionValidationIDs.index0)
  assert.equal(toCb58(convertedValidationId(subnet, 1)), ids.conversionValidationIDs.index1)
  assert.equal(toCb58(utxoIdOf(new Uint8Array(32), 0)), ids.utxoID.utxoID)
  assert.equal(toCb58(utxoIdOf(new Uint8Array(32), 1)), ids.utxoID.outputIndex1)
})

void test('secp256k1 pieces: upstream test bytes decode and encode back', () => {
  const formats: Readonly<Record<string, Format<unknown>>> = {
    'transfer_output_test.go expected': transferOutput,
    'transfer_input_test.go expected': transferInput,
    'credential_test.go expected': signatures,
  }
  let seen = 0
  for (const entry of vectors('primitives')) {
    const format = formats[entry.name]
    if (format === undefined) continue
    const bytes = fromHex(entry.hex)
    const alone = versioned(format)
    assert.equal(toHex(encode(alone, decode(alone, bytes))), toHex(bytes), entry.name)
    everyTruncationFails(alone, bytes, entry.name)
    seen++
  }
  assert.equal(seen, 3)
})

void test('L1 messages: upstream test bytes decode, and their hashes are the ids', () => {
  for (const entry of vectors('warp-l1-messages')) {
    const bytes = fromHex(entry.hex)
    const format: Format<unknown> = entry.name.startsWith('subnetToL1ConversionData')
      ? conversionData
      : l1Message
    assert.equal(toHex(encode(format, decode(format, bytes))), toHex(bytes), entry.name)
    const { sha256: expected } = JSON.parse(JSON.stringify(entry))
    if (expected !== undefined) assert.equal(toCb58(sha256(bytes)), expected, entry.name)
  }
})

void test('primary transactions: an unknown type stops with its id and offset', () => {
  const bytes = fromHex('00000000002b00000000')
  assert.throws(
    () => decode(pTransactionAlone, bytes),
    (error) =>
      error instanceof Fault && error.detail['typeId'] === 43 && error.detail['offset'] === 2,
  )
})
