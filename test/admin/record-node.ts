/**
 * Records a real AvalancheGo node: `node test/admin/record-node.ts PORT COMMIT`.
 *
 * The node must be fresh, run network 12345 with `--api-admin-enabled=true
 * --log-level=info --log-display-level=off`, and have an empty plugin folder.
 */

import { writeFileSync } from 'node:fs'

import { exchange } from './exchange.ts'
import { aliasRequests, plainRequests, profiling } from './node-requests.ts'

const port = Number(process.argv[2])
const commit = process.argv[3] ?? 'unknown'

const reply = await exchange(port, {
  path: '/ext/info',
  body: '{"jsonrpc":"2.0","id":1,"method":"info.getBlockchainID","params":{"alias":"C"}}',
})
const parsed: { result: { blockchainID: string } } = JSON.parse(reply.body)
const chainId = parsed.result.blockchainID
// Id of a transaction of Fuji: well formed, and no chain of this network.
const other = 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'

const kept = ['content-type', 'x-content-type-options', 'location', 'allow']
const pairs: object[] = []
for (const { name, request } of [
  ...plainRequests,
  ...aliasRequests(chainId, other),
  ...profiling,
]) {
  const { status, headers, body } = await exchange(port, request)
  const shown = Object.fromEntries(Object.entries(headers).filter(([key]) => kept.includes(key)))
  pairs.push({ name, request, reply: { status, headers: shown, body } })
}
const file = new URL('../../vectors/admin/avalanchego.json', import.meta.url)
const source = `avalanchego ${commit}, recorded by test/admin/record-node.ts from a fresh node of network 12345`
writeFileSync(file, `${JSON.stringify({ source, chainId, pairs }, undefined, 1)}\n`)
console.log(`${pairs.length} pairs`)
