/** Webhooks of one event of a contract, by its arguments: what a real chain logs is delivered once, in words. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { callOf } from '../../scripts/demo/abi.ts'
import { compiledContracts } from '../../scripts/demo/compile.ts'
import { to0x } from '../../src/core/bytes.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { freshFolder, startFirn, until } from '../support/processes/firn-process.ts'
import { receiver } from '../support/processes/webhook-firn.ts'

const codes = compiledContracts(
  readFileSync(join(import.meta.dirname, '../long/tokens.sol'), 'utf8'),
)

type EventMessage = {
  readonly event: {
    readonly transaction: { readonly txHash: string }
    readonly events: readonly {
      readonly signature: string
      readonly arguments: Readonly<Record<string, string>>
    }[]
  }
}

void test('webhooks: an event with the wanted arguments is delivered, and no other', async (t) => {
  const received: EventMessage[] = []
  const { url } = await receiver(t, (_at, response, body) => {
    received.push(JSON.parse(body))
    response.writeHead(204).end()
  })
  const chain = await liveChain(t)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
events: { privateHosts: ['127.0.0.1'] }
chains: [{ name: Live, rpcUrls: ['${chain.url}'], begin: anew }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  const code = codes.get('Token')
  assert.ok(code)
  const token = await chain.deploy(code, 'Shares')
  const mint = async (to: Uint8Array, amount: bigint): Promise<string> => {
    const receipt = await chain.send(token, callOf('mint(address,uint256)', to, amount))
    return String(receipt['transactionHash'])
  }
  const [wanted, other] = [0x11, 0x22].map((byte) => new Uint8Array(20).fill(byte))
  assert.ok(wanted !== undefined && other !== undefined)
  await mint(wanted, 1n)
  const register = async (event: object): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`${firn.apiUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        eventType: 'address_activity',
        url: `${url}/hook`,
        chainId: '31337',
        metadata: { addresses: [to0x(token)], event },
      }),
    })
    return { status: reply.status, text: await reply.text() }
  }
  await until('the token is known', async () => {
    const { status } = await register({ name: 'Moved' })
    const reply = await fetch(`${firn.apiUrl}/v1/chains/31337/tokens/${to0x(token)}/transfers`)
    return status === 404 && (await reply.text()).includes('"1"')
  })
  const refused = await register({ name: 'Transfer', arguments: { value: '1' } })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /value is neither .* nor an indexed argument of Transfer/)
  const event = { name: 'Transfer', arguments: { to: to0x(wanted) } }
  const made = await register(event)
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(JSON.parse(made.text).metadata.event, event)

  const expected = []
  for (let at = 2n; at < 6n; at++) {
    await mint(other, at)
    expected.push([await mint(wanted, at), String(at)])
  }
  await until('all are delivered', () => received.length >= expected.length)
  assert.deepEqual(
    received.map(({ event: { transaction, events } }) => [
      transaction.txHash,
      events[0]?.arguments['value'],
    ]),
    expected,
  )
  assert.equal(received[0]?.event.events[0]?.signature, 'Transfer(address,address,uint256)')
  assert.equal(received[0].event.events[0].arguments['to']?.toLowerCase(), to0x(wanted))
})
