/** The chart of delegations to a node, against each delegation of the recorded network. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { delegatedOver } from '../../src/explorer/browser/primary/stake.ts'
import type { Json } from '../support/services/evm-service.ts'
import { primaryService } from '../support/services/primary-service.ts'

const service = await primaryService()
const base = '/v1/networks/fuji'

void test('delegations over time: at each moment the sum of those that ran then', async () => {
  const all: Json[] = await service.readAll(`${base}/delegators?pageSize=100`, 'delegators')
  const byNode = Map.groupBy(all, ({ nodeId }) => nodeId)
  let compared = 0
  for (const [nodeId, own] of byNode) {
    const avax = own.filter(({ asset }) => asset.symbol === 'AVAX')
    const last = Math.max(...own.map(({ endTimestamp }) => endTimestamp))
    const points = delegatedOver(own, last)
    for (const { timestamp, value } of points) {
      const running = avax
        .filter(
          ({ startTimestamp: start, endTimestamp: end }) => start <= timestamp && timestamp < end,
        )
        .reduce((sum, { amountDelegated }) => sum + BigInt(amountDelegated), 0n)
      assert.equal(value, Number(running) / 1e9, `${nodeId} at ${timestamp}`)
      compared++
    }
    assert.equal(points.at(-1)?.value ?? 0, 0)
    const half = Math.floor((last + (points[0]?.timestamp ?? 0)) / 2)
    assert.ok(delegatedOver(own, half).every(({ timestamp }) => timestamp <= half))
  }
  assert.ok(compared > 10, String(compared))
})
