import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { cTransactionNames } from '../../codec/primary/c-atomic.ts'
import { buildGenesis, localStartTimes } from '../../codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../codec/primary/genesis-config.ts'
import { readGenesis } from '../../codec/primary/genesis.ts'
import type { GenesisFacts } from '../../codec/primary/genesis.ts'
import { outputKeyOf, type OutputPlace } from '../../codec/primary/ids.ts'
import { pTransactionNames } from '../../codec/primary/p-transaction.ts'
import { xTransactionNames } from '../../codec/primary/x-transaction.ts'
import { fromHex, keyOf, to0x, toHex } from '../../core/bytes.ts'
import { parseId, toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { networkIdsOf } from './chains.ts'
import type { Mutable } from './draft.ts'
import { beginPChain } from './genesis-rows.ts'
import type {
  AssetRow,
  BlockRow,
  ChainName,
  EarlyImportRow,
  TransactionRow,
  UtxoRow,
} from './ledger-rows.ts'
import { loadPState } from './p-state.ts'
import type { PState } from './p-state.ts'
import {
  readCBlock,
  readPBlock,
  readPContainer,
  readXBlock,
  readXContainer,
} from './read-blocks.ts'
import type { ReadCBlock, ReadPBlock, ReadXBlock } from './read-blocks.ts'
import { applyCBlocks, beginCChain, wantedOfCBlocks } from './replay-c.ts'
import { applyPBlocks, wantedOfPBlocks } from './replay-p.ts'
import {
  applyXBlocks,
  applyXDag,
  beginXChain,
  dagHeight,
  wantedOfXBlocks,
  wantedOfXDag,
} from './replay-x.ts'
import type { Checkpoint, RowBatch } from './rows.ts'
import { rulesOf } from './rules.ts'
import type { PrimaryRules } from './rules.ts'
import type { RewardRow, StakerRow, SupplyRow } from './staking-rows.ts'
import type { Found, PStateRows, Wanted } from './state.ts'
import type { BlockchainRow, L1ChangeRow, L1ValidatorRow, SubnetRow } from './subnet-rows.ts'
import { encodeUtxoRow } from './utxo-bytes.ts'

/** An object of a node's reply; fields it lacks read as ''. */
type Answer = Readonly<Record<string, string>>

/** Blocks of a real network and what its node answered about the state they led to. */
type Recording = {
  readonly source: { readonly networkId: number }
  /** Where the network has its own: the genesis file, and when upgrades became active. */
  readonly genesis?: string
  readonly upgrades?: Answer
  readonly height: number
  readonly p0: string
  readonly p: readonly string[]
  readonly x0: string
  readonly x: readonly string[]
  readonly c: readonly {
    readonly height: number
    readonly hash: string
    readonly parentHash: string
    readonly time: number
    readonly size: number
    readonly transactions: number
    readonly extraData: string
  }[]
  readonly answers: {
    readonly supplies: Answer
    readonly subnets: Readonly<Record<string, Answer>>
    readonly validators: Readonly<Record<string, readonly Answer[]>>
    readonly validatorsAt: Readonly<Record<string, readonly Readonly<Record<string, Answer>>[]>>
    readonly rewardUtxos: Readonly<Record<string, readonly string[]>>
    readonly assets: Readonly<Record<string, Answer>>
    readonly chains: readonly Answer[]
    readonly feeState: { readonly excess: number }
    readonly utxos: readonly {
      readonly address: string
      readonly on: ChainName
      readonly from: ChainName
      readonly utxos: readonly string[]
    }[]
  }
}

const root = new URL('../../../', import.meta.url)
const primaryId = '11111111111111111111111111111111LpoYY'

function unzipped(path: string): string {
  return gunzipSync(readFileSync(new URL(path, root))).toString('utf8')
}

/** Local networks start at a time the first block's parent tells. */
function genesisOf(recording: Recording): GenesisFacts {
  const { genesis } = recording
  if (genesis !== undefined) return readGenesis(buildGenesis(parseGenesisConfig(genesis)))
  const config = parseGenesisConfig(unzipped('data/genesis/local.json.gz'))
  const genesisId = recording.p0.slice(12, 76)
  for (const startTime of localStartTimes(config.startTime, 1_900_000_000n)) {
    const facts = readGenesis(buildGenesis({ ...config, startTime }))
    if (toHex(facts.genesisId) === genesisId) return facts
  }
  throw new assert.AssertionError({ message: 'no genesis has the recorded id' })
}

function rulesIn({ source, upgrades }: Recording): PrimaryRules {
  if (upgrades === undefined) return rulesOf(source.networkId)
  const timeOf = (name: string): number => Date.parse(upgrades[`${name}Time`] ?? '') / 1_000
  return rulesOf(source.networkId, {
    apricotPhase5: timeOf('apricotPhase5'),
    banff: timeOf('banff'),
    cortina: timeOf('cortina'),
    durango: timeOf('durango'),
    etna: timeOf('etna'),
    helicon: timeOf('helicon'),
  })
}

type Network = {
  readonly recording: Recording
  readonly rules: PrimaryRules
  readonly facts: GenesisFacts
  readonly p: readonly ReadPBlock[]
  readonly x: readonly ReadXBlock[]
  readonly c: readonly ReadCBlock[]
}

function load(name: string): Network {
  const recording: Recording = JSON.parse(unzipped(`vectors/primary/${name}.json.gz`))
  const rules = rulesIn(recording)
  return {
    recording,
    rules,
    facts: genesisOf(recording),
    p: recording.p.map((hex) => readPContainer(fromHex(hex))),
    x: [
      readXBlock(fromHex(recording.x0)),
      ...recording.x.map((hex) => readXContainer(fromHex(hex))),
    ],
    c: recording.c.map((block) =>
      readCBlock(
        {
          height: block.height,
          blockId: fromHex(block.hash),
          parentId: fromHex(block.parentHash),
          time: block.time,
          sizeBytes: block.size,
          transactionCount: block.transactions,
          extraData: fromHex(block.extraData),
          proposer: undefined,
        },
        rules.upgrades.apricotPhase5,
      ),
    ),
  }
}

function nameOf({ txId, outputIndex }: OutputPlace): string {
  return outputKeyOf(txId, outputIndex)
}

/** Rows as a store would hold them, in memory. */
class Rows {
  readonly utxos = new Map<string, Mutable<UtxoRow>>()
  readonly early = new Map<string, EarlyImportRow>()
  readonly stakers = new Map<string, StakerRow>()
  readonly l1Validators = new Map<string, L1ValidatorRow>()
  readonly subnets = new Map<string, SubnetRow>()
  readonly supplies = new Map<string, SupplyRow>()
  readonly blocks: BlockRow[] = []
  readonly transactions: Mutable<TransactionRow>[] = []
  readonly rewards: RewardRow[] = []
  readonly chains: BlockchainRow[] = []
  readonly assets: AssetRow[] = []
  readonly l1Changes: L1ChangeRow[] = []
  readonly checkpoints = new Map<ChainName, Checkpoint>()
  /** Weights an auto-renewed validator had, by the last height of the batch. */
  readonly weights = new Map<string, { readonly height: number; readonly weight: bigint }[]>()

  find({ inputKeys, sharedKeys }: Wanted): Found {
    const utxos = inputKeys.flatMap((key) => this.utxos.get(key) ?? [])
    return { utxos, earlyImports: sharedKeys.flatMap((key) => this.early.get(key) ?? []) }
  }

  write(batch: RowBatch): void {
    for (const row of batch.utxos) {
      assert.ok(!this.utxos.has(nameOf(row)), 'one row per UTXO')
      this.utxos.set(nameOf(row), { ...row })
    }
    for (const { utxo, consumed } of batch.consumptions) {
      const row = this.utxos.get(nameOf(utxo))
      assert.ok(row !== undefined && row.consumed === undefined, 'consumed once')
      row.consumed = consumed
    }
    for (const { returned, ...place } of batch.stakeReturns) {
      const row = this.utxos.get(nameOf(place))
      assert.ok(row !== undefined && row.staked && row.returned === undefined, 'returned once')
      row.returned = returned
    }
    for (const row of batch.earlyImports) this.early.set(nameOf(row), row)
    for (const { utxo, consumed } of batch.importCompletions) {
      this.early.delete(nameOf(utxo))
      const { addresses } = utxo.owner
      const late = this.transactions.find((row) => toHex(row.txId) === toHex(consumed.txId))
      assert.ok(late !== undefined)
      const known = new Set(late.addresses.map(toHex))
      late.spent = [...late.spent, utxo.number]
      late.addresses = [...late.addresses, ...addresses.filter((one) => !known.has(toHex(one)))]
    }
    for (const row of batch.stakers) {
      const key = keyOf(row.txId)
      this.stakers.set(key, row)
      const entry = { height: batch.until - 1, weight: row.weight }
      this.weights.set(key, [...(this.weights.get(key) ?? []), entry])
    }
    for (const row of batch.l1Validators) this.l1Validators.set(keyOf(row.validationId), row)
    for (const row of batch.subnets) this.subnets.set(keyOf(row.subnetId), row)
    for (const row of batch.supplies) this.supplies.set(keyOf(row.subnetId), row)
    this.blocks.push(...batch.blocks)
    this.transactions.push(...batch.transactions)
    this.rewards.push(...batch.rewards)
    this.chains.push(...batch.blockchains)
    this.assets.push(...batch.assets)
    this.l1Changes.push(...batch.l1Changes)
    this.checkpoints.set(batch.chain, batch.checkpoint)
  }

  /** What a restart of the P-Chain's replay reads. */
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

type Manner = {
  readonly order: string
  readonly batch: number
  readonly cache: number
  readonly restarting?: boolean
}

function replayP(network: Network, rows: Rows, manner: Manner): PState {
  const begun = beginPChain(network.facts, network.rules, manner.cache)
  rows.write(begun.batch)
  let { state } = begun
  let size = manner.batch
  for (let at = 0; at < network.p.length;) {
    const part = network.p.slice(at, at + size)
    const batch = applyPBlocks(state, part, rows.find(wantedOfPBlocks(state, part)))
    rows.write(batch)
    const count = batch.until - batch.from
    assert.ok(count > 0 || size === 1, 'only a lone proposal makes an empty batch')
    size = count === 0 ? 2 : manner.batch
    at += count
    if (manner.restarting === true) {
      state = loadPState(network.rules, networkIdsOf(network.facts), {
        rows: rows.pState(),
        utxoLimit: manner.cache,
      })
    }
  }
  return state
}

function replay(network: Network, manner: Manner): { readonly rows: Rows; readonly state: PState } {
  const rows = new Rows()
  let state: PState | undefined
  for (const chain of manner.order) {
    if (chain === 'P') state = replayP(network, rows, manner)
    if (chain === 'X') {
      const x = beginXChain(network.facts, manner.cache)
      rows.write(x.batch)
      for (let at = 0; at < network.x.length; at += manner.batch) {
        const part = network.x.slice(at, at + manner.batch)
        rows.write(applyXBlocks(x.state, part, rows.find(wantedOfXBlocks(x.state, part))))
      }
    }
    if (chain === 'C') {
      const c = beginCChain(network.rules, networkIdsOf(network.facts))
      for (let at = 0; at < network.c.length; at += manner.batch) {
        const part = network.c.slice(at, at + manner.batch)
        rows.write(applyCBlocks(c, part, rows.find(wantedOfCBlocks(c, part))))
      }
    }
  }
  assert.ok(state !== undefined)
  return { rows, state }
}

/** Everything stored, in an order that does not depend on how it came. */
function dump(rows: Rows): string {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'bigint' ? `${item}n` : item instanceof Uint8Array ? toHex(item) : item,
    )
  const sorted = (values: Iterable<unknown>): string[] => [...values].map(plain).toSorted()
  const transactions = rows.transactions.map((row) => ({
    ...row,
    addresses: row.addresses.map(toHex).toSorted(),
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
  ].join('\n')
}

function checkUtxos(network: Network, rows: Rows): void {
  for (const { address, on, from, utxos } of network.recording.answers.utxos) {
    const ours = [...rows.utxos.values()]
      .filter((row) => row.createdOn === from && row.consumableOn === on)
      .filter((row) => row.consumed === undefined && (!row.staked || row.returned !== undefined))
      .filter((row) => row.owner.addresses.some((one) => toHex(one) === address))
      .map((row) => toHex(encodeUtxoRow(row)))
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
    const past = rows.weights.get(keyOf(row.txId))?.findLast((one) => one.height <= height)
    weights.set(node, (weights.get(node) ?? 0n) + (past?.weight ?? row.weight))
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
      .map((row) => (row === undefined ? '' : toHex(encodeUtxoRow(row))))
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

for (const name of ['local-one', 'local-two', 'local-five']) {
  const network = load(name)

  void test(`replay of ${name}: UTXOs, validators, rewards, supply and fees are what its node says`, () => {
    const { rows, state } = replay(network, { order: 'PXC', batch: 50, cache: 1_000 })
    assert.equal(state.height, network.recording.height)
    assert.equal(rows.early.size, 0)
    checkUtxos(network, rows)
    checkValidators(network, rows, state)
    checkValidatorsAt(network, replay(network, { order: 'P', batch: 1, cache: 1_000 }).rows)
    checkRest(network, rows, state)
  })

  void test(`replay of ${name}: order of chains, size of batches, cache and restarts change nothing`, () => {
    const expected = dump(replay(network, { order: 'PXC', batch: 50, cache: 1_000 }).rows)
    const manners: readonly Manner[] = [
      { order: 'XPC', batch: 1, cache: 0 },
      { order: 'CXP', batch: 7, cache: 3 },
      { order: 'CPX', batch: 1_000, cache: 0 },
      { order: 'XCP', batch: 2, cache: 10, restarting: true },
      { order: 'PCX', batch: 13, cache: 0, restarting: true },
    ]
    for (const manner of manners) {
      assert.equal(dump(replay(network, manner).rows), expected, JSON.stringify(manner))
    }
  })

  void test(`replay of ${name}: a block left out, repeated or changed stops the chain`, () => {
    const { p } = network
    const isViolation = (error: unknown): boolean =>
      error instanceof Fault && error.code === 'state-violation'
    const attempt = (blocks: readonly ReadPBlock[]): RowBatch => {
      const { state, batch } = beginPChain(network.facts, network.rules, 1_000_000)
      const rows = new Rows()
      rows.write(batch)
      return applyPBlocks(state, blocks, rows.find(wantedOfPBlocks(state, blocks)))
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
  })
}

void test('replay: a proposal waits for its option', () => {
  const network = load('local-one')
  const proposal = network.p.findIndex(({ block }) => block.typeId === 29)
  assert.ok(proposal > 0)
  const { state, batch } = beginPChain(network.facts, network.rules, 1_000_000)
  const rows = new Rows()
  rows.write(batch)
  const part = network.p.slice(0, proposal + 1)
  const until = applyPBlocks(state, part, rows.find(wantedOfPBlocks(state, part))).until
  assert.equal(until, proposal + 1)
  const standard = network.p[proposal - 1]
  const proposed = network.p[proposal]
  assert.ok(standard !== undefined && proposed !== undefined)
  const wrong = [proposed, { ...standard, height: proposal + 2 }]
  assert.throws(() => applyPBlocks(state, wrong, { utxos: [], earlyImports: [] }), Fault)
})

void test('recordings: together they hold every kind of transaction but an advance of time', () => {
  const seen = new Set<string>()
  for (const name of ['local-one', 'local-two', 'local-five']) {
    const { rows } = replay(load(name), { order: 'PXC', batch: 50, cache: 1_000 })
    for (const row of rows.transactions) seen.add(`${row.chain}${row.typeId}`)
  }
  const named = [
    ...Object.keys(pTransactionNames).map((id) => `P${id}`),
    ...Object.keys(xTransactionNames).map((id) => `X${id}`),
    ...Object.keys(cTransactionNames).map((id) => `C${id}`),
  ]
  // Nodes of today make no Apricot blocks, which alone hold those.
  assert.deepEqual(
    named.filter((id) => !seen.has(id)),
    ['P19'],
  )
})

void test('X-Chain: the same transactions as a DAG leave the same UTXOs, in heights below 0', () => {
  const network = load('local-one')
  const blocks = replay(network, { order: 'PXC', batch: 50, cache: 1_000 }).rows
  const rows = new Rows()
  replayP(network, rows, { order: 'P', batch: 50, cache: 1_000 })
  const { state, batch } = beginXChain(network.facts, 5)
  rows.write(batch)
  const transactions = network.x.flatMap((block) => block.transactions)
  for (let at = 0; at < transactions.length; at += 9) {
    const part = transactions.slice(at, at + 9)
    rows.write(applyXDag(state, part, rows.find(wantedOfXDag(state, part))))
  }
  const unspent = (from: Rows): string[] =>
    [...from.utxos.values()]
      .filter(({ createdOn, consumed }) => createdOn === 'X' && consumed?.chain !== 'X')
      .map((row) => toHex(encodeUtxoRow(row)))
  assert.deepEqual(
    unspent(rows).filter((one) => !unspent(blocks).includes(one)),
    [],
  )
  const heights = rows.transactions.filter(({ chain }) => chain === 'X').map((row) => row.height)
  assert.equal(heights[0], dagHeight)
  assert.equal(heights.at(-1), dagHeight + transactions.length - 1)
  const first = network.x[0]
  assert.ok(first !== undefined)
  const next = applyXBlocks(state, [first], { utxos: [], earlyImports: [] })
  assert.deepEqual([next.from, next.until], [0, 1])
})

void test('C-Chain: imports of a bonus block are rows that spend nothing', () => {
  const network = load('local-one')
  const imports = network.c.filter(({ transactions }) =>
    transactions.some(({ unsigned }) => unsigned.typeId === 0),
  )
  const height = imports[0]?.height ?? 0
  const normal = replay(network, { order: 'PXC', batch: 50, cache: 10 }).rows
  const rules = { ...network.rules, bonusBlocks: new Set([height]) }
  const bonus = replay({ ...network, rules }, { order: 'PXC', batch: 50, cache: 10 }).rows
  const spentAt = (rows: Rows): number =>
    [...rows.utxos.values()].filter(
      ({ consumed }) => consumed?.chain === 'C' && consumed.height === height,
    ).length
  assert.ok(spentAt(normal) > 0)
  assert.equal(spentAt(bonus), 0)
  assert.equal(bonus.transactions.length, normal.transactions.length)
})

void test('auto-renewal: restaked rewards stop at the maximum stake, the rest is paid out', () => {
  const network = load('local-two')
  const renewing = (rows: Rows): StakerRow[] =>
    [...rows.stakers.values()].filter(
      (row) => row.autoRenewal !== undefined && row.rewarded === true,
    )
  const normal = renewing(replay(network, { order: 'PXC', batch: 50, cache: 10 }).rows)
  assert.equal(normal.length, 1)
  const stake = 2_000_000_000_000n
  assert.ok((normal[0]?.weight ?? 0n) > stake + 1_000n)
  const rules = { ...network.rules, maxValidatorStake: stake + 1_000n }
  const { rows } = replay({ ...network, rules }, { order: 'PXC', batch: 50, cache: 10 })
  const [capped] = renewing(rows)
  assert.equal(capped?.weight, stake + 1_000n)
  const { accruedRewards = 0n, accruedDelegateeRewards = 0n } = capped?.autoRenewal ?? {}
  assert.equal(accruedRewards + accruedDelegateeRewards, 1_000n)
})

void test('genesis: potential rewards and the supply after it are what upstream computes', () => {
  type Expected = {
    readonly network: string
    readonly networkID: number
    readonly supplyAfterGenesisPotentialRewards: string
    readonly validators: readonly { readonly txID: string; readonly potentialReward: string }[]
  }
  const expectations: readonly Expected[] = JSON.parse(
    readFileSync(new URL('vectors/primary/genesis.json', root), 'utf8'),
  )
  for (const expected of expectations) {
    const config = parseGenesisConfig(unzipped(`data/genesis/${expected.network}.json.gz`))
    const facts = readGenesis(buildGenesis(config))
    const { state, batch } = beginPChain(facts, rulesOf(expected.networkID), 10)
    assert.equal(
      String(state.supplies.get(keyOf(parseId(primaryId)))),
      expected.supplyAfterGenesisPotentialRewards,
    )
    for (const { txID, potentialReward } of expected.validators) {
      const row = batch.stakers.find((staker) => toCb58(staker.txId) === txID)
      assert.equal(String(row?.potentialReward), potentialReward, txID)
    }
  }
})

void test('read blocks: an inner block read alone equals the one inside its container', () => {
  const { recording, p } = load('local-five')
  const container = p.find(({ proposer }) => proposer?.nodeId !== undefined)
  assert.ok(container !== undefined, 'some block is signed')
  const hex = recording.p[p.indexOf(container)] ?? ''
  const size = container.sizeBytes * 2
  // The inner block lies between the header with its certificate and the signature.
  const at = hex.indexOf(hex.slice(0, 4), 8)
  assert.ok(at > 0 && size < hex.length)
  const inner = [...hex.matchAll(/0000000000(?:1d|1e|1f|20)/g)]
    .map(({ index }) => hex.slice(index, index + size))
    .find((text) => text.length === size && toHex(readPBlockId(text)) === toHex(container.blockId))
  assert.ok(inner !== undefined)
  const alone = readPBlock(fromHex(inner), container.proposer)
  assert.deepEqual(alone, container)
})

function readPBlockId(hex: string): Uint8Array {
  try {
    return readPBlock(fromHex(hex)).blockId
  } catch (error) {
    if (error instanceof Fault) return new Uint8Array(0)
    throw error
  }
}
