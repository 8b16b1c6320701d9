/** UTXO sets: every unspent output of the three chains, those on their way included. */

import { outputContent } from '../../codec/primary/output-content.ts'
import { toPrimaryAddress } from '../../core/address.ts'
import { concatBytes, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { listIn, nodePaths, type Reply } from '../../source/primary/node-api.ts'
import { assetsByNumber } from '../../store/query/primary/assets-by-number.ts'
import type { StoredUtxo } from '../../store/query/primary/utxo-rows.ts'
import { everyAddress, unspentUtxos } from '../../store/query/primary/whole-state.ts'
import { type PrimaryChain, utxoKinds } from '../../store/schema/primary-position.ts'
import { inParts, objectIn, type Subject } from './subject.ts'

/** Addresses of one call; nodes take 1,024. */
const addressesPerCall = 512
const utxosPerCall = 1_024

const apis = {
  P: { path: nodePaths.P, method: 'platform.getUTXOs' },
  X: { path: nodePaths.X, method: 'avm.getUTXOs' },
  C: { path: nodePaths.cAtomic, method: 'avax.getUTXOs' },
} as const

/** Compares what each chain can spend, by source. */
export async function checkUtxos(subject: Subject): Promise<void> {
  const ours = await unspentByPlace(subject)
  const all = await everyAddress(subject.network.store, Number.MAX_SAFE_INTEGER)
  const addresses = all.map(({ address }) => address)
  for (const target of ['P', 'X', 'C'] as const) {
    for (const source of ['P', 'X', 'C'] as const) {
      if (target === 'C' && source === 'C') continue
      const place = `${source}${target}`
      const theirs = await utxosOfNode(subject, { target, source, addresses })
      const check = source === target ? `${target} UTXOs` : `atomic UTXOs ${source} to ${target}`
      subject.report.compareSets(check, place, ours.get(place) ?? [], theirs)
    }
  }
}

/** Unspent UTXOs in hex by source and target, without stakes that are locked. */
async function unspentByPlace({ network }: Subject): Promise<Map<string, string[]>> {
  const places = new Map<string, string[]>()
  for await (const utxo of unspentUtxos(network.store)) {
    const isLocked = (utxo.kind & utxoKinds.staked) !== 0 && utxo.returnedAt === undefined
    // Nodes list by owner; what has none is in their state and in no list.
    if (isLocked || outputContent(utxo.output).addresses.length === 0) continue
    const place = `${utxo.createdOn}${utxo.consumableOn}`
    const list = places.get(place) ?? []
    places.set(place, list)
    const assets = await assetsByNumber(network.store, [utxo.asset])
    list.push(hexOf(utxo, assets.get(utxo.asset)?.assetId ?? new Uint8Array(32)))
  }
  return places
}

function hexOf(utxo: StoredUtxo, assetId: Uint8Array): string {
  const index = new Uint8Array(4)
  new DataView(index.buffer).setUint32(0, utxo.outputIndex)
  return toHex(concatBytes(new Uint8Array(2), utxo.txId, index, assetId, utxo.output))
}

type Wanted = {
  readonly target: PrimaryChain
  readonly source: PrimaryChain
  readonly addresses: readonly Uint8Array[]
}

async function utxosOfNode(
  { network, node, signal }: Subject,
  { target, source, addresses }: Wanted,
): Promise<Set<string>> {
  const found = new Set<string>()
  const { path, method } = apis[target]
  const sourceChain = source === target ? {} : { sourceChain: toCb58(network.chainIds[source]) }
  for (const part of inParts(addresses, addressesPerCall)) {
    const texts = part.map((one) => `${target}-${toPrimaryAddress(network.hrp, one)}`)
    let startIndex: Reply | undefined
    for (;;) {
      const page = await node.ask(
        path,
        method,
        {
          addresses: texts,
          ...sourceChain,
          limit: utxosPerCall,
          encoding: 'hexnc',
          ...(startIndex === undefined ? {} : { startIndex }),
        },
        signal,
      )
      const list = listIn(page, 'utxos')
      for (const one of list) found.add(String(one).slice(2))
      if (list.length < utxosPerCall) break
      const next = objectIn(page['endIndex'])
      if (JSON.stringify(next) === JSON.stringify(startIndex)) break
      startIndex = next
    }
  }
  return found
}
