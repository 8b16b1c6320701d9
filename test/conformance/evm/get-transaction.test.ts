import assert from 'node:assert/strict'
import { test } from 'node:test'

import { evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'
import {
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
  internalOf,
  shownOf,
  text,
  transactionOf,
  transferOf,
} from './replay.ts'

const chain = 51002
const service = await evmService({ chains: [chain, 51001] })
const detailOf = async (hash: string): Promise<Json> => {
  const { status, body } = await service.get(`/v1/chains/${chain}/transactions/${hash}`)
  assert.equal(status, 200, hash)
  return body
}

void test('transaction: every third one of the chain is what block, receipt and traces say', async () => {
  const transfers = Map.groupBy(expectedTransfers(chain), ({ txHash }) => txHash)
  const internals = Map.groupBy(expectedInternals(chain), ({ txHash }) => txHash)
  for (const [at, expected] of expectedTransactions(chain).entries()) {
    if (at % 3 !== 0) continue
    const { txHash, blockNumber, blockTimestamp, blockHash } = expected
    const detail = await detailOf(txHash)
    const place = { blockNumber, blockTimestamp, blockHash, txHash }
    assert.deepEqual(transactionOf(detail.nativeTransaction), shownOf(expected), txHash)
    const moved = [...detail.erc20Transfers, ...detail.erc721Transfers, ...detail.erc1155Transfers]
    const shown = moved.map((view: Json) => {
      assert.ok(!('txHash' in view), 'entries do not repeat the transaction')
      return transferOf({ ...place, ...view })
    })
    const wanted = transfers.get(txHash) ?? []
    assert.deepEqual(
      shown,
      [20, 721, 1155].flatMap((standard) => wanted.filter((row) => row.standard === standard)),
      txHash,
    )
    const calls = detail.internalTransactions.map((view: Json) => internalOf({ ...place, ...view }))
    assert.deepEqual(calls, internals.get(txHash) ?? [], txHash)
  }
})

void test('transaction: input and fee fields are those of the node', async () => {
  for (const { block } of rawChain(chain)) {
    for (const [at, raw] of block.transactions.entries()) {
      // The last of each block: its input lies after all others of the block.
      if (at !== block.transactions.length - 1 && at % 7 !== 0) continue
      const { nativeTransaction } = await detailOf(raw.hash)
      assert.equal(nativeTransaction.input, raw.input)
      assert.equal(nativeTransaction.baseFeePerGas, text(block.baseFeePerGas))
      const limits = [nativeTransaction.maxFeePerGas, nativeTransaction.maxPriorityFeePerGas]
      assert.deepEqual(
        limits,
        raw.maxFeePerGas === undefined
          ? [undefined, undefined]
          : [text(raw.maxFeePerGas), text(raw.maxPriorityFeePerGas ?? '0x0')],
      )
    }
  }
})

void test('transaction: an interchain message that it sent or delivered is part of the answer', async () => {
  const messenger = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
  const send = '0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8'
  const receive = '0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34'
  let seen = 0
  for (const { receipts } of rawChain(chain)) {
    for (const { logs, transactionHash } of receipts) {
      const own = logs.filter(({ address }) => address.toLowerCase() === messenger)
      const sent = own.find(({ topics }) => topics[0] === send)
      const received = own.find(({ topics }) => topics[0] === receive)
      const first = sent ?? received
      if (first === undefined) continue
      seen++
      const { teleporterMessageInfo } = await detailOf(transactionHash)
      assert.deepEqual(teleporterMessageInfo, {
        teleporterMessageId: first.topics[1]!.slice(2),
        ...(sent === undefined
          ? { direction: 'DESTINATION_TRANSACTION', sourceChainId: '51001' }
          : { direction: 'SOURCE_TRANSACTION', destinationChainId: '51001' }),
      })
    }
  }
  assert.ok(seen > 5)
})

void test('transaction: without prices the coin is named and nothing is priced', async () => {
  const { networkTokenDetails, ...rest } = await detailOf(expectedTransactions(chain)[5]!.txHash)
  assert.deepEqual(Object.keys(networkTokenDetails), ['networkToken'])
  assert.equal(networkTokenDetails.networkToken.symbol, 'PLAY')
  assert.ok(!('teleporterMessageInfo' in rest))
})

void test('transaction: an unknown hash is 404, a malformed one 400', async () => {
  const unknown = await service.get(`/v1/chains/${chain}/transactions/0x${'ab'.repeat(32)}`)
  assert.equal(unknown.status, 404)
  assert.deepEqual(Object.keys(unknown.body).sort(), ['error', 'message', 'statusCode'])
  for (const hash of ['0x12', 'abc', `0x${'zz'.repeat(32)}`, `0x${'ab'.repeat(33)}`]) {
    const { status, body } = await service.get(`/v1/chains/${chain}/transactions/${hash}`)
    assert.equal(status, 400, hash)
    assert.match(body.message, /^txHash must be a transaction hash/)
  }
})

void test('transaction: a hash is found in any letter case, on its own chain only', async () => {
  const [{ txHash } = { txHash: '' }] = expectedTransactions(chain).slice(-1)
  const upper = await detailOf(`0x${txHash.slice(2).toUpperCase()}`)
  assert.equal(upper.nativeTransaction.txHash, txHash)
  assert.equal((await service.get(`/v1/chains/51001/transactions/${txHash}`)).status, 404)
})
