/** The programs of the guide on moving run as they stand there, and what it says of the clients is so. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'

import { run } from '../support/processes/firn-process.ts'
import { demoFirn } from './demo-firn.ts'

const guide = readFileSync(new URL('../../docs/guide/moving.md', import.meta.url), 'utf8')
const programs = [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, program = '']) => program)

void test('moving: the program for each client is answered by the demo', async () => {
  const firn = await demoFirn()
  const said = [/0x[0-9a-f]{64}[^]*NodeID-/, /^Demo Chain\n$/, /^\d+\n$/]
  assert.equal(programs.length, said.length)
  for (const [at, program] of programs.entries()) {
    assert.ok(program.includes('http://127.0.0.1:8080'), program)
    const text = program.replaceAll('http://127.0.0.1:8080', firn.apiUrl)
    const { stdout, stderr } = await run(process.execPath, [
      '--input-type=module-typescript',
      '-e',
      text,
    ])
    assert.match(stdout, said[at] ?? /never/, stderr)
  }
})

void test('moving: clients go elsewhere with the serverURL of their constructor', async (t) => {
  const hosts: string[] = []
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    hosts.push(new URL(request.url).host)
    return Response.json({ chains: [] })
  })
  const options = { network: 'fuji', chainId: '51001', serverURL: 'http://127.0.0.1:1' } as const
  const given = { serverURL: 'http://127.0.0.1:2' }
  const clients = [
    new Avalanche({ ...options, enableTelemetry: false }).data.evm.chains,
    new AvaCloudSDK(options).data.evm.chains,
  ]
  for (const chains of clients) {
    await chains.list({})
    await chains.list({}, given)
  }
  const other = 'glacier-api.avax.network'
  assert.deepEqual(hosts, [other, '127.0.0.1:2', other, '127.0.0.1:2'])
})
