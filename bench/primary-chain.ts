/**
 * Makes up a P-Chain for `primary-replay.ts`: base transactions of one input and two outputs, ten
 * to a block, each output spent once and later. A process of its own, so that what it holds is in
 * nobody's figures.
 *
 *     node bench/primary-chain.ts <transactions> <file>
 */

import { closeSync, openSync, writeSync } from 'node:fs'

import { encode } from '../src/codec/cursor.ts'
import { emptyId, transactionIdOf } from '../src/codec/primary/ids.ts'
import { pBlock } from '../src/codec/primary/p-block.ts'
import { pTransaction } from '../src/codec/primary/p-transaction.ts'
import type { PTransaction } from '../src/codec/primary/p-transaction.ts'
import { sha256 } from '../src/core/hash.ts'
import { localFacts } from './local-genesis.ts'

const wanted = Number(process.argv[2])
const perBlock = 10
const facts = localFacts()

// One credential with one signature: count, type id, count, 65 bytes.
const credentials = new Uint8Array(4 + 4 + 4 + 65).fill(7)
credentials.set([0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1])

type Output = { readonly txId: Uint8Array; readonly outputIndex: number; readonly amount: bigint }

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20)
  new DataView(address.buffer).setUint32(0, Math.imul(number, 2_654_435_761) >>> 16)
  return address
}

function spend(output: Output, number: number): PTransaction {
  const assetId = facts.avaxAssetId
  const { amount, ...place } = output
  const half = { typeId: 7, amount: amount / 2n, locktime: 0n, threshold: 1 } as const
  return {
    unsigned: {
      typeId: 34,
      networkId: facts.networkId,
      blockchainId: emptyId,
      outputs: [number, number + 1].map((owner) => ({
        assetId,
        output: { ...half, addresses: [addressOf(owner)] },
      })),
      inputs: [{ ...place, assetId, input: { typeId: 5, amount, signatureIndices: [0] } }],
      memo: new Uint8Array(0),
    },
    credentials,
  }
}

/** Writes inner blocks, oldest first, each after its size. */
function writeChain(file: number): void {
  const unspent: Output[] = []
  for (const { utxo } of facts.genesis.utxos) {
    if (utxo.output.typeId === 7) unspent.push({ ...utxo, amount: utxo.output.amount })
  }
  let parentId = facts.pBlockId
  const time = facts.genesis.time
  for (let made = 0, at = 0, height = 1; made < wanted; height++) {
    const transactions = []
    const until = Math.min(unspent.length, at + perBlock)
    for (; at < until; at++, made++) {
      const output = unspent[at]
      if (output === undefined) break
      const { txId, outputIndex, amount } = output
      const record = spend({ txId, outputIndex, amount }, made)
      const bytes = encode(pTransaction, record)
      const id = transactionIdOf(bytes)
      for (const index of [0, 1])
        unspent.push({ txId: id, outputIndex: index, amount: amount / 2n })
      transactions.push({ record, bytes })
    }
    const block = { typeId: 32, time, parentId, height: BigInt(height), transactions } as const
    const bytes = encode(pBlock, block)
    parentId = sha256(bytes)
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, bytes.length)
    writeSync(file, size)
    writeSync(file, bytes)
  }
}

const file = openSync(process.argv[3] ?? '', 'w')
writeChain(file)
closeSync(file)
