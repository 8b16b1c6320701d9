/**
 * The P-Chain's history of L1s as our own index has it, removed validators included.
 *
 * Rows say where a transaction is and how a validation stands; what only the transaction says
 * (a conversion's validators in order, a Warp message) is decoded from its kept block.
 */

import { decode } from '../../codec/cursor.ts'
import { cTransactionNames } from '../../codec/primary/c-atomic.ts'
import { decodePBlock, transactionsOf } from '../../codec/primary/p-block.ts'
import { pTransactionNames, type PUnsigned } from '../../codec/primary/p-transaction.ts'
import { xTransactionNames } from '../../codec/primary/x-transaction.ts'
import { convertedValidationId } from '../../codec/warp/l1-message.ts'
import { decodeSigned } from '../../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../codec/warp/payload.ts'
import { equalBytes } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault, orAbsent } from '../../core/fault.ts'
import { pTypes } from '../../core/type-ids.ts'
import { blockOfRaw } from '../../indexing/primary/batch/raw-blocks.ts'
import type { Reader } from '../../store/engine/database.ts'
import { rawBlockFinder } from '../../store/query/primary/blocks.ts'
import { listL1Validators } from '../../store/query/primary/l1-validators.ts'
import { subnetById } from '../../store/query/primary/network.ts'
import { transactionById } from '../../store/query/primary/transactions.ts'
import { blockOfPos, placeOfPos } from '../../store/schema/primary/position.ts'
import type {
  L1Transaction,
  MessageSource,
  Validation,
} from '../../warp/messages/message-source.ts'

/** History as the store of a primary network has it, up to where it is indexed. */
export function indexedMessages(store: Reader): MessageSource {
  return {
    transaction: (txId) => transactionIn(store, txId),
    validation: (validationId) => validationIn(store, validationId),
    managerChain: async (subnetId) =>
      (await subnetById(store, subnetId))?.conversion?.managerChainId,
  }
}

/**
 * History as `index` has it, and what it does not have yet as the node gives it.
 *
 * `index` gives `undefined` until there is one; it may appear later. Transactions, conversions and
 * removals never change, so the index is believed. A validation that lives in it may have changed
 * since: the node, where it can be reached, is read too, and the later nonce counts.
 */
export function messagesOver(
  index: () => MessageSource | undefined,
  node: MessageSource,
): MessageSource {
  return {
    transaction: async (txId, signal) =>
      (await index()?.transaction(txId, signal)) ?? node.transaction(txId, signal),
    validation: async (validationId, signal) => {
      const known = await index()?.validation(validationId, signal)
      if (known === undefined) return node.validation(validationId, signal)
      if (known.removed) return known
      const current = await orAbsent('node-unreachable', () =>
        node.validation(validationId, signal),
      )
      if (current === undefined || current.minNonce <= known.minNonce) return known
      return { ...known, weight: current.weight, minNonce: current.minNonce }
    },
    managerChain: async (subnetId, signal) =>
      (await index()?.managerChain(subnetId, signal)) ?? node.managerChain(subnetId, signal),
  }
}

const otherNames: Readonly<Record<'X' | 'C', Readonly<Record<number, string>>>> = {
  X: xTransactionNames,
  C: cTransactionNames,
}

async function transactionIn(store: Reader, txId: Uint8Array): Promise<L1Transaction | undefined> {
  const row = await transactionById(store, 'P', txId)
  if (row !== undefined) return l1TransactionOf(await unsignedAt(store, row.pos))
  for (const chain of ['X', 'C'] as const) {
    const other = await transactionById(store, chain, txId)
    const name = other === undefined ? undefined : otherNames[chain][other.type]
    if (name !== undefined) return { kind: 'none', type: name }
  }
  return undefined
}

function l1TransactionOf(unsigned: PUnsigned): L1Transaction {
  switch (unsigned.typeId) {
    case pTypes.ConvertSubnetToL1Tx: {
      const { subnetId, managerChainId, managerAddress } = unsigned
      const validators = unsigned.validators.map(({ nodeId, publicKey, weight }) => ({
        nodeId,
        blsPublicKey: publicKey,
        weight,
      }))
      const conversion = { subnetId, managerChainId, managerAddress, validators }
      return { kind: 'conversion', conversion }
    }
    case pTypes.RegisterL1ValidatorTx:
      return { kind: 'registration', message: unsigned.message }
    case pTypes.SetL1ValidatorWeightTx:
      return { kind: 'weight', message: unsigned.message }
    default:
      return { kind: 'none', type: pTransactionNames[unsigned.typeId] }
  }
}

/** The P-Chain transaction at `pos`, from its kept block. Throws `store-failed` without one. */
async function unsignedAt(store: Reader, pos: number): Promise<PUnsigned> {
  const { height, position } = placeOfPos(pos)
  const raw = await rawBlockFinder(store)(blockOfPos(pos))
  if (raw !== undefined) {
    const block = decodePBlock(blockOfRaw(height, raw).bytes)
    const found = transactionsOf(block)[position]
    if (found !== undefined) return found.record.unsigned
  }
  throw new Fault('store-failed', `the store has lost a transaction of block: ${height}`)
}

async function validationIn(
  store: Reader,
  validationId: Uint8Array,
): Promise<Validation | undefined> {
  const query = { validationId, includeInactive: true, after: undefined, limit: 1 }
  const [row] = await listL1Validators(store, query)
  if (row === undefined) return undefined
  const { subnetId, weight, minNonce } = row
  const origin = originIn(await unsignedAt(store, row.createdPos), validationId)
  return { subnetId, origin, removed: weight === 0n, weight, minNonce }
}

/** Origin of a validation in the transaction that made it; `undefined` in any other. */
function originIn(unsigned: PUnsigned, validationId: Uint8Array): Validation['origin'] {
  if (unsigned.typeId === pTypes.ConvertSubnetToL1Tx) {
    const { subnetId, validators } = unsigned
    const index = validators.findIndex((_validator, at) =>
      equalBytes(convertedValidationId(subnetId, at), validationId),
    )
    if (index >= 0) return { kind: 'conversion', index }
  }
  if (unsigned.typeId === pTypes.RegisterL1ValidatorTx) {
    const call = decode(warpPayload, decodeSigned(unsigned.message).message.payload)
    if (call.typeId === payloadTypes.addressedCall) {
      return { kind: 'registration', registerL1Validator: call.payload }
    }
  }
  throw new Fault('store-failed', `no transaction made the validation: ${toCb58(validationId)}`)
}
