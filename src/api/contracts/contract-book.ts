/** Verified contracts: looked up, proved, and read for what bytes say. */

import { type AbiEntry, readAbi } from '../../codec/evm/abi.ts'
import type { CompileLimits } from '../../contracts/compiler.ts'
import type { Compilers } from '../../contracts/compilers.ts'
import { findProxy, type Proxy } from '../../contracts/proxy.ts'
import { type Claim, verifyClaim } from '../../contracts/verify.ts'
import { to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { createGenerations } from '../../core/generations.ts'
import { keccak256 } from '../../core/hash.ts'
import { WorkQueue } from '../../core/work-queue.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  contractAt,
  contractWithCode,
  hasContracts,
  putContracts,
  type VerifiedContract,
} from '../../store/query/verified-contracts.ts'
import { type AbiBook, createAbiBook, joinedBooks } from '../evm/abi-book.ts'
import { toldByNode } from '../evm/told-by-node.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { creationCode } from './creation-code.ts'

/** Parts of it. */
export type ContractBookParts = {
  readonly store: Database
  /** Absent where no compilers are set: nothing is verified then. */
  readonly compilers: Compilers | undefined
  readonly limits: CompileLimits
  /** ABIs of the operator, which come first. */
  readonly abis: AbiBook
  readonly clock: Clock
}

/** Sources of a contract: its own, or those of another one with the same code. */
export type KnownContract = { readonly contract: VerifiedContract; readonly isOwn: boolean }

/** The book. */
export type ContractBook = {
  /** True when contracts can be verified here. */
  readonly verifies: boolean
  /** Asks the node for the code where the contract itself is not verified. Throws `not-served`. */
  readonly find: (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ) => Promise<KnownContract | undefined>
  /** Asks the node. Throws `not-served`. */
  readonly proxyAt: (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ) => Promise<Proxy | undefined>
  /**
   * Proves a claim and keeps it. Throws `bad-parameter` with the reason where it does not hold, and
   * `overloaded` where too many wait.
   */
  readonly verify: (
    chain: ServedChain,
    address: Uint8Array,
    claim: Claim,
    signal: AbortSignal,
  ) => Promise<VerifiedContract>
  /** ABIs of the operator and of verified contracts, for logs, inputs and errors of `addresses`. */
  readonly abisOf: (
    chain: ServedChain,
    addresses: readonly Uint8Array[],
    signal: AbortSignal,
  ) => Promise<AbiBook>
}

// A proxy may be led elsewhere; code of an address nearly never changes.
const linkMs = 60_000
const linksKept = 2_000
// Most chains have none: others than this process verify the first.
const anyMs = 1_000
// One is compiled at a time: that takes a core and up to a gigabyte.
const mostQueued = 4
const abisKept = 500

/** Contracts whose ABIs count for an address, as the node told it last. */
type Link = { readonly contracts: readonly VerifiedContract[]; readonly until: number }

