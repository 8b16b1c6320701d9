/** The store made from recorded blocks against the recorded node's own answers. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { recordedNode } from '../../../src/cli/verify/recorded-node.ts'
import { verifyPrimary } from '../../../src/cli/verify/verify-primary.ts'
import { primaryService, recordedAnswers, recordedMoment } from '../../primary-service.ts'

const service = primaryService()

void test('primary store: says of every state what the recorded AvalancheGo 1.14.2 said', async () => {
  const { network } = await service
  const answers = recordedAnswers()
  const moment = recordedMoment(answers) * 1_000
  const { heights, report } = await verifyPrimary({
    network,
    node: recordedNode(answers),
    clock: { now: () => moment, monotonic: () => 0, sleep: () => Promise.resolve() },
    signal: AbortSignal.timeout(60_000),
    sample: 64,
  })
  assert.deepEqual(report.differences(), [])
  assert.deepEqual([...report.skipped()], [], 'no check was left out')
  assert.ok(heights.P > 100 && heights.X > 100 && heights.C > 100)
  const counts = report.counts()
  for (const check of ['P UTXOs', 'X UTXOs', 'validator sets', 'P stakes', 'reward UTXOs'])
    assert.ok((counts.get(check) ?? 0) > 4, `${check} was compared: ${counts.get(check)}`)
})
