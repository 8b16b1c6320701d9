import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Reader } from '../../../src/store/engine/database.ts'
import { evmService } from '../../support/services/evm-service.ts'
import { busiest, expectedInternals, expectedTransactions, expectedTransfers } from './replay.ts'

const chain = 51002
const embedded = await evmService({ chains: [chain] })
const scaled = await evmService({
  chains: [chain],
  engine: 'postgres',
})

const transfers = expectedTransfers(chain)
const people = busiest(transfers.flatMap(({ from, to }) => [from, to])).slice(0, 6)
const tokens = busiest(transfers.map(({ token }) => token)).slice(0, 4)
const hashes = expectedTransactions(chain).filter((_, at) => at % 97 === 0)
const inner = expectedInternals(chain).find(({ type }) => type === 'CREATE2')!
const lists = people.flatMap((address) => {
  const base = `/v1/chains/${chain}/addresses/${address}`
  return [
    `${base}/transactions:listErc20?pageSize=9`,
    `${base}/transactions:listErc721?endBlock=100`,
    `${base}/transactions:listErc1155?startBlock=50`,
    `${base}/transactions:listInternals`,
    `${base}/transactions:listNative`,
    `${base}/transactions`,
    `${base}/transactions?sortOrder=asc&startBlock=60`,
    `${base}/balances:listErc20?filterSpamTokens=false&pageSize=4`,
    `/v1/address/${address}/chains`,
  ]
})
const paths = [
  ...lists,
  ...tokens.map((address) => `/v1/chains/${chain}/tokens/${address}/transfers?pageSize=30`),
  ...tokens.map((address) => `/v1/chains/${chain}/addresses/${address}`),
  ...hashes.map(({ txHash }) => `/v1/chains/${chain}/transactions/${txHash}`),
  `/v1/chains/${chain}/transactions`,
  `/v1/chains/${chain}/transactions?status=failed`,
  `/v1/chains/${chain}/transactions?status=success`,
  `/v1/chains/${chain}/blocks`,
  `/v1/chains/${chain}/blocks/0`,
  `/v1/chains/${chain}/blocks/100/transactions?pageSize=5`,
  `/v1/chains/${chain}/contracts/${inner.to}/transactions:getDeployment`,
  '/v1/transactions',
  '/v1/blocks',
]

void test('engines: PostgreSQL gives the bytes SQLite gives, on first and second pages', async () => {
  for (const path of paths) {
    const [own, other] = await Promise.all([embedded.get(path), scaled.get(path)])
    assert.equal(other.status, 200, path)
    assert.deepEqual(other.body, own.body, path)
    const token = own.body.nextPageToken
    if (token === undefined) continue
    const next = `${path}${path.includes('?') ? '&' : '?'}pageToken=${token}`
    const [ownNext, otherNext] = await Promise.all([embedded.get(next), scaled.get(next)])
    assert.deepEqual(otherNext.body, ownNext.body, next)
  }
})

void test('PostgreSQL: a page whose addresses are known is one statement', async () => {
  const [path = ''] = paths
  await scaled.get(path)
  const statements = statementsOf(scaled.chains[0]!.store)
  await scaled.get(path)
  assert.equal(statements(), 1)
  // The height is read again.
  scaled.time.nowMs += 20
  await scaled.get(path)
  assert.equal(statements(), 3)
})

/** Counts the statements of a reader from now on. */
function statementsOf(reader: Reader): () => number {
  let count = 0
  const counted =
    <A extends readonly unknown[], R>(ask: (...parameters: A) => R) =>
    (...parameters: A): R => {
      count++
      return ask(...parameters)
    }
  const { all, get, lookup } = reader
  Object.assign(reader, { all: counted(all), get: counted(get), lookup: counted(lookup) })
  return () => count
}
