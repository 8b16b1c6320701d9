/** The most active senders and most called contracts of the bundled chains, counted from their recordings. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const service = await evmService({ chains: [51001, 51002] })
const lists = ['activeSenders', 'calledContracts'] as const

type Count = { transactionCount: number; gasUsed: number }

/** Counts by lower-case address of the blocks in a span of time. */
function counted(
  chainId: 51001 | 51002,
  list: (typeof lists)[number],
  { from, until }: { readonly from: number; readonly until: number },
): Map<string, Count> {
  const counts = new Map<string, Count>()
  for (const { block, receipts } of rawChain(chainId)) {
    if (Number(block.timestamp) < from || Number(block.timestamp) >= until) continue
    for (const [at, { to, input, ...tx }] of block.transactions.entries()) {
      if (list === 'calledContracts' && (to === null || input.length < 10)) continue
      const address = (list === 'activeSenders' ? tx.from : (to ?? '')).toLowerCase()
      const { transactionCount, gasUsed } = counts.get(address) ?? {
        transactionCount: 0,
        gasUsed: 0,
      }
      const gas = gasUsed + Number(receipts[at]?.gasUsed)
      counts.set(address, { transactionCount: transactionCount + 1, gasUsed: gas })
    }
  }
  return counts
}

function first(chainId: 51001 | 51002): number {
  return Number(rawChain(chainId).at(-1)?.block.timestamp)
}

void test('active: every address of a day, week and month has what the recording has, in order', async () => {
  let compared = 0
  for (const chainId of [51001, 51002] as const)
    for (const list of lists)
      for (const sortBy of ['transactions', 'gasUsed'] as const)
        for (const interval of ['day', 'week', 'month']) {
          const path = `/v1/chains/${chainId}/${list}?timeInterval=${interval}&sortBy=${sortBy}`
          const { body } = await service.get(path)
          const rows: Json[] = await service.readAll(`${path}&pageSize=3`, 'addresses')
          const expected = counted(chainId, list, {
            from: body.startTimestamp,
            until: body.endTimestamp,
          })
          assert.ok(expected.size > 0)
          assert.equal(body.addressCount, expected.size)
          assert.deepEqual(
            new Map(
              rows.map(({ address, transactionCount, gasUsed }) => [
                String(address).toLowerCase(),
                { transactionCount, gasUsed },
              ]),
            ),
            expected,
          )
          const values = rows.map(
            (row) => row[sortBy === 'gasUsed' ? 'gasUsed' : 'transactionCount'],
          )
          assert.deepEqual(
            values,
            values.toSorted((a, b) => b - a),
          )
          for (const sum of ['transactionCount', 'gasUsed'] as const)
            assert.equal(
              body[sum],
              [...expected.values()].reduce((total, row) => total + row[sum], 0),
            )
          assert.equal(body.countedUntilBlock, rawChain(chainId).length - 1)
          assert.equal(body.isComplete, false)
          compared += rows.length
        }
  assert.ok(compared > 200, String(compared))
})

void test('active: periods are those of the calendar in UTC, and an empty one says so', async () => {
  const newest = first(51001)
  const day = `/v1/chains/51001/activeSenders`
  const { body } = await service.get(day)
  assert.equal(body.startTimestamp, newest - (newest % 86_400))
  const week = (await service.get(`${day}?timeInterval=week`)).body
  assert.equal(new Date(week.startTimestamp * 1_000).getUTCDay(), 1)
  assert.equal(week.endTimestamp - week.startTimestamp, 7 * 86_400)
  const month = (await service.get(`${day}?timeInterval=month`)).body
  assert.equal(new Date(month.startTimestamp * 1_000).getUTCDate(), 1)
  const before = (await service.get(`${day}?timestamp=${86_400 * 3 + 5}`)).body
  assert.deepEqual([before.startTimestamp, before.endTimestamp], [86_400 * 3, 86_400 * 4])
  assert.deepEqual([before.isComplete, before.addressCount, before.addresses], [true, 0, []])
})

void test('active: bad parameters are refused, and a page token is of its list alone', async () => {
  for (const query of ['timeInterval=hour', 'sortBy=value', 'timestamp=x', 'pageSize=0'])
    assert.equal((await service.get(`/v1/chains/51001/activeSenders?${query}`)).status, 400, query)
  const { body } = await service.get('/v1/chains/51001/activeSenders?pageSize=1')
  const token = encodeURIComponent(body.nextPageToken)
  const other = await service.get(`/v1/chains/51001/calledContracts?pageSize=1&pageToken=${token}`)
  assert.equal(other.status, 400)
})

provesOperations([service], ['listActiveSenders', 'listCalledContracts'])
