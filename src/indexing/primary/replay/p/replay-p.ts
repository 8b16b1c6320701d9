/**
 * Replays the P-Chain: blocks in, rows out. Deterministic and synchronous.
 *
 * Nothing but blocks is needed: chain time, sets of stakers, rewards, supply and L1 fees follow
 * from them. Each block is checked against the state it meets, and the first contradiction stops
 * the chain: a parent that is not ours, an input that is not there, a reward for the wrong staker.
 *
 * Not here: fetching, storing, and anything a node decides by votes (that is read off the blocks).
 */

import { emptyId } from '../../../../codec/primary/ids.ts'
import type { PBlock } from '../../../../codec/primary/p-block.ts'
import type { PUnsigned } from '../../../../codec/primary/p-transaction.ts'
import { equalBytes } from '../../../../core/bytes.ts'
import { pBlockTypes, pTypes } from '../../../../core/type-ids.ts'
import type { Found, Wanted } from '../../batch/stored-state.ts'
import { afterTransactions } from '../../batch/subnet-rows.ts'
import { type Needs, wantedOf } from '../chains.ts'
import { unlinked, violation, type Draft } from '../draft.ts'
import type { ReadPBlock, ReadTransaction } from '../read-blocks.ts'
import { beginStep, checkFlow, endStep, type Step } from '../step.ts'
import { takeFound } from '../utxo-set.ts'
import { executeDecided, isSpending, moveFunds } from './execute.ts'
import { evictLowBalances } from './l1-set.ts'
import { executeReward } from './rewards.ts'
import { abortStaking, executeStaking, isStaking } from './staking.ts'
import { advanceTime, noteEviction, supplyOf, type PState } from './state.ts'

/** Look-ups before {@link applyPBlocks} of the same blocks. */
export function wantedOfPBlocks(state: PState, blocks: readonly ReadPBlock[]): Wanted {
  const needs: Needs[] = []
  for (const { transactions } of blocks) {
    for (const { unsigned, txId, importedKeys, exportedKeys } of transactions) {
      const inputs = isSpending(unsigned) ? unsigned.inputs : []
      const imported = unsigned.typeId === pTypes.ImportTx ? unsigned.importedInputs : []
      needs.push({ txId, inputs, imported, importedKeys, exportedKeys })
    }
  }
  return wantedOf(state.utxos, needs)
}

/**
 * Replays blocks that follow the state's height without a gap into a batch.
 *
 * A proposal at the end, its option not among `blocks`, is left out: the state's height says where
 * to go on.
 *
 * Throws `state-violation` or `source-mismatch`; the state is void then and must be loaded again.
 */
export function applyPBlocks(
  state: PState,
  draft: Draft,
  blocks: readonly ReadPBlock[],
  found: Found,
): void {
  takeFound(state.utxos, found)
  for (let at = 0; at < blocks.length; at++) {
    const read = blocks[at]
    if (read === undefined) break
    if (!isProposal(read.block)) {
      const { block, height } = read
      if (
        block.typeId !== pBlockTypes.ApricotStandardBlock &&
        block.typeId !== pBlockTypes.ApricotAtomicBlock &&
        block.typeId !== pBlockTypes.BanffStandardBlock
      ) {
        throw violation({ chain: 'P', height }, `option without a proposal: ${block.typeId}`)
      }
      follow(state, draft, read)
      moveTime(state, draft, read, height)
      decide(state, draft, { read, transactions: read.transactions, setHeight: height })
      noteBlock(state, draft, read)
      continue
    }
    const option = blocks[++at]
    if (option === undefined) break
    applyProposal(state, draft, read, option)
  }
}

function isProposal(block: PBlock): boolean {
  return (
    block.typeId === pBlockTypes.ApricotProposalBlock ||
    block.typeId === pBlockTypes.BanffProposalBlock
  )
}

/** Checks that a block follows, and makes it the newest. */
function follow(state: PState, draft: Draft, read: ReadPBlock): void {
  const { block, height } = read
  if (height !== state.height + 1 || !equalBytes(block.parentId, state.blockId)) {
    throw unlinked({ chain: 'P', height }, state.height)
  }
  draft.from ??= height
  state.height = height
  state.blockId = read.blockId
}

/** Moves time as a block since Banff says; earlier blocks leave it alone. */
function moveTime(state: PState, draft: Draft, read: ReadPBlock, setHeight: number): void {
  if (!('time' in read.block)) return
  advanceTime(state, { draft, height: read.height, setHeight }, Number(read.block.time))
}

