import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'

import { createLanes } from './lanes.ts'
import type { OperationShape } from './operation.ts'

const folder = new URL('../shape/', import.meta.url)

/** Every shape of an operation that there is. */
async function allShapes(): Promise<OperationShape[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const modules: Record<string, unknown>[] = []
  for (const file of files)
    if (file.endsWith('.ts')) modules.push(await import(new URL(file, folder).href))
  return modules.flatMap((exported) => Object.values(exported)).filter(isShape)
}

function isShape(value: unknown): value is OperationShape {
  return typeof value === 'object' && value !== null && 'path' in value && 'parameters' in value
}

/** A path with something in the place of each parameter. */
const filled = (path: string): string => path.replace(/\{\w+\}/g, '0xabc-1')

void test('lanes: cheap is what is named so, with a key in each place, and nothing else', async () => {
  const shapes = await allShapes()
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

void test('lanes: another spelling of a path gets no better lane', async () => {
  const { laneOf, listsMessages } = createLanes(await allShapes())
  for (const [target, lane] of [
    ['/v1/health-check', 'vital'],
    ['/v1/chains/1/blocks/5', 'item'],
    ['/', 'item'],
    ['/openapi.json', 'item'],
    ['/v1/chains/1/blocks', 'list'],
    ['/v1/chains/1/blocks/', 'list'],
    ['/v1/chains/1/addresses/0x1/transactions:listErc20', 'list'],
    ['/v1/chains/1/addresses/0x1/transactions%3AlistErc20', 'list'],
    ['/v1/chains/1/addresses/0x1%2ftransactions', 'list'],
    ['/v1/%63hains/1/blocks/5', 'list'],
    ['/v1/health-check/', 'list'],
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
