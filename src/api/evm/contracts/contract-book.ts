/** Verified contracts: looked up, proved, and read for what bytes say. */

import { type AbiEntry, readAbi } from '../../../codec/evm/abi/abi.ts'
import type { FindClaim } from '../../../contracts/claims.ts'
import type { Artifact } from '../../../contracts/project/artifact.ts'
import type { Compilation, Project } from '../../../contracts/project/project.ts'
import { findProxy, type Proxy } from '../../../contracts/proxy.ts'
import { contractNameOf } from '../../../contracts/standard-input.ts'
import { createGenerations } from '../../../core/bounded-maps.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import { faultOf } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { isObject } from '../../../core/json.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import {
  contractAt,
  contractsNamed,
  contractWithCode,
  hasContracts,
  type ListedContract,
  listedContracts,
  newestContracts,
  verifiedMethods,
  type VerifiedContract,
} from '../../../store/query/verified-contracts.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type AbiBook, createAbiBook, joinedBooks } from '../abi/abi-book.ts'
import { wellKnown } from '../abi/known-abis.ts'
import { answerOfNode } from '../answers.ts'
import type { ContractNames } from '../rich-addresses.ts'
import { createSeeking } from './seek-sources.ts'
import {
  createVerificationQueue,
  type VerificationOptions,
  type VerificationQueue,
} from './verification-queue.ts'

type ContractBookOptions = VerificationOptions & {
  /** ABIs of the operator, which come first. */
  readonly abis: AbiBook
  /** By the keys of the chains that are developed with them. */
  readonly projects?: ReadonlyMap<string, Project>
  /** Finds sources that others have; absent where nobody is asked. */
  readonly elsewhere?: FindClaim | undefined
}

/** A contract of the project that its chain is developed with; nothing of it is proved. */
export type ProjectContract = {
  readonly artifact: Artifact
  readonly compilation: () => Promise<Compilation>
}

/** Sources of a contract: its own, or those of another one with the same code. */
export type KnownContract = { readonly contract: VerifiedContract; readonly isOwn: boolean }

