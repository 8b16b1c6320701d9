/** Stored state that replay needs: look-ups, and the state it begins with. */

import { toBigint } from '../../../core/bytes.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import { type Reader, statement } from '../../../store/engine/database.ts'
import { bytesAt, integerAt } from '../../../store/query/row-values.ts'
import { progressBody } from '../../../store/schema/primary/bodies.ts'
import type { AssetNumber } from '../batch/asset-numbers.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { Checkpoint } from '../batch/rows.ts'
import type { PStateRows, StoredState } from '../batch/stored-state.ts'
import { allSubnets, liveL1Validators, openStakers } from './read-rows.ts'
import { findRows } from './utxos.ts'

/** The reading side of a store with `primaryTables`. */
export function openStoredState(reader: Reader): StoredState {
  return {
    find: (wanted) => findRows(reader, wanted),
    checkpoint: (chain) => readCheckpoint(reader, chain),
    assets: () => readAssets(reader),
    pState: () => readPState(reader),
  }
}

const progressQuestion = statement('select body from progress where chain = ?')

async function readCheckpoint(reader: Reader, chain: ChainName): Promise<Checkpoint | undefined> {
  const at = await getCheckpoint(reader, chain)
  const row = await reader.get(progressQuestion, [chain])
  if (at?.hash === undefined || row === undefined) return undefined
  return { chain, height: at.height, blockId: at.hash, ...progressBody.fromBytes(bytesAt(row, 0)) }
}

const everyAsset = statement('select id, asset_id from asset order by id')

async function readAssets(reader: Reader): Promise<AssetNumber[]> {
  const rows = await reader.all(everyAsset)
  return rows.map((row) => ({ number: integerAt(row, 0), assetId: bytesAt(row, 1) }))
}

const supplies = statement('select subnet_id, amount from supply')

async function readPState(reader: Reader): Promise<PStateRows | undefined> {
  const checkpoint = await readCheckpoint(reader, 'P')
  if (checkpoint === undefined) return undefined
  const rows = await reader.all(supplies)
  return {
    checkpoint,
    stakers: await openStakers(reader),
    subnets: await allSubnets(reader),
    l1Validators: await liveL1Validators(reader),
    supplies: rows.map((row) => ({
      subnetId: bytesAt(row, 0),
      supply: toBigint(bytesAt(row, 1)),
    })),
  }
}
