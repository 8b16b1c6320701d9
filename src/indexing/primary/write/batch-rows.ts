/**
 * Writes a primary network. The way of a block, and why its steps have this order:
 *
 * 1. Read: `run/follow.ts` fetches blocks from a node or from peers in the decoder's thread.
 * 2. Check: `replay/read-blocks.ts` decodes them, and every id is the hash of its bytes.
 * 3. Replay: `replay/p`, `x` and `c` execute them on the state of their chain, which accepts no contradiction. What
 *    follows from a block (rewards, stake that is returned) is known only then.
 * 4. Number: addresses and node ids get their numbers, since every row that follows names them by these.
 * 5. Write: rows, and the blocks' bytes from which all of it can be made again.
 * 6. Publish: events for webhooks enter the outbox, and the checkpoint moves with the state of the chain, so that the
 *    replay goes on where the rows end.
 * 7. Note: near the head the rows that were changed are kept as they were, so that a block that its chain does not have
 *    can be taken back (`write/undo.ts`). Last, since it notes the checkpoint, too.
 *
 * Steps 4 to 7 are one transaction: all of a batch is stored, or nothing. After a fault what is kept here may be ahead
 * of the store: open a new one.
 */

import { keyOf, fromBigint } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { getCheckpoint, moveCheckpoint } from '../../../store/checkpoint.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import {
  cycleBody,
  earlyImportBody,
  l1ChangeBody,
  progressBody,
  rewardBody,
  stakeDayBody,
  subnetOwnerBody,
} from '../../../store/schema/primary/bodies.ts'
import { earlyImport, txByAsset } from '../../../store/schema/primary/ledger.ts'
import {
  chainNumbers,
  cycleOutcomes,
  posAfter,
  posOf,
  posOfPlace,
  rewardKinds,
} from '../../../store/schema/primary/position.ts'
import {
  cycle,
  reward,
  rewardByAddress,
  stakeDay,
  supply,
  blockchain,
  l1Change,
  l1Validator,
  subnetOwner,
} from '../../../store/schema/primary/staking.ts'
import { address, asset, progress } from '../../../store/schema/primary/tables.ts'
import type { RawColumns } from '../batch/raw-blocks.ts'
import type { RowBatch } from '../batch/rows.ts'
import type { PrimaryRules } from '../batch/rules.ts'
import { afterTransactions } from '../batch/subnet-rows.ts'
import { nodesOfBlocks, writeBlocks, writeRawBlocks } from './blocks.ts'
import { writeHoldings } from './holdings.ts'
import { keysIn, type Numbers, numbersIn } from './numbers.ts'
import { type OrderedLists, orderedLists } from './ordered-lists.ts'
import type { PrimaryOutbox } from './primary-outbox.ts'
import { allSubnets } from './read-rows.ts'
import {
  capacityRules,
  nodeNumbers,
  nodesOfStakers,
  writeL1Validators,
  writeStakers,
  writeSubnets,
} from './stakers.ts'
import { numberOwners, completeImports, writeTransactions } from './transactions.ts'
import { type Change, keepUndo, mostNotedHeights, noting } from './undo.ts'
import { writeSpends, writeStakeReturns, writeUtxos } from './utxos.ts'

/** The store's writing side. */
export type PrimaryRows = {
  /** Stores a batch in one transaction, by `commit`. */
  readonly write: (batch: RowBatch, raw: RawColumns, commit: Commit) => Promise<void>
}

/** Does work in one transaction that holds the lease, whose epoch it gives. */
export type Commit = <T>(work: (writer: Writer, epoch: number) => Promise<T>) => Promise<T>

type Known = {
  readonly addresses: Numbers
  readonly nodes: Numbers
  readonly ordered: OrderedLists
}

/**
 * Opens the writing side of a store of a primary network of these rules. `outbox`
 * notes what webhooks report, where there are some.
 */
