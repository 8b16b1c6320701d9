import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createPathMethods } from './path-methods.ts'

const methods = createPathMethods()
methods.add('/v1/things', ['GET', 'HEAD'])
methods.add('/v1/things/:id', ['GET', 'HEAD', 'DELETE'])
methods.add('/v1/things/:id(^[^:/]*)::renew', ['POST'])
methods.add('/v1/things/:id/parts::list', ['GET'])

const paths = [
  '/v1/things',
  '/v1/things/1',
  '/v1/things/1:renew',
  '/v1/things/1:other',
  '/v1/things/1/parts:list',
  '/v1/things/1/parts',
  '/v1/other',
  '',
]

void test('methods of a path: a verb belongs to its own path only', () => {
  assert.deepEqual(
    paths.map((path) => methods.of(path).join(' ')),
    ['GET HEAD', 'DELETE GET HEAD', 'POST', 'DELETE GET HEAD', 'GET', '', '', ''],
  )
})

void test('methods of a path: a verb that only writes is known by its end', () => {
  assert.deepEqual(paths.filter(methods.endsInWrite), ['/v1/things/1:renew'])
})
