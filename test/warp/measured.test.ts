import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import { measuredAggregator } from '../../src/service/warp/aggregators.ts'
import { createGauges } from '../../src/telemetry/gauges.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import { realWorld, startNetwork } from '../support/nodes/warp-network.ts'

const { messages }: { messages: readonly { name: string; unsignedMessage: string }[] } = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/canonical-set-and-messages.json', import.meta.url),
    'utf8',
  ),
)
const message = messages.find(({ name }) => name === 'l1ValidatorRegistration')?.unsignedMessage

void test('signature gauges: outcomes, seconds and peers are what happened', async () => {
  const sign = { kind: 'sign' } as const
  const network = await startNetwork({
    behaviours: [sign, sign, sign, { kind: 'refuse', code: 1 }],
  })
  const gauges = createGauges()
  const parts = { gauges, clock: realWorld().clock }
  const measured = measuredAggregator(network.aggregator, 'fuji', parts)
  try {
    const { signal } = new AbortController()
    const request = (quorumPercentage: number): Parameters<typeof measured.aggregate>[0] =>
      parseRequest({ message, quorumPercentage }, 12_345)
    assert.ok((await measured.aggregate(request(67), signal)).length > 0)
    const isFault = (code: string) => (error: unknown) =>
      error instanceof Fault && error.code === code
    await assert.rejects(measured.aggregate(request(100), signal), isFault('quorum-not-reached'))
    const unknown = measured.aggregateTransaction(new Uint8Array(32), signal)
    await assert.rejects(unknown, isFault('not-found'))
    await assert.rejects(measured.aggregate(request(80), AbortSignal.abort(new Error('gone'))))
    const text = await gauges.text()
    for (const outcome of ['signed', 'quorum-not-reached', 'not-found', 'aborted']) {
      const line = `firn_warp_requests_total{network="fuji",outcome="${outcome}"} 1`
      assert.ok(text.includes(line), outcome)
    }
    assert.ok(text.includes('firn_warp_request_seconds_count{network="fuji"} 4'))
    const answers = (kind: string): number =>
      Number(
        new RegExp(`firn_warp_answers_total{network="fuji",kind="${kind}"} (\\d+)`).exec(text)?.[1],
      )
    assert.deepEqual(['signed', 'wrong', 'silent'].map(answers), [3, 0, 0])
    // Once or twice: the first request may have been done before the refusal came.
    assert.ok(answers('refused') === 1 || answers('refused') === 2)
    // The second reading adds what is new, which is nothing.
    assert.ok((await gauges.text()).includes('{network="fuji",kind="signed"} 3'))
    const connected = network.aggregator.status().peers.connected
    assert.ok(connected >= 3)
    assert.ok(text.includes(`firn_warp_connected_peers{network="fuji"} ${connected}`))
  } finally {
    await network.close()
  }
})