export function openPrimaryRows(
  rules: PrimaryRules,
  outbox?: PrimaryOutbox['blocks'],
): PrimaryRows {
  const known: Known = {
    addresses: numbersIn(address, 'bytes'),
    nodes: nodeNumbers(),
    ordered: orderedLists(),
  }
  return {
    write: (batch, raw, commit) =>
      commit(async (writer, epoch) => {
        const changes: Change[] = []
        const isNoted = batch.follows !== undefined && batch.until - batch.from <= mostNotedHeights
        const rows = isNoted ? noting(writer, changes) : writer
        // 4. Number and 5. Write
        await writeBatch({ writer: rows, batch, known, rules })
        await writeRawBlocks(rows, raw)
        // 6. Publish
        await outbox?.(writer, batch)
        const before = isNoted ? await getCheckpoint(writer, batch.chain) : undefined
        const { chain, height, blockId } = batch.checkpoint
        await moveCheckpoint(rows, chain, {
          before: batch.follows,
          after: { height, hash: blockId },
          epoch,
        })
        await rows.upsert(progress, {
          chain: [chain],
          body: [progressBody.toBytes(batch.checkpoint)],
        })
        // 7. Note
        if (before !== undefined) await keepUndo(writer, batch.checkpoint, { before, changes })
      }),
  }
}

type Writing = {
  readonly writer: Writer
  readonly batch: RowBatch
  readonly known: Known
  readonly rules: PrimaryRules
}

async function writeBatch(writing: Writing): Promise<void> {
  const { writer, batch, known } = writing
  const owners = await numberOwners(writer, batch, known.addresses)
  await known.nodes.numberAll(
    writer,
    keysIn([
      ...nodesOfBlocks(batch.blocks),
      ...nodesOfStakers(batch.stakers.made),
      ...batch.rewards.map((row) => row.nodeId),
      ...batch.l1Validators.map((row) => row.nodeId),
    ]),
  )
  await writeBlocks(writer, batch, known.nodes)
  await writeTransactions(writer, batch.ledger, owners)
  await writeUtxos(writer, batch)
  await writeSpends(writer, batch)
  await writeStakeReturns(writer, batch.stakeReturns)
  await writeHoldings(writer, batch.ledger, { owners, ordered: known.ordered })
  await writeImports(writer, batch)
  await completeImports(writer, batch.importCompletions, known.addresses)
  await writeStaking(writing, owners)
  await writeL1(writing)
  await writeAssets(writer, batch)
  const sorted = batch.assetTransactions.toSorted((a, b) => a.asset - b.asset || a.pos - b.pos)
  await writer.insert(txByAsset, {
    asset: sorted.map(({ asset }) => asset),
    pos: sorted.map(({ pos }) => pos),
    type: sorted.map(({ type }) => type),
  })
}

async function writeImports(writer: Writer, batch: RowBatch): Promise<void> {
  const { earlyImports, importCompletions } = batch
  await writer.insert(earlyImport, {
    tx_id: earlyImports.map((row) => row.txId),
    output_index: earlyImports.map((row) => row.outputIndex),
    body: earlyImports.map((row) =>
      earlyImportBody.toBytes({
        ...row,
        sourceChain: chainNumbers[row.sourceChain],
        consumedPos: posOfPlace(row.consumed),
        consumedTime: row.consumed.time,
        consumedTxId: row.consumed.txId,
      }),
    ),
  })
  await writer.remove(earlyImport, {
    tx_id: importCompletions.map(({ utxo }) => utxo.txId),
    output_index: importCompletions.map(({ utxo }) => utxo.outputIndex),
  })
}

async function writeStaking(writing: Writing, owners: Float64Array): Promise<void> {
  const { writer, batch, known, rules } = writing
  await writeSubnets(writer, batch.subnets)
  await writer.insertNew(subnetOwner, {
    subnet_id: batch.subnetOwners.map((row) => row.subnetId),
    pos: batch.subnetOwners.map((row) => posOf(chainNumbers.P, row.height, row.position)),
    body: batch.subnetOwners.map((row) => subnetOwnerBody.toBytes(row)),
  })
  const transformations = new Map(
    batch.stakers.made.count + batch.stakers.changed.count === 0
      ? []
      : (await allSubnets(writer)).map((row) => [keyOf(row.subnetId), row.transformation]),
  )
  await writeStakers(writer, batch.stakers, {
    nodes: known.nodes,
    owners,
    rulesOf: (subnetId) =>
      capacityRules(rules.maxValidatorStake, transformations.get(keyOf(subnetId))),
  })
  await writeRewards(writing)
  const rows = batch.cycles
  await writer.insert(cycle, {
    staker: rows.map((row) => posOf(chainNumbers.P, row.createdHeight, row.createdPosition)),
    number: rows.map((row) => row.number),
    height: rows.map((row) => row.setHeight),
    body: rows.map((row) =>
      cycleBody.toBytes({ ...row, outcome: cycleOutcomes.indexOf(row.outcome) }),
    ),
  })
  await writer.upsert(stakeDay, {
    subnet_id: batch.stakeDays.map((row) => row.subnetId),
    day: batch.stakeDays.map((row) => row.day),
    body: batch.stakeDays.map((row) => stakeDayBody.toBytes(row)),
  })
  await writer.upsert(supply, {
    subnet_id: batch.supplies.map((row) => row.subnetId),
    amount: batch.supplies.map((row) => fromBigint(row.supply, 8)),
  })
  await writer.insert(blockchain, {
    pos: batch.blockchains.map((row) =>
      posOf(chainNumbers.P, row.createdHeight, row.createdPosition),
    ),
    blockchain_id: batch.blockchains.map((row) => row.blockchainId),
    subnet_id: batch.blockchains.map((row) => row.subnetId),
    vm_id: batch.blockchains.map((row) => row.vmId),
    name: batch.blockchains.map((row) => row.name),
    evm_chain_id: batch.blockchains.map((row) => row.evmChainId ?? null),
    timestamp: batch.blockchains.map((row) => row.createdTime),
    genesis: batch.blockchains.map((row) => row.genesis),
  })
}

