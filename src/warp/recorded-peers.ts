/**
 * Validators of a recording: each answers with the signature it gave when the recording was made,
 * and refuses every other message.
 */

import { decodeSignatureRequest, encodeSignatureResponse } from '../codec/warp/signature-request.ts'
import { fromHex, toHex } from '../core/bytes.ts'
import type { RecordedSignatures } from '../source/primary/recorded-source.ts'
import type { Peers } from './aggregation/collect-task.ts'
import type { SigningNode } from './aggregation/request-board.ts'

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
