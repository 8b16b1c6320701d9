/**
 * Signatures of a recorded network: its validators are those of the index, and what they sign is
 * what they signed when the recording was made.
 */

import type { OpenAggregator } from '../../api/icm/aggregators.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import {
  decodeSignatureRequest,
  encodeSignatureResponse,
} from '../../codec/warp/signature-request.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { RecordedPrimary, RecordedSignatures } from '../../source/primary/recorded-source.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import { chainsById } from '../../store/query/primary/network.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Peers } from '../../warp/aggregation/collect-task.ts'
import type { SigningNode } from '../../warp/aggregation/request-board.ts'
import { createAggregator } from '../../warp/aggregator.ts'
import { openBls } from '../../warp/bls/bls-native.ts'
import { canonicalSet } from '../../warp/validator-set.ts'
import { isPrimaryNetwork, type ValidatorSource } from '../../warp/validator-source.ts'
import { indexedMessages } from './indexed-messages.ts'
import { indexedValidators, storedValidators } from './indexed-validators.ts'

/** The index of the network, `undefined` before there is one. */
type Index = () => ServedNetwork['store'] | undefined

/** An aggregator over `recording`; `index` is the store that is made of it. */
export async function openRecordedAggregator(
  recording: RecordedPrimary,
  index: Index,
  parts: { readonly world: World; readonly log: Log; readonly signal: AbortSignal },
): Promise<OpenAggregator> {
  const { networkId } = await recording.identity(parts.signal)
  const { world, log } = parts
  const store = (): Reader => {
    const found = index()
    if (found !== undefined) return found
    throw new Fault('not-served', 'the recorded network is not indexed yet')
  }
  const aggregator = createAggregator({
    world,
    log,
    networkId,
    nodeId: '',
    bls: await openBls(log, world.random),
    pool: recordedPeers(recording.signatures()),
    validators: validatorsOf(index, store, world),
    messages: {
      transaction: (txId, signal) => indexedMessages(store()).transaction(txId, signal),
      validation: (id, signal) => indexedMessages(store()).validation(id, signal),
      managerChain: (subnetId, signal) => indexedMessages(store()).managerChain(subnetId, signal),
    },
    // Nothing is waited for but the index.
    timeoutMs: 1_000,
    maxLookback: 0,
  })
  return { networkId, aggregator }
}

function validatorsOf(index: Index, store: () => Reader, { clock }: World): ValidatorSource {
  const replayed = indexedValidators(index, clock)
  const tip = async (): Promise<number> => (await getCheckpoint(store(), 'P'))?.height ?? 0
  return {
    ...storedValidators(store, replayed, clock),
    // Messages are signed for the recording's last height: no node says what a chain verifies with.
    proposedHeight: tip,
    validatorsAt: async (subnetId, height, signal) => {
      const entries = await replayed(subnetId, height, signal)
      if (entries !== undefined) return canonicalSet(entries)
      throw new Fault('bad-parameter', `P-Chain height is not in the recording: ${height}`)
    },
    subnetOf: async (chainId) => {
      if (isPrimaryNetwork(chainId)) return chainId
      const [chain] = (await chainsById(store(), [chainId])).values()
      if (chain !== undefined) return chain.subnetId
      throw new Fault('not-found', `no such blockchain: ${toCb58(chainId)}`)
    },
    underfunded: async () => new Set(),
  }
}

// Validators of a recording: each answers with the signature it gave when the recording was made,
// and refuses every other message.

/** Code of a refusal that no repetition changes, whichever chain is called (ACP-118). */
const refusalCode = -2

/** Peers that know `recorded` alone. Their signatures are verified as those of others are. */
export function recordedPeers(recorded: readonly RecordedSignatures[]): Peers {
  const known: Known = new Map(
    recorded.map((one) => [
      `${one.message}:${one.justification}`,
      new Map(Object.entries(one.signatures)),
    ]),
  )
  const nodeIds = new Set([...known.values()].flatMap((byNode) => [...byNode.keys()]))
  const sessions = new Map([...nodeIds].map((nodeId) => [nodeId, sessionOf(nodeId, known)]))
  return {
    session: (nodeId) => sessions.get(nodeId),
    // A validator that is not in the recording is not waited for.
    failures: (nodeId) => (sessions.has(nodeId) ? 0 : Number.POSITIVE_INFINITY),
    offence: () => undefined,
    want: () => undefined,
    watch: () => () => undefined,
    ban: () => undefined,
    status: () => ({ connected: sessions.size, connecting: 0, known: sessions.size }),
    close: async () => undefined,
  }
}

/** Signatures by node id, by message and justification. */
type Known = ReadonlyMap<string, ReadonlyMap<string, string>>

function sessionOf(nodeId: string, known: Known): SigningNode {
  return {
    nodeId,
    request: async (_chainId, appBytes) => {
      const { message, justification } = decodeSignatureRequest(appBytes)
      const signature = known.get(`${toHex(message)}:${toHex(justification)}`)?.get(nodeId)
      if (signature === undefined)
        return { kind: 'error', code: refusalCode, message: 'not signed in the recording' }
      return { kind: 'response', appBytes: encodeSignatureResponse(fromHex(signature)) }
    },
  }
}
