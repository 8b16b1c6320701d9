/**
 * Signatures and public keys of the transactions that spent outputs, read from the kept blocks.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js'

import { decode, decodePrefix } from '../../../codec/cursor.ts'
import { versioned } from '../../../codec/kit.ts'
import {
  cTransactionAlone,
  cUnsigned,
  type CUnsigned,
  decodeExtraData,
} from '../../../codec/primary/c-atomic.ts'
import { outputContent } from '../../../codec/primary/output-content.ts'
import { decodePBlock, transactionsOf } from '../../../codec/primary/p-block.ts'
import {
  type PUnsigned,
  pTransactionAlone,
  pUnsigned,
} from '../../../codec/primary/p-transaction.ts'
import {
  decodeXBlock,
  type XUnsigned,
  xTransactionAlone,
  xUnsigned,
} from '../../../codec/primary/x-transaction.ts'
import { concatBytes, equalBytes, keyOf, toBase64 } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { hash160, sha256 } from '../../../core/hash.ts'
import { cTypes, pTypes, xTypes } from '../../../core/type-ids.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { rawBlockFinder } from '../../../store/query/primary/blocks.ts'
import type { StoredUtxo } from '../../../store/query/primary/utxos.ts'
import { cBlockBody, innerBlockBody } from '../../../store/schema/primary/bodies.ts'
import { blockOfPos, placeOfPos } from '../../../store/schema/primary/position.ts'
import type { OwnerKeys } from './values.ts'

type Credential = NonNullable<Utxo['credentials']>[number]

/** Credentials by number of the UTXO. */
export type Credentials = ReadonlyMap<number, readonly Credential[]>

type Place = { readonly txId: Uint8Array; readonly outputIndex: number }

/** The input or operation that one credential signs. */
type Spending = { readonly places: readonly Place[]; readonly signers: readonly number[] }

/** A consuming transaction: the hash that was signed, and its credentials in their order. */
type Signed = {
  readonly hash: Uint8Array
  readonly spendings: readonly Spending[]
  readonly credentials: readonly { readonly signatures: readonly Uint8Array[] }[]
}

/** Keys recovered before other requests get their turn: about 4 ms. */
const keysPerTurn = 8

/** Keys found so far, and how many were recovered since others had their turn. */
type Turn = { recovered: number; readonly ownerKeys: OwnerKeys }

/**
 * Credentials of those `utxos` that are spent. Kept blocks are read in the order of consuming transactions,
 * one key recovered for each owner not met before. Throws `store-failed` when the store has lost a
 * block.
 */
export async function credentialsOf(
  { store, ownerKeys }: { readonly store: Reader; readonly ownerKeys: OwnerKeys },
  utxos: readonly StoredUtxo[],
): Promise<Credentials> {
  const transactions = new Map<number, Signed>()
  const findRaw = rawBlockFinder(store)
  const found = new Map<number, readonly Credential[]>()
  const turn: Turn = { recovered: 0, ownerKeys }
  const spent = utxos.flatMap((utxo) =>
    utxo.spentPos === undefined ? [] : [{ utxo, pos: utxo.spentPos }],
  )
  for (const { utxo, pos } of spent.toSorted((a, b) => a.pos - b.pos)) {
    if (turn.recovered >= keysPerTurn) {
      turn.recovered = 0
      await new Promise(setImmediate)
    }
    const signed = transactions.get(pos) ?? (await signedAt(findRaw, pos))
    transactions.set(pos, signed)
    found.set(utxo.id, credentialsFor(utxo, signed, turn))
  }
  return found
}

function credentialsFor(utxo: StoredUtxo, signed: Signed, turn: Turn): Credential[] {
  const at = signed.spendings.findIndex(({ places }) => places.some((place) => isOf(utxo, place)))
  const signers = signed.spendings[at]?.signers ?? []
  const { addresses } = outputContent(utxo.output)
  return (signed.credentials[at]?.signatures ?? []).map((signature, nth) => {
    const owner = addresses[signers[nth] ?? -1]
    const publicKey = owner && keyOfOwner(owner, { hash: signed.hash, signature, turn })
    return { signature: toBase64(signature), publicKey: publicKey && toBase64(publicKey) }
  })
}

function isOf(utxo: StoredUtxo, { txId, outputIndex }: Place): boolean {
  return utxo.outputIndex === outputIndex && equalBytes(utxo.txId, txId)
}

function keyOfOwner(
  owner: Uint8Array,
  of: { readonly hash: Uint8Array; readonly signature: Uint8Array; readonly turn: Turn },
): Uint8Array | undefined {
  const { ownerKeys } = of.turn
  const known = ownerKeys.get(keyOf(owner))
  if (known !== undefined) return known
  of.turn.recovered++
  const publicKey = recoverPublicKey(of.hash, of.signature)
  if (publicKey === undefined || !equalBytes(hash160(publicKey), owner)) return undefined
  ownerKeys.set(keyOf(owner), publicKey)
  return publicKey
}

