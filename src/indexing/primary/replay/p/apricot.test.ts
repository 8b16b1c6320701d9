import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import {
  type SeenUtxo,
  seenSpends,
  seenStakers,
  seenTransactions,
  seenUtxos,
} from '../../../../../test/support/chains/seen-rows.ts'
import { encode } from '../../../../codec/cursor.ts'
import { buildGenesis } from '../../../../codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../../../codec/primary/genesis-config.ts'
import { readGenesis } from '../../../../codec/primary/genesis.ts'
import { emptyId, outputKeyOf, type OutputPlace } from '../../../../codec/primary/ids.ts'
import { pBlock, type PBlock } from '../../../../codec/primary/p-block.ts'
import type { PUnsigned } from '../../../../codec/primary/p-transaction.ts'
import { toHex } from '../../../../core/bytes.ts'
import { Fault } from '../../../../core/fault.ts'
import { newAssetNumbers } from '../../batch/asset-numbers.ts'
import type { RowBatch } from '../../batch/rows.ts'
import { rulesOf, unscheduled } from '../../batch/rules.ts'
import type { StakerRow } from '../../batch/staking-rows.ts'
import { newDraft } from '../draft.ts'
import { readPBlock, type ReadPBlock } from '../read-blocks.ts'
import { endBatch } from '../utxo-set.ts'
import { beginPChain } from './genesis.ts'
import { applyPBlocks } from './replay-p.ts'
import { potentialReward, shareOf } from './reward-amounts.ts'
import type { PState } from './state.ts'

// Nodes of today make no Apricot blocks, so these are composed; the rules they follow are those of
// avalanchego vms/platformvm/txs/executor/proposal_tx_executor.go.

const file = new URL('../../../../../data/genesis/local.json.gz', import.meta.url)
const facts = readGenesis(
  buildGenesis(parseGenesisConfig(gunzipSync(readFileSync(file)).toString('utf8'))),
)
const rules = rulesOf(12345, {
  cortina: unscheduled,
  durango: unscheduled,
  etna: unscheduled,
})
const genesisTime = Number(facts.genesis.time)
const noCredentials = new Uint8Array(4)
const owner = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20).fill(1)] }
const feeOwner = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20).fill(2)] }
const nodeId = new Uint8Array(20).fill(9)

type Chain = {
  readonly state: PState
  readonly batches: RowBatch[]
  tip: Uint8Array
  height: number
}

function begin(): Chain {
  const { state, batch } = beginPChain(facts, rules, {
    utxoLimit: 1_000,
    assets: newAssetNumbers([]),
  })
  return { state, batches: [batch], tip: facts.pBlockId, height: 0 }
}

type Body = { readonly typeId: 1 | 2 } | { readonly typeId: 0; readonly unsigned: PUnsigned }

function block(chain: Chain, body: Body): ReadPBlock {
  const common = { parentId: chain.tip, height: BigInt(++chain.height) }
  const whole: PBlock =
    body.typeId === 0
      ? {
          typeId: 0,
          ...common,
          transaction: {
            record: { unsigned: body.unsigned, credentials: noCredentials },
            bytes: new Uint8Array(0),
          },
        }
      : { typeId: body.typeId, ...common }
  const read = readPBlock(encode(pBlock, whole))
  chain.tip = read.blockId
  return read
}

/** A proposal with its option, replayed; gives the proposed transaction's id. */
function propose(chain: Chain, unsigned: PUnsigned, option: 1 | 2): Uint8Array {
  const blocks = [block(chain, { typeId: 0, unsigned }), block(chain, { typeId: option })]
  const draft = newDraft('P', { firstUtxo: chain.state.utxos.next, follows: undefined })
  applyPBlocks(chain.state, draft, blocks, { utxos: [], earlyImports: [] })
  chain.batches.push(endBatch(chain.state, draft))
  return blocks[0]?.transactions[0]?.txId ?? emptyId
}

function spending(index: number): {
  readonly networkId: number
  readonly blockchainId: Uint8Array
  readonly outputs: readonly []
  readonly inputs: readonly [
    {
      readonly txId: Uint8Array
      readonly outputIndex: number
      readonly assetId: Uint8Array
      readonly input: { typeId: 5; amount: bigint; signatureIndices: readonly number[] }
    },
  ]
  readonly memo: Uint8Array
} {
  const utxo = facts.genesis.utxos[index]?.utxo
  assert.ok(utxo !== undefined && utxo.output.typeId === 7)
  const { txId, outputIndex, assetId, output } = utxo
  const input = { typeId: 5, amount: output.amount, signatureIndices: [0] } as const
  return {
    networkId: 12345,
    blockchainId: emptyId,
    outputs: [],
    inputs: [{ txId, outputIndex, assetId, input }],
    memo: new Uint8Array(0),
  }
}

function stakeOf(amount: bigint): readonly [
  {
    readonly assetId: Uint8Array
    readonly output: { typeId: 7; amount: bigint } & typeof owner
  },
] {
  return [{ assetId: facts.avaxAssetId, output: { typeId: 7, amount, ...owner } }]
}

const weight = 2_000_000_000_000n
const start = genesisTime + 100
const end = genesisTime + 100 + 86_400 * 20
const delegationEnd = end - 86_400

function validator(index: number): PUnsigned {
  return {
    typeId: 12,
    ...spending(index),
    nodeId,
    start: BigInt(start),
    end: BigInt(end),
    weight,
    stake: stakeOf(weight),
    rewardsOwner: feeOwner,
    delegationShares: 200_000,
  }
}

