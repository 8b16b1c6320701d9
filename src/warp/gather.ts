/** Calls validators as planned and puts their signatures together. */

import { encodeBitSet, encodeSigned, messageId } from '../codec/warp/message.ts'
import { toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { assert, Fault } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import {
  type CollectCounters,
  type CollectOptions,
  type Peers,
  SignatureCache,
} from './aggregation/collect-task.ts'
import { collect } from './aggregation/collect.ts'
import { RequestBoard, questionOf } from './aggregation/request-board.ts'
import { isPChain } from './aggregation/request.ts'
import type { Bls } from './bls/bls.ts'
import type { Plan } from './plan.ts'
import type { Signer } from './validator-set.ts'
import type { ValidatorSource } from './validator-source.ts'

/**
 * Brings the signed message of a plan.
 *
 * Throws `quorum-not-reached`, `not-served` without any peer, faults of the node, or the signal's
 * reason.
 */
export type Gather = (plan: Plan, signal: AbortSignal) => Promise<Uint8Array>

/** All that calls to validators need. */
export type GatherOptions = {
  readonly world: Pick<World, 'clock'>
  readonly log: Log
  /** Our own, for those who must let us in. */
  readonly nodeId: string
  readonly bls: Bls
  readonly pool: Peers
  readonly validators: ValidatorSource
  readonly timeoutMs: number
}

/** Calls the validators themselves; `counters` are added to. */
export function gatherFromPeers(options: GatherOptions, counters: CollectCounters): Gather {
  const collectParts: CollectOptions = {
    clock: options.world.clock,
    bls: options.bls,
    pool: options.pool,
    board: new RequestBoard(),
    cache: new SignatureCache(),
    counters,
  }
  return (plan, signal) => gather(options, collectParts, plan, signal)
}

async function gather(
  options: GatherOptions,
  collectParts: CollectOptions,
  plan: Plan,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { validators, log } = options
  const startedAt = options.world.clock.monotonic()
  const set = await validators.validatorsAt(plan.subnetId, plan.height, signal)
  if (set.signers.length === 0) {
    throw new Fault(
      'quorum-not-reached',
      `no validator can sign at P-Chain height ${plan.height} for the subnet: ${toCb58(plan.subnetId)}`,
    )
  }
  const present = plan.height >= (await validators.proposedHeight(signal))
  const poor = await validators.underfunded(plan.subnetId, signal)
  const messageHex = toHex(messageId(plan.unsigned))
  const collected = await collect(
    collectParts,
    {
      unsigned: plan.unsigned,
      question: questionOf(messageHex, plan.unsigned, plan.sourceChainId, plan.justification),
      subnetId: plan.subnetId,
      set,
      goal: plan,
      present,
      whenMute: muteReason(plan, options.nodeId),
      excluded: ({ nodeIds }: Signer) => nodeIds.every((nodeId) => poor.has(nodeId)),
      timeoutMs: options.timeoutMs,
    },
    signal,
  )
  log.debug('warp-aggregated', {
    messageId: messageHex,
    signers: collected.signers.length,
    validators: set.signers.length,
    height: plan.height,
    elapsedMs: options.world.clock.monotonic() - startedAt,
  })
  const { signers, signature, isVerified } = collected
  const publicKeys = signers.map(({ signer }) => signer.publicKey)
  const holds = isVerified || options.bls.verifyAggregate(plan.unsigned, publicKeys, signature)
  assert(holds, 'the signatures were verified one by one or in whole groups, so their sum verifies')
  return encodeSigned(plan.unsigned, {
    signers: encodeBitSet(signers.map(({ index }) => index)),
    signature,
  })
}

/**
 * Nodes of a private L1 pass over strangers without a word, but not over questions to the P-Chain.
 */
function muteReason({ sourceChainId }: Plan, nodeId: string): string | undefined {
  if (isPChain(sourceChainId)) return undefined
  return `nodes of a private L1 answer only the node ids they allow, ours is ${nodeId}`
}
