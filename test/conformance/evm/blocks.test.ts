import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import { expectedTransactions, shownOf, text, transactionOf } from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain, 51001] })

/** Blocks as the API shows them, in order of history. */
function expectedBlocks(chainId: 51001 | 51002): object[] {
  let count = 0
  return rawChain(chainId).map(({ block, receipts }) => {
    count += block.transactions.length
    const fees = receipts.map(
      ({ gasUsed, effectiveGasPrice }) => BigInt(gasUsed) * BigInt(effectiveGasPrice),
    )
    return {
      chainId: String(chainId),
      blockNumber: text(block.number),
      blockTimestamp: Number(block.timestamp),
      blockHash: block.hash,
      txCount: block.transactions.length,
      baseFee: text(block.baseFeePerGas),
      gasUsed: text(block.gasUsed),
      gasLimit: text(block.gasLimit),
      gasCost: '0',
      parentHash: block.parentHash,
      feesSpent: fees.reduce((sum, fee) => sum + fee, 0n).toString(),
      cumulativeTransactions: String(count),
    }
  })
}

void test('blocks: the whole chain, newest first', async () => {
  const items = await service.readAll(`/v1/chains/${chain}/blocks?pageSize=60`, 'blocks')
  assert.deepEqual(items, expectedBlocks(chain).reverse())
})

void test('blocks: one by number and by hash, 404 for an unknown one', async () => {
  const path = `/v1/chains/${chain}/blocks`
  const { block } = rawChain(chain)[77]!
  for (const name of ['77', block.hash, `0x${block.hash.slice(2).toUpperCase()}`]) {
    const { status, body } = await service.get(`${path}/${name}`)
    assert.equal(status, 200, name)
    assert.deepEqual(body, expectedBlocks(chain)[77])
  }
  for (const name of ['153', `0x${'ab'.repeat(32)}`])
    assert.equal((await service.get(`${path}/${name}`)).status, 404, name)
  for (const name of ['-1', 'latest', '0x77'])
    assert.equal((await service.get(`${path}/${name}`)).status, 400, name)
})

void test('block transactions: all of them in block order unless a page size is given', async () => {
  const busiest = rawChain(chain).reduce((a, b) =>
    b.block.transactions.length > a.block.transactions.length ? b : a,
  )
  const wanted = expectedTransactions(chain)
    .filter(({ blockHash }) => blockHash === busiest.block.hash)
    .map(shownOf)
  const path = `/v1/chains/${chain}/blocks/${busiest.block.hash}/transactions`
  const whole = await service.get(path)
  assert.deepEqual(whole.body.transactions.map(transactionOf), wanted)
  assert.ok(!('nextPageToken' in whole.body))
  const paged = await service.readAll(`${path}?pageSize=4`, 'transactions')
  assert.deepEqual(paged.map(transactionOf), wanted)
  const empty = await service.get(`/v1/chains/${chain}/blocks/0/transactions`)
  assert.deepEqual(empty.body, { transactions: [] })
})

void test('all chains: blocks come by time, each once, with a token across chains', async () => {
  const items = await service.readAll('/v1/blocks?pageSize=100', 'blocks')
  const expected = [...expectedBlocks(chain).reverse(), ...expectedBlocks(51001).reverse()]
  // Stable: of one second, the chain configured first comes first.
  expected.sort((a, b) => timeOf(b) - timeOf(a))
  assert.deepEqual(items, expected)
})

void test('all chains: transactions come by time, each once, also by status', async () => {
  const expected = [
    ...expectedTransactions(chain).reverse(),
    ...expectedTransactions(51001).reverse(),
  ].sort((a, b) => b.blockTimestamp - a.blockTimestamp)
  const failed = await service.readAll(
    '/v1/transactions?pageSize=100&status=failed',
    'transactions',
  )
  const wanted = expected.filter(({ txStatus }) => txStatus === '0')
  assert.deepEqual(failed.map(transactionOf), wanted.map(shownOf))
  const all = await service.get('/v1/transactions?pageSize=100')
  assert.deepEqual(all.body.transactions.map(transactionOf), expected.slice(0, 100).map(shownOf))
  const none = await service.get('/v1/transactions?network=mainnet')
  assert.deepEqual(none.body, { transactions: [] })
})

function timeOf(block: object): number {
  return 'blockTimestamp' in block ? Number(block.blockTimestamp) : 0
}

provesOperations(
  [service],
  [
    'getLatestBlocks',
    'getBlock',
    'getTransactionsForBlock',
    'listLatestBlocksAllChains',
    'listLatestTransactionsAllChains',
  ],
)
