/**
 * Finds the contracts to which proxies hand their calls on. Source: ERC-1967, ERC-1167, ERC-1822, ERC-2535,
 * ERC-7511, EIP-7702; OpenZeppelin's and Safe's own from before them.
 */

import { proxyCalls, proxySlots, zeppelinSlot } from '../codec/evm/abi/selectors.ts'
import { fromHex, isZero, toHex } from '../core/bytes.ts'

/** Kinds of proxies; `delegation` is an account's. */
export type ProxyKind =
  | 'erc1967'
  | 'beacon'
  | 'erc1822'
  | 'minimal'
  | 'diamond'
  | 'delegation'
  | 'safe'
  | 'zeppelinos'

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
/** Code of clones, with an address in it: of ERC-1167, of Solady, with PUSH0, of Vyper. */
const clones = [
  /^363d3d373d3d3d363d73(.{40})5af43d82803e903d91602b57fd5bf3/,
  /^3d3d3d3d363d3d37363d73(.{40})5af43d3d93803e602a57fd5bf3/,
  /^365f5f375f5f365f73(.{40})5af43d5f5f3e5f3d91602a57fd5bf3/,
  /^366000600037611000600036600073(.{40})5af4602c57600080fd5b6110006000f3/,
]
const delegation = /^ef0100(.{40})$/
/** Code that reads the first place as an address and answers `masterCopy()` by it. */
const safe = /^608060405273f{40}600054167fa619486e/
const mostFacets = 256

/** The proxy that the contract of `of` at `address` is; `undefined` where it is none. */
export async function findProxy(
  address: Uint8Array,
  of: ProxyQuestions,
): Promise<Proxy | undefined> {
  const head = toHex(of.code.subarray(0, 64))
  const account = delegation.exec(head)?.[1]
  if (account !== undefined) return { kind: 'delegation', implementations: [fromHex(account)] }
  if (!of.code.includes(delegateCall)) return undefined
  const [clone] = clones.flatMap((form) => form.exec(head)?.[1] ?? [])
  if (clone !== undefined) return { kind: 'minimal', implementations: [fromHex(clone)] }
  const first = safe.test(head) ? addressIn(await of.storage(new Uint8Array(32))) : undefined
  if (first !== undefined) return { kind: 'safe', implementations: [first] }
  const zeppelin = Buffer.from(of.code).includes(zeppelinSlot)
    ? addressIn(await of.storage(zeppelinSlot))
    : undefined
  if (zeppelin !== undefined) return { kind: 'zeppelinos', implementations: [zeppelin] }
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
