/**
 * The first batch of the P-Chain: what genesis says, at height 0.
 *
 * Source: avalanchego vms/platformvm/state/state.go syncGenesis.
 */

import type { GenesisFacts } from '../../../../codec/primary/genesis.ts'
import { emptyId, transactionIdOf } from '../../../../codec/primary/ids.ts'
import { pBlockTypes, pTypes } from '../../../../core/type-ids.ts'
import type { KeptInMemory } from '../../batch/asset-numbers.ts'
import type { RowBatch } from '../../batch/rows.ts'
import type { PrimaryRules } from '../../batch/rules.ts'
import { networkIdsOf } from '../chains.ts'
import { closeDraft, newDraft, violation, type Draft } from '../draft.ts'
import { beginStep, endStep } from '../step.ts'
import { closeBatch, createUtxo } from '../utxo-set.ts'
import { blockchainOf } from './execute.ts'
import { executeStaking, isStaking, outputFields } from './staking.ts'
import { emptyPState, setSupply, supplyOf, type PState } from './state.ts'

/** The state after genesis, and the rows of height 0. */
export function beginPChain(
  facts: GenesisFacts,
  rules: PrimaryRules,
  kept: KeptInMemory,
): { readonly state: PState; readonly batch: RowBatch } {
  // Everybody of genesis is current at once, whatever upgrades the network starts with.
  const immediate = { ...rules, upgrades: { ...rules.upgrades, durango: 0 } }
  const working = emptyPState(immediate, networkIdsOf(facts), kept)
  const draft = newDraft('P', { firstUtxo: working.utxos.next, follows: undefined })
  working.time = Number(facts.genesis.time)
  setSupply(working, draft, emptyId, facts.genesis.initialSupply)
  const place = { chain: 'P', height: 0, position: -1, time: working.time, txId: emptyId } as const
  for (const { utxo } of facts.genesis.utxos) {
    const { txId, outputIndex, assetId, output } = utxo
    const made = { txId, outputIndex, assetId, ...outputFields(output) }
    createUtxo({ utxos: working.utxos, draft, place }, made)
  }
  addTransactions(working, draft, facts)
  draft.blocks.push({
    height: 0,
    blockId: facts.pBlockId,
    parentId: facts.genesisId,
    typeId: pBlockTypes.ApricotCommitBlock,
    time: working.time,
    // Version, type id, parent, height.
    sizeBytes: 2 + 4 + 32 + 8,
    transactionCount: draft.ledger.transactionCount(),
    proposer: undefined,
    platform: {
      currentSupply: supplyOf(working, emptyId),
      l1AccruedFees: 0n,
      activeL1Validators: 0,
    },
  })
  const state: PState = { ...working, rules, blockId: facts.pBlockId }
  const checkpoint = {
    chain: 'P',
    height: 0,
    blockId: facts.pBlockId,
    time: state.time,
    l1AccruedFees: 0n,
    l1FeeExcess: 0n,
    nextUtxo: state.utxos.next,
    burned: 0n,
  } as const
  draft.from = 0
  closeBatch(state.utxos, draft)
  return { state, batch: closeDraft(draft, kept.assets, checkpoint) }
}

function addTransactions(state: PState, draft: Draft, facts: GenesisFacts): void {
  const all = [...facts.genesis.validators, ...facts.genesis.chains]
  for (const [position, one] of all.entries()) {
    const read = {
      unsigned: one.record.unsigned,
      txId: transactionIdOf(one.bytes),
      importedKeys: [],
      exportedKeys: [],
    }
    const { unsigned, txId } = read
    const place = { chain: 'P', height: 0, position, time: state.time, txId } as const
    const step = beginStep(state.utxos, draft, place, read)
    if (isStaking(unsigned)) executeStaking(state, step, unsigned, 0)
    else if (unsigned.typeId === pTypes.CreateChainTx)
      draft.blockchains.push(blockchainOf(unsigned, place))
    else throw violation(place, `genesis holds a transaction of type ${unsigned.typeId}`)
    endStep(step)
  }
}