type Decision = {
  readonly read: ReadPBlock
  readonly transactions: readonly ReadTransaction<PUnsigned>[]
  readonly setHeight: number
}

function decide(state: PState, draft: Draft, { read, transactions, setHeight }: Decision): void {
  const { height } = read
  for (let position = 0; position < transactions.length; position++) {
    const transaction = transactions[position]
    if (transaction === undefined) break
    const step = stepAt(state, draft, { height, position, setHeight, transaction })
    executeDecided(state, step, transaction, setHeight)
    endStep(step)
  }
  if (state.time < state.rules.upgrades.etna) return
  const timeStep = { draft, height: read.height, setHeight, position: afterTransactions }
  evictLowBalances(state.l1, (validator) => noteEviction(state, timeStep, validator, state.time))
}

function stepAt(
  state: PState,
  draft: Draft,
  at: {
    readonly height: number
    readonly position: number
    readonly setHeight: number
    readonly transaction: ReadTransaction<PUnsigned>
  },
): Step {
  const { height, position, setHeight, transaction } = at
  const { time } = state
  const place = { chain: 'P', height, position, time, setHeight, txId: transaction.txId } as const
  return beginStep(state.utxos, draft, place, transaction)
}

function applyProposal(state: PState, draft: Draft, read: ReadPBlock, option: ReadPBlock): void {
  const proposed = read.transactions.at(-1)
  if (proposed === undefined) {
    throw violation({ chain: 'P', height: read.height }, 'proposal without a transaction')
  }
  const setHeight = option.height
  follow(state, draft, read)
  moveTime(state, draft, read, setHeight)
  decide(state, draft, { read, transactions: read.transactions.slice(0, -1), setHeight })
  noteBlock(state, draft, read)
  const position = read.transactions.length - 1
  const { height } = read
  const step = stepAt(state, draft, { height, position, setHeight, transaction: proposed })
  follow(state, draft, option)
  executeProposal(state, step, proposed, option)
  endStep(step)
  noteBlock(state, draft, option)
}

function executeProposal(
  state: PState,
  step: Step,
  read: ReadTransaction<PUnsigned>,
  option: ReadPBlock,
): void {
  const committed = commits(option)
  const setHeight = option.height
  step.row.committed = committed
  if ('time' in option.block && Number(option.block.time) !== state.time) {
    throw violation(step.place, `option has another time than its proposal: ${option.block.time}`)
  }
  const { unsigned } = read
  if (unsigned.typeId === pTypes.AdvanceTimeTx) {
    if (!committed) return
    const timeStep = { draft: step.draft, height: option.height, setHeight }
    advanceTime(state, timeStep, Number(unsigned.time))
  } else if (!isSpending(unsigned)) {
    executeReward(state, step, unsigned, { committed, setHeight })
  } else if (isStaking(unsigned)) {
    moveFunds(step, unsigned)
    if (committed) executeStaking(state, step, unsigned, setHeight)
    else abortStaking(state, step, unsigned)
    checkFlow(step)
  } else {
    throw violation(step.place, `transaction type cannot be proposed: ${unsigned.typeId}`)
  }
}

function commits({ block, height }: ReadPBlock): boolean {
  switch (block.typeId) {
    case pBlockTypes.ApricotCommitBlock:
    case pBlockTypes.BanffCommitBlock:
      return true
    case pBlockTypes.ApricotAbortBlock:
    case pBlockTypes.BanffAbortBlock:
      return false
    case pBlockTypes.ApricotProposalBlock:
    case pBlockTypes.ApricotStandardBlock:
    case pBlockTypes.ApricotAtomicBlock:
    case pBlockTypes.BanffProposalBlock:
    case pBlockTypes.BanffStandardBlock:
      throw violation({ chain: 'P', height }, `proposal without an option: ${block.typeId}`)
  }
}

function noteBlock(state: PState, draft: Draft, read: ReadPBlock): void {
  draft.blocks.push({
    height: read.height,
    blockId: read.blockId,
    parentId: read.block.parentId,
    typeId: read.block.typeId,
    time: state.time,
    sizeBytes: read.sizeBytes,
    transactionCount: read.transactions.length,
    proposer: read.proposer,
    platform: {
      currentSupply: supplyOf(state, emptyId),
      l1AccruedFees: state.l1.accruedFees,
      activeL1Validators: state.l1.activeCount,
    },
  })
}
