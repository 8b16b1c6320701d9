import assert from 'node:assert/strict'
import { test } from 'node:test'

import { operations } from '../../../shape/operations/operations.ts'
import { createLanes } from './lanes.ts'

/** A path with something in the place of each parameter. */
const filled = (path: string): string => path.replace(/\{\w+\}/g, '0xabc-1')

void test('lanes: cheap is what is named so, with a key in each place, and nothing else', () => {
  const shapes = Object.values(operations)
  const { laneOf } = createLanes(shapes)
  const lanes = new Map<string, string[]>()
  for (const { path } of shapes) {
    const lane = laneOf(`${filled(path)}?pageSize=100`)
    lanes.set(lane, [...(lanes.get(lane) ?? []), path])
  }
  assert.deepEqual(lanes.get('vital')?.toSorted(), [
    '/v1/health-check',
    '/v1/live-check',
    '/v2/health-check',
    '/v2/live-check',
  ])
  assert.ok(lanes.get('item')?.includes('/status'))
  assert.ok(lanes.get('item')?.includes('/v1/chains/{chainId}/blocks/{blockId}'))
  for (const path of lanes.get('item') ?? [])
    assert.doesNotMatch(path, /\/(transactions|blocks|utxos|transfers|messages)$|:list|metrics\//)
  assert.ok((lanes.get('list')?.length ?? 0) > 30)
  assert.ok(lanes.get('patient')?.some((path) => path.includes('/signatureAggregator/')))
})

void test('lanes: another spelling of a path gets no better lane', () => {
  const { laneOf, listsMessages } = createLanes(Object.values(operations))
  for (const [target, lane] of [
    ['/v1/health-check', 'vital'],
    ['/v1/chains/1/blocks/5', 'item'],
    ['/', 'vital'],
    ['/explorer/aB3/explorer.css', 'vital'],
    ['/explorer/pictures/1/0x1/5', 'list'],
    ['/openapi.json', 'item'],
    ['/v1/chains/1/blocks', 'list'],
    ['/v1/chains/1/blocks/', 'list'],
    ['/v1/chains/1/addresses/0x1/transactions:listErc20', 'list'],
    ['/v1/chains/1/addresses/0x1/transactions%3AlistErc20', 'list'],
    ['/v1/chains/1/addresses/0x1%2ftransactions', 'list'],
    ['/v1/%63hains/1/blocks/5', 'list'],
    ['/v1/health-check/', 'vital'],
    ['/v1/health-check//', 'list'],
    ['//v1/health-check', 'list'],
    ['/v1/networks/fuji/blockchains/x-chain/transactions:listStaking', 'list'],
    ['http://host/v1/health-check', 'list'],
    ['/nothing', 'list'],
  ] as const) {
    assert.equal(laneOf(target), lane, target)
  }
  assert.equal(listsMessages('/v1/avg_tps/1?x=1'), true)
  assert.equal(listsMessages('/v2/chains'), false)
})