/** A book over the store of verified contracts. */
export function createContractBook(parts: ContractBookParts): ContractBook {
  const { store, compilers, clock } = parts
  const queue = new WorkQueue()
  let queued = 0
  const compiling = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queued >= mostQueued)
      throw new Fault('overloaded', `${queued} contracts are being verified: try again in a minute`)
    queued++
    try {
      return await queue.run(work)
    } finally {
      queued--
    }
  }
  const verifiedOn = new Map<number, { readonly any: boolean; readonly until: number }>()
  const hasAny = async (chainId: number): Promise<boolean> => {
    const known = verifiedOn.get(chainId)
    if (known !== undefined && (known.any || clock.monotonic() < known.until)) return known.any
    const has = await hasContracts(store, chainId)
    verifiedOn.set(chainId, { any: has, until: clock.monotonic() + anyMs })
    return has
  }
  const links = createGenerations<string, Link>(linksKept)
  const entries = createGenerations<string, readonly AbiEntry[]>(abisKept)

  const find: ContractBook['find'] = async (chain, address, signal) => {
    const { evmChainId } = chain.facts
    const own = await contractAt(store, evmChainId, address)
    if (own !== undefined) return { contract: own, isOwn: true }
    const code = await chain.state.code(address, undefined, signal)
    if (code.length === 0) return undefined
    const twin = await contractWithCode(store, evmChainId, keccak256(code))
    return twin === undefined ? undefined : { contract: twin, isOwn: false }
  }

  const proxyAt: ContractBook['proxyAt'] = async (chain, address, signal) =>
    findProxy(address, {
      code: await chain.state.code(address, undefined, signal),
      storage: (slot) => chain.state.storage(address, slot, signal),
      call: (to, data) => chain.state.call(to, data, undefined, signal),
    })

  /** The contract itself and those that a proxy leads to; without a node what is stored. */
  const linked = async (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ): Promise<readonly VerifiedContract[]> => {
    const key = `${chain.facts.key} ${to0x(address)}`
    const known = links.get(key)
    if (known !== undefined && clock.monotonic() < known.until) return known.contracts
    const found = await toldByNode(clock, signal, async (until) => {
      const proxy = await proxyAt(chain, address, until)
      const all = [address, ...(proxy?.implementations ?? [])]
      return Promise.all(all.map((one) => find(chain, one, until)))
    })
    const own = await contractAt(store, chain.facts.evmChainId, address)
    const contracts =
      found?.flatMap((one) => one?.contract ?? []) ?? (own === undefined ? [] : [own])
    links.set(key, { contracts, until: clock.monotonic() + linkMs })
    return contracts
  }

  const abiOf = (contract: VerifiedContract): readonly AbiEntry[] => {
    const { chainId, address, verifiedAt, body } = contract
    const key = `${chainId} ${to0x(address)} ${verifiedAt}`
    const known = entries.get(key) ?? readAbi(body.abi)
    entries.set(key, known)
    return known
  }

  return {
    verifies: compilers !== undefined,
    find,
    proxyAt,
    verify: async (chain, address, claim, signal) => {
      if (compilers === undefined)
        throw new Fault('bad-parameter', 'contracts are not verified here: contracts.compilers')
      const runtime = await chain.state.code(address, undefined, signal)
      if (runtime.length === 0)
        throw new Fault('bad-parameter', `there is no contract at ${to0x(address)}`)
      const creation = await creationCode(chain, address, { clock, signal })
      const { runtimeMatch, creationMatch, name, version, ...body } = await compiling(() => {
        signal.throwIfAborted()
        const how = { compilers, clock, limits: parts.limits, signal }
        return verifyClaim(claim, { runtime, creation }, how)
      })
      const verified: VerifiedContract = {
        chainId: chain.facts.evmChainId,
        address,
        codeHash: keccak256(runtime),
        runtimeMatch,
        creationMatch: creationMatch ?? 'none',
        verifiedAt: Math.floor(clock.now() / 1_000),
        name,
        version,
        body,
      }
      const before = await contractAt(store, verified.chainId, address)
      if (before?.runtimeMatch === 'full' && runtimeMatch === 'partial') return before
      await putContracts(store, [verified])
      links.set(`${chain.facts.key} ${to0x(address)}`, { contracts: [], until: 0 })
      verifiedOn.delete(verified.chainId)
      return verified
    },
    abisOf: async (chain, addresses, signal) => {
      const { evmChainId } = chain.facts
      if (addresses.length === 0 || !(await hasAny(evmChainId))) return parts.abis
      const distinct = new Map(addresses.map((address) => [to0x(address), address]))
      const given = await Promise.all(
        [...distinct].map(async ([text, address]) => {
          const contracts = await linked(chain, address, signal)
          const chainId = String(evmChainId)
          return contracts.map((one) => ({ chainId, address: text, entries: abiOf(one) }))
        }),
      )
      return joinedBooks(parts.abis, createAbiBook(given.flat()))
    },
  }
}
