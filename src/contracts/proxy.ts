/**
 * Finds the contracts to which proxies hand their calls on. Source: ERC-1967, ERC-1167, ERC-1822, ERC-2535.
 */

import { proxyCalls, proxySlots } from '../codec/evm/abi/selectors.ts'
import { fromHex, isZero, toHex } from '../core/bytes.ts'

/** Kinds of proxies. */
export type ProxyKind = 'erc1967' | 'beacon' | 'erc1822' | 'minimal' | 'diamond'

/** A proxy and where its calls go, 20 bytes each. */
export type Proxy = { readonly kind: ProxyKind; readonly implementations: readonly Uint8Array[] }

/** Questions about a contract. */
export type ProxyQuestions = {
  readonly code: Uint8Array
  /** The word at a place of the contract's storage. */
  readonly storage: (slot: Uint8Array) => Promise<Uint8Array>
  /** Answer of a contract; `undefined` when it reverts. */
  readonly call: (to: Uint8Array, data: Uint8Array) => Promise<Uint8Array | undefined>
}

/** DELEGATECALL; code without it hands nothing on. */
const delegateCall = 0xf4
const minimal = /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/
const mostFacets = 256

/** The proxy that the contract of `of` at `address` is; `undefined` where it is none. */
export async function findProxy(
  address: Uint8Array,
  of: ProxyQuestions,
): Promise<Proxy | undefined> {
  if (!of.code.includes(delegateCall)) return undefined
  const clone = minimal.exec(toHex(of.code.subarray(0, 45)))?.[1]
  if (clone !== undefined) return { kind: 'minimal', implementations: [fromHex(clone)] }
  const [implementation, beacon, proxiable] = await Promise.all(
    proxySlots.map(async (slot) => addressIn(await of.storage(slot))),
  )
  if (implementation !== undefined) return { kind: 'erc1967', implementations: [implementation] }
  if (beacon !== undefined) {
    const found = addressIn((await of.call(beacon, proxyCalls.implementation)) ?? new Uint8Array())
    return { kind: 'beacon', implementations: found === undefined ? [] : [found] }
  }
  if (proxiable !== undefined) return { kind: 'erc1822', implementations: [proxiable] }
  const facets = addressesIn((await of.call(address, proxyCalls.facets)) ?? new Uint8Array())
  return facets.length === 0 ? undefined : { kind: 'diamond', implementations: facets }
}

/** An address in a word; `undefined` for zero and for what is no address. */
function addressIn(word: Uint8Array): Uint8Array | undefined {
  const isAddress = word.length === 32 && isZero(word.subarray(0, 12)) && !isZero(word)
  return isAddress ? word.subarray(12) : undefined
}

/** `address[]` as an answer; none where the bytes are not that. */
function addressesIn(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length < 64 || bytes.length % 32 !== 0) return []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const count = view.getUint32(60)
  if (view.getUint32(28) !== 32 || count > mostFacets || bytes.length !== 64 + 32 * count) return []
  return Array.from({ length: count }, (_, at) =>
    addressIn(bytes.subarray(64 + 32 * at, 96 + 32 * at)),
  ).filter((one) => one !== undefined)
}
