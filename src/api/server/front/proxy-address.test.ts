import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'

import { Fault } from '../../../core/fault.ts'
import { addressReader } from './proxy-address.ts'

function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the reader looks at
  return { socket: { remoteAddress }, headers } as IncomingMessage
}

void test('proxies: X-Forwarded-For is believed from the right, of trusted addresses only', () => {
  const trusting = addressReader(['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.1'])
  for (const [peer, forwarded, address] of [
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::1', '2001:db9::1', '2001:db9::1'],
    ['127.0.0.1', 'forged, 198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['127.0.0.1', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['198.51.100.9', '198.51.100.7', '198.51.100.9'],
    ['192.0.2.2', '198.51.100.7', '192.0.2.2'],
    ['192.0.2.1', '198.51.100.7:4711', '198.51.100.7'],
    ['192.0.2.1', '[2001:db9::1]:4711', '2001:db9::1'],
    ['127.0.0.1', 'unknown', '0.0.0.0'],
    ['127.0.0.1', '', '0.0.0.0'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['10.1.1.1', '10.1.1.2, 10.1.1.3', '10.1.1.2'],
  ] as const)
    assert.equal(trusting(request(peer, forwarded)), address, `${peer} for ${forwarded}`)
  // Behind a proxy that nobody believes strangers are not this machine.
  for (const [peer, address] of [
    ['127.0.0.1', '0.0.0.0'],
    ['::ffff:127.0.0.1', '0.0.0.0'],
    ['198.51.100.9', '198.51.100.9'],
  ] as const)
    for (const name of ['x-forwarded-for', 'forwarded', 'via']) {
      const passedOn = { socket: { remoteAddress: peer }, headers: { [name]: '198.51.100.7' } }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the reader looks at
      assert.equal(addressReader([])(passedOn as unknown as IncomingMessage), address, name)
    }
  assert.equal(addressReader([])(request('127.0.0.1')), '127.0.0.1')
  for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x', '', '::1/129'])
    assert.throws(() => addressReader([wrong]), Fault, wrong)
})
