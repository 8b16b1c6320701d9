/**
 * Random filters of `eth_getLogs` beside anvil are answered as the node answers them, and two clients fill equal
 * tables of events from either. `TEST_FILTERS` is the number of filters.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { createPublicClient, http, parseAbiItem } from 'viem'

import { callOf } from '../../scripts/demo/abi.ts'
import { compiledContracts } from '../../scripts/demo/compile.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { comparedFilters, filterCount } from '../support/chains/log-filters.ts'
import { freshFolder, startFirn, until, untilLive } from '../support/processes/firn-process.ts'

const codes = compiledContracts(readFileSync(join(import.meta.dirname, 'tokens.sol'), 'utf8'))
const transfer = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
)

/** Code that logs 32 bytes with so many topics, and makes a contract without code. */
function logging(topics: number): Uint8Array {
  const pushes = Array.from(
    { length: topics },
    (_, at) => `60${(at + 1).toString(16).padStart(2, '0')}`,
  )
  return fromHex(`${pushes.join('')}60206000a${topics}00`)
}

void test(`eth_getLogs: ${filterCount} random filters beside anvil, and rows of viem from both`, async (t) => {
  const chain = await liveChain(t)
  const code = codes.get('Token')
  assert.ok(code)
  const tokens = [await chain.deploy(code, 'One'), await chain.deploy(code, 'Other')]
  for (let round = 0; round < 12; round++) {
    for (const token of tokens) {
      await chain.send(token, callOf('mint(address,uint256)', chain.sender, BigInt(round)))
      const first = BigInt(1_000 * (round % 3))
      await chain.send(token, callOf('mintMany(uint160,uint160,uint256)', first, 9n, 5n))
    }
    await chain.send(undefined, logging(round % 5))
  }
  const head = Number(await chain.ask('eth_blockNumber'))
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}'], publicRpc: read, logs: on }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  await untilLive(firn, ['fuji-live'])
  const own = `${firn.apiUrl}/v1/chains/31337/rpc`
  await until('all logs are stored', async () => {
    const path = `${firn.apiUrl}/v1/chains/31337/logs?pageSize=1`
    return (await fetch(path)).headers.get('x-logs-indexed-height') === String(head)
  })
  const { different, withLogs } = await comparedFilters(chain.url, own, { seed: 11 })
  assert.equal(different.join('\n'), '')
  assert.ok(withLogs > filterCount / 4, `${withLogs}`)

  const rows = async (url: string, step: bigint): Promise<readonly unknown[]> => {
    const client = createPublicClient({ transport: http(url) })
    const all: unknown[] = []
    for (let fromBlock = 0n; fromBlock <= BigInt(head); fromBlock += step) {
      const last = fromBlock + step - 1n
      const toBlock = last < BigInt(head) ? last : BigInt(head)
      const address = tokens.map(to0x) as `0x${string}`[]
      all.push(...(await client.getLogs({ address, event: transfer, fromBlock, toBlock })))
    }
    return all
  }
  const theirs = await rows(chain.url, 7n)
  assert.ok(theirs.length > 200, `${theirs.length}`)
  for (const step of [7n, 1_000n]) assert.deepEqual(await rows(own, step), theirs, `${step}`)

  await chain.end()
  assert.deepEqual(await rows(own, 7n), theirs, 'rows answer where the node is away')
})
