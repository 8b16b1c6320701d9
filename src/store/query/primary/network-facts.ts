/** The network that a store belongs to. */

import { fromHex } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'

/** Ids of a network, 32 bytes each, and when it began (Unix seconds). */
export type NetworkFacts = {
  readonly networkId: number
  readonly xChainId: Uint8Array
  readonly cChainId: Uint8Array
  readonly avaxAssetId: Uint8Array
  readonly genesisTime: number
}

const everyMeta = statement('select name, value from meta')

/** The network of a store; `undefined` before its genesis is stored. */
export async function networkFacts(reader: Reader): Promise<NetworkFacts | undefined> {
  const rows = await reader.all(everyMeta)
  const facts = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  if (!facts.has('genesisTime')) return undefined
  const text = (name: string): string => {
    const value = facts.get(name)
    assert(value !== undefined, 'the facts of a genesis are stored together')
    return value
  }
  const id = (name: string): Uint8Array => fromHex(text(name))
  return {
    networkId: Number(text('networkId')),
    xChainId: id('xChainId'),
    cChainId: id('cChainId'),
    avaxAssetId: id('avaxAssetId'),
    genesisTime: Number(text('genesisTime')),
  }
}
