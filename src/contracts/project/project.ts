/**
 * The compiled contracts of a project on this machine, found by their code.
 *
 * Nothing is proved: the folder is believed. It is looked at when somebody asks, so that what was compiled or
 * deployed a moment ago is known.
 */

import { dirname, join } from 'node:path'

import { methodsOf } from '../../codec/evm/abi/abi.ts'
import { recently } from '../../core/bounded-maps.ts'
import { equalBytes, to0x, toHex } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { isObject, jsonOf, membersOf } from '../../core/json.ts'
import type { World } from '../../core/world.ts'
import { holeValue, type MadeCode, matchOf, ownAddress, withoutMetadata } from '../match.ts'
import {
  type Artifact,
  readArtifact,
  readBroadcast,
  readDeployment,
  type ToldAddress,
} from './artifact.ts'

/** Sources and settings of a contract, as far as the project still has it. */
export type Compilation = {
  readonly language: string
  readonly version: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, { readonly content: string }>>
}

/** A project. */
export type Project = {
  /** The contract whose code, but for immutables, libraries and hashes of sources, lies at an address. */
  readonly contractOf: (address: Uint8Array, code: Uint8Array) => Promise<Artifact | undefined>
  /** Addresses that a deployment of the project gave contracts whose names begin with `text`, 40 digits each. */
  readonly told: (text: string) => Promise<readonly string[]>
  /** Signatures of methods by selector. */
  readonly methods: () => Promise<ReadonlyMap<number, string>>
  /** Sources are those files alone that are as they were compiled. */
  readonly compilationOf: (artifact: Artifact) => Promise<Compilation>
}

/** Files and folders that are looked at, of all that the project has. */
const mostEntries = 10_000
/** Bytes of one file, and of all artifacts together. */
const fileBytes = 8 * 1_048_576
const allBytes = 128 * 1_048_576
/** Sources of one contract. */
const mostSources = 1_000
const deepest = 8
const lookMs = 500

type Services = Pick<World, 'files' | 'clock' | 'fileFacts'> & {
  /** Is called once for each thing that is wrong with the folder. */
  readonly warn: (event: string, fields: Readonly<Record<string, string>>) => void
}

/** Content of one file that stays as it was. */
type Read = {
  readonly changedMs: number
  readonly bytes: number
  readonly artifact?: Artifact | undefined
  readonly methods?: ReadonlyMap<number, string> | undefined
  readonly told?: readonly ToldAddress[]
}

type Known = { readonly artifact: Artifact; readonly bare: MadeCode }

type Index = {
  /** By the bytes of their code without metadata. */
  readonly contracts: ReadonlyMap<number, readonly Known[]>
  readonly told: ReadonlyMap<string, readonly string[]>
  readonly methods: ReadonlyMap<number, string>
}

/** The project whose compiled contracts are in `folder`: `out` of Foundry, `artifacts` of Hardhat. */
export function openProject(folder: string, services: Services): Project {
  const { clock, files } = services
  const root = dirname(folder)
  const places = [folder, join(root, 'broadcast'), join(root, 'ignition', 'deployments')]
  const warned = new Set<string>()
  const warn = (event: string): void => {
    if (!warned.has(event)) services.warn(event, { folder })
    warned.add(event)
  }
  let read: ReadonlyMap<string, Read> = new Map()
  let index = indexOf([])
  const readAll = async (): Promise<void> => {
    const found = await foundIn(places, services)
    if (found.size >= mostEntries) warn('a project has more files than are looked at')
    const now = new Map<string, Read>()
    let bytes = 0
    for (const [path, facts] of found) {
      bytes += facts.bytes
      const isTaken = facts.bytes <= fileBytes && bytes <= allBytes
      if (!isTaken) warn('a project has larger files than are read')
      const before = read.get(path)
      const isSame = before?.changedMs === facts.changedMs && before.bytes === facts.bytes
      if (isSame) now.set(path, before)
      else if (isTaken) now.set(path, { ...facts, ...saidIn(path, await files.read(path)) })
    }
    const isSame = now.size === read.size && [...now].every(([path, one]) => read.get(path) === one)
    read = now
    if (!isSame) index = indexOf([...now.values()])
  }
  const look = recently(
    async () => {
      await readAll().catch((error: unknown) => {
        if (faultOf(error) === undefined) throw error
        warn('a project cannot be read')
      })
      return index
    },
    { clock, forMs: lookMs },
  )
  return {
    contractOf: async (address, code) => contractIn(await look(), address, code),
    told: async (text) => {
      const { told } = await look()
      const wanted = text.toLowerCase()
      const isNamed = (name: string): boolean => name.toLowerCase().startsWith(wanted)
      return [...told].flatMap(([address, names]) => (names.some(isNamed) ? [address] : []))
    },
    methods: async () => (await look()).methods,
    compilationOf: async ({ madeOf }) =>
      typeof madeOf === 'string'
        ? buildOf(await files.read(join(folder, 'build-info', `${madeOf}.json`)))
        : filesOf(madeOf, root, services),
  }
}

