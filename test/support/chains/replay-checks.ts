/** Truths about the replay of any recorded network. */

import assert from 'node:assert/strict'

import { keyOf, to0x, toHex } from '../../../src/core/bytes.ts'
import { parseId, toCb58, toNodeId } from '../../../src/core/cb58.ts'
import { Fault } from '../../../src/core/fault.ts'
import type { RowBatch } from '../../../src/indexing/primary/batch/rows.ts'
import type { StakerRow } from '../../../src/indexing/primary/batch/staking-rows.ts'
import type { L1ChangeRow } from '../../../src/indexing/primary/batch/subnet-rows.ts'
import { beginPChain } from '../../../src/indexing/primary/replay/p/genesis.ts'
import type { PState } from '../../../src/indexing/primary/replay/p/state.ts'
import type { ReadPBlock } from '../../../src/indexing/primary/replay/read-blocks.ts'
import type { Answer, Network } from './recorded-network.ts'
import { batchOfP, dump, type TransactionOptions, replay, Rows } from './replayed-network.ts'
import { bytesOfUtxo } from './seen-rows.ts'

/** UTXOs, validators now and at every height, rewards, supply and fees are what its node says. */
export function checkAnswers(network: Network): void {
  const { rows, state } = replay(network, { order: 'PXC', batch: 50, cache: 1_000 })
  assert.equal(state.height, network.recording.height)
  assert.equal(rows.early.size, 0)
  checkUtxos(network, rows)
  checkValidators(network, rows, state)
  checkValidatorsAt(network, replay(network, { order: 'P', batch: 1, cache: 1_000 }).rows)
  checkRest(network, rows, state)
  checkBurned(network, rows, state)
}

/** Order of chains, size of batches, cache and restarts change nothing. */
export function checkManners(network: Network): void {
  const expected = dump(replay(network, { order: 'PXC', batch: 50, cache: 1_000 }).rows)
  const manners: readonly TransactionOptions[] = [
    { order: 'XPC', batch: 1, cache: 0 },
    { order: 'CXP', batch: 7, cache: 3 },
    { order: 'CPX', batch: 1_000, cache: 0 },
    { order: 'XCP', batch: 2, cache: 10, restarting: true },
    { order: 'PCX', batch: 13, cache: 0, restarting: true },
  ]
  for (const manner of manners) {
    assert.equal(dump(replay(network, manner).rows), expected, JSON.stringify(manner))
  }
}

/** A block left out, repeated or changed stops the P-Chain. */
export function checkViolations(network: Network): void {
  const { p } = network
  const isViolation = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'state-violation'
  const attempt = (blocks: readonly ReadPBlock[]): RowBatch => {
    const rows = new Rows()
    const kept = { utxoLimit: 1_000_000, assets: rows.numbers }
    const { state, batch } = beginPChain(network.facts, network.rules, kept)
    rows.write(batch)
    return batchOfP(state, blocks, rows)
  }
  assert.equal(attempt(p).until, p.length + 1)
  for (let at = 0; at < p.length - 1; at += 7) {
    assert.throws(() => attempt(p.toSpliced(at, 1)), isViolation, `left out ${at}`)
  }
  const first = p[0]
  assert.ok(first !== undefined)
  assert.throws(() => attempt([first, first]), isViolation)
  const spent = p.findIndex(({ transactions }) => transactions.length > 0)
  const block = p[spent]
  assert.ok(block !== undefined)
  // The same transactions twice in one block: the second finds its inputs spent.
  const doubled = { ...block, transactions: [...block.transactions, ...block.transactions] }
  assert.throws(() => attempt(p.with(spent, doubled)), isViolation)
}

function checkUtxos(network: Network, rows: Rows): void {
  for (const { address, on, from, utxos } of network.recording.answers.utxos) {
    const ours = [...rows.utxos.values()]
      .filter((row) => row.createdOn === from && row.consumableOn === on)
      .filter((row) => row.consumed === undefined && (!row.staked || row.returnedAt !== undefined))
      .filter((row) => row.content.addresses.some((one) => toHex(one) === address))
      .map((row) => toHex(bytesOfUtxo(row)))
    assert.deepEqual(ours.toSorted(), utxos, `${from} to ${on} of ${address}`)
  }
}

