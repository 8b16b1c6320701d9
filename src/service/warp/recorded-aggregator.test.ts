import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  decodeSignatureResponse,
  encodeSignatureRequest,
} from '../../codec/warp/signature-request.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { recordedPeers } from './recorded-aggregator.ts'

const chainId = new Uint8Array(32)
const recorded = [
  { message: 'aa01', justification: '', signatures: { 'NodeID-1': '0b', 'NodeID-2': '0c' } },
  { message: 'aa01', justification: 'ff', signatures: { 'NodeID-1': '0d' } },
]

async function signed(nodeId: string, message: string, justification: string): Promise<string> {
  const request = { message: fromHex(message), justification: fromHex(justification) }
  const session = recordedPeers(recorded).session(nodeId)
  const answer = await session?.request(chainId, encodeSignatureRequest(request))
  return answer?.kind === 'response'
    ? toHex(decodeSignatureResponse(answer.appBytes))
    : (answer?.kind ?? 'nobody')
}

void test('recorded peers: each gives its own signature of what it signed, and of nothing else', async () => {
  for (const [nodeId, message, justification, expected] of [
    ['NodeID-1', 'aa01', '', '0b'],
    ['NodeID-2', 'aa01', '', '0c'],
    ['NodeID-1', 'aa01', 'ff', '0d'],
    ['NodeID-2', 'aa01', 'ff', 'error'],
    ['NodeID-1', 'aa02', '', 'error'],
    ['NodeID-3', 'aa01', '', 'nobody'],
  ] as const)
    assert.equal(await signed(nodeId, message, justification), expected, `${nodeId} ${message}`)
})

void test('recorded peers: who is not in the recording is gone, and not waited for', () => {
  const peers = recordedPeers(recorded)
  assert.equal(peers.failures('NodeID-1'), 0)
  assert.equal(peers.failures('NodeID-3'), Number.POSITIVE_INFINITY)
  assert.deepEqual(peers.status(), { connected: 2, connecting: 0, known: 2 })
})
