import assert from 'node:assert/strict'
import { test } from 'node:test'

import { allowedMethods, readingEvm, withGas } from './rpc-methods.ts'

void test('public calls: methods that pass are a list, not a beginning of names', () => {
  const allows = allowedMethods(readingEvm)
  for (const method of ['eth_call', 'eth_getLogs', 'eth_getTransactionReceipt', 'net_version'])
    assert.ok(allows(method), method)
  for (const method of [
    'eth_getFilterLogs',
    'eth_getWork',
    'eth_getX',
    'eth_get',
    'platform.getTx',
  ])
    assert.ok(!allows(method), method)
})

void test('public calls: gas is at most what the operator allows, however it is written', () => {
  const most = 30_000_000
  const gasOf = (method: string, call: object): unknown =>
    Object.entries(Object(withGas(method, [call, 'latest'], most)[0])).map(([, value]) => value)
  for (const gas of ['0x1c9c381', '0xffffffffffffffff', 'ff', 1e9, '-1', null, ''])
    for (const name of ['gas', 'GAS', 'ga\u017f'])
      assert.deepEqual(gasOf('eth_estimateGas', { [name]: gas }), ['0x1c9c380'], `${name} ${gas}`)
  assert.deepEqual(gasOf('eth_call', { gas: '0x5208' }), ['0x5208'])
  assert.deepEqual(gasOf('eth_call', {}), ['0x1c9c380'])
  assert.deepEqual(gasOf('eth_estimateGas', {}), [])
  assert.deepEqual(withGas('eth_blockNumber', [], most), [])
  assert.deepEqual(withGas('eth_getCode', ['0x00', 'latest'], most), ['0x00', 'latest'])
})