function checkStaker(row: StakerRow, said: Answer): void {
  const id = String(said['txID'])
  assert.equal(toNodeId(row.nodeId), said['nodeID'], id)
  assert.equal(String(row.weight), said['weight'], id)
  assert.equal(String(row.startTime), said['startTime'], id)
  assert.equal(String(row.endTime), said['endTime'], id)
  assert.equal(row.status, 'active', id)
  if (said['potentialReward'] !== undefined) {
    assert.equal(String(row.potentialReward), said['potentialReward'], id)
    assert.equal(String(row.delegateeReward), said['accruedDelegateeReward'], id)
    assert.equal(String(row.delegatorCount), said['delegatorCount'], id)
    assert.equal(String(row.delegatedWeight), said['delegatorWeight'], id)
    assert.equal(Number(row.delegationShares) / 10_000, Number(said['delegationFee']), id)
  }
}

function checkValidators(network: Network, rows: Rows, state: PState): void {
  for (const [subnetId, said] of Object.entries(network.recording.answers.validators)) {
    const stakers = [...state.stakers.currentValidators.values()]
    const l1 = [...state.l1.byId.values()]
    const count = [...stakers, ...l1].filter((row) => toCb58(row.subnetId) === subnetId).length
    assert.equal(count, said.length, subnetId)
    for (const one of said) {
      if (one['validationID'] === undefined) {
        const row = rows.stakers.get(keyOf(parseId(one['txID'] ?? '')))
        assert.ok(row !== undefined, String(one['txID']))
        checkStaker(row, one)
        continue
      }
      const row = rows.l1Validators.get(keyOf(parseId(one['validationID'])))
      assert.ok(row !== undefined, String(one['validationID']))
      const end = row.endAccumulatedFee
      assert.equal(String(end === 0n ? 0n : end - state.l1.accruedFees), one['balance'])
      assert.equal(String(row.weight), one['weight'])
      assert.equal(String(row.minNonce), one['minNonce'])
      assert.equal(String(row.startTime), one['startTime'])
      assert.equal(to0x(row.publicKey), one['publicKey'])
      assert.equal(toNodeId(row.nodeId), one['nodeID'])
    }
  }
}

/** Weight by node of a subnet's stakers at a height; L1 validators are checked apart. */
function stakersAt(rows: Rows, subnetId: string, height: number): Map<string, bigint> {
  const weights = new Map<string, bigint>()
  for (const row of rows.stakers.values()) {
    const isThere =
      toCb58(row.subnetId) === subnetId &&
      (row.activatedHeight ?? Infinity) <= height &&
      height < (row.endedHeight ?? Infinity)
    if (!isThere) continue
    const node = toNodeId(row.nodeId)
    const then = rows.cycles.find(
      (one) =>
        one.createdHeight === row.createdHeight &&
        one.createdPosition === row.createdPosition &&
        one.setHeight > height,
    )
    weights.set(node, (weights.get(node) ?? 0n) + (then?.weight ?? row.weight))
  }
  return weights
}

/** Adds L1 validators as nodes report them: inactive ones as one entry under the zero node id. */
function l1At(rows: Rows, subnetId: string, height: number): Map<string, bigint> {
  const last = new Map<string, L1ChangeRow>()
  for (const change of rows.l1Changes) {
    if (toCb58(change.subnetId) === subnetId && change.setHeight <= height) {
      last.set(keyOf(change.validationId), change)
    }
  }
  const weights = new Map<string, bigint>()
  for (const { active, nodeId, weight } of last.values()) {
    const node = toNodeId(active ? nodeId : new Uint8Array(20))
    if (weight > 0n) weights.set(node, (weights.get(node) ?? 0n) + weight)
  }
  return weights
}

function checkValidatorsAt(network: Network, rows: Rows): void {
  for (const [subnetId, heights] of Object.entries(network.recording.answers.validatorsAt)) {
    for (const [height, said] of heights.entries()) {
      const ours = stakersAt(rows, subnetId, height)
      for (const [node, weight] of l1At(rows, subnetId, height)) {
        ours.set(node, (ours.get(node) ?? 0n) + weight)
      }
      const theirs = Object.entries(said).map(([node, { weight }]) => `${node} ${weight}`)
      const shown = [...ours].map(([node, weight]) => `${node} ${weight}`)
      assert.deepEqual(shown.toSorted(), theirs.toSorted(), `${subnetId} at ${height}`)
    }
  }
}

