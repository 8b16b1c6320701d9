/** Words of `firn doctor` about endpoints whose newest block is not the final one. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { checkChain } from '../../src/cli/doctor/chain.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { checkStores } from '../../src/cli/doctor/stores.ts'
import { objectOf } from '../../src/codec/evm/raw.ts'
import { type NodeCall } from '../support/nodes/json-rpc-reply.ts'
import { openReplayNode, replayTransport } from '../support/nodes/replay-node.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const file = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const head = 100

/** Findings about a node whose answers `lie` changes. */
async function findings(lie: (call: NodeCall, result: unknown) => unknown): Promise<Finding[]> {
  const clock = virtualClock()
  const node = await openReplayNode(file)
  node.head = head
  node.lie = lie
  const world = {
    clock,
    transport: replayTransport({ node }, clock),
    random: { bytes: (size: number) => new Uint8Array(size), number: () => 0.5 },
    files: {
      read: async () => undefined,
      write: async () => {},
      remove: async () => {},
      list: async () => [],
    },
  }
  const chain = { ...emptyChain, name: 'Demo', rpcUrls: ['http://node/'] }
  const parts = { world, timeoutMs: 5_000, maxReplyBytes: 33_554_432, stored: new Map() }
  return checkChain(chain, parts)
}

const emptyChain = {
  network: 'fuji',
  rpcUrls: [],
  name: '',
  symbol: '',
  decimals: 18,
  description: '',
  logoUri: '',
  explorerUrl: '',
  contracts: '',
  publicRpcUrl: '',
  publicWsUrl: '',
  publicRpc: 'off',
  publicRpcGas: 30_000_000,
  publicRpcLogBytes: 67_108_864,
  blockchainId: '',
  subnetId: '',
  vmId: '',
  traces: 'auto',
  startHeight: 0,
  begin: 'once',
  logs: 'off',
  icmContracts: [],
  wrappedTokens: [],
  nameRegistry: '',
  recording: '',
  store: '',
} as const

/** `finalized` is three blocks back; with `settled` as nodes tell it after Helicon. */
function trailing(settled: boolean) {
  return (call: NodeCall, result: unknown): unknown => {
    if (call.method !== 'eth_getBlockByNumber') return result
    const block = objectOf(result, 'block')
    const back = call.params[0] === 'finalized' ? 3 : 0
    const number = `0x${(head - back).toString(16)}`
    return { ...block, number, ...(settled ? { settledHeight: '0x61' } : {}) }
  }
}

void test('doctor: a final block that trails as the settled one is nothing to blame', async () => {
  const found = await findings(trailing(true))
  assert.deepEqual(
    found.filter(({ level }) => level === 'problem'),
    [],
  )
  assert.ok(found.some(({ text }) => text.includes('settled all but its newest 3 blocks')))
})

void test('doctor: blocks that are shown before they are accepted are a problem', async () => {
  const found = await findings(trailing(false))
  const problems = found.filter(({ level }) => level === 'problem')
  assert.deepEqual(
    problems.map(({ text }) => text),
    ['shows 3 blocks that are not accepted yet'],
  )
})

void test('doctor: of a pruned node it says which answers it will never have', async () => {
  const found = await findings((call, result) =>
    call.method === 'eth_getBalance' ? { code: -32000, message: 'missing trie node' } : result,
  )
  const [finding] = found.filter(({ text }) => text.includes('keeps no past state'))
  assert.match(finding?.text ?? '', /internal transactions before its first traced block/)
})

void test('doctor: stores that are not made yet are no problem, on a new database as in a new folder', async () => {
  for (const store of ['embedded', await newDatabase()]) {
    const location = { store, dataDir: '/nowhere' }
    const found = await checkStores(
      location,
      ['fuji-demo', 'primary-fuji', 'shared'],
      virtualClock(),
    )
    assert.deepEqual(
      found.map(({ level, text }) => [level, text]),
      found.map(() => ['ok', 'not made yet']),
    )
  }
})
