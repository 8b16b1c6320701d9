/** Asks every node of the network for its own signature of every message of the demo. */

import { setTimeout as pause } from 'node:timers/promises'

import { decode } from '../../src/codec/cursor.ts'
import { unsignedMessage } from '../../src/codec/warp/message.ts'
import {
  decodeSignatureResponse,
  encodeSignatureRequest,
} from '../../src/codec/warp/signature-request.ts'
import { toHex } from '../../src/core/bytes.ts'
import { faultOf } from '../../src/core/fault.ts'
import { openIdentity } from '../../src/peer/identity.ts'
import { defaultPeerLimits } from '../../src/peer/limits.ts'
import { PeerPool } from '../../src/peer/pool.ts'
import type { RecordedSignatures } from '../../src/source/primary/recorded-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import type { MessageSource } from '../../src/warp/messages/message-source.ts'
import { createNode } from '../../src/warp/node.ts'
import { transactionRequest } from '../../src/warp/plan.ts'
import { nodeValidators } from '../../src/warp/validator-source.ts'
import { settled } from '../../test/network/real-network.ts'
import type { Scene } from '../../test/network/scene.ts'
import { liveWorld } from '../../test/support/chains/live-world.ts'
import type { Sent } from './relay.ts'

type Question = { readonly message: Uint8Array; readonly justification: Uint8Array }

/** Signatures of `sent` messages, and of what the P-Chain says of `transactions`. */
export async function askedSignatures(
  scene: Scene,
  of: {
    readonly sent: readonly Sent[]
    readonly transactions: readonly Uint8Array[]
    /** The index: nodes forget validations that are over. */
    readonly messages: MessageSource
  },
): Promise<RecordedSignatures[]> {
  const { networkId } = scene.wallet.ids
  const world = liveWorld(8)
  const node = createNode(world.transport, scene.network.url(1))
  const pool = new PeerPool({
    world,
    log: silentLog,
    networkId,
    identity: await openIdentity(world, 'staking'),
    nodePeers: node.peers,
    limits: defaultPeerLimits,
    configured: [],
    bootstrappers: [],
    allowPrivateIps: true,
  })
  const nodeIds = await Promise.all(
    [1, 2, 3, 4, 5].map(async (number) =>
      String((await scene.network.node(number).call('/ext/info', 'info.getNodeID'))['nodeID']),
    ),
  )
  try {
    pool.want(nodeIds, new Uint8Array(32))
    await settled('all nodes are connected', async () => {
      pool.want(nodeIds, new Uint8Array(32))
      return nodeIds.every((nodeId) => pool.session(nodeId) !== undefined)
    })
    const questions: Question[] = of.sent.map(({ message }) => ({
      message: parseRequest({ message }, networkId).unsigned ?? new Uint8Array(),
      justification: new Uint8Array(),
    }))
    const parts = {
      networkId,
      validators: nodeValidators(node, world.clock),
      messages: of.messages,
    }
    for (const txId of of.transactions) {
      const question = await questionAbout(txId, parts)
      if (question !== undefined) questions.push(question)
    }
    const found: RecordedSignatures[] = []
    for (const question of questions) found.push(await signaturesOf(pool, nodeIds, question))
    return found
  } finally {
    await pool.close()
  }
}

/** The P-Chain's answer about a transaction; `undefined` where it no longer has one. */
async function questionAbout(
  txId: Uint8Array,
  parts: Parameters<typeof transactionRequest>[0],
): Promise<Question | undefined> {
  try {
    const request = await transactionRequest(parts, txId, AbortSignal.timeout(20_000))
    const { unsigned, justification } = request
    return unsigned === undefined ? undefined : { message: unsigned, justification }
  } catch (error) {
    if (faultOf(error)?.code !== 'no-message') throw error
    return undefined
  }
}

async function signaturesOf(
  pool: PeerPool,
  nodeIds: readonly string[],
  question: Question,
): Promise<RecordedSignatures> {
  const { sourceChainId } = decode(unsignedMessage, question.message)
  const signatures: Record<string, string> = {}
  for (const nodeId of nodeIds) {
    for (let attempt = 0; attempt < 3 && signatures[nodeId] === undefined; attempt++) {
      pool.want(nodeIds, new Uint8Array(32))
      const answer = await pool
        .session(nodeId)
        ?.request(sourceChainId, encodeSignatureRequest(question))
      if (answer?.kind === 'response') {
        const signature = decodeSignatureResponse(answer.appBytes)
        if (signature.length > 0) signatures[nodeId] = toHex(signature)
      } else if (answer?.kind === 'error') break
      else await pause(500)
    }
  }
  return {
    message: toHex(question.message),
    justification: toHex(question.justification),
    signatures,
  }
}
