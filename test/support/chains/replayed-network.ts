/** A recorded network replayed without a store: the rows lie in memory. */

import assert from 'node:assert/strict'

import { outputKeyOf, type OutputPlace } from '../../../src/codec/primary/ids.ts'
import { keyOf, toHex } from '../../../src/core/bytes.ts'
import { newAssetNumbers } from '../../../src/indexing/primary/batch/asset-numbers.ts'
import type {
  AssetRow,
  ChainName,
  EarlyImportRow,
} from '../../../src/indexing/primary/batch/ledger-rows.ts'
import type { Checkpoint, RowBatch } from '../../../src/indexing/primary/batch/rows.ts'
import type {
  CycleRow,
  RewardRow,
  StakerRow,
  SupplyRow,
} from '../../../src/indexing/primary/batch/staking-rows.ts'
import type { Found, PStateRows, Wanted } from '../../../src/indexing/primary/batch/stored-state.ts'
import type {
  BlockchainRow,
  L1ChangeRow,
  L1ValidatorRow,
  SubnetRow,
} from '../../../src/indexing/primary/batch/subnet-rows.ts'
import {
  applyCBlocks,
  beginCChain,
  wantedOfCBlocks,
} from '../../../src/indexing/primary/replay/c/replay-c.ts'
import { networkIdsOf } from '../../../src/indexing/primary/replay/chains.ts'
import { newDraft } from '../../../src/indexing/primary/replay/draft.ts'
import { beginPChain } from '../../../src/indexing/primary/replay/p/genesis.ts'
import { applyPBlocks, wantedOfPBlocks } from '../../../src/indexing/primary/replay/p/replay-p.ts'
import { loadPState, type PState } from '../../../src/indexing/primary/replay/p/state.ts'
import type { ReadPBlock } from '../../../src/indexing/primary/replay/read-blocks.ts'
import { endBatch } from '../../../src/indexing/primary/replay/utxo-set.ts'
import {
  applyXBlocks,
  beginXChain,
  wantedOfXBlocks,
} from '../../../src/indexing/primary/replay/x/replay-x.ts'
import type { Network } from './recorded-network.ts'
import {
  knownOf,
  type SeenBlock,
  seenBlocks,
  type SeenTransaction,
  seenSpends,
  seenStakers,
  seenTransactions,
  type SeenUtxo,
  seenUtxos,
} from './seen-rows.ts'

/** Rows as a store would hold them, in memory. */
export class Rows {
  readonly numbers = newAssetNumbers([])
  readonly utxos = new Map<string, SeenUtxo>()
  readonly early = new Map<string, EarlyImportRow>()
  readonly stakers = new Map<string, StakerRow>()
  readonly l1Validators = new Map<string, L1ValidatorRow>()
  readonly subnets = new Map<string, SubnetRow>()
  readonly supplies = new Map<string, SupplyRow>()
  readonly blocks: SeenBlock[] = []
  readonly transactions: SeenTransaction[] = []
  readonly rewards: RewardRow[] = []
  readonly chains: BlockchainRow[] = []
  readonly assets: AssetRow[] = []
  readonly l1Changes: L1ChangeRow[] = []
  readonly checkpoints = new Map<ChainName, Checkpoint>()
  readonly #names = new Map<number, string>()
  readonly cycles: CycleRow[] = []

  find({ inputs, sharedKeys }: Wanted): Found {
    const utxos = inputs.flatMap((input) => this.utxos.get(nameOf(input)) ?? []).map(knownOf)
    return { utxos, earlyImports: sharedKeys.flatMap((key) => this.early.get(key) ?? []) }
  }

