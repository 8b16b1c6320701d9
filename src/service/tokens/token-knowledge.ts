/** Prices, token lists and reputation: from the settings to their sources. */

import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { type AbiBook, createAbiBook, type GivenAbi } from '../../api/evm/abi/abi-book.ts'
import { storedDoubts, type TokenDoubts } from '../../api/evm/balances/compared-balances.ts'
import { type ContractBook, createContractBook } from '../../api/evm/contracts/contract-book.ts'
import { type NftRequests, storedRequests } from '../../api/evm/nft/nft-requests.ts'
import { filePrices } from '../../api/prices/price-file.ts'
import { type ChainNames, coingecko, defillama } from '../../api/prices/price-hosts.ts'
import { httpPrices } from '../../api/prices/price-http.ts'
import {
  noPrices,
  type PriceSource,
  type LabelledAddress,
  listedNotes,
  type ListedToken,
  readLabels,
  readReputation,
  readTokenList,
  type TokenNotes,
} from '../../api/prices/token-lists.ts'
import { readAbi } from '../../codec/evm/abi/abi.ts'
import { parseSignatures } from '../../codec/evm/abi/selectors.ts'
import type { Config } from '../../config/settings.ts'
import { webAddressProblem } from '../../config/web-address.ts'
import { sourcifyAt } from '../../contracts/claims.ts'
import { openCompilers } from '../../contracts/compilers.ts'
import { openProject } from '../../contracts/project/project.ts'
import { clip } from '../../core/bytes.ts'
import { Fault, faultIn, faultOf } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import { jsonOf } from '../../core/json.ts'
import type { World } from '../../core/world.ts'
import type { StoreLocation } from '../../store/open.ts'
import { contractStore, contractTables } from '../../store/schema/deployment.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'
import type { Log } from '../../telemetry/log.ts'
import { chainSpecs } from '../chain-specs.ts'
import { openCallersStore } from '../stores/late-store.ts'

/** Longest token list, bytes; the largest public ones are below 2 MB. */
const maxListBytes = 16 * 1_048_576
const listTimeoutMs = 10_000

/** Knowledge about tokens and contracts that does not come from their chains. */
export type TokenKnowledge = {
  /** Method signatures beside those the code knows: the bundled ones, then the operator's, and those of the operator's ABIs. */
  readonly signatures: readonly string[]
  readonly contracts: ContractBook
  readonly prices: PriceSource
  readonly notes: TokenNotes
  /** Names that the operator gives addresses. */
  readonly labels: readonly LabelledAddress[]
  /** Where callers' requests to read NFT metadata again go. */
  readonly nftRequests: NftRequests
  /** Where differences of balances go. */
  readonly doubts: TokenDoubts
  readonly close: () => Promise<void>
}

/** Opens everything. Throws `bad-config` for a setting or a file that cannot be read. */
export async function openTokenKnowledge(
  config: Config,
  {
    world,
    log,
    store,
  }: { readonly world: World; readonly log: Log; readonly store: StoreLocation },
): Promise<TokenKnowledge> {
  const given = await readAbis(world, config.abis)
  const abis = createAbiBook(given)
  const signatures = [
    ...(await readSignatures(world, config['evm.selectorsFile'])),
    ...given.flatMap(({ entries }) =>
      entries.flatMap(({ kind, signature }) => (kind === 'function' ? [signature] : [])),
    ),
  ]
  const prices = await openPrices(config, world, log)
  const { notes, labels } = await openTokenNotes(config, world, log)
  const requests = await openCallersStore({
    store,
    log,
    name: nftRequestStore,
    tables: nftRequestTables,
    role: config.role,
  })
  const nftRequests = storedRequests(requests, world.clock)
  const doubts = storedDoubts(requests, world.clock)
  const contracts = await openContracts(config, { world, store, log, abis })
  return {
    signatures,
    contracts: contracts.book,
    prices,
    notes,
    labels,
    nftRequests,
    doubts,
    close: async () => {
      await contracts.close()
      await requests.close()
    },
  }
}

/** Reads every file that is named, and no list on the network. Throws `bad-config`. */
export async function checkTokenKnowledge(config: Config, world: World, log: Log): Promise<void> {
  await readSignatures(world, config['evm.selectorsFile'])
  await readAbis(world, config.abis)
  await openPrices(config, world, log)
  const files = config.tokenLists.filter((place) => !isOnNetwork(place))
  await openTokenNotes({ ...config, tokenLists: files }, world, log)
}

