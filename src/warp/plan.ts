/** Reduces a request for signatures to exact bytes, a subnet and a height. */

import { decode } from '../codec/cursor.ts'
import { l1Message, l1MessageTypes } from '../codec/warp/l1-message.ts'
import { unsignedMessage } from '../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../codec/warp/payload.ts'
import { concatBytes, toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { Fault, faultOf } from '../core/fault.ts'
import { sha256 } from '../core/hash.ts'
import {
  type AggregationRequest,
  defaultQuorum,
  isPChain,
  justifiedQuestion,
  pChainMessage,
} from './aggregation/request.ts'
import type { MessageSource } from './messages/message-source.ts'
import { transactionMessage } from './messages/transaction-message.ts'
import type { ValidatorSource } from './validator-source.ts'

/** A request with everything looked up. */
export type Plan = {
  readonly unsigned: Uint8Array
  readonly justification: Uint8Array
  readonly sourceChainId: Uint8Array
  readonly subnetId: Uint8Array
  readonly height: number
  readonly quorum: number
  readonly buffer: number
}

/** All that planning reads. */
export type PlanOptions = {
  readonly networkId: number
  readonly validators: ValidatorSource
  /** Without it operation 2 finds no transaction. */
  readonly messages: MessageSource | undefined
}

const pChainId = new Uint8Array(32)

/** Returns the plan of a request: exact bytes, subnet and height. Throws as `aggregate`. */
export async function planOf(
  options: PlanOptions,
  request: AggregationRequest,
  signal: AbortSignal,
): Promise<Plan> {
  const { validators } = options
  const unsigned =
    request.unsigned ?? (await justifiedMessage(options, request.justification, signal))
  const { sourceChainId } = decode(unsignedMessage, unsigned)
  const sourceSubnet = await validators.subnetOf(sourceChainId, signal)
  const { signingSubnetId, justification, quorum, buffer } = request
  // Read for its fault: a subnet nobody knows is the caller's mistake.
  if (signingSubnetId !== undefined) await validators.subnet(signingSubnetId, signal)
  const subnetId = signingSubnetId ?? sourceSubnet
  const height =
    request.height ??
    (isForPChain(unsigned)
      ? await deliveryHeight(validators, { subnetId, receiver: pChainId }, signal)
      : undefined) ??
    (await validators.proposedHeight(signal))
  return { unsigned, justification, sourceChainId, subnetId, height, quorum, buffer }
}

/**
 * Returns whether only the P-Chain has a use for a message: an L1 registers a validator or sets a
 * weight.
 */
function isForPChain(unsigned: Uint8Array): boolean {
  const { sourceChainId, payload } = decode(unsignedMessage, unsigned)
  if (isPChain(sourceChainId)) return false
  try {
    const call = decode(warpPayload, payload)
    if (call.typeId !== payloadTypes.addressedCall) return false
    const { typeId } = decode(l1Message, call.payload)
    return (
      typeId === l1MessageTypes.registerL1Validator || typeId === l1MessageTypes.l1ValidatorWeight
    )
  } catch (error) {
    // A call of some contract: its bytes are for others to read.
    if (faultOf(error) === undefined) throw error
    return false
  }
}

/** The request operation 2 stands for. Throws `not-found`, `bad-parameter`, `no-message`. */
export async function transactionRequest(
  options: PlanOptions,
  txId: Uint8Array,
  signal: AbortSignal,
): Promise<AggregationRequest> {
  const { messages, networkId, validators } = options
  if (messages === undefined) {
    throw new Fault('not-found', 'this deployment does not index the P-Chain of the network')
  }
  const found = await transactionMessage(messages, networkId, txId, signal)
  const signingSubnetId = await validators.subnetOf(found.managerChainId, signal)
  const of = { subnetId: signingSubnetId, receiver: found.managerChainId }
  const height = await deliveryHeight(validators, of, signal)
  const { unsigned, justification } = found
  return { unsigned, justification, signingSubnetId, quorum: defaultQuorum, buffer: 0, height }
}

/**
 * The height with which a chain, the receiver, will verify a message; `undefined`, the proposed
 * one, where our node does not know.
 *
 * An L1 that has just begun is in an epoch from before its validators; it is out of it after a
 * block or two, so the message is made for what comes then.
 */
async function deliveryHeight(
  validators: ValidatorSource,
  of: { readonly subnetId: Uint8Array; readonly receiver: Uint8Array },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { subnetId, receiver } = of
  const height = await validators.epochHeight(receiver, signal)
  if (height === undefined) return undefined
  const { signers } = await validators.validatorsAt(subnetId, height, signal)
  return signers.length > 0 ? height : undefined
}

/** The message a lone justification is about. Throws `bad-parameter`, `not-found`. */
async function justifiedMessage(
  { validators, networkId }: PlanOptions,
  justification: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const question = justifiedQuestion(justification)
  if (question.kind === 'removal') {
    return pChainMessage(networkId, {
      typeId: l1MessageTypes.l1ValidatorRegistration,
      validationId: question.validationId,
      registered: false,
    })
  }
  const { conversionId } = await validators.subnet(question.subnetId, signal)
  if (conversionId === undefined) {
    throw new Fault('bad-parameter', `the subnet was not converted: ${toCb58(question.subnetId)}`)
  }
  return pChainMessage(networkId, { typeId: l1MessageTypes.subnetToL1Conversion, conversionId })
}

/** Key of a plan. Plans with the same message, justification, validators and goal share it. */
export function keyOfPlan(plan: Plan): string {
  const parts = concatBytes(sha256(plan.unsigned), sha256(plan.justification), plan.subnetId)
  return [toHex(parts), plan.quorum, plan.buffer, plan.height].join(':')
}
