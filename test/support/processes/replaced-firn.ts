/** A chain that one process indexes and two serve, one after the other, behind one address. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { type LiveChain, liveChain } from '../chains/live-chain.ts'
import {
  atEnd,
  freshFolder,
  type RunningFirn,
  startFirn,
  until,
  untilLive,
} from './firn-process.ts'

type ReplacedFirn = {
  readonly chain: LiveChain
  /** Address of the chain's WebSocket, which stays. */
  readonly url: string
  /** Starts another process that serves, leads new connections to it, and stops the one before it. */
  readonly replace: () => Promise<void>
}

/** Starts all of it. */
export async function replacedFirn(t: TestContext): Promise<ReplacedFirn> {
  const chain = await liveChain(t)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}'], publicRpc: read }]
`,
  )
  const serve = async (): Promise<RunningFirn> => {
    const firn = await startFirn(t, ['--config', config, '--role', 'serve'])
    await untilLive(firn, ['fuji-live'])
    return firn
  }
  await startFirn(t, ['--config', config, '--role', 'index'])
  let serving = await serve()
  const front = createServer((socket) => {
    const { hostname, port } = new URL(serving.apiUrl)
    const behind = connect(Number(port), hostname)
    socket.pipe(behind).pipe(socket)
    socket.on('error', () => behind.destroy())
    behind.on('error', () => socket.destroy())
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  atEnd(t, async () => front.close())
  const { port } = front.address() as AddressInfo
  return {
    chain,
    url: `ws://127.0.0.1:${port}/v1/chains/31337/rpc`,
    replace: async () => {
      const before = serving
      serving = await serve()
      assert.equal(await before.end(), 0)
    },
  }
}

/**
 * Mines for so many seconds, with the process replaced after a third of them, until the last block is
 * announced. Every block is announced once and in order, but for those that came while the client was away.
 */
export async function mineOverReplacement(
  { chain, replace }: ReplacedFirn,
  heights: readonly number[],
  seconds: number,
): Promise<void> {
  let isOver = false
  const mine = async (): Promise<void> => {
    while (!isOver) {
      await chain.ask('evm_mine')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const mining = mine()
  const wait = (share: number): Promise<unknown> =>
    new Promise((resolve) => setTimeout(resolve, seconds * 1_000 * share))
  await wait(1 / 3)
  await replace()
  const before = heights.length
  await wait(2 / 3)
  isOver = true
  await mining
  const last = Number(await chain.ask('eth_blockNumber'))
  await until('the last block', () => heights.includes(last))
  assert.ok(
    before > seconds && heights.length > before + seconds,
    `${before} and ${heights.length}`,
  )
  const gaps = heights.filter((height, at) => at > 0 && height !== (heights[at - 1] ?? 0) + 1)
  assert.ok(gaps.length <= 1, `${heights.join()}`)
  assert.deepEqual(
    heights,
    [...new Set(heights)].toSorted((a, b) => a - b),
  )
}