/** The book. */
export type ContractBook = VerificationQueue & {
  /** Versions of compilers, newest first; `undefined` where nothing is verified. Throws as `Compilers`. */
  readonly versions: () => Promise<readonly string[] | undefined>
  /**
   * Signatures of methods of verified contracts and of projects by their selectors, of those that are
   * known. Calls no node.
   */
  readonly methods: (selectors: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /**
   * Names of those that are verified themselves, and of those of the chain's project, in the order of their
   * addresses; none of a chain without any.
   */
  readonly names: ContractNames
  /** Names of those of the chain's project alone; absent also where no node gives their code. */
  readonly projectNames: ContractNames
  /** Addresses of those of a chain whose names begin with a text, newest first. */
  readonly named: (
    chain: ServedChain,
    text: string,
    limit: number,
  ) => Promise<readonly Uint8Array[]>
  /** Those of a chain, newest first, strictly after one. */
  readonly newest: (
    chain: ServedChain,
    after: Pick<ListedContract, 'verifiedAt' | 'address'> | undefined,
    limit: number,
  ) => Promise<readonly ListedContract[]>
  /** Those that are verified themselves, or `undefined`, in the order of their addresses. */
  readonly listed: (
    chain: ServedChain,
    addresses: readonly Uint8Array[],
  ) => Promise<readonly (ListedContract | undefined)[]>
  /**
   * Reads the code from the node where the contract itself is not verified. Throws `not-served`.
   */
  readonly find: (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ) => Promise<KnownContract | undefined>
  /** The one of the chain's project with the code at an address. Throws `not-served`. */
  readonly projectAt: (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ) => Promise<ProjectContract | undefined>
  /** Calls the node. Throws `not-served`. */
  readonly proxyAt: (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ) => Promise<Proxy | undefined>
  /**
   * Begins to prove what others have of a contract without sources, where others are asked and did not have it of
   * late. How it ends shows when the contract is read again.
   */
  readonly seek: (chain: ServedChain, address: Uint8Array) => void
  /**
   * ABIs of the operator, of verified contracts, and of what most contracts share, for logs, inputs and errors
   * of `addresses`.
   */
  readonly abisOf: (
    chain: ServedChain,
    addresses: readonly Uint8Array[],
    signal: AbortSignal,
  ) => Promise<AbiBook>
}

// A proxy may be led elsewhere; code of an address nearly never changes.
const linkMs = 60_000
const linksKept = 2_000
// Other processes may verify the first.
const anyMs = 1_000

/** As a compiler gives it. */
type Abi = readonly unknown[]

/** ABIs that count for an address, as the node gave it last. */
type Link = {
  readonly abis: readonly (readonly AbiEntry[])[]
  /** They have all methods that can be called there. */
  readonly isWhole: boolean
  readonly until: number
}

/** A book over the store of verified contracts. */
export function createContractBook(options: ContractBookOptions): ContractBook {
  const find = finding(options)
  const { projects = new Map<string, Project>() } = options
  const projectAt = findingInProjects(projects)
  const projectNames: ContractBook['projectNames'] = async (chain, addresses) => {
    if (!projects.has(chain.facts.key)) return []
    const { signal } = new AbortController()
    return Promise.all(
      addresses.map(async (address) => {
        const own = await answerOfNode(options.clock, signal, (until) =>
          projectAt(chain, address, until),
        )
        return own?.artifact.name
      }),
    )
  }
  const presence = createPresence(options.store, options.clock)
  const decoding = createDecoding(options, { find, projectAt }, presence)
  const { verify, ahead } = createVerificationQueue(options, decoding.forget)
  return {
    versions: async () => options.compilers?.versions(),
    methods: async (selectors) => {
      const found = new Map(await verifiedMethods(options.store, selectors))
      for (const project of projects.values()) {
        const methods = await project.methods()
        for (const selector of selectors) {
          const signature = found.get(selector) ?? methods.get(selector)
          if (signature !== undefined) found.set(selector, signature)
        }
      }
      return found
    },
    names: async (chain, addresses) => {
      const { evmChainId } = chain.facts
      const own = await projectNames(chain, addresses)
      if (!(await presence.of(evmChainId))) return own
      const found = await listedContracts(options.store, evmChainId, addresses)
      return found.map((one, at) => (one === undefined ? own[at] : contractNameOf(one.name).name))
    },
    projectNames,
    named: async ({ facts: { evmChainId, key } }, text, limit) => {
      const verified = (await presence.of(evmChainId))
        ? await contractsNamed(options.store, evmChainId, text, limit)
        : []
      const told = (await projects.get(key)?.told(text)) ?? []
      return [...verified, ...told.map(fromHex)].slice(0, limit)
    },
    newest: ({ facts }, after, limit) =>
      newestContracts(options.store, facts.evmChainId, after, limit),
    listed: ({ facts }, addresses) => listedContracts(options.store, facts.evmChainId, addresses),
    find,
    projectAt,
    proxyAt,
    verify,
    ahead,
    seek: createSeeking(options, verify),
    abisOf: decoding.abisOf,
  }
}

function finding({ store }: ContractBookOptions): ContractBook['find'] {
  return async (chain, address, signal) => {
    const { evmChainId } = chain.facts
    const own = await contractAt(store, evmChainId, address)
    if (own !== undefined && chain.beginsAnew !== true) return { contract: own, isOwn: true }
    const code = await chain.state.code(address, undefined, signal)
    if (code.length === 0) return undefined
    const twin = await contractWithCode(store, evmChainId, keccak256(code))
    return twin === undefined ? undefined : { contract: twin, isOwn: false }
  }
}

function findingInProjects(projects: ReadonlyMap<string, Project>): ContractBook['projectAt'] {
  return async (chain, address, signal) => {
    const project = projects.get(chain.facts.key)
    if (project === undefined) return undefined
    const code = await chain.state.code(address, undefined, signal)
    const artifact = code.length === 0 ? undefined : await project.contractOf(address, code)
    return artifact && { artifact, compilation: () => project.compilationOf(artifact) }
  }
}

async function proxyAt(
  chain: ServedChain,
  address: Uint8Array,
  signal: AbortSignal,
): Promise<Proxy | undefined> {
  return findProxy(address, {
    code: await chain.state.code(address, undefined, signal),
    storage: (slot) => chain.state.storage(address, slot, signal),
    call: (to, data) => chain.state.call(to, data, undefined, signal),
  })
}

type Presence = {
  readonly of: (chainId: number) => Promise<boolean>
  readonly forget: (chainId: number) => void
}

/**
 * Remembers the chains that have verified contracts: most have none, and each is looked up. While the store is away
 * none has.
 */
function createPresence(store: Database, clock: Clock): Presence {
  const known = new Map<number, { readonly any: boolean; readonly until: number }>()
  return {
    of: async (chainId) => {
      const cached = known.get(chainId)
      if (cached !== undefined && (cached.any || clock.monotonic() < cached.until))
        return cached.any
      const any = await hasContracts(store, chainId).catch((error: unknown) => {
        if (faultOf(error) === undefined) throw error
        return false
      })
      known.set(chainId, { any, until: clock.monotonic() + anyMs })
      return any
    },
    forget: (chainId) => void known.delete(chainId),
  }
}

/** A contract, and behind it those that it hands on to what it does not have itself. */
function linkOf(all: readonly (Abi | undefined)[]): Omit<Link, 'until'> {
  const called = all.length > 1 ? all.slice(1) : all
  return {
    abis: all.flatMap((one) => (one === undefined ? [] : [readAbi(one)])),
    isWhole: called.every((one) => one !== undefined && !takesOthers(one)),
  }
}

/** Returns whether a contract takes calls of methods that are not in its ABI. */
function takesOthers(abi: Abi): boolean {
  return abi.some((item) => isObject(item) && item['type'] === 'fallback')
}

/** ABIs of contracts that are verified or of a project, kept for a while with what proxies lead to. */
function createDecoding(
  { store, clock, abis, projects }: ContractBookOptions,
  { find, projectAt }: Pick<ContractBook, 'find' | 'projectAt'>,
  presence: Presence,
): Pick<ContractBook, 'abisOf'> & {
  readonly forget: (chain: ServedChain, address: Uint8Array) => void
} {
  const links = createGenerations<string, Link>(linksKept)
  const keyOf = (chain: ServedChain, address: Uint8Array): string =>
    `${chain.facts.key} ${to0x(address)}`

  /** The contract itself and those that a proxy leads to; without a node what is stored. */
  const linked = async (
    chain: ServedChain,
    address: Uint8Array,
    signal: AbortSignal,
  ): Promise<Link> => {
    const known = links.get(keyOf(chain, address))
    if (known !== undefined && clock.monotonic() < known.until) return known
    const found = await answerOfNode(clock, signal, async (until) => {
      const proxy = await proxyAt(chain, address, until)
      const all = [address, ...(proxy?.implementations ?? [])]
      return Promise.all(
        all.map(async (one) => {
          const verified = await find(chain, one, until)
          if (verified !== undefined) return verified.contract.body.abi
          return (await projectAt(chain, one, until))?.artifact.abi
        }),
      )
    })
    const own = await contractAt(store, chain.facts.evmChainId, address)
    const all = found ?? [own?.body.abi]
    const keptMs = chain.beginsAnew === true ? anyMs : linkMs
    const link = { ...linkOf(all), until: clock.monotonic() + keptMs }
    links.set(keyOf(chain, address), link)
    return link
  }

  return {
    forget: (chain, address) => {
      links.set(keyOf(chain, address), { abis: [], isWhole: false, until: 0 })
      presence.forget(chain.facts.evmChainId)
    },
    abisOf: async (chain, addresses, signal) => {
      const { evmChainId, key } = chain.facts
      const isAny = projects?.has(key) === true || (await presence.of(evmChainId))
      if (addresses.length === 0 || !isAny) return joinedBooks(abis, wellKnown)
      const distinct = new Map(addresses.map((address) => [to0x(address), address]))
      const given = await Promise.all(
        [...distinct].map(async ([text, address]) => {
          const { abis: own, isWhole } = await linked(chain, address, signal)
          const of = { chainId: String(evmChainId), address: text, isWhole }
          return own.map((entries) => ({ ...of, entries }))
        }),
      )
      return joinedBooks(joinedBooks(abis, createAbiBook(given.flat())), wellKnown)
    },
  }
}