async function signedAt(findRaw: ReturnType<typeof rawBlockFinder>, pos: number): Promise<Signed> {
  const { chain, height, position } = placeOfPos(pos)
  const raw = await findRaw(blockOfPos(pos))
  const bytes = raw && transactionIn({ chain, height, position }, raw)
  if (bytes === undefined)
    throw new Fault('store-failed', `the store has lost a transaction of block: ${height}`)
  return signedOf(chain, bytes)
}

const version = new Uint8Array(2)

/** Bytes of a signed transaction, codec version first. */
function transactionIn(
  { chain, height, position }: ReturnType<typeof placeOfPos>,
  raw: Uint8Array,
): Uint8Array | undefined {
  // Before the X-Chain's blocks transactions were kept alone.
  if (chain === 'X' && height < 0) return raw
  const bytes = slicesIn(chain, raw)[position]?.bytes
  return bytes === undefined ? undefined : concatBytes(version, bytes)
}

function slicesIn(
  chain: StoredUtxo['createdOn'],
  raw: Uint8Array,
): readonly { bytes: Uint8Array }[] {
  if (chain === 'P') return transactionsOf(decodePBlock(innerBlockBody.fromBytes(raw).bytes))
  if (chain === 'X') return decodeXBlock(innerBlockBody.fromBytes(raw).bytes).transactions
  const { extraData } = cBlockBody.fromBytes(raw)
  // Only imports spend: one alone begins with its type id, 0, a batch with how many it holds.
  const batched = extraData.subarray(2, 6).some((byte) => byte !== 0)
  return decodeExtraData(extraData, batched)
}

function signedOf(chain: StoredUtxo['createdOn'], bytes: Uint8Array): Signed {
  const hashOf = (until: number): Uint8Array => sha256(bytes.subarray(0, until))
  if (chain === 'P') {
    const { record } = decode(pTransactionAlone, bytes)
    const { until } = decodePrefix(versioned(pUnsigned), bytes)
    return { ...record, hash: hashOf(until), spendings: pSpendings(record.unsigned) }
  }
  if (chain === 'X') {
    const { record } = decode(xTransactionAlone, bytes)
    const { until } = decodePrefix(versioned(xUnsigned), bytes)
    return { ...record, hash: hashOf(until), spendings: xSpendings(record.unsigned) }
  }
  const { record } = decode(cTransactionAlone, bytes)
  const { until } = decodePrefix(versioned(cUnsigned), bytes)
  return { ...record, hash: hashOf(until), spendings: cSpendings(record.unsigned) }
}

type Input = Place & {
  readonly input:
    | { readonly signatureIndices: readonly number[] }
    | { readonly input: { readonly signatureIndices: readonly number[] } }
}

function spendingOf({ txId, outputIndex, input }: Input): Spending {
  const { signatureIndices } = 'input' in input ? input.input : input
  return { places: [{ txId, outputIndex }], signers: signatureIndices }
}

function pSpendings(unsigned: PUnsigned): Spending[] {
  const inputs = 'inputs' in unsigned ? unsigned.inputs : []
  const imported = unsigned.typeId === pTypes.ImportTx ? unsigned.importedInputs : []
  return [...inputs, ...imported].map(spendingOf)
}

function xSpendings(unsigned: XUnsigned): Spending[] {
  const imported = unsigned.typeId === xTypes.ImportTx ? unsigned.importedInputs : []
  const operations = unsigned.typeId === xTypes.OperationTx ? unsigned.operations : []
  return [
    ...[...unsigned.inputs, ...imported].map(spendingOf),
    ...operations.map(({ utxos, operation }) => ({
      places: utxos,
      signers: operation.signatureIndices,
    })),
  ]
}

function cSpendings(unsigned: CUnsigned): Spending[] {
  return unsigned.typeId === cTypes.ImportTx ? unsigned.importedInputs.map(spendingOf) : []
}

/**
 * The compressed public key, 33 bytes, whose owner signed `hash`, or `undefined` when there is
 * none. `signature` is r, s and the recovery id, 65 bytes, as avalanchego's. About 0.5 ms.
 *
 * Source: avalanchego utils/crypto/secp256k1/secp256k1.go.
 */
function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const [recovery = 255] = signature.subarray(64)
  if (signature.length !== 65 || recovery > 3) return undefined
  const recovered = new Uint8Array(65)
  recovered[0] = recovery
  recovered.set(signature.subarray(0, 64), 1)
  try {
    return secp256k1.recoverPublicKey(recovered, hash, { prehash: false })
  } catch (error) {
    // A signature that no key can have made is answered with `undefined`.
    if (error instanceof Error) return undefined
    throw error
  }
}
