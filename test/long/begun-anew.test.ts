/**
 * A chain of development whose node is restarted with another genesis, or reverted to a lower block, while Firn
 * runs: declared as such it is followed, and else refused, while what is stored is served.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { callOf } from '../../scripts/demo/abi.ts'
import { compiledContracts } from '../../scripts/demo/compile.ts'
import { to0x } from '../../src/core/bytes.ts'
import { type LiveChain, liveChain } from '../support/chains/live-chain.ts'
import {
  freePort,
  freshFolder,
  type RunningFirn,
  startFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

const codes = compiledContracts(readFileSync(join(import.meta.dirname, 'tokens.sol'), 'utf8'))
const base = '/v1/chains/31337'

async function firnOver(t: TestContext, settings: string): Promise<RunningFirn> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}\nchains: [{ name: Live, ${settings} }]\n`,
  )
  return startFirn(t, ['--config', config])
}

/** Waits until Firn has the blocks of the node, each by its hash, and no others. */
async function sameBlocks(firn: RunningFirn, chain: LiveChain): Promise<void> {
  const head = Number(await chain.ask('eth_blockNumber'))
  const hashes = new Array<unknown>()
  for (let height = 0; height <= head; height++) {
    const block: Json = await chain.ask('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
    hashes.unshift(block.hash)
  }
  let served: unknown[] = []
  await until(`${head} blocks of ${String(hashes[0])}`, async () => {
    const reply = await fetch(`${firn.apiUrl}${base}/blocks?pageSize=100`)
    const { blocks = [] }: Json = await reply.json()
    served = blocks.map(({ blockHash }: Json) => blockHash)
    return JSON.stringify(served) === JSON.stringify(hashes)
  })
}

/** Deploys a token and moves it; each round another one, at the same address. */
async function live(chain: LiveChain, round: number): Promise<Uint8Array> {
  const code = codes.get('Token')
  assert.ok(code)
  const token = await chain.deploy(code, `Round ${round}`)
  for (let at = 0; at <= round; at++)
    await chain.send(token, callOf('mint(address,uint256)', chain.sender, BigInt(100 + round)))
  return token
}

void test('begun anew: anvil restarted ten times under load is followed, and nothing of the chains before is left', async (t) => {
  const port = String(await freePort())
  let chain = await liveChain(t, ['--port', port])
  const settings = `rpcUrls: ['http://127.0.0.1:${port}'], begin: anew, logs: on`
  const firn = await firnOver(t, settings)
  const over = new AbortController()
  const refused = new Set<number>()
  let token = await live(chain, 0)
  await sameBlocks(firn, chain)
  const load = ['/blocks', '/transactions', '/tokens', '/logs'].map(async (path) => {
    while (!over.signal.aborted) {
      const { status } = await fetch(`${firn.apiUrl}${base}${path}`)
      if (status !== 200) refused.add(status)
    }
  })
  for (let round = 1; round <= 10; round++) {
    await chain.end()
    chain = await liveChain(t, ['--port', port])
    token = await live(chain, round % 4)
    await sameBlocks(firn, chain)
  }
  over.abort()
  await Promise.all(load)
  assert.deepEqual([...refused], [], 'what is stored is served all the time')

  const fresh = await firnOver(t, settings)
  await sameBlocks(fresh, chain)
  const holder = to0x(chain.sender)
  const at = to0x(token)
  for (const path of [
    '/transactions?pageSize=100',
    '/tokens',
    '/contracts',
    `/addresses/${at}`,
    `/addresses/${holder}/transactions`,
    `/addresses/${holder}/balances:listErc20?filterSpamTokens=false`,
    `/addresses/${holder}/balances:getNative`,
    `/tokens/${at}/transfers`,
    '/logs?pageSize=100',
  ]) {
    let one = ''
    let other = ''
    await until(`equal: ${path}`, async () => {
      const answers = [firn, fresh].map(async ({ apiUrl }) => {
        const reply = await fetch(`${apiUrl}${base}${path}`)
        // When a token's name was read last is another moment.
        return `${reply.status} ${await reply.text()}`.replace(/"metadataLast\w+":\d+,/g, '')
      })
      ;[one = '', other = ''] = await Promise.all(answers)
      return (
        one === other && one.startsWith('200') && (!path.endsWith(at) || one.includes('Round 2'))
      )
    }).catch(() => assert.equal(one, other, path))
  }
})

void test('begun anew: reverts to a snapshot are followed, also to other blocks of the same height', async (t) => {
  const chain = await liveChain(t)
  const firn = await firnOver(t, `rpcUrls: ['${chain.url}'], begin: anew`)
  await live(chain, 1)
  for (const more of [0, 1, 3]) {
    const snapshot = await chain.ask('evm_snapshot')
    await live(chain, 1)
    await sameBlocks(firn, chain)
    await chain.ask('evm_revert', snapshot)
    await sameBlocks(firn, chain)
    for (let at = 0; at < more; at++) await chain.ask('evm_mine')
    await sameBlocks(firn, chain)
  }
})

void test('begun anew: an undeclared chain is refused by its genesis, and what is stored is served', async (t) => {
  const port = String(await freePort())
  const before = await liveChain(t, ['--port', port])
  const firn = await firnOver(t, `rpcUrls: ['http://127.0.0.1:${port}']`)
  const token = await live(before, 1)
  await sameBlocks(firn, before)
  const path = `${base}/contracts/${to0x(token)}`
  await firn.get(path)
  await before.end()
  await firn.get(path)
  const after = await liveChain(t, ['--port', port])
  await live(after, 4)
  let reason = ''
  await until('it is refused', async () => {
    await firn.get(path)
    reason = (await chainStatuses(firn)).get('fuji-live')?.reason ?? ''
    return reason.startsWith('endpoint serves')
  })
  assert.match(reason, /^endpoint serves a chain of the same id with another genesis: /)
  await firn.get(path)
  const { blocks }: Json = await firn.get(`${base}/blocks?pageSize=100`)
  assert.equal(blocks.length, 4, 'nothing of the other chain is stored')
})
