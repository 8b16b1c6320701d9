/** Verified contracts: looked up, proved, and read for what bytes say. */

import { locks } from 'node:worker_threads'

import { type AbiEntry, methodsOf, readAbi } from '../../../codec/evm/abi/abi.ts'
import type { FindClaim } from '../../../contracts/claims.ts'
import { compile, type CompileLimits } from '../../../contracts/compiler.ts'
import type { Compilers } from '../../../contracts/compilers.ts'
import type { Artifact } from '../../../contracts/project/artifact.ts'
import type { Compilation, Project } from '../../../contracts/project/project.ts'
import { findProxy, type Proxy } from '../../../contracts/proxy.ts'
import { contractNameOf } from '../../../contracts/standard-input.ts'
import { type Claim, verifyClaim } from '../../../contracts/verify.ts'
import { createGenerations } from '../../../core/bounded-maps.ts'
import { equalBytes, fromHex, to0x } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
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
  matches,
  putContracts,
  listedContracts,
  newestContracts,
  verifiedMethods,
  type VerifiedContract,
} from '../../../store/query/verified-contracts.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { Caller } from '../../operation/operation.ts'
import { type AbiBook, createAbiBook, joinedBooks } from '../abi/abi-book.ts'
import { wellKnown } from '../abi/known-abis.ts'
import { answerOfNode } from '../answers.ts'
import type { ContractNames } from '../rich-addresses.ts'
import { creationCode } from './creation-code.ts'

type ContractBookOptions = {
  readonly store: Database
  /** Absent where no compilers are set: nothing is verified then. */
  readonly compilers: Compilers | undefined
  readonly limits: CompileLimits
  /** ABIs of the operator, which come first. */
  readonly abis: AbiBook
  /** By the keys of the chains that are developed with them. */
  readonly projects?: ReadonlyMap<string, Project>
  /** Finds sources that others have; absent where nobody is asked. */
  readonly elsewhere?: FindClaim | undefined
  readonly clock: Clock
}

/** A contract of the project that its chain is developed with; nothing of it is proved. */
export type ProjectContract = {
  readonly artifact: Artifact
  readonly compilation: () => Promise<Compilation>
}

/** Sources of a contract: its own, or those of another one with the same code. */
export type KnownContract = { readonly contract: VerifiedContract; readonly isOwn: boolean }

/** The book. */
export type ContractBook = {
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
   * Proves a claim and keeps it. Throws `bad-parameter` with the reason where it does not hold, and
   * `overloaded` where too many wait.
   */
  readonly verify: (
    chain: ServedChain,
    address: Uint8Array,
    of: {
      readonly claim: Claim
      readonly caller: Pick<Caller, 'name'>
      readonly signal: AbortSignal
    },
  ) => Promise<VerifiedContract>
  /** Number of claims before that of a contract, 0 while it is compiled; `undefined` where none waits in this thread. */
  readonly ahead: (chain: ServedChain, address: Uint8Array) => number | undefined
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
// One is compiled at a time in the whole process, for it takes a core and a good part of the memory.
const compilerLock = 'compiler'
const mostQueued = 6
const mostQueuedPerCaller = 2
// Others are asked of one contract so often, and waited for so long with the compiler.
const seekAgainMs = 3_600_000
const seekMs = 180_000

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
  const presence = createPresence(options.store, options.clock)
  const decoding = createDecoding(options, { find, projectAt }, presence)
  const { verify, ahead } = verifying(options, decoding.forget)
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
      const { evmChainId, key } = chain.facts
      const isAny = await presence.of(evmChainId)
      if (!isAny && !projects.has(key)) return []
      const found = isAny ? await listedContracts(options.store, evmChainId, addresses) : []
      const { signal } = new AbortController()
      return Promise.all(
        addresses.map(async (address, at) => {
          const verified = found[at]
          if (verified !== undefined) return contractNameOf(verified.name).name
          const own = await answerOfNode(options.clock, signal, (until) =>
            projectAt(chain, address, until),
          )
          return own?.artifact.name
        }),
      )
    },
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
    seek: seeking(options, verify),
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

