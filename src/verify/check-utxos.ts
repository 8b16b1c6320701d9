/** UTXO sets: every unspent output of the three chains, those on their way included. */

import { outputContent } from '../codec/primary/output-content.ts'
import { toPrimaryAddress } from '../core/address.ts'
import { bytesOfKey, concatBytes, keyOf, toHex } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { assert } from '../core/fault.ts'
import { nodePaths } from '../source/primary/node-api.ts'
import { listIn, type Reply, replyOf } from '../source/rpc/node-text.ts'
import type { Reader } from '../store/engine/database.ts'
import { assetsByNumber } from '../store/query/primary/addresses.ts'
import type { StoredUtxo } from '../store/query/primary/utxos.ts'
import { everyAddress, unspentUtxos } from '../store/query/primary/whole-state.ts'
import { type PrimaryChain, utxoKinds } from '../store/schema/primary/position.ts'
import {
  areEqual,
  type Heights,
  storedHeights,
  inParts,
  type Part,
  type Subject,
} from './subject.ts'

/** Addresses of one call; nodes take 1,024. */
const addressesPerCall = 512
const utxosPerCall = 1_024

const apis = {
  P: { path: nodePaths.P, method: 'platform.getUTXOs' },
  X: { path: nodePaths.X, method: 'avm.getUTXOs' },
  C: { path: nodePaths.cAtomic, method: 'avax.getUTXOs' },
} as const

/**
 * Outputs that each chain can spend, by source.
 *
 * @yields A part for some hundred addresses.
 */
export async function* utxoParts(subject: Subject): AsyncGenerator<Part> {
  const all = await everyAddress(subject.network.store, Number.MAX_SAFE_INTEGER)
  const addresses = all.map(({ address }) => address)
  const unspent = unspentReader(subject.network.store)
  yield ownersPart(subject.network.store)
  for (const target of ['P', 'X', 'C'] as const) {
    for (const source of ['P', 'X', 'C'] as const) {
      if (target === 'C' && source === 'C') continue
      const place = `${source}${target}`
      const name = source === target ? `${target} UTXOs` : `atomic UTXOs ${source} to ${target}`
      const chains = source === target ? [target] : [source, target]
      for (const some of inParts(addresses, addressesPerCall)) {
        const compare: Part['compare'] = async ({ report, heights }) => {
          const owned = (await unspent(heights, chains)).get(place)
          const ours = some.flatMap((address) => owned?.get(keyOf(address)) ?? [])
          const theirs = await utxosOfNode(subject, { target, source, addresses: some })
          report.compareSets(name, place, ours, theirs)
        }
        yield { name, chains, compare }
      }
    }
  }
}

/**
 * Only UTXOs of addresses the store has a number for are read: their owners must all have one.
 */
function ownersPart(store: Reader): Part {
  const name = 'owners of UTXOs'
  const compare: Part['compare'] = async ({ report }) => {
    const owners = new Set<string>()
    for (const owned of (await unspentByPlace(store)).values())
      for (const owner of owned.keys()) owners.add(owner)
    const all = await everyAddress(store, Number.MAX_SAFE_INTEGER)
    const known = new Set(all.map(({ address }) => keyOf(address)))
    const hex = (key: string): string => toHex(bytesOfKey(key))
    report.compareSets(
      name,
      'addresses',
      [...owners].map(hex),
      [...owners].filter((one) => known.has(one)).map(hex),
    )
  }
  return { name, chains: [], compare }
}

/** Unspent UTXOs in hex by source and target, then by owner. */
type Unspent = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** Reads all of them, and again only when a chain that matters has moved since. */
function unspentReader(
  store: Reader,
): (heights: Heights, chains: readonly PrimaryChain[]) => Promise<Unspent> {
  let held: { readonly from: Heights; readonly until: Heights; readonly all: Unspent } | undefined
  return async (heights, chains) => {
    const stands =
      held !== undefined &&
      areEqual(held.from, heights, chains) &&
      areEqual(held.until, heights, chains)
    if (held === undefined || !stands) {
      const from = await storedHeights(store)
      const all = await unspentByPlace(store)
      held = { from, until: await storedHeights(store), all }
    }
    return held.all
  }
}

/** Stakes that are locked are left out: nodes do not list them. */
async function unspentByPlace(store: Reader): Promise<Unspent> {
  const places = new Map<string, Map<string, string[]>>()
  const assetIds = new Map<number, Uint8Array>()
  for await (const utxo of unspentUtxos(store)) {
    const isLocked = (utxo.kind & utxoKinds.staked) !== 0 && utxo.returnedAt === undefined
    if (isLocked) continue
    const place = `${utxo.createdOn}${utxo.consumableOn}`
    const owned = places.get(place) ?? new Map<string, string[]>()
    places.set(place, owned)
    const known = assetIds.get(utxo.asset)
    const assetId = known ?? (await assetsByNumber(store, [utxo.asset])).get(utxo.asset)?.assetId
    assert(assetId !== undefined, 'an asset with a number is stored')
    assetIds.set(utxo.asset, assetId)
    const hex = hexOf(utxo, assetId)
    // Nodes list by owner; what has none is in their state and in no list.
    for (const owner of outputContent(utxo.output).addresses) {
      const list = owned.get(keyOf(owner)) ?? []
      owned.set(keyOf(owner), list)
      list.push(hex)
    }
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
      const page = await node.call(
        path,
        method,
        {
          addresses: texts,
          ...sourceChain,
          limit: utxosPerCall,
          encoding: 'hexnc',
          startIndex,
        },
        signal,
      )
      const list = listIn(page, 'utxos')
      for (const one of list) found.add(String(one).slice(2))
      if (list.length < utxosPerCall) break
      const next = replyOf(page['endIndex'], 'item')
      if (JSON.stringify(next) === JSON.stringify(startIndex)) break
      startIndex = next
    }
  }
  return found
}