/** The source of prices. Throws `bad-config` for a setting or a file that cannot be read. */
async function openPrices(config: Config, world: World, log: Log): Promise<PriceSource> {
  const { prices } = config
  if (prices === 'none') return noPrices
  if (typeof prices === 'string' && prices.startsWith('file:')) {
    const path = prices.slice('file:'.length)
    return filePrices(path, await readText(world, path, 'price file'))
  }
  if (typeof prices !== 'object' || prices === null) throw wrongPrices(prices)
  const given = new Map<string, unknown>(Object.entries(prices))
  const known = new Set(['http', 'shape', 'chains', 'fiat'])
  const unknown = [...given.keys()].find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new Fault('bad-config', `prices has http, shape, chains and fiat only: ${unknown}`)
  const shape = given.get('shape') ?? 'defillama'
  const host = shape === 'defillama' ? defillama : shape === 'coingecko' ? coingecko : undefined
  if (host === undefined) throw wrongPrices(shape)
  const fiat = given.get('fiat')
  return httpPrices(
    {
      host,
      url: webAddress(given.get('http')).replace(/\/$/, ''),
      chains: chainNames(given.get('chains')),
      fiatUrl: fiat === undefined ? undefined : webAddress(fiat),
    },
    { transport: world.transport, clock: world.clock, log },
  )
}

/**
 * Notes on tokens. Throws `bad-config` for a file that cannot be read; a list on the network that
 * cannot be had is left out, and said so.
 */
async function openTokenNotes(
  config: Config,
  world: World,
  log: Log,
): Promise<Pick<TokenKnowledge, 'notes' | 'labels'>> {
  const lists = await Promise.all(config.tokenLists.map((place) => openList(place, world, log)))
  const file = config.tokenReputation
  const rated =
    file === '' ? [] : readReputation(file, await readText(world, file, 'token reputation'))
  const named = config['explorer.labels']
  const labels =
    named === '' ? [] : readLabels(named, await readText(world, named, 'labels of addresses'))
  return { notes: listedNotes(lists, rated, labels), labels }
}

async function openList(place: string, world: World, log: Log): Promise<ListedToken[]> {
  if (!isOnNetwork(place)) return readTokenList(place, await readText(world, place, 'token list'))
  try {
    const reply = await world.transport.request({
      url: place,
      method: 'GET',
      timeoutMs: listTimeoutMs,
      maxBytes: maxListBytes,
    })
    if (reply.status !== 200)
      throw new Fault('node-answer', `token list was answered with status ${reply.status}`)
    return readTokenList(place, new TextDecoder().decode(reply.body))
  } catch (error) {
    const fault = faultIn(error)
    log.warn('token list left out', { list: place, reason: fault.message })
    return []
  }
}

function isOnNetwork(place: string): boolean {
  return /^https?:/i.test(place)
}

async function readText(world: World, path: string, what: string): Promise<string> {
  const bytes = await world.files.read(path)
  if (bytes === undefined) throw new Fault('bad-config', `${what} does not exist: ${path}`)
  return new TextDecoder().decode(bytes)
}

function chainNames(value: unknown): ReadonlyMap<string, ChainNames> {
  if (value === undefined) return new Map()
  if (typeof value !== 'object' || value === null) throw wrongPrices(value)
  return new Map(
    Object.entries(value).map(([chainId, names]): [string, ChainNames] => {
      const given = new Map<string, unknown>(Object.entries(Object(names)))
      return [chainId, { ...nameIn(given, 'slug'), ...nameIn(given, 'native') }]
    }),
  )
}

/** Names become part of an address: only what cannot change its meaning. */
function nameIn(given: ReadonlyMap<string, unknown>, name: 'slug' | 'native'): ChainNames {
  const value = given.get(name)
  if (value === undefined) return {}
  if (typeof value !== 'string' || !/^[\w:.-]{1,100}$/.test(value)) throw wrongPrices(value)
  return { [name]: value }
}

function webAddress(value: unknown): string {
  const problem = typeof value === 'string' ? webAddressProblem(value) : undefined
  if (typeof value !== 'string') throw wrongPrices(value)
  if (problem !== undefined) throw new Fault('bad-config', `prices: ${problem} ${clip(value)}`)
  return value
}

