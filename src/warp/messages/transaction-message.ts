/**
 * From a P-Chain transaction to what the P-Chain says about it: the message the L1's validator
 * manager waits for, its justification, and who must sign it.
 *
 * The manager's chain verifies a P-Chain message with the validators of its own subnet, so that
 * is the signing subnet; it is the converted one only where the manager lives on the L1 itself.
 *
 * Source: ACP-77; avalanchego vms/platformvm/network/warp.go,
 * graft/subnet-evm/precompile/contracts/warp/config.go.
 */

import { decode } from '../../codec/cursor.ts'
import { encodeJustification, type Justification } from '../../codec/warp/justification.ts'
import {
  conversionId,
  type L1Message,
  l1Message,
  l1MessageTypes,
  registeredValidationId,
} from '../../codec/warp/l1-message.ts'
import { decodeSigned } from '../../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../codec/warp/payload.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { pChainMessage } from '../aggregation/request.ts'
import type { MessageSource, Validation } from './message-source.ts'

/** A question, and the chain on which its answer will be verified. */
export type TransactionMessage = {
  readonly unsigned: Uint8Array
  readonly justification: Uint8Array
  readonly managerChainId: Uint8Array
}

type Statement = {
  readonly said: L1Message
  readonly justification: Uint8Array
  readonly managerChainId: Uint8Array
}

/**
 * The message of transaction `txId`.
 *
 * Throws `not-found` for an unknown transaction, `bad-parameter` for one that has no message, and
 * `no-message` for one whose message validators no longer sign.
 */
export async function transactionMessage(
  source: MessageSource,
  networkId: number,
  txId: Uint8Array,
  signal: AbortSignal,
): Promise<TransactionMessage> {
  const { said, justification, managerChainId } = await statementOf(source, txId, signal)
  return { unsigned: pChainMessage(networkId, said), justification, managerChainId }
}

async function statementOf(
  source: MessageSource,
  txId: Uint8Array,
  signal: AbortSignal,
): Promise<Statement> {
  const transaction = await source.transaction(txId, signal)
  if (transaction === undefined) {
    throw new Fault('not-found', `transaction not found: ${toCb58(txId)}`)
  }
  switch (transaction.kind) {
    case 'conversion': {
      const { conversion } = transaction
      return {
        said: {
          typeId: l1MessageTypes.subnetToL1Conversion,
          conversionId: conversionId(conversion),
        },
        justification: conversion.subnetId,
        managerChainId: conversion.managerChainId,
      }
    }
    case 'registration':
      return registered(source, innerOf(transaction.message), signal)
    case 'weight':
      return weighed(source, innerOf(transaction.message), signal)
    case 'none':
      throw new Fault(
        'bad-parameter',
        `a transaction of this type has no message: ${transaction.type || toCb58(txId)}`,
      )
  }
}

/** The call about L1 validators inside a transaction's signed message. */
function innerOf(signed: Uint8Array): Uint8Array {
  const call = decode(warpPayload, decodeSigned(signed).message.payload)
  if (call.typeId === payloadTypes.addressedCall) return call.payload
  throw new Fault('bad-bytes', 'the message of an accepted transaction is not a call')
}

async function registered(
  source: MessageSource,
  inner: Uint8Array,
  signal: AbortSignal,
): Promise<Statement> {
  const validationId = registeredValidationId(inner)
  const validation = await validationOf(source, validationId, signal)
  if (validation.removed) {
    throw new Fault(
      'no-message',
      `no longer signed, since the validator was removed: ${toCb58(validationId)}`,
    )
  }
  return {
    said: { typeId: l1MessageTypes.l1ValidatorRegistration, validationId, registered: true },
    justification: new Uint8Array(),
    managerChainId: await managerChainOf(source, validation.subnetId, signal),
  }
}

async function weighed(
  source: MessageSource,
  inner: Uint8Array,
  signal: AbortSignal,
): Promise<Statement> {
  const said = decode(l1Message, inner)
  if (said.typeId !== l1MessageTypes.l1ValidatorWeight) {
    throw new Fault('bad-bytes', `the message of an accepted transaction has type: ${said.typeId}`)
  }
  const { validationId } = said
  const validation = await validationOf(source, validationId, signal)
  const managerChainId = await managerChainOf(source, validation.subnetId, signal)
  if (said.weight === 0n) {
    return {
      said: { typeId: l1MessageTypes.l1ValidatorRegistration, validationId, registered: false },
      justification: encodeJustification(originOf(validation)),
      managerChainId,
    }
  }
  const name = toCb58(validationId)
  if (validation.removed) {
    throw new Fault('no-message', `no longer signed, since the validator was removed: ${name}`)
  }
  if (validation.minNonce !== said.nonce + 1n) {
    throw new Fault('no-message', `no longer signed, since a later weight was set: ${name}`)
  }
  return { said, justification: new Uint8Array(), managerChainId }
}

function originOf({ subnetId, origin }: Validation): Justification {
  return origin.kind === 'conversion' ? { ...origin, subnetId } : origin
}

async function validationOf(
  source: MessageSource,
  validationId: Uint8Array,
  signal: AbortSignal,
): Promise<Validation> {
  const validation = await source.validation(validationId, signal)
  if (validation !== undefined) return validation
  throw new Fault(
    'not-found',
    `validation not found, and nodes forget those that are over: ${toCb58(validationId)}`,
  )
}

async function managerChainOf(
  source: MessageSource,
  subnetId: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chainId = await source.managerChain(subnetId, signal)
  if (chainId !== undefined) return chainId
  throw new Fault('not-found', `conversion not found: ${toCb58(subnetId)}`)
}