function delegator(index: number): PUnsigned {
  return {
    typeId: 14,
    ...spending(index),
    nodeId,
    start: BigInt(start),
    end: BigInt(delegationEnd),
    weight,
    stake: stakeOf(weight),
    rewardsOwner: owner,
  }
}

function advance(time: number): PUnsigned {
  return { typeId: 19, time: BigInt(time) }
}

function lastStaker(chain: Chain, txId: Uint8Array): StakerRow {
  const rows = chain.batches.flatMap(seenStakers)
  const row = rows.findLast((one) => toHex(one.txId) === toHex(txId))
  assert.ok(row !== undefined)
  return row
}

function nameOf({ txId, outputIndex }: OutputPlace): string {
  return outputKeyOf(txId, outputIndex)
}

function created(chain: Chain, txId: Uint8Array, index: number): SeenUtxo | undefined {
  const key = outputKeyOf(txId, index)
  return chain.batches
    .flatMap((one) => seenUtxos(one, chain.state.utxos.assets))
    .find((one) => nameOf(one) === key)
}

function supply(chain: Chain): bigint {
  return chain.batches.at(-1)?.blocks.platform.currentSupply.at(-1) ?? 0n
}

void test('Apricot: an aborted staker spends its inputs and gets its stake at once', () => {
  const chain = begin()
  const before = supply(chain)
  const txId = propose(chain, validator(0), 1)
  const row = created(chain, txId, 0)
  assert.deepEqual([row?.content.amount, row?.staked, row?.consumed], [weight, false, undefined])
  const aborted = chain.batches[1]
  assert.ok(aborted !== undefined)
  assert.equal(seenTransactions(aborted)[0]?.committed, false)
  assert.deepEqual(seenStakers(aborted), [])
  assert.equal(seenSpends(aborted).length, 1)
  assert.equal(supply(chain), before)
  // The stake is free: it can be spent again.
  assert.doesNotThrow(() => propose(chain, validator(1), 2))
})

void test('Apricot: time moves by committed advances only, and starts who is due', () => {
  const chain = begin()
  const validatorId = propose(chain, validator(0), 2)
  const delegatorId = propose(chain, delegator(1), 2)
  assert.equal(lastStaker(chain, validatorId).status, 'pending')
  const aborted = propose(chain, advance(start), 1)
  assert.equal(chain.state.time, genesisTime)
  const before = supply(chain)
  const committed = propose(chain, advance(start), 2)
  assert.equal(toHex(aborted), toHex(committed), 'the same advance has the same id')
  assert.equal(chain.state.time, start)
  const [v, d] = [lastStaker(chain, validatorId), lastStaker(chain, delegatorId)]
  assert.deepEqual(
    [v.status, d.status, v.delegatorCount, v.delegatedWeight],
    ['active', 'active', 1, weight],
  )
  // The delegator's turn comes first, as for every AddDelegatorTx, so its reward sees less supply.
  const first = potentialReward(
    rules.reward,
    { durationSeconds: BigInt(delegationEnd - start), weight },
    before,
  )
  const second = potentialReward(
    rules.reward,
    { durationSeconds: BigInt(end - start), weight },
    before + first,
  )
  assert.deepEqual([d.potentialReward, v.potentialReward], [first, second])
  assert.equal(supply(chain), before + first + second)
  assert.throws(() => propose(chain, advance(end), 2), Fault, 'passes the delegator’s end')
})

void test('Apricot: before Cortina a delegator’s end pays both owners at once; denied rewards unmint', () => {
  const chain = begin()
  const validatorId = propose(chain, validator(0), 2)
  const delegatorId = propose(chain, delegator(1), 2)
  propose(chain, advance(start), 2)
  propose(chain, advance(delegationEnd), 2)
  propose(chain, { typeId: 20, stakingTxId: delegatorId }, 2)
  const reward = lastStaker(chain, delegatorId).potentialReward
  const fee = shareOf(reward, 200_000)
  // Stake is output 0; rewards follow it.
  const [toDelegator, toValidator] = [
    created(chain, delegatorId, 1),
    created(chain, delegatorId, 2),
  ]
  assert.deepEqual(
    [toDelegator?.content.amount, toDelegator?.rewardKind],
    [reward - fee, 'DELEGATOR'],
  )
  assert.deepEqual([toValidator?.content.amount, toValidator?.rewardKind], [fee, 'VALIDATOR_FEE'])
  assert.equal(toValidator?.content.addresses[0]?.[0], 2)
  propose(chain, advance(end), 2)
  const before = supply(chain)
  propose(chain, { typeId: 20, stakingTxId: validatorId }, 1)
  const row = lastStaker(chain, validatorId)
  assert.deepEqual([row.status, row.rewarded, row.delegatorCount], ['completed', false, 0])
  assert.equal(row.totalDelegatorCount, 1)
  assert.equal(supply(chain), before - row.potentialReward)
  assert.equal(created(chain, validatorId, 1), undefined)
  const returned = chain.batches.flatMap((batch) => batch.stakeReturns.map(nameOf))
  assert.deepEqual(returned, [outputKeyOf(delegatorId, 0), outputKeyOf(validatorId, 0)])
})

void test('Apricot: a reward for anybody but the next to end stops the chain', () => {
  const chain = begin()
  const validatorId = propose(chain, validator(0), 2)
  propose(chain, delegator(1), 2)
  propose(chain, advance(start), 2)
  assert.throws(
    () => propose(chain, { typeId: 20, stakingTxId: validatorId }, 2),
    (error) => error instanceof Fault && error.code === 'state-violation',
  )
})