function wrongPrices(value: unknown): Fault {
  const shown = clip(JSON.stringify(value) ?? 'nothing')
  return new Fault(
    'bad-config',
    `prices must be none, file:PATH or { http: URL, shape: defillama | coingecko }: ${shown}`,
  )
}

/** A book, and what closes its store. */
type OpenContracts = { readonly book: ContractBook; readonly close: () => Promise<void> }

/** Opens it. Throws faults of stores. */
async function openContracts(
  config: Config,
  parts: {
    readonly world: World
    readonly log: Log
    readonly store: StoreLocation
    readonly abis: AbiBook
  },
): Promise<OpenContracts> {
  const { world, log, abis } = parts
  const { role } = config
  const of = { name: contractStore, tables: contractTables, store: parts.store, role, log }
  const store = await openCallersStore(of)
  const kept = join(config.dataDir, 'compilers')
  const compilers = openCompilers(config['contracts.compilers'], kept, world)
  const limits = {
    memoryBytes: config['contracts.compilerMemory'] * 1_048_576,
    seconds: config['contracts.compilerSeconds'],
  }
  const projects = new Map(
    chainSpecs(config).flatMap(({ spec: { key }, config: { contracts } }) =>
      contracts === ''
        ? []
        : [[key, openProject(resolve(contracts), { ...world, warn: log.warn })] as const],
    ),
  )
  const { clock, transport } = world
  const place = config['contracts.sourcify']
  const elsewhere = place === '' ? undefined : sourcifyAt(place, transport)
  const book = createContractBook({
    store,
    compilers,
    limits,
    abis,
    projects,
    elsewhere,
    clock,
  })
  return { book, close: store.close }
}

const bundled = fileURLToPath(new URL('data/selectors.txt', installationFolder))

/** Signatures of both files, the bundled first. Throws `bad-config` for a file that is missing. */
async function readSignatures(world: World, operatorsFile: string): Promise<string[]> {
  const all: string[] = []
  for (const path of operatorsFile === '' ? [bundled] : [bundled, operatorsFile]) {
    const bytes = await world.files.read(path)
    if (bytes === undefined) throw new Fault('bad-config', `no such file of signatures: ${path}`)
    for (const signature of parseSignatures(new TextDecoder().decode(bytes))) all.push(signature)
  }
  return all
}

// ABIs of the operator's folder.

/** Files read; each is held in memory while Firn runs. */
const mostFiles = 10_000

const contractForm = /^0x[0-9a-f]{40}$/i

/**
 * ABIs of a folder, or no ABIs where no folder is set: `ADDRESS.json` and `ADDRESS/metadata.json`
 * for one contract, these in a folder named for an EVM chain id for that chain alone, other `.json`
 * files for all. Throws `bad-config` with the name of a file that holds no ABI.
 */
async function readAbis(world: World, folder: string): Promise<GivenAbi[]> {
  if (folder === '') return []
  const abis: GivenAbi[] = []
  for (const name of (await world.files.list(folder)).toSorted()) {
    if (/^\d{1,20}$/.test(name))
      for (const inner of (await world.files.list(join(folder, name))).toSorted())
        await add(abis, { world, folder: join(folder, name), name: inner, chainId: name })
    else await add(abis, { world, folder, name })
  }
  if (abis.length === 0) throw new Fault('bad-config', `abis: no JSON file is in ${folder}`)
  return abis
}

async function add(
  abis: GivenAbi[],
  of: {
    readonly world: World
    readonly folder: string
    readonly name: string
    readonly chainId?: string
  },
): Promise<void> {
  const { world, folder, name, chainId } = of
  const path = contractForm.test(name)
    ? join(folder, name, 'metadata.json')
    : name.endsWith('.json')
      ? join(folder, name)
      : undefined
  const bytes = path === undefined ? undefined : await world.files.read(path)
  if (path === undefined || bytes === undefined) return
  if (abis.length >= mostFiles)
    throw new Fault('bad-config', `abis: more files than ${mostFiles} are in ${folder}`)
  const stem = name.replace(/\.json$/, '').toLowerCase()
  try {
    abis.push({
      chainId,
      address: contractForm.test(stem) ? stem : undefined,
      entries: readAbi(jsonOf(bytes)),
    })
  } catch (error) {
    const why = faultOf(error)?.message
    if (why === undefined) throw error
    throw new Fault('bad-config', `abis: ${path}: ${why}`, { cause: error })
  }
}
