/** Tokens and collections of a chain by their counts, against the raw logs, on both engines and over segments. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { statement } from '../../../src/store/engine/database.ts'
import { countsOfToken } from '../../../src/store/query/evm/balances.ts'
import { integerAt } from '../../../src/store/query/row-values.ts'
import { token } from '../../../src/store/schema/evm.ts'
import { evmService, type EvmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { expectedTransfers } from './replay.ts'

const chain = 51002
const path = `/v1/chains/${chain}`
const services = [
  await evmService({ chains: [chain], engine: 'sqlite' }),
  await evmService({ chains: [chain], engine: 'postgres' }),
  await evmService({ chains: [chain], frozen: [60, 100] }),
]

const zero = `0x${'0'.repeat(40)}`
/** What the raw logs give: of each token how many transfers name how many addresses. */
const expected = new Map<string, { transfers: number; holders: Set<string> }>()
for (const { token: of, from, to } of expectedTransfers(chain)) {
  const counts = expected.get(of) ?? { transfers: 0, holders: new Set() }
  expected.set(of, counts)
  counts.transfers++
  for (const end of [from, to]) if (end !== zero) counts.holders.add(end)
}
// Whoever wraps coins has some of the token, though no Transfer says so. Source: WETH9.
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
for (const { receipts } of rawChain(chain))
  for (const { address, topics } of receipts.flatMap(({ logs }: Json) => logs as Json[]))
    if (topics[0] === deposit)
      expected.get(address.toLowerCase())?.holders.add(`0x${topics[1].slice(26)}`)

/** Counts every token, as a look at it does. */
async function look({ chains }: EvmService): Promise<void> {
  const store = chains[0]?.store ?? assert.fail('the chain is served')
  const ids = (await store.all(statement('select id from token'))).map((row) => integerAt(row, 0))
  for (const id of ids) {
    const { transfers, holders } = await countsOfToken(store, id)
    const counts = { id: [id], transfers: [transfers], holders: [holders] }
    await store.transaction((writer) => writer.update(token, counts))
  }
}

void test('listTokens: every token with the counts of its logs, the most first, page by page', async () => {
  for (const service of services) {
    await look(service)
    const all: Json[] = []
    for (const list of ['tokens', 'nfts/collections'])
      for (const by of ['transfers', 'holders'] as const) {
        const query = `sortBy=${by}&filterSpamTokens=false&pageSize=2`
        const rows = await service.readAll(`${path}/${list}?${query}`, 'tokens')
        const counts = rows.map(({ transferCount, holderCount }) =>
          by === 'transfers' ? transferCount : holderCount,
        )
        assert.deepEqual(
          counts,
          counts.toSorted((a: number, b: number) => b - a),
        )
        for (const row of rows) assert.equal(row.ercType === 'ERC-20', list === 'tokens')
        all.push(...rows)
      }
    assert.equal(all.length, expected.size * 2)
    for (const { address, transferCount, holderCount } of all) {
      const { transfers, holders } = expected.get(address.toLowerCase()) ?? assert.fail(address)
      assert.deepEqual([transferCount, holderCount], [transfers, holders.size], address)
    }
  }
})

void test('listTokens: what looks like spam is left out unless the request includes it; bad input is refused', async () => {
  const [service] = services
  assert.ok(service !== undefined)
  const all = await service.readAll(`${path}/tokens?filterSpamTokens=false&pageSize=3`, 'tokens')
  const shown = await service.readAll(`${path}/tokens?pageSize=3`, 'tokens')
  assert.ok(all.some(({ isSpam }) => isSpam === true))
  assert.deepEqual(
    shown,
    all.filter(({ isSpam }) => isSpam !== true),
  )
  assert.equal((await service.get(`${path}/tokens?sortBy=price`)).status, 400)
  assert.equal((await service.get(`${path}/tokens?pageToken=x`)).status, 400)
})

provesOperations(services, ['listErc20Tokens', 'listNftCollections'])
