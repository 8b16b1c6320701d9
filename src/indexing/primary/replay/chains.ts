/** The three chains of one network by id, and which transactions' inputs a batch must look up. */

import type { GenesisFacts } from '../../../codec/primary/genesis.ts'
import { emptyId, type OutputPlace } from '../../../codec/primary/ids.ts'
import { keyOf } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { Wanted } from '../batch/stored-state.ts'
import { isKnown, type UtxoSet } from './utxo-set.ts'

/** Ids of a network's chains and of AVAX. */
export type NetworkIds = {
  readonly networkId: number
  readonly avaxAssetId: Uint8Array
  readonly chainIds: Readonly<Record<ChainName, Uint8Array>>
  readonly names: ReadonlyMap<string, ChainName>
}

/** Ids that follow from a genesis. */
export function networkIdsOf(facts: GenesisFacts): NetworkIds {
  const chainIds = { P: emptyId, X: facts.xChainId, C: facts.cChainId }
  const names = new Map<string, ChainName>([
    [keyOf(emptyId), 'P'],
    [keyOf(facts.xChainId), 'X'],
    [keyOf(facts.cChainId), 'C'],
  ])
  return { networkId: facts.networkId, avaxAssetId: facts.avaxAssetId, chainIds, names }
}

/** The chain with this id. Throws `state-violation` for one outside the primary network. */
export function chainNameOf(ids: NetworkIds, blockchainId: Uint8Array): ChainName {
  const name = ids.names.get(keyOf(blockchainId))
  if (name !== undefined) return name
  throw new Fault('state-violation', 'assets move to or from a chain outside the primary network', {
    detail: { blockchainId: Buffer.from(blockchainId).toString('hex') },
  })
}

/** Inputs that a transaction spends on its chain, and outputs that it moves between chains. */
export type Needs = {
  readonly txId: Uint8Array
  readonly inputs: readonly OutputPlace[]
  readonly imported: readonly OutputPlace[]
  readonly importedKeys: readonly string[]
  readonly exportedKeys: readonly string[]
}

/** Look-ups of a batch: inputs neither kept nor made in it, imports, and exports. */
export function wantedOf(utxos: UtxoSet, transactions: readonly Needs[]): Wanted {
  const unknown: OutputPlace[] = []
  const imported: OutputPlace[] = []
  const sharedKeys: string[] = []
  for (const needs of transactions) {
    for (const input of needs.inputs) if (!isKnown(utxos, input)) unknown.push(input)
    imported.push(...needs.imported)
    sharedKeys.push(...needs.importedKeys, ...needs.exportedKeys)
  }
  if (unknown.length === 0) return { inputs: imported, sharedKeys }
  const made = new Set(transactions.map(({ txId }) => keyOf(txId)))
  const inputs = unknown.filter(({ txId }) => !made.has(keyOf(txId)))
  return { inputs: [...inputs, ...imported], sharedKeys }
}
