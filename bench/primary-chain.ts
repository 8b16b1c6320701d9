/**
 * Makes up a P-Chain for `primary-replay.ts`: base transactions of one input and two outputs, ten
 * to a block, each output spent once and later. A process of its own, so that what it holds is in
 * nobody's figures.
 *
 *     node bench/primary-chain.ts <transactions> <file> [delegations]
 *
 * With `delegations`, that many of each block's ten stake one of their outputs, which is rewarded
 * and comes back 50,000 s of chain time later, by a proposal of its own.
 */

import { closeSync, openSync, writeSync } from 'node:fs'

import { encode } from '../src/codec/cursor.ts'
import { emptyId, transactionIdOf } from '../src/codec/primary/ids.ts'
import { type PBlock, pBlock } from '../src/codec/primary/p-block.ts'
import {
  pTransaction,
  type PTransaction,
  type PTransferableOutput,
  type PUnsignedOf,
} from '../src/codec/primary/p-transaction.ts'
import { sha256 } from '../src/core/hash.ts'
import { localFacts } from './local-genesis.ts'

const wanted = Number(process.argv[2])
const delegations = Number(process.argv[4] ?? 0)
const perBlock = 10
const blockSeconds = delegations === 0 ? 0 : perBlock
const stakeSeconds = 50_000
const facts = localFacts()
const assetId = facts.avaxAssetId

// One credential with one signature: count, type id, count, 65 bytes.
const credentials = new Uint8Array(4 + 4 + 4 + 65).fill(7)
credentials.set([0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1])
const noCredentials = new Uint8Array(4)

type Output = { readonly txId: Uint8Array; readonly outputIndex: number; readonly amount: bigint }
type Stake = Output & { readonly end: number }
type BaseField = 'networkId' | 'blockchainId' | 'inputs' | 'memo'
type Made = { readonly record: PTransaction; readonly bytes: Uint8Array; readonly id: Uint8Array }

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20)
  new DataView(address.buffer).setUint32(0, Math.imul(number, 2_654_435_761) >>> 16)
  return address
}

function outputTo(owner: number, amount: bigint): PTransferableOutput {
  const addresses = [addressOf(owner)]
  return { assetId, output: { typeId: 7, amount, locktime: 0n, threshold: 1, addresses } }
}

/** Fields that both kinds have, spending `output`. */
function baseOf({ txId, outputIndex, amount }: Output): Pick<PUnsignedOf<'BaseTx'>, BaseField> {
  return {
    networkId: facts.networkId,
    blockchainId: emptyId,
    inputs: [{ txId, outputIndex, assetId, input: { typeId: 5, amount, signatureIndices: [0] } }],
    memo: new Uint8Array(0),
  }
}

function made(unsigned: PTransaction['unsigned'], signed = credentials): Made {
  const record = { unsigned, credentials: signed }
  const bytes = encode(pTransaction, record)
  return { record, bytes, id: transactionIdOf(bytes) }
}

function spend(output: Output, number: number): Made {
  const half = output.amount / 2n
  const outputs = [outputTo(number, half), outputTo(number + 1, half)]
  return made({ typeId: 34, ...baseOf(output), outputs })
}

const [validator] = facts.genesis.validators
if (validator === undefined || !('nodeId' in validator.record.unsigned))
  throw new Error('no genesis')
const { nodeId } = validator.record.unsigned

function delegate(output: Output, number: number, end: number): Made {
  const half = output.amount / 2n
  return made({
    typeId: 26,
    ...baseOf(output),
    outputs: [outputTo(number, half)],
    nodeId: Uint8Array.from(nodeId),
    start: 0n,
    end: BigInt(end),
    weight: half,
    subnetId: emptyId,
    stake: [outputTo(number + 1, half)],
    rewardsOwner: { locktime: 0n, threshold: 1, addresses: [addressOf(number + 1)] },
  })
}

/** Writes inner blocks, oldest first, each after its size. */
function writeChain(file: number): void {
  const unspent: Output[] = []
  for (const { utxo } of facts.genesis.utxos) {
    if (utxo.output.typeId === 7) unspent.push({ ...utxo, amount: utxo.output.amount })
  }
  const stakes: Stake[] = []
  let parentId = facts.pBlockId
  let height = 1
  let time = Number(facts.genesis.time)
  let count = 0
  let nextSpent = 0
  let nextEnd = 0

  const write = (block: PBlock): void => {
    const bytes = encode(pBlock, block)
    parentId = sha256(bytes)
    height++
    const size = new Uint8Array(4)
    new DataView(size.buffer).setUint32(0, bytes.length)
    writeSync(file, size)
    writeSync(file, bytes)
  }
  const common = (at: number): { time: bigint; parentId: Uint8Array; height: bigint } => ({
    time: BigInt(at),
    parentId,
    height: BigInt(height),
  })
  const reward = ({ end, ...stake }: Stake): void => {
    const transaction = made({ typeId: 20, stakingTxId: stake.txId }, noCredentials)
    write({ typeId: 29, ...common(end), transactions: [], transaction })
    write({ typeId: 31, ...common(end) })
    unspent.push(stake)
    count++
  }
  const transact = (output: Output, place: number): Made => {
    const end = time + stakeSeconds + place
    // Not before there are ten to spend: delegations alone would make them no more.
    const isStaking = place < delegations && unspent.length - nextSpent >= perBlock
    const one = isStaking ? delegate(output, count, end) : spend(output, count)
    const half = { txId: one.id, amount: output.amount / 2n }
    unspent.push({ ...half, outputIndex: 0 })
    if (isStaking) stakes.push({ ...half, outputIndex: 1, end })
    else unspent.push({ ...half, outputIndex: 1 })
    count++
    return one
  }

  while (count < wanted) {
    time += blockSeconds
    for (; (stakes[nextEnd]?.end ?? Infinity) <= time; nextEnd++) {
      const stake = stakes[nextEnd]
      if (stake !== undefined) reward(stake)
    }
    const outputs = unspent.slice(nextSpent, nextSpent + perBlock)
    nextSpent += outputs.length
    const transactions = outputs.map(transact)
    write({ typeId: 32, ...common(time), transactions })
  }
}

const file = openSync(process.argv[3] ?? '', 'w')
writeChain(file)
closeSync(file)
