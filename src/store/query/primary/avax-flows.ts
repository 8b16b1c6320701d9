/** AVAX of a network outside its UTXOs: burned, and in balances of L1 validators. */

import { assert } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { l1ChangeBody, l1ValidatorBody, progressBody } from '../../schema/primary-bodies.ts'
import type { PrimaryChain } from '../../schema/primary-position.ts'
import { bytesValue, textValue } from '../stored-row.ts'

/** Result of {@link avaxFlows}, nAVAX. */
export type AvaxFlows = {
  /**
   * Inputs less outputs of a chain's transactions, deposits of L1 validators included;
   * absent for a chain without blocks, `undefined` where it was not counted from the start.
   */
  readonly burned: ReadonlyMap<PrimaryChain, bigint | undefined>
  /** Amount paid into balances of L1 validators, less the amount returned. */
  readonly l1Deposits: bigint
  /** Sum of these balances now. */
  readonly l1Balances: bigint
}

const everyProgress = statement('select chain, body from progress')
const everyChange = statement('select body from l1_change')
const everyActive = statement('select body from l1_validator where active = 1')

/** Reads every change of an L1 validation: some thousands, so callers keep the answer. */
export async function avaxFlows(reader: Reader): Promise<AvaxFlows> {
  const burned = new Map<PrimaryChain, bigint | undefined>()
  let accrued = 0n
  for (const [name, body] of await reader.all(everyProgress)) {
    const progress = progressBody.fromBytes(bytesValue(body))
    const chain = chainNamed(textValue(name))
    burned.set(chain, progress.burned)
    if (chain === 'P') accrued = progress.l1AccruedFees
  }
  let l1Deposits = 0n
  for (const [body] of await reader.all(everyChange))
    l1Deposits += l1ChangeBody.fromBytes(bytesValue(body)).balanceChange
  let l1Balances = 0n
  for (const [body] of await reader.all(everyActive))
    l1Balances += l1ValidatorBody.fromBytes(bytesValue(body)).endAccumulatedFee - accrued
  return { burned, l1Deposits, l1Balances }
}

function chainNamed(name: string): PrimaryChain {
  assert(name === 'P' || name === 'X' || name === 'C', 'progress is of one of three chains')
  return name
}