/** JSON files under `places` that may say something. */
async function foundIn(
  places: readonly string[],
  { files, fileFacts }: Services,
): Promise<Map<string, Pick<Read, 'changedMs' | 'bytes'>>> {
  const found = new Map<string, Pick<Read, 'changedMs' | 'bytes'>>()
  const open = places.map((path) => ({ path, depth: 0 }))
  for (let next = open.pop(); next !== undefined && found.size < mostEntries; next = open.pop()) {
    const { path, depth } = next
    // Of these each is as large as all artifacts; a run that was not sent made nothing.
    if (/[/\\](?:build-info|dry-run)$/.test(path) || depth > deepest) continue
    for (const name of await files.list(path)) {
      const inner = join(path, name)
      const facts = await fileFacts?.(inner)
      if (facts?.kind === 'folder') open.push({ path: inner, depth: depth + 1 })
      if (facts?.kind === 'file' && name.endsWith('.json') && open.length < mostEntries)
        found.set(inner, { changedMs: facts.changedMs, bytes: facts.bytes })
    }
  }
  return found
}

/** Content of a file; nothing while it is being written. */
function saidIn(path: string, bytes: Uint8Array | undefined): Omit<Read, 'changedMs' | 'bytes'> {
  const json = bytes === undefined ? undefined : jsonOf(bytes)
  if (path.endsWith('-latest.json')) return { told: readBroadcast(json) }
  if (path.endsWith('deployed_addresses.json')) return { told: readDeployment(json) }
  try {
    const artifact = readArtifact(json)
    return artifact === undefined ? {} : { artifact, methods: methodsOf([artifact.abi]) }
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return {}
  }
}

function indexOf(all: readonly Read[]): Index {
  const contracts = new Map<number, Known[]>()
  const told = new Map<string, string[]>()
  const methods = new Map<number, string>()
  for (const { artifact, methods: own = [], told: addresses = [] } of all) {
    for (const { address, name } of addresses)
      told.set(address, [...(told.get(address) ?? []), name])
    for (const [selector, signature] of own) methods.set(selector, signature)
    if (artifact === undefined) continue
    const bare = { ...artifact.runtime, code: withoutMetadata(artifact.runtime.code) }
    const alike = contracts.get(bare.code.length) ?? []
    contracts.set(bare.code.length, [...alike, { artifact, bare }])
  }
  return { contracts, told, methods }
}

/** Of contracts with the same code the one that a deployment names, or whose sources have the hash. */
function contractIn(
  { contracts, told }: Index,
  address: Uint8Array,
  code: Uint8Array,
): Artifact | undefined {
  const bare = withoutMetadata(code)
  const fitting = (contracts.get(bare.length) ?? []).filter(({ bare: made }) => {
    const values = new Map([[ownAddress, holeValue(address)]])
    return matchOf(made, bare, { values, isHashed: false }) !== undefined
  })
  const names = told.get(toHex(address)) ?? []
  const named = fitting.find(
    ({ artifact: { path, name } }) => names.includes(name) || names.includes(`${path}:${name}`),
  )
  const hashed = fitting.find(({ artifact: { runtime } }) =>
    equalBytes(runtime.code.subarray(bare.length), code.subarray(bare.length)),
  )
  return (named ?? hashed ?? fitting[0])?.artifact
}

/** A build of Hardhat. */
function buildOf(bytes: Uint8Array | undefined): Compilation {
  const build = membersOf(bytes === undefined ? undefined : jsonOf(bytes))
  const { language, sources, settings } = membersOf(build['input'])
  const { outputSelection: _, ...rest } = membersOf(settings)
  const texts = Object.entries(membersOf(sources)).flatMap(([path, source]) =>
    isObject(source) && typeof source['content'] === 'string'
      ? [[path, { content: source['content'] }] as const]
      : [],
  )
  return {
    language: textOf(language),
    version: textOf(build['solcLongVersion']),
    settings: rest,
    sources: Object.fromEntries(texts),
  }
}

/** The files of the project that metadata name, each by its hash. */
async function filesOf(
  { language, compiler, settings, sources }: Readonly<Record<string, unknown>>,
  root: string,
  { files, fileFacts }: Services,
): Promise<Compilation> {
  const found = new Map<string, { readonly content: string }>()
  for (const [path, source] of Object.entries(membersOf(sources)).slice(0, mostSources)) {
    const facts = await fileFacts?.(join(root, path))
    if (facts?.kind !== 'file' || facts.bytes > fileBytes) continue
    const bytes = await files.read(join(root, path))
    if (bytes !== undefined && to0x(keccak256(bytes)) === membersOf(source)['keccak256'])
      found.set(path, { content: new TextDecoder().decode(bytes) })
  }
  const { compilationTarget: _, ...rest } = membersOf(settings)
  return {
    language: textOf(language),
    version: textOf(membersOf(compiler)['version']),
    settings: rest,
    sources: Object.fromEntries(found),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
