import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  decodeSignatureRequest,
  encodeSignatureResponse,
} from '../../codec/warp/signature-request.ts'
import type { Answer } from '../../peer/session.ts'
import { RequestBoard, type Outcome, type Question, questionOf } from './request-board.ts'

const unsigned = Uint8Array.of(1, 2, 3)
const pChain = new Uint8Array(32)
const other = new Uint8Array(32).fill(7)
const question = (chainId: Uint8Array, justification = Uint8Array.of(4)): Question =>
  questionOf('abc', unsigned, chainId, justification)

function outcome(answer: Answer, chainId: Uint8Array = pChain): Promise<Outcome> {
  return new RequestBoard().request(question(chainId), { nodeId: 'N', request: async () => answer })
}

void test('request board: codes that depend on the message alone are final, those of a moment are not', async () => {
  const finalOf = async (chainId: Uint8Array): Promise<number[]> => {
    const final: number[] = []
    for (let code = -5; code <= 18; code++) {
      const { kind } = await outcome({ kind: 'error', code, message: 'no' }, chainId)
      assert.ok(kind === 'refused' || kind === 'failed')
      if (kind === 'refused') final.push(code)
    }
    return final
  }
  // Source: avalanchego vms/platformvm/network/warp.go; -2 no handler, -3 not a validator. 6 and 16
  // pass when the node catches up, 11, 12 and 14 with time.
  const codes = [-3, -2, 1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 15, 17]
  assert.deepEqual(await finalOf(pChain), codes)
  // Other chains number their own reasons.
  assert.deepEqual(await finalOf(other), [-3, -2])
})

void test('request board: a peer’s words are short and printable in ours', async () => {
  const message = `a\nb\u0000é${'x'.repeat(500)}`
  const found = await outcome({ kind: 'error', code: 6, message })
  assert.ok(found.kind === 'failed')
  assert.match(found.why, /^refused with code 6 \(a b x+\)$/)
  assert.ok(found.why.length < 160)
})

void test('request board: silence, loss and empty answers are not signatures, garbage is a wrong one', async () => {
  const kinds = async (answer: Answer): Promise<string> => (await outcome(answer)).kind
  assert.equal(await kinds({ kind: 'silence' }), 'failed')
  assert.equal(await kinds({ kind: 'lost' }), 'absent')
  const empty = encodeSignatureResponse(new Uint8Array())
  assert.equal(await kinds({ kind: 'response', appBytes: empty }), 'failed')
  const garbage = await outcome({ kind: 'response', appBytes: Uint8Array.of(255, 255) })
  assert.deepEqual(garbage, { kind: 'signature', signature: new Uint8Array(), nodeId: 'N' })
})

void test('request board: the same question at the same time is sent once, another one is another', async () => {
  const board = new RequestBoard()
  const sent: Uint8Array[] = []
  const waiting: (() => void)[] = []
  const node = {
    nodeId: 'N',
    request: (_: Uint8Array, appBytes: Uint8Array): Promise<Answer> => {
      sent.push(appBytes)
      return new Promise((resolve) => waiting.push(() => resolve({ kind: 'silence' })))
    },
  }
  const first = board.request(question(pChain), node)
  assert.equal(board.request(question(pChain), node), first)
  const second = board.request(question(pChain, Uint8Array.of(5)), node)
  const elsewhere = board.request(question(pChain), { ...node, nodeId: 'M' })
  const decoded = sent.map((appBytes) => decodeSignatureRequest(appBytes))
  assert.deepEqual(
    decoded.map(({ justification }) => [...justification]),
    [[4], [5], [4]],
  )
  for (const { message } of decoded) assert.deepEqual(message, unsigned)
  for (const wake of waiting) wake()
  await Promise.all([first, second, elsewhere])
  // Over: the same request is sent again.
  const again = board.request(question(pChain), node)
  assert.equal(sent.length, 4)
  for (const wake of waiting) wake()
  assert.equal((await again).kind, 'failed')
})
