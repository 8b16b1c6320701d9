/** Balances are compared with a node: when it is called, what is served meanwhile, what a difference does. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createComparedBalances } from '../../../src/api/evm/balances/compared-balances.ts'
import { to0x, toHex } from '../../../src/core/bytes.ts'
import { Fault } from '../../../src/core/fault.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { until } from '../../support/processes/firn-process.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import { evmService, type Reply } from '../../support/services/evm-service.ts'
import { busiest, expectedTransfers } from './replay.ts'

const chain = 51002
/** An ordinary token: its recorded state is the sum of its logs. */
const token = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const holders = busiest(
  expectedTransfers(chain)
    .filter((row) => row.token === token)
    .map(({ to }) => to),
)
const [first = '', second = ''] = holders.filter((holder) => !/^0x0+$/.test(holder))

/** The node: sizes of its requests, whether it answers, and the holder for whom it gives another balance. */
const node = { requests: [] as number[], isAway: false, gate: Promise.resolve(), other: '' }
const doubts: string[] = []
/** Whoever waits, waits for as long as it takes. */
const clock = Object.assign(manualClock(), { sleep: () => new Promise<void>(() => {}) })
const service = await evmService({
  chains: [chain],
  state: (own) => ({
    ...own,
    calls: async (calls, height, signal) => {
      if (node.isAway) throw new Fault('not-served', 'the node is away')
      node.requests.push(calls.length)
      await node.gate
      const answers = await own.calls(calls, height, signal)
      const isOther = (data: Uint8Array): boolean => toHex(data).endsWith(node.other.slice(2))
      return answers.map((answer, at) =>
        node.other !== '' && isOther(calls[at]!.data) ? new Uint8Array(32).fill(1, 31) : answer,
      )
    },
  }),
  parts: {
    balances: createComparedBalances({
      clock,
      log: silentLog,
      doubts: {
        add: async ({ contract, holder }) => void doubts.push(`${to0x(contract)} ${to0x(holder)}`),
      },
      maxAgeMs: 30_000,
    }),
  },
})

const listOf = (holder: string, query = ''): Promise<Reply> =>
  service.get(
    `/v1/chains/${chain}/addresses/${holder}/balances:listErc20?filterSpamTokens=false${query}`,
  )
const said = ({ headers }: Reply): string | null => headers.get('x-balances')
const isCompared = 'compared at block 152'
const isFromLogs = 'from logs until block 152'
const onlyToken = `&contractAddresses=${token}`

void test('compared balances: a page is one request to the node, and counts for maxAge', async () => {
  const page = await listOf(first)
  assert.ok(page.body.erc20TokenBalances.length > 1)
  assert.equal(said(page), isCompared)
  assert.equal(node.requests.length, 1)
  clock.nowMs += 29_000
  assert.equal(said(await listOf(first)), isCompared)
  assert.equal(node.requests.length, 1)
})

void test('compared balances: a stale page is from logs and compared behind the answer', async () => {
  clock.nowMs += 2_000
  node.requests.length = 0
  let open = (): void => {}
  node.gate = new Promise((resolve) => {
    open = resolve
  })
  const stale = await Promise.all([listOf(first), listOf(first)])
  assert.deepEqual(stale.map(said), [isFromLogs, isFromLogs])
  open()
  await until('compared', async () => said(await listOf(first)) === isCompared)
  assert.equal(node.requests.length, 1)
})

void test('compared balances: compared=true waits for the node, and is 503 where no node answers', async () => {
  clock.nowMs += 31_000
  assert.equal(said(await listOf(first, '&compared=true')), isCompared)
  clock.nowMs += 31_000
  node.isAway = true
  assert.equal(said(await listOf(first)), isFromLogs)
  assert.equal((await listOf(first, '&compared=true')).status, 503)
  node.isAway = false
})

void test('compared balances: after one holder differs, balances of all holders of the token come from the node', async () => {
  clock.nowMs += 31_000
  node.other = first
  const page = await listOf(first, `&compared=true${onlyToken}`)
  assert.equal(page.body.erc20TokenBalances[0].balance, '1')
  assert.deepEqual(doubts, [`${token} ${first}`])
  // Nobody compared the second: logs do not tell it any more.
  node.isAway = true
  assert.equal((await listOf(second, onlyToken)).status, 503)
  node.isAway = false
  const other = await listOf(second, onlyToken)
  assert.equal(said(other), isCompared)
  assert.ok(BigInt(other.body.erc20TokenBalances[0].balance) > 1n)
})

void test('compared balances: with maxAge 0 the node is called only for compared=true', async () => {
  const off = { clock, log: silentLog, doubts: undefined, maxAgeMs: 0 }
  const parts = { balances: createComparedBalances(off) }
  const { get } = await evmService({ chains: [chain], parts })
  const path = `/v1/chains/${chain}/addresses/${first}/balances:listErc20`
  assert.equal(said(await get(path)), isFromLogs)
  assert.equal(said(await get(`${path}?compared=true`)), isCompared)
  clock.nowMs += 1
  assert.equal(said(await get(path)), isFromLogs)
})