/** Proves claims, one after another, of each caller few at once; `changed` is called with each contract that is new. */
function verifying(
  { store, compilers, clock, limits }: ContractBookOptions,
  changed: (chain: ServedChain, address: Uint8Array) => void,
): Pick<ContractBook, 'verify' | 'ahead'> {
  /** Claims that wait, the one that is compiled first. */
  const queued: { readonly caller: string; readonly place: string }[] = []
  const placeOf = ({ facts }: ServedChain, address: Uint8Array): string =>
    `${facts.key} ${to0x(address)}`
  const verify: ContractBook['verify'] = async (
    chain,
    address,
    { claim, caller: { name: caller }, signal },
  ) => {
    if (compilers === undefined)
      throw new Fault('bad-parameter', 'contracts are not verified here: contracts.compilers')
    const runtime = await chain.state.code(address, undefined, signal)
    if (runtime.length === 0)
      throw new Fault('bad-parameter', `there is no contract at ${to0x(address)}`)
    const creation = await creationCode(chain, address, { clock, signal })
    const own = queued.filter((each) => each.caller === caller).length
    if (queued.length >= mostQueued || own >= mostQueuedPerCaller)
      throw new Fault(
        'overloaded',
        `${queued.length} contracts are being verified, ${own} of them yours: try again in a minute`,
      )
    const waiting = { caller, place: placeOf(chain, address) }
    queued.push(waiting)
    const { runtimeMatch, creationMatch, name, version, ...body } = await locks
      .request(compilerLock, { signal }, async () => {
        const { version: wanted, input } = claim
        const isVyper = input.language === 'Vyper' && !wanted.startsWith('vyper:')
        const compiler = await compilers.load(isVyper ? `vyper:${wanted.replace('v', '')}` : wanted)
        return verifyClaim(claim, { address, runtime, creation }, (settings) =>
          compile({ compiler, input: { ...claim.input, settings } }, { limits, signal }),
        )
      })
      .finally(() => queued.splice(queued.indexOf(waiting), 1))
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
    const kept = await keptOf(store, verified)
    if (kept === verified) changed(chain, address)
    return kept
  }
  const ahead: ContractBook['ahead'] = (chain, address) => {
    const at = queued.findIndex(({ place }) => place === placeOf(chain, address))
    return at < 0 ? undefined : at
  }
  return { verify, ahead }
}

function seeking(
  { elsewhere, clock }: ContractBookOptions,
  verify: ContractBook['verify'],
): ContractBook['seek'] {
  const asked = createGenerations<string, number>(linksKept)
  const caller = { name: 'sources of others' }
  return (chain, address) => {
    const key = `${chain.facts.key} ${to0x(address)}`
    const now = clock.monotonic()
    if (elsewhere === undefined || chain.beginsAnew === true || (asked.get(key) ?? 0) > now) return
    asked.set(key, now + seekAgainMs)
    const signal = AbortSignal.timeout(seekMs)
    const prove = async (): Promise<void> => {
      const claim = await elsewhere(chain.facts.evmChainId, address, signal)
      if (claim !== undefined) await verify(chain, address, { claim, caller, signal })
    }
    // Whatever is wrong with sources of others, the contract stays without; of a queue that is full the turn comes later.
    prove().catch((error: unknown) => {
      if (faultOf(error)?.code === 'overloaded') asked.set(key, now + anyMs)
    })
  }
}

/** Keeps what is proved now, or gives what was proved before. */
async function keptOf(store: Database, verified: VerifiedContract): Promise<VerifiedContract> {
  const before = await contractAt(store, verified.chainId, verified.address)
  // Of equal proofs the first stays: who comes later does not choose the words of what is proved.
  if (
    before !== undefined &&
    equalBytes(before.codeHash, verified.codeHash) &&
    rankOf(verified) <= rankOf(before)
  )
    return before
  await putContracts(store, [verified], methodsOf([verified.body.abi]))
  return verified
}

/** How much is proved: code that runs first, then code that created it. */
function rankOf({ runtimeMatch, creationMatch }: VerifiedContract): number {
  return 3 * matches.indexOf(runtimeMatch) + matches.indexOf(creationMatch)
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
