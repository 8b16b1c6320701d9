/** The three chains of one network by id, and which transactions' inputs a batch must look up. */

import type { GenesisFacts } from '../../codec/primary/genesis.ts'
import { emptyId } from '../../codec/primary/ids.ts'
import { equalBytes, keyOf } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { ChainName } from './ledger-rows.ts'
import type { ReadTransaction } from './read-blocks.ts'
import type { Wanted } from './state.ts'
import { isKnown } from './utxo-set.ts'
import type { UtxoSet } from './utxo-set.ts'

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

/** Keys a batch needs looked up: inputs neither cached nor made in it, imports, and exports. */
export function wantedOf(
  utxos: UtxoSet,
  transactions: readonly ReadTransaction<InputsOf>[],
): Wanted {
  const inputKeys: string[] = []
  const sharedKeys: string[] = []
  const made = new Map<number, Uint8Array>()
  for (const read of transactions) {
    const { inputs } = read.unsigned
    if (inputs !== undefined) {
      for (let at = 0; at < read.inputKeys.length; at++) {
        const key = read.inputKeys[at]
        const txId = inputs[at]?.txId
        if (key === undefined || isKnown(utxos, key)) continue
        const known = txId === undefined ? undefined : made.get(shortOf(txId))
        if (known === undefined || txId === undefined || !equalBytes(known, txId)) {
          inputKeys.push(key)
        }
      }
    }
    for (const key of read.operatedKeys) if (!isKnown(utxos, key)) inputKeys.push(key)
    for (const key of read.importedKeys) {
      inputKeys.push(key)
      sharedKeys.push(key)
    }
    for (const key of read.exportedKeys) sharedKeys.push(key)
    made.set(shortOf(read.txId), read.txId)
  }
  return { inputKeys, sharedKeys }
}

type InputsOf = {
  readonly typeId: number
  readonly inputs?: readonly { readonly txId?: Uint8Array }[]
}

/** The first 48 bits: a key cheaper than text. Two ids may share it, so compare what it finds. */
function shortOf(id: Uint8Array): number {
  let short = 0
  for (let at = 0; at < 6; at++) short = short * 256 + (id[at] ?? 0)
  return short
}
