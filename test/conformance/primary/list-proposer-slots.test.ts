/** Slots of nodes as the API lists and counts them, on a recorded network of five validators. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { chainSource, proposerOfSlot } from '../../../src/codec/proposer/windower.ts'
import { toNodeId } from '../../../src/core/cb58.ts'
import { ProposerSets } from '../../../src/indexing/primary/schedule/proposer-sets.ts'
import { reportSlots } from '../../../src/service/warp/watch-networks.ts'
import { createGauges } from '../../../src/telemetry/gauges.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { primaryService, proposalsPath } from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService({}, 'sqlite', proposalsPath)
const scaled = await primaryService({}, 'postgres', proposalsPath)
const chains = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const
const baseOf = (path: string): string => `/v1/networks/fuji/blockchains/${path}`
const { validators } = (await service.get('/v1/networks/fuji/validators?pageSize=100')).body
const nodeIds = [...new Set<string>(validators.map((one: Json) => one.nodeId))]

type Slot = { readonly blockNumber: string; readonly slot?: number; readonly timestamp: number }

/** Slots of every node, drawn again from the blocks that the API lists; newest first. */
async function drawn(chain: keyof typeof chains): Promise<Map<string, Slot[]>> {
  const sets = new ProposerSets()
  const { store, chainIds } = service.network
  const blocks = await service.readAll(`${baseOf(chains[chain])}/blocks?pageSize=100`, 'blocks')
  const slots = new Map<string, Slot[]>(nodeIds.map((id) => [id, []]))
  let parent: Json
  for (const { blockNumber, proposerDetails } of blocks.toReversed()) {
    if (proposerDetails?.proposerTimestamp === undefined) continue
    const { proposerNodeId: by, proposerTimestamp: time } = proposerDetails
    if (parent !== undefined) {
      const tree = await sets.at(store, parent.proposerPChainHeight)
      const turn = { source: chainSource(chainIds[chain]), height: Number(blockNumber) }
      const own = Math.floor((time - parent.proposerTimestamp) / 5)
      for (let slot = Math.max(0, own - 720); slot < own; slot++) {
        const due = proposerOfSlot(tree, turn, slot)
        const timestamp = parent.proposerTimestamp + 5 * slot
        if (due !== undefined)
          slots.get(toNodeId(due.nodeId))?.unshift({ blockNumber, slot, timestamp })
      }
    }
    if (by !== undefined) slots.get(by)?.unshift({ blockNumber, timestamp: time })
    parent = proposerDetails
  }
  return slots
}

for (const chain of ['P', 'X', 'C'] as const)
  void test(`slots of the ${chain}-Chain: every slot of every node, by page, outcome and time`, async () => {
    const expected = await drawn(chain)
    for (const [nodeId, slots] of expected) {
      const path = `${baseOf(chains[chain])}/nodes/${nodeId}/slots`
      const mine = await service.readAll(`${path}?pageSize=7`, 'slots')
      assert.deepEqual(
        mine.map(({ outcome: _outcome, ...slot }) => slot),
        slots,
      )
      assert.deepEqual(await scaled.readAll(`${path}?pageSize=100`, 'slots'), mine)
      for (const outcome of ['proposed', 'idle', 'missed', 'unclear'])
        assert.deepEqual(
          await service.readAll(`${path}?outcome=${outcome}&pageSize=9`, 'slots'),
          mine.filter((one) => one.outcome === outcome),
        )
      assert.ok(
        mine.every(({ outcome, slot }) => (outcome === 'proposed') === (slot === undefined)),
      )
      const days = (await service.get(`${path}:listDays`)).body
      assert.deepEqual((await scaled.get(`${path}:listDays`)).body, days)
      const { due, proposed, passed, idle, missed, unclear } = days.total
      assert.deepEqual([due, proposed, passed], [mine.length, proposed, idle + missed + unclear])
      for (const [outcome, count] of Object.entries({ proposed, idle, missed, unclear }))
        assert.equal(mine.filter((one) => one.outcome === outcome).length, count, outcome)
    }
  })

void test('slots by day: the days of all nodes are those of the network', async () => {
  const sums = new Map<number, number[]>()
  const networks = new Map<number, Json>()
  for (const nodeId of nodeIds) {
    const path = `${baseOf('p-chain')}/nodes/${nodeId}/slots:listDays`
    for (const { timestamp, due, missed, network } of await service.readAll(path, 'days')) {
      const [allDue = 0, allMissed = 0] = sums.get(timestamp) ?? []
      sums.set(timestamp, [allDue + due, allMissed + missed])
      networks.set(timestamp, network)
    }
  }
  assert.ok(sums.size > 0)
  for (const [timestamp, sum] of sums) {
    const { due, missed, unknown, disagreed } = networks.get(timestamp)
    // The first block of all has a bare parent.
    assert.deepEqual([due, missed, unknown, disagreed], [...sum, 1, 0])
  }
})

void test('slots: a node that was never due has none, and a list is a file, too', async () => {
  const path = `${baseOf('c-chain')}/nodes/NodeID-111111111111111111116DBWJs/slots`
  assert.deepEqual((await service.get(path)).body.slots, [])
  const { days, total } = (await service.get(`${path}:listDays`)).body
  assert.deepEqual([days, total.due], [[], 0])
  const file = await fetch(
    `${service.url}${baseOf('p-chain')}/nodes/${nodeIds[0]}/slots?format=csv`,
  )
  assert.equal((await file.text()).split('\r\n')[0], 'outcome,blockNumber,slot,timestamp,date')
})

void test('slots: no block disagrees, which a gauge shows for each chain', async () => {
  const gauges = createGauges()
  await reportSlots([service.network, scaled.network], gauges)
  const lines = (await gauges.text()).split('\n').filter((line) => line.startsWith('firn_primary'))
  const of = (chain: string): string =>
    `firn_primary_disagreed_blocks{network="fuji",chain="${chain}"} 0`
  assert.deepEqual(lines, ['P', 'X', 'C'].map(of))
})

provesOperations([service], ['listProposerSlots', 'listProposerDays'])
