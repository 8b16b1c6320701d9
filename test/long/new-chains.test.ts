/** `chains: auto` on a node that begins to serve a chain while Firn runs, in real processes. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { membersOf } from '../../src/core/json.ts'
import { answersIn } from '../support/nodes/recorded-node.ts'
import { openReplayNode } from '../support/nodes/replay-node.ts'
import {
  atEnd,
  freePort,
  freshFolder,
  startFirn,
  chainStatuses,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'

const demo = (name: string): Buffer =>
  readFileSync(new URL(`../../demo/${name}.firnrec`, import.meta.url))
const blockchains = answersIn(demo('primary')).find(
  ({ method }) => method === 'platform.getBlockchains',
)

void test('chains: auto: a chain that a node begins to serve is taken up without a restart', async (t) => {
  const chains = new Map([
    [
      '/ext/bc/A8JY8kpm5ciJ6HYBGcyvSrgz4j2KBqvGGWz7FoTWTzV3wwLGU/rpc',
      await openReplayNode(demo('summit')),
    ],
  ])
  let bootstrapped = false
  const answer = (path: string, text: string): string | undefined => {
    const chain = chains.get(path)
    if (chain !== undefined) return chain.answer(text).exchange.reply.text
    const { id, method, params } = objectOf(JSON.parse(text), 'call')
    const wanted = membersOf(Array.isArray(params) ? params[0] : params)['chain']
    const results: Readonly<Record<string, unknown>> = {
      'info.getNetworkID': { networkID: '1337' },
      'info.getNodeVersion': { version: 'avalanchego/1.14.2' },
      'info.isBootstrapped': { isBootstrapped: bootstrapped || wanted !== 'C' },
      'platform.getBlockchains': blockchains?.reply,
    }
    const result = results[String(method)]
    return result === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, result })
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const reply = answer(request.url ?? '', Buffer.concat(parts).toString())
      response.writeHead(reply === undefined ? 404 : 200).end(reply)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(t, async () => void server.close())
  const { port } = server.address() as AddressInfo
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const nodeUrl = `http://127.0.0.1:${port}`
  await writeFile(config, `networks: { fuji: { nodeUrl: '${nodeUrl}' } }\nchains: auto\n`)
  const firn = await startFirn(t, [
    '--config',
    config,
    '--data-dir',
    join(folder, 'data'),
    '--port',
    String(await freePort()),
  ])
  await untilLive(firn, ['fuji-summit'])
  assert.deepEqual([...(await chainStatuses(firn)).keys()], ['fuji-summit'])

  chains.set(
    '/ext/bc/27S1UXfsWk9CcAk91gE1pPPraKuK5wjxRpMfRMDXivAYSNSUbu/rpc',
    await openReplayNode(demo('harbor')),
  )
  bootstrapped = true
  await until('a second greeting', () => firn.errors().split('API and explorer').length === 3)
  await untilLive(firn, ['fuji-summit', 'fuji-harbor'])
  assert.equal(await firn.end(), 0)
})
