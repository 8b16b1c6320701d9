import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Contract } from '../../shape/operations/contract.ts'
import { operations } from '../../shape/operations/operations.ts'
import { PathTree, ServedPaths, pathOf } from './path-tree.ts'
import { routePath } from './route-operation.ts'

/** A path with something in the place of each parameter. */
const filled = (path: string): string => path.replace(/\{\w+\}/g, '0xabc-1')

const paths = new ServedPaths({ '/v1/things/{id}/gone': 'it is not offered' })
for (const { path, method, lane, listMessages = false } of Object.values<Contract>(operations))
  paths.add(routePath(path), [method], { lane, listMessages })
paths.add('/explorer/:version/:name', ['GET', 'HEAD'], { lane: 'vital' })
const laneOf = (target: string): string => paths.at(pathOf(target))?.lane ?? 'list'

void test('path tree: a literal goes before a verb, a verb before a name, and the way back is found', () => {
  const tree = new PathTree<string>()
  const own = [
    '/',
    '/v1/things',
    '/v1/things:renew',
    '/v1/things/{id}',
    '/v1/things/all',
    '/v1/things/{id}:renew',
    '/v1/things/all/parts',
    '/v1/things/{id}/names/{name}',
    '/v1/things/{id}/parts:list',
  ]
  for (const path of own) tree.set(path, () => path)
  for (const path of own) assert.equal(tree.find(filled(path)), path)
  for (const [path, found] of [
    ['/v1/things/1:other', '/v1/things/{id}'],
    ['/v1/things/:renew', '/v1/things/{id}'],
    ['/v1/things/all:renew', '/v1/things/{id}:renew'],
    ['/v1/things/all/names/1', '/v1/things/{id}/names/{name}'],
    ['/v1/things/', undefined],
    ['/v1/things//names/1', undefined],
    ['/v1/things/1/parts', undefined],
    ['/v1', undefined],
    ['//v1/things', undefined],
    ['http://host/v1/things', undefined],
    ['*', undefined],
    ['', undefined],
  ] as const)
    assert.equal(tree.find(path), found, path)
})

void test('path tree: every operation is found, with the lane it names', () => {
  for (const { id, path, lane, method } of Object.values(operations)) {
    const known = paths.at(filled(path))
    assert.ok(known !== undefined && known.methods.includes(method), id)
    // The form of Etherscan and lists that take a body share a path with a patient operation.
    if (known.lane !== lane) assert.equal(`${known.lane} ${lane}`, 'patient list', id)
  }
  const cheap = Object.values(operations).filter(({ lane }) => lane === 'item')
  for (const { path } of cheap)
    assert.doesNotMatch(path, /\/(transactions|blocks|utxos|transfers|messages)$|:list|metrics\//)
})

void test('path tree: another spelling of a path gets no better lane', () => {
  for (const [target, lane] of [
    ['/v1/health-check?x=1', 'vital'],
    ['/v1/chains/1/blocks/5', 'item'],
    ['/explorer/aB3/explorer.css', 'vital'],
    ['/explorer/pictures/1/0x1/5', 'list'],
    ['/v1/chains/1/blocks', 'list'],
    ['/v1/chains/allBlocks', 'list'],
    ['/v1/chains/allTransactions', 'list'],
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
  ] as const)
    assert.equal(laneOf(target), lane, target)
  assert.equal(paths.at('/v1/avg_tps/1')?.listMessages, true)
  assert.equal(paths.at('/v2/chains')?.listMessages, false)
})

void test('path tree: a verb belongs to its own path only, and both methods of a path are one', () => {
  const served = new ServedPaths()
  served.add('/v1/things', ['GET', 'HEAD'], {})
  served.add('/v1/things/:id', ['GET', 'HEAD'], { lane: 'item' })
  served.add('/v1/things/:id', ['DELETE'], { lane: 'patient' })
  served.add('/v1/things/:id(^[^:/]*)::renew', ['POST'], {})
  served.add('/v1/things/:id/parts::list', ['GET'], {})
  for (const [path, methods] of [
    ['/v1/things', 'GET HEAD'],
    ['/v1/things/1', 'DELETE GET HEAD'],
    ['/v1/things/1:renew', 'POST'],
    ['/v1/things/1:other', 'DELETE GET HEAD'],
    ['/v1/things/1/parts:list', 'GET'],
    ['/v1/things/1/parts', undefined],
  ] as const)
    assert.equal(served.at(path)?.methods.join(' '), methods, path)
  assert.equal(served.at('/v1/things/1')?.lane, 'item')
})

void test('path tree: what is deliberately not served has its reason and no method', () => {
  const { methods, why } = paths.at('/v1/things/1/gone') ?? {}
  assert.deepEqual([methods, why], [[], 'it is not offered'])
})
