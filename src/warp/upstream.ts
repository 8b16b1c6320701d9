/**
 * Forwarding to a signature aggregator of icm-services, for operators who run one already.
 *
 * What comes back is verified as if we had gathered it ourselves, so a broken aggregator cannot
 * put its answers into our mouth.
 *
 * Source: icm-services signature-aggregator/api/api.go.
 */

import { decodeBitSet } from '../codec/warp/bit-set.ts'
import { decodeSigned } from '../codec/warp/message.ts'
import { equalBytes, fromHex, toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { Fault } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import {
  type Aggregator,
  type AggregatorParts,
  createAggregator,
  planOf,
  transactionRequest,
} from './aggregator.ts'
import { field } from './json-value.ts'
import { quorumWeight } from './validator-set.ts'

/** Longer than the 55 s the other side takes at most. */
const timeoutMs = 60_000
const maxReplyBytes = 256 * 1024

/** An aggregator that asks the one at `baseUrl`. */
export function upstreamAggregator(
  transport: Transport,
  baseUrl: string,
  parts: AggregatorParts,
): Aggregator {
  const own = createAggregator(parts)
  const url = `${baseUrl.replace(/\/+$/, '')}/aggregate-signatures`
  const aggregate: Aggregator['aggregate'] = async (request, signal) => {
    const plan = await planOf(parts, request, signal)
    const { status, body } = await transport.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        message: toHex(plan.unsigned),
        justification: toHex(plan.justification),
        'signing-subnet-id': toCb58(plan.subnetId),
        'quorum-percentage': plan.quorum,
        'quorum-percentage-buffer': plan.buffer,
        'pchain-height': plan.height,
      }),
      timeoutMs,
      maxBytes: maxReplyBytes,
      signal,
    })
    const answer = parseAnswer(body)
    const signed = field(answer, 'signed-message')
    if (status === 200 && typeof signed === 'string') {
      const bytes = fromHex(signed)
      await check(parts, bytes, plan, signal)
      return bytes
    }
    throw refusal(status, field(answer, 'error'))
  }
  return {
    ...own,
    aggregate,
    aggregateTransaction: async (txId, signal) =>
      aggregate(await transactionRequest(parts, txId, signal), signal),
  }
}

function parseAnswer(body: Uint8Array): unknown {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body))
    return answer
  } catch (error) {
    throw new Fault('node-answer', 'the signature aggregator answers no JSON', { cause: error })
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

async function check(
  parts: AggregatorParts,
  bytes: Uint8Array,
  plan: Awaited<ReturnType<typeof planOf>>,
  signal: AbortSignal,
): Promise<void> {
  const { unsigned, signature } = decodeSigned(bytes)
  const set = await parts.validators.validatorsAt(plan.subnetId, plan.height, signal)
  let weight = 0n
  const publicKeys: Uint8Array[] = []
  for (const index of decodeBitSet(signature.signers)) {
    const signer = set.signers[index]
    if (signer === undefined) throw wrong()
    weight += signer.weight
    publicKeys.push(signer.publicKey)
  }
  const enough = weight >= quorumWeight(set.totalWeight, plan.quorum)
  const same = equalBytes(unsigned, plan.unsigned)
  const holds = parts.bls.verifyAggregate(unsigned, publicKeys, signature.signature)
  if (!enough || !same || !holds) throw wrong()
}

function wrong(): Fault {
  return new Fault('node-answer', 'the signature aggregator answers a message that does not verify')
}
