/**
 * The cost of comparing: token balances of addresses over HTTP, with a node that answers, in one run:
 * each balance compared with it (`tokens.maxAge` 30, and 1, so that pages are stale again and again), and
 * none (0). Firn and the node, anvil, are processes of this machine.
 *
 *     node bench/compared-balances.ts
 */

import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { callOf } from '../scripts/demo/abi.ts'
import { compiledContracts } from '../scripts/demo/compile.ts'
import { fromBigint, to0x } from '../src/core/bytes.ts'
import { itemAt } from '../src/core/item-at.ts'
import { liveChain } from '../test/support/chains/live-chain.ts'
import { atEnd, startFirn, until } from '../test/support/processes/firn-process.ts'

const tokens = 20
const holders = 200
const first = 0x77_0000n
const connections = 8
const seconds = 5

const source = readFileSync(join(import.meta.dirname, '../test/long/tokens.sol'), 'utf8')
const code = compiledContracts(source).get('Token')
if (code === undefined) throw new Error('no Token')
const works: (() => Promise<void>)[] = []
const ending = { after: (work: () => Promise<void>) => works.push(work) }
try {
  const chain = await liveChain(ending, ['--gas-limit', '100000000'])
  for (let at = 0; at < tokens; at++) {
    const token = await chain.deploy(code, `Token ${at}`)
    await chain.send(token, callOf('mintMany(uint160,uint160,uint256)', first, BigInt(holders), 5n))
  }
  const head = Number(await chain.ask('eth_blockNumber'))
  const addresses = Array.from({ length: holders }, (_, at) =>
    to0x(fromBigint(first + BigInt(at), 20)),
  )
  const lists = addresses.map(
    (each) => `/v1/chains/31337/addresses/${each}/balances:listErc20?pageSize=${tokens}`,
  )
  for (const maxAge of [0, 1, 30]) {
    const dataDir = await mkdtemp(join(tmpdir(), 'firn-bench-'))
    atEnd(ending, () => rm(dataDir, { recursive: true, force: true }))
    const config = join(dataDir, 'firn.yaml')
    await writeFile(
      config,
      `dataDir: ${dataDir}\ntokens: { maxAge: ${maxAge} }\nchains: [{ name: Live, rpcUrls: ['${chain.url}'] }]\n`,
    )
    const firn = await startFirn(ending, ['--config', config])
    await until('the head', async () => {
      const { chains } = (await firn.get('/status')) as { chains: { indexedHeight?: number }[] }
      return chains[0]?.indexedHeight === head
    })
    const reply = await fetch(firn.apiUrl + itemAt(lists, 0))
    const { requests, latencies } = await loaded(new URL(firn.apiUrl), lists)
    const sorted = latencies.toSorted()
    const at = (share: number): string =>
      itemAt([...sorted], Math.floor(sorted.length * share)).toFixed(1)
    console.log(
      `tokens.maxAge ${String(maxAge).padStart(2)}: ${Math.round(requests / seconds)} requests/s, ` +
        `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, x-balances: ${reply.headers.get('x-balances')}`,
    )
    await firn.end()
  }
} finally {
  for (const work of works) await work()
}

type Load = { readonly requests: number; readonly latencies: Float64Array }

function loaded({ hostname: host, port }: URL, paths: readonly string[]): Promise<Load> {
  const workerData = { host, port: Number(port), paths, connections, seconds, warming: 500 }
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.on('message', (told: Load | 'counting') => {
      if (told !== 'counting') resolve(told)
    })
    worker.once('error', reject)
  })
}