  write(batch: RowBatch): void {
    for (const { number, ...consumed } of seenSpends(batch)) {
      const row = this.utxos.get(this.#names.get(number) ?? '')
      assert.ok(row !== undefined && row.consumed === undefined, 'consumed once')
      row.consumed = consumed
    }
    for (const row of seenUtxos(batch, this.numbers)) {
      assert.ok(!this.utxos.has(nameOf(row)), 'one row per UTXO')
      this.utxos.set(nameOf(row), row)
      this.#names.set(row.number, nameOf(row))
    }
    for (const { time, ...place } of batch.stakeReturns) {
      const row = this.utxos.get(nameOf(place))
      assert.ok(row !== undefined && row.staked, 'what returns was staked')
      if (place.number !== undefined) assert.equal(place.number, row.number)
      row.returnedAt = time
    }
    for (const row of batch.earlyImports) this.early.set(nameOf(row), row)
    for (const { utxo, consumed } of batch.importCompletions) {
      this.early.delete(nameOf(utxo))
      const addresses = utxo.addresses.map(toHex)
      const late = this.transactions.find((row) => toHex(row.txId) === toHex(consumed.txId))
      assert.ok(late !== undefined)
      late.spent = [...late.spent, utxo.number]
      late.addresses = [...new Set([...late.addresses, ...addresses])]
    }
    for (const row of seenStakers(batch)) {
      this.stakers.set(keyOf(row.txId), row)
    }
    this.cycles.push(...batch.cycles)
    for (const row of batch.l1Validators) this.l1Validators.set(keyOf(row.validationId), row)
    for (const row of batch.subnets) this.subnets.set(keyOf(row.subnetId), row)
    for (const row of batch.supplies) this.supplies.set(keyOf(row.subnetId), row)
    this.blocks.push(...seenBlocks(batch))
    this.transactions.push(...seenTransactions(batch))
    this.rewards.push(...batch.rewards)
    this.chains.push(...batch.blockchains)
    this.assets.push(...batch.assets)
    this.l1Changes.push(...batch.l1Changes)
    this.checkpoints.set(batch.chain, batch.checkpoint)
  }

  /** Rows that a restart of the P-Chain's replay reads. */
  pState(): PStateRows {
    const checkpoint = this.checkpoints.get('P')
    assert.ok(checkpoint !== undefined)
    return {
      checkpoint,
      stakers: [...this.stakers.values()].filter(
        ({ status }) => status === 'pending' || status === 'active',
      ),
      subnets: [...this.subnets.values()],
      l1Validators: [...this.l1Validators.values()].filter(({ weight }) => weight > 0n),
      supplies: [...this.supplies.values()],
    }
  }
}

/**
 * Way of replaying: chains by name, blocks at once, UTXOs kept, and whether every batch starts
 * anew.
 */
export type TransactionOptions = {
  readonly order: string
  readonly batch: number
  readonly cache: number
  readonly restarting?: boolean
}

/** All three chains, or those of the order, from genesis. */
export function replay(
  network: Network,
  manner: TransactionOptions,
): { readonly rows: Rows; readonly state: PState } {
  const rows = new Rows()
  let state: PState | undefined
  for (const chain of manner.order) {
    if (chain === 'P') state = replayP(network, rows, manner)
    if (chain === 'X') {
      const kept = { utxoLimit: manner.cache, assets: rows.numbers }
      const x = beginXChain(network.facts, kept)
      rows.write(x.batch)
      for (let at = 0; at < network.x.length; at += manner.batch) {
        const part = network.x.slice(at, at + manner.batch)
        const draft = newDraft('X', { firstUtxo: x.state.utxos.next, follows: undefined })
        applyXBlocks(x.state, draft, part, rows.find(wantedOfXBlocks(x.state, part)))
        rows.write(endBatch(x.state, draft))
      }
    }
    if (chain === 'C') {
      const c = beginCChain(network.rules, networkIdsOf(network.facts), rows.numbers)
      for (let at = 0; at < network.c.length; at += manner.batch) {
        const part = network.c.slice(at, at + manner.batch)
        const draft = newDraft('C', { firstUtxo: c.utxos.next, follows: undefined })
        applyCBlocks(c, draft, part, rows.find(wantedOfCBlocks(c, part)))
        rows.write(endBatch(c, draft))
      }
    }
  }
  assert.ok(state !== undefined)
  return { rows, state }
}

/** The P-Chain, on rows that may hold other chains. */
export function replayP(network: Network, rows: Rows, manner: TransactionOptions): PState {
  const kept = { utxoLimit: manner.cache, assets: rows.numbers }
  const begun = beginPChain(network.facts, network.rules, kept)
  rows.write(begun.batch)
  let { state } = begun
  let size = manner.batch
  for (let at = 0; at < network.p.length;) {
    const part = network.p.slice(at, at + size)
    const batch = batchOfP(state, part, rows)
    rows.write(batch)
    const count = batch.until - batch.from
    assert.ok(count > 0 || size === 1, 'only a lone proposal makes an empty batch')
    size = count === 0 ? 2 : manner.batch
    at += count
    if (manner.restarting === true) {
      state = loadPState(network.rules, networkIdsOf(network.facts), {
        rows: rows.pState(),
        ...kept,
      })
    }
  }
  return state
}

/** The batch of these blocks alone. */
export function batchOfP(state: PState, blocks: readonly ReadPBlock[], rows: Rows): RowBatch {
  const draft = newDraft('P', { firstUtxo: state.utxos.next, follows: undefined })
  applyPBlocks(state, draft, blocks, rows.find(wantedOfPBlocks(state, blocks)))
  return endBatch(state, draft)
}

/** Everything stored, in an order that does not depend on how it came. */
export function dump(rows: Rows): string {
  // Numbers of assets go by the order they came in; traits hold them.
  const assetOf = (number: unknown): string => toHex(rows.numbers.idOf(Number(number)))
  const plain = (value: unknown): string =>
    JSON.stringify(value, (key, item: unknown) => {
      if (key === 'traits' || (key === 'number' && value instanceof Object && 'symbol' in value))
        return undefined
      if (key === 'asset') return assetOf(item)
      return typeof item === 'bigint' ? `${item}n` : item instanceof Uint8Array ? toHex(item) : item
    })
  const sorted = (values: Iterable<unknown>): string[] => [...values].map(plain).toSorted()
  const transactions = rows.transactions.map((row) => ({
    ...row,
    addresses: row.addresses.toSorted(),
    spent: row.spent.toSorted((a, b) => a - b),
  }))
  return [
    ...sorted(rows.utxos.values()),
    ...sorted(rows.early.values()),
    ...sorted(rows.stakers.values()),
    ...sorted(rows.l1Validators.values()),
    ...sorted(rows.subnets.values()),
    ...sorted(rows.supplies.values()),
    ...sorted(rows.blocks),
    ...sorted(transactions),
    ...sorted(rows.rewards),
    ...sorted(rows.chains),
    ...sorted(rows.assets),
    ...sorted(rows.l1Changes),
    ...sorted(rows.checkpoints.values()),
  ].join('\n')
}

function nameOf({ txId, outputIndex }: OutputPlace): string {
  return outputKeyOf(txId, outputIndex)
}