async function writeRewards({ writer, batch, known }: Writing): Promise<void> {
  const rows = batch.rewards
  await writer.insert(reward, {
    utxo: rows.map((row) => row.utxo),
    staker_tx: rows.map((row) => row.stakingTxId),
    node: rows.map((row) => known.nodes.of(row.nodeId)),
    body: rows.map((row) =>
      rewardBody.toBytes({
        ...row,
        kind: rewardKinds.indexOf(row.kind),
        pos: posOf(chainNumbers.P, row.height, row.position),
      }),
    ),
  })
  const owners = rows.flatMap((row) =>
    row.addresses.map((one) => ({ owner: known.addresses.of(one), id: row.utxo })),
  )
  await writer.insertNew(rewardByAddress, {
    address_id: owners.map(({ owner }) => owner),
    utxo: owners.map(({ id }) => id),
  })
}

const newestL1 = statement('select id from l1_validator order by id desc limit 1')

async function writeL1({ writer, batch, known }: Writing): Promise<void> {
  const all = [...batch.l1Validators, ...batch.l1Changes].map((row) => row.validationId)
  if (all.length === 0) return
  const unique = [...new Map(all.map((id) => [keyOf(id), id])).values()]
  const rows = await writer.lookup({ table: l1Validator, key: ['validation_id'], select: ['id'] }, [
    unique,
  ])
  const ids = new Map<string, number>()
  let next = ((await writer.get(newestL1))?.[0] ?? 0) + 1
  for (const [at, id] of unique.entries()) ids.set(keyOf(id), rows[at]?.[0] ?? next++)
  const idOf = (validationId: Uint8Array): number => {
    const id = ids.get(keyOf(validationId))
    assert(id !== undefined, 'every validation of a batch has a number')
    return id
  }
  await writeL1Validators(writer, batch.l1Validators, idOf, known.nodes)
  await writer.upsert(l1Change, {
    l1_id: batch.l1Changes.map((row) => idOf(row.validationId)),
    height: batch.l1Changes.map((row) => row.height),
    pos: batch.l1Changes.map(({ height, position }) => {
      if (position < 0) return -1
      if (position === afterTransactions) return posAfter(chainNumbers.P, height)
      return posOf(chainNumbers.P, height, position)
    }),
    body: batch.l1Changes.map((row) => l1ChangeBody.toBytes(row)),
  })
}

async function writeAssets(writer: Writer, batch: RowBatch): Promise<void> {
  const unknown = batch.newAssets.map(() => null)
  // The two chains that have a genesis both bring AVAX.
  await writer.insertNew(asset, {
    id: batch.newAssets.map(({ number }) => number),
    asset_id: batch.newAssets.map(({ assetId }) => assetId),
    name: unknown,
    symbol: unknown,
    denomination: unknown,
    kind: unknown,
    variable_cap: unknown,
    created_at: unknown,
  })
  await writer.update(asset, {
    id: batch.assets.map((row) => row.number),
    name: batch.assets.map((row) => row.name),
    symbol: batch.assets.map((row) => row.symbol),
    denomination: batch.assets.map((row) => row.denomination),
    kind: batch.assets.map((row) => row.kind),
    variable_cap: batch.assets.map((row) => (row.variableCap ? 1 : 0)),
    created_at: batch.assets.map((row) => row.createdTime),
  })
}