function checkRest(network: Network, rows: Rows, state: PState): void {
  const { answers } = network.recording
  for (const [subnetId, supply] of Object.entries(answers.supplies)) {
    assert.equal(String(rows.supplies.get(keyOf(parseId(subnetId)))?.supply), supply, subnetId)
  }
  assert.equal(Number(state.l1.excess), answers.feeState.excess)
  for (const [subnetId, said] of Object.entries(answers.subnets)) {
    const row = rows.subnets.get(keyOf(parseId(subnetId)))
    assert.ok(row !== undefined)
    const conversionId = row.conversion?.conversionId ?? new Uint8Array(32)
    assert.equal(toCb58(conversionId), said['conversionID'])
    assert.equal(String(row.owner.threshold), said['threshold'])
    assert.equal(String(row.owner.locktime), said['locktime'])
    assert.equal(row.owner.addresses.length, said['controlKeys']?.length)
    if (row.conversion !== undefined) {
      assert.equal(toCb58(row.conversion.managerChainId), said['managerChainID'])
      assert.equal(to0x(row.conversion.managerAddress), said['managerAddress'])
    }
  }
  const byNumber = new Map([...rows.utxos.values()].map((row) => [row.number, row]))
  for (const [stakingTxId, said] of Object.entries(answers.rewardUtxos)) {
    const ours = rows.rewards
      .map(({ utxo }) => byNumber.get(utxo))
      .filter((row) => row !== undefined && toCb58(row.txId) === stakingTxId)
      .map((row) => (row === undefined ? '' : toHex(bytesOfUtxo(row))))
    assert.deepEqual(ours.toSorted(), said, stakingTxId)
  }
  for (const [assetId, said] of Object.entries(answers.assets)) {
    const row = rows.assets.find((asset) => toCb58(asset.assetId) === assetId)
    assert.deepEqual([row?.name, row?.symbol], [said['name'], said['symbol']])
    assert.equal(row?.denomination, Number(said['denomination']))
  }
  for (const said of answers.chains) {
    const row = rows.chains.find((chain) => toCb58(chain.blockchainId) === said['id'])
    assert.ok(row !== undefined, String(said['id']))
    assert.deepEqual(
      [row.name, toCb58(row.subnetId), toCb58(row.vmId)],
      [said['name'], said['subnetID'], said['vmID']],
    )
  }
}

/**
 * AVAX that is there, by every place that can hold it, is what genesis gave out and rewards added,
 * less what was burned.
 */
function checkBurned({ facts }: Network, rows: Rows, state: PState): void {
  const avaxId = toHex(facts.avaxAssetId)
  const avax = rows.numbers.of(facts.avaxAssetId)
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)
  const open = [...rows.utxos.values()].filter(
    ({ assetId, consumed }) => toHex(assetId) === avaxId && consumed === undefined,
  )
  const restaked = [...state.stakers.currentValidators.values()].map(({ autoRenewal }) =>
    autoRenewal === undefined
      ? 0n
      : autoRenewal.accruedRewards + autoRenewal.accruedDelegateeRewards,
  )
  const l1 = [...state.l1.byId.values()].filter(({ endAccumulatedFee: end }) => end > 0n)
  const balances = l1.map(({ endAccumulatedFee: end }) => end - state.l1.accruedFees)
  const accounts = rows.transactions.flatMap(({ evmInputs, evmOutputs }) => [
    ...evmInputs.filter(({ asset }) => asset === avax).map(({ amount }) => -amount),
    ...evmOutputs.filter(({ asset }) => asset === avax).map(({ amount }) => amount),
  ])
  const there = sum([...open.map(({ content }) => content.amount), ...restaked, ...accounts])
  // Deposits that L1 validators have not used up are counted as burned, too.
  const burned = sum([...rows.checkpoints.values()].map((one) => one.burned ?? -1n)) - sum(balances)
  const rewards = rows.rewards.filter(({ asset }) => asset === avax).map(({ amount }) => amount)
  const minted = facts.genesis.initialSupply + sum([...rewards, ...restaked])
  assert.equal(there + sum(balances), minted - burned)
  // The same, as the P-Chain's supply knows it.
  const primary = keyOf(new Uint8Array(32))
  const running = [...rows.stakers.values()]
    .filter(({ status, subnetId }) => status === 'active' && keyOf(subnetId) === primary)
    .map(({ potentialReward }) => potentialReward)
  assert.equal((state.supplies.get(primary) ?? 0n) - sum(running), minted)
  assert.ok(burned > 0n)
}
