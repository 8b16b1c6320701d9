/**
 * Forwarding to a signature aggregator of icm-services, for operators who run one already.
 *
 * Answers are verified as if this process had gathered them, so a broken aggregator cannot
 * make this process give wrong answers.
 *
 * Source: icm-services signature-aggregator/api/api.go.
 */

import { decodeBitSet } from '../codec/warp/bit-set.ts'
import { decodeSigned } from '../codec/warp/message.ts'
import { equalBytes, fromHex, toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { Fault, faultOf } from '../core/fault.ts'
import { jsonOf } from '../core/json.ts'
import type { HttpReply, Transport } from '../core/world.ts'
import type { Bls } from './bls.ts'
import type { Gather } from './gather.ts'
import { field } from './json-value.ts'
import type { Plan } from './plan.ts'
import { quorumWeight, type ValidatorSet } from './validator-set.ts'
import { isPrimaryNetwork, type ValidatorSource } from './validator-source.ts'

/** Longer than the 55 s the other side takes at most. */
const timeoutMs = 60_000
const maxReplyBytes = 256 * 1024

/** Parts of forwarding. */
export type UpstreamParts = { readonly bls: Bls; readonly validators: ValidatorSource }

/**
 * Asks the signature aggregator at `baseUrl`. Throws `bad-parameter`, `quorum-not-reached`,
 * `node-unreachable`, `node-answer`.
 *
 * It knows no buffer: it is asked for quorum and buffer first, and for the quorum alone where that
 * is too much. What it collected for the first question is there for the second.
 */
export function gatherUpstream(
  transport: Transport,
  baseUrl: string,
  parts: UpstreamParts,
): Gather {
  const url = `${baseUrl.replace(/\/+$/, '')}/aggregate-signatures`
  const ask = async (plan: Plan, quorum: number, signal: AbortSignal): Promise<Uint8Array> => {
    const { status, body } = await post(transport, url, bodyOf(plan, quorum), signal)
    const answer = jsonOf(body)
    if (answer === undefined)
      throw new Fault('node-answer', 'the signature aggregator answers no JSON')
    const signed = field(answer, 'signed-message')
    if (status !== 200 || typeof signed !== 'string') throw refusal(status, field(answer, 'error'))
    const { subnetId, height } = plan
    const set = await parts.validators.validatorsAt(subnetId, height, signal)
    return verified(parts.bls, signed, plan, set)
  }
  return async (plan, signal) => {
    await checkSubnet(parts, plan, signal)
    if (plan.buffer === 0) return ask(plan, plan.quorum, signal)
    try {
      return await ask(plan, plan.quorum + plan.buffer, signal)
    } catch (error) {
      if (faultOf(error)?.code !== 'quorum-not-reached') throw error
      return ask(plan, plan.quorum, signal)
    }
  }
}

/** It takes the id of the primary network, which is all zero, for no id, and asks the source's. */
async function checkSubnet(
  { validators }: UpstreamParts,
  { subnetId, sourceChainId }: Plan,
  signal: AbortSignal,
): Promise<void> {
  if (!isPrimaryNetwork(subnetId)) return
  if (isPrimaryNetwork(await validators.subnetOf(sourceChainId, signal))) return
  throw new Fault(
    'bad-parameter',
    'the signature aggregator cannot ask the primary network about a message of another subnet',
  )
}

function bodyOf(plan: Plan, quorum: number): string {
  return JSON.stringify({
    message: toHex(plan.unsigned),
    justification: toHex(plan.justification),
    'signing-subnet-id': toCb58(plan.subnetId),
    'quorum-percentage': quorum,
    'pchain-height': plan.height,
  })
}

async function post(
  transport: Transport,
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<HttpReply> {
  const headers = { 'content-type': 'application/json' }
  const limits = { timeoutMs, maxBytes: maxReplyBytes, signal }
  try {
    return await transport.request({ url, method: 'POST', headers, body, ...limits })
  } catch (error) {
    if (faultOf(error)?.code !== 'node-unreachable') throw error
    throw new Fault('node-unreachable', 'the signature aggregator does not answer', {
      cause: error,
    })
  }
}

/** Its 500 covers what can and what cannot be helped; its words tell which. */
function refusal(status: number, error: unknown): Fault {
  const words = typeof error === 'string' ? error.slice(0, 300) : ''
  const short = /threshold|insufficient/i.test(words)
  if (short) return new Fault('quorum-not-reached', words)
  if (status === 400) return new Fault('bad-parameter', words)
  return new Fault('node-answer', `the signature aggregator answers with an error: ${status}`)
}

/** The bytes of a signed message that is what was asked for. Throws `node-answer`. */
function verified(bls: Bls, hex: string, plan: Plan, set: ValidatorSet): Uint8Array {
  try {
    const bytes = fromHex(hex)
    const { unsigned, signature } = decodeSigned(bytes)
    const signers = decodeBitSet(signature.signers).map((index) => set.signers[index])
    const known = signers.filter((signer) => signer !== undefined)
    const weight = known.reduce((sum, signer) => sum + signer.weight, 0n)
    const publicKeys = known.map(({ publicKey }) => publicKey)
    const holds =
      known.length === signers.length &&
      weight >= quorumWeight(set.totalWeight, plan.quorum) &&
      equalBytes(unsigned, plan.unsigned) &&
      bls.verifyAggregate(unsigned, publicKeys, signature.signature)
    if (holds) return bytes
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    throw wrong(error)
  }
  throw wrong()
}

function wrong(cause?: unknown): Fault {
  return new Fault(
    'node-answer',
    'the signature aggregator answers a message that does not verify',
    cause === undefined ? {} : { cause },
  )
}
