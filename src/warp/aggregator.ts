/**
 * Warp signature aggregation: asks the validators of a subnet to sign a message and puts their
 * signatures together. Document A, operations 1 and 2.
 *
 * It holds no key of a validator and decides nothing: what comes out was verified against the
 * validator set, or does not come out.
 */

import { decode } from '../codec/kit.ts'
import { encodeBitSet } from '../codec/warp/bit-set.ts'
import { l1MessageTypes } from '../codec/warp/l1-message.ts'
import { encodeSigned, messageId, unsignedMessage } from '../codec/warp/message.ts'
import { concatBytes, toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { assert, Fault } from '../core/fault.ts'
import { sha256 } from '../core/hash.ts'
import type { World } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { AskBoard, questionOf } from './aggregation/ask.ts'
import { collect, type CollectCounters, type CollectParts } from './aggregation/collect.ts'
import {
  type AggregationRequest,
  defaultQuorum,
  isPChain,
  justifiedQuestion,
  pChainMessage,
} from './aggregation/request.ts'
import { SharedWork } from './aggregation/shared-work.ts'
import { SignatureCache } from './aggregation/signature-cache.ts'
import type { Progress } from './aggregation/tally.ts'
import type { Bls } from './bls.ts'
import { Cache } from './cache.ts'
import type { MessageSource } from './message-source.ts'
import type { PeerPool, PoolStatus } from './peer/pool.ts'
import { transactionMessage } from './transaction-message.ts'
import type { Signer, ValidatorSet } from './validator-set.ts'
import type { ValidatorSource } from './validator-source.ts'

/** Gathers signatures for one network. */
export type Aggregator = {
  /**
   * Operation 1: the signed message.
   *
   * Throws `bad-parameter`, `not-found`, `quorum-not-reached`, `overloaded`, faults of the node,
   * or the signal's reason.
   */
  readonly aggregate: (request: AggregationRequest, signal: AbortSignal) => Promise<Uint8Array>
  /** Operation 2: the signed message of a P-Chain transaction. Throws `no-message` as well. */
  readonly aggregateTransaction: (txId: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
  readonly status: () => AggregatorStatus
  readonly close: () => Promise<void>
}

/** What operators want to see. `nodeId` is what a private L1 must let in. */
export type AggregatorStatus = {
  readonly nodeId: string
  readonly peers: PoolStatus
  readonly running: number
  readonly counters: Readonly<CollectCounters>
}

/** What an aggregator is made of. */
export type AggregatorParts = {
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  readonly networkId: number
  readonly nodeId: string
  readonly bls: Bls
  readonly pool: PeerPool
  readonly validators: ValidatorSource
  /** Without it operation 2 finds no transaction. */
  readonly messages: MessageSource | undefined
  readonly timeoutMs: number
}

// A collection of 1,000 validators holds a megabyte; 64 of them and 256 in line are plenty.
const maxRunning = 64
const maxWaiting = 256
/** A signed message is good for ever, but a repeated request may deserve fresh signers. */
const keepMs = 60_000
const maxKept = 1_024

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

/** An aggregator over `parts`, which are its own from now on: `close` closes the pool. */
export function createAggregator(parts: AggregatorParts): Aggregator {
  const counters = { asked: 0, signatures: 0, cached: 0, wrong: 0, refused: 0, silent: 0 }
  const shared = new SharedWork<Uint8Array>({ maxRunning, maxWaiting })
  const kept = new Cache<Uint8Array>(parts.world.clock, { maxEntries: maxKept, keepMs })
  const collectParts: CollectParts = {
    clock: parts.world.clock,
    bls: parts.bls,
    pool: parts.pool,
    board: new AskBoard(),
    cache: new SignatureCache(),
    counters,
  }

  const aggregatePlan = (plan: Plan, signal: AbortSignal): Promise<Uint8Array> => {
    const key = keyOfPlan(plan)
    const done = kept.peek(key)
    if (done !== undefined) return Promise.resolve(done)
    const work = async (jobSignal: AbortSignal): Promise<Uint8Array> => {
      const signed = await gather(parts, collectParts, plan, jobSignal)
      kept.put(key, signed)
      return signed
    }
    return shared.do(key, work, signal)
  }

  const aggregate: Aggregator['aggregate'] = async (request, signal) =>
    aggregatePlan(await planOf(parts, request, signal), signal)

  return {
    aggregate,
    aggregateTransaction: async (txId, signal) =>
      aggregate(await transactionRequest(parts, txId, signal), signal),
    status: () => ({
      nodeId: parts.nodeId,
      peers: parts.pool.status(),
      running: shared.size,
      counters: { ...counters },
    }),
    close: async () => {
      shared.close()
      await parts.pool.close()
    },
  }
}

/** What a request comes down to: exact bytes, subnet and height. Throws as `aggregate`. */
export async function planOf(
  parts: AggregatorParts,
  request: AggregationRequest,
  signal: AbortSignal,
): Promise<Plan> {
  const { validators } = parts
  const unsigned =
    request.unsigned ?? (await justifiedMessage(parts, request.justification, signal))
  const { sourceChainId } = decode(unsignedMessage, unsigned)
  const sourceSubnet = await validators.subnetOf(sourceChainId, signal)
  const { signingSubnetId, justification, quorum, buffer } = request
  // Asked for its fault: a subnet nobody knows is the caller's mistake.
  if (signingSubnetId !== undefined) await validators.subnet(signingSubnetId, signal)
  const height = request.height ?? (await validators.proposedHeight(signal))
  const subnetId = signingSubnetId ?? sourceSubnet
  return { unsigned, justification, sourceChainId, subnetId, height, quorum, buffer }
}

/** The request operation 2 stands for. Throws `not-found`, `bad-parameter`, `no-message`. */
export async function transactionRequest(
  parts: AggregatorParts,
  txId: Uint8Array,
  signal: AbortSignal,
): Promise<AggregationRequest> {
  const { messages, networkId, validators } = parts
  if (messages === undefined) {
    throw new Fault('not-found', 'this deployment does not index the P-Chain of the network')
  }
  const found = await transactionMessage(messages, networkId, txId, signal)
  const signingSubnetId = await validators.subnetOf(found.managerChainId, signal)
  const height = await deliveryHeight(validators, signingSubnetId, found.managerChainId, signal)
  const { unsigned, justification } = found
  return { unsigned, justification, signingSubnetId, quorum: defaultQuorum, buffer: 0, height }
}

/**
 * The height with which the manager's chain will verify the message; `undefined`, the proposed
 * one, where our node cannot tell.
 *
 * An L1 that has just begun is in an epoch from before its validators; it is out of it after a
 * block or two, so the message is made for what comes then.
 */
async function deliveryHeight(
  validators: ValidatorSource,
  subnetId: Uint8Array,
  managerChainId: Uint8Array,
  signal: AbortSignal,
): Promise<number | undefined> {
  const height = await validators.epochHeight(managerChainId, signal)
  if (height === undefined) return undefined
  const { signers } = await validators.validatorsAt(subnetId, height, signal)
  return signers.length > 0 ? height : undefined
}

/** Collects signatures as planned and puts them together. */
async function gather(
  parts: AggregatorParts,
  collectParts: CollectParts,
  plan: Plan,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { validators, log } = parts
  const startedAt = parts.world.clock.monotonic()
  const set = await validators.validatorsAt(plan.subnetId, plan.height, signal)
  if (set.signers.length === 0) {
    throw new Fault(
      'quorum-not-reached',
      `no validator can sign at P-Chain height ${plan.height} for the subnet: ${toCb58(plan.subnetId)}`,
    )
  }
  const poor = await validators.underfunded(plan.subnetId, signal)
  const messageHex = toHex(messageId(plan.unsigned))
  const chosen = await collect(
    collectParts,
    {
      unsigned: plan.unsigned,
      question: questionOf(messageHex, plan.unsigned, plan.sourceChainId, plan.justification),
      subnetId: plan.subnetId,
      set,
      goal: plan,
      whenMute: muteReason(plan, parts.nodeId),
      excluded: ({ nodeIds }: Signer) => nodeIds.every((nodeId) => poor.has(nodeId)),
      timeoutMs: parts.timeoutMs,
    },
    signal,
  )
  log.debug('warp-aggregated', {
    messageId: messageHex,
    signers: chosen.length,
    validators: set.signers.length,
    height: plan.height,
    elapsedMs: parts.world.clock.monotonic() - startedAt,
  })
  return signedBy(parts.bls, plan.unsigned, set, chosen)
}

/** Nodes of a private L1 pass over strangers without a word, but not over questions to the P-Chain. */
function muteReason({ sourceChainId }: Plan, nodeId: string): string | undefined {
  if (isPChain(sourceChainId)) return undefined
  return `nodes of a private L1 answer only the node ids they allow, ours is ${nodeId}`
}

/** The message a lone justification asks for. Throws `bad-parameter`, `not-found`. */
async function justifiedMessage(
  { validators, networkId }: AggregatorParts,
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

function signedBy(
  bls: Bls,
  unsigned: Uint8Array,
  set: ValidatorSet,
  chosen: readonly Progress[],
): Uint8Array {
  const signature = bls.aggregate(chosen.map((progress) => progress.signature))
  const publicKeys = chosen.map(({ index }) => set.signers[index]?.publicKey ?? new Uint8Array())
  const holds = bls.verifyAggregate(unsigned, publicKeys, signature)
  assert(holds, 'every signature was verified, so their sum verifies')
  const signers = encodeBitSet(chosen.map(({ index }) => index))
  return encodeSigned(unsigned, { signers, signature })
}

function keyOfPlan(plan: Plan): string {
  const parts = concatBytes(sha256(plan.unsigned), sha256(plan.justification), plan.subnetId)
  return [toHex(parts), plan.quorum, plan.buffer, plan.height].join(':')
}
