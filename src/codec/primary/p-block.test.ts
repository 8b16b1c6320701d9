import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  type Entry,
  everyTruncationFails,
  type Json,
  transactionView,
  vectors,
} from '../../../test/support/chains/primary-vectors.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { encode } from '../cursor.ts'
import { openContainer, outerBlock, proposerOf } from '../proposer/outer-block.ts'
import { transactionIdOf } from './ids.ts'
import { decodePBlock, pBlock, pBlockNames, transactionsOf } from './p-block.ts'
import { pTransactionNames } from './p-transaction.ts'

type BlockEntry = Entry & {
  readonly containerHex?: string
  readonly containerID?: string
  readonly expected?: { id: string; type: string; parent: string; height: number; txIDs: string[] }
  readonly proposer?: {
    parentId: string
    timestamp?: string
    pChainHeight?: string
    nodeId: string | null
  } | null
  readonly decoded: { type: string; txs: { txID: string; tx: Json }[] }
}

void test('P-Chain blocks: real containers and upstream vectors give their ids, parents and transactions', () => {
  const entries: readonly BlockEntry[] = JSON.parse(JSON.stringify(vectors('p-blocks')))
  assert.equal(entries.length, 26)
  for (const entry of entries) {
    const container = fromHex(entry.containerHex ?? entry.hex)
    const { inner, outer } = openContainer(container, isPBlock)
    const block = decodePBlock(inner)
    const blockId = toCb58(sha256(inner))
    assert.equal(blockId, entry.expected?.id ?? entry.blockID, entry.name)
    assert.equal(outer === undefined ? blockId : toCb58(outer.id), entry.containerID ?? blockId)
    assert.equal(pBlockNames[block.typeId], entry.decoded.type)
    const ids = transactionsOf(block).map((one) => toCb58(transactionIdOf(one.bytes)))
    assert.deepEqual(ids, entry.expected?.txIDs ?? entry.decoded.txs.map((one) => one.txID))
    assert.deepEqual(
      transactionsOf(block).map((one) => transactionView(one.record.unsigned, pTransactionNames)),
      entry.decoded.txs.map((one) => one.tx),
    )
    if (entry.expected !== undefined) {
      assert.equal(toCb58(block.parentId), entry.expected.parent)
      assert.equal(Number(block.height), entry.expected.height)
    }
    checkProposer(entry, outer)
    assert.equal(toHex(encode(pBlock, block)), toHex(inner))
    everyTruncationFails(pBlock, inner, entry.name)
    if (outer !== undefined) everyTruncationFails(outerBlock, container, entry.name)
  }
})

function isPBlock(inner: Uint8Array): boolean {
  try {
    decodePBlock(inner)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

function checkProposer(entry: BlockEntry, outer: ReturnType<typeof openContainer>['outer']): void {
  if (entry.containerHex === undefined) return
  assert.equal(outer !== undefined, entry.proposer !== null, entry.name)
  if (outer === undefined) return
  const { block } = outer
  assert.equal(toCb58(block.parentId), entry.proposer?.parentId)
  const proposer = proposerOf(block)
  assert.equal(proposer === undefined ? null : toNodeId(proposer), entry.proposer?.nodeId)
  if (block.typeId === 1) return
  assert.equal(String(block.timestamp), entry.proposer?.timestamp)
  assert.equal(String(block.pChainHeight), entry.proposer?.pChainHeight)
}
