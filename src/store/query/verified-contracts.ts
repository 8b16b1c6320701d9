/** Contracts whose sources were proved. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import { type Database, type Reader, statement } from '../engine/database.ts'
import { verifiedContract, verifiedMethod } from '../schema/deployment.ts'
import { bytes, integer, mapped, oneOf, type RowOf, storedRow, text } from './stored-row.ts'

/** Proofs of code, the least first. */
export const matches = ['none', 'partial', 'full'] as const

/** The part of a verified contract that no question filters by. JSON values as the compiler gives them. */
export type ContractBody = {
  /** Standard JSON input. */
  readonly input: {
    readonly language: string
    readonly sources: Readonly<Record<string, { readonly content: string }>>
    readonly settings: Readonly<Record<string, unknown>>
  }
  readonly abi: readonly unknown[]
  readonly constructorArguments?: string | undefined
  readonly metadata?: string | undefined
  readonly storageLayout?: unknown
  readonly userdoc?: unknown
  readonly devdoc?: unknown
}

const contractRow = storedRow({
  chainId: integer('chain_id'),
  address: bytes('address'),
  /** Keccak-256 of the code on the chain. */
  codeHash: bytes('code_hash'),
  runtimeMatch: oneOf('runtime_match', matches),
  /** `none` where the creation is not known. */
  creationMatch: oneOf('creation_match', matches),
  /** Unix seconds. */
  verifiedAt: integer('verified_at'),
  /** Path and name: `src/Token.sol:Token`. */
  name: text('name'),
  /** Of the compiler: `0.8.20+commit.a1b79de6`. */
  version: text('version'),
  body: mapped(
    bytes('body'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file alone
    (packed) => JSON.parse(zstdDecompressSync(packed).toString('utf8')) as ContractBody,
  ),
})
/** A verified contract. */
export type VerifiedContract = RowOf<typeof contractRow>

/** Facts that lists show of a verified contract. */
const listedRow = storedRow({
  address: bytes('address'),
  runtimeMatch: oneOf('runtime_match', matches),
  /** Unix seconds. */
  verifiedAt: integer('verified_at'),
  /** Path and name: `src/Token.sol:Token`. */
  name: text('name'),
})
/** Row of {@link listedRow}. */
export type ListedContract = RowOf<typeof listedRow>

const newest = listedRow.statement(
  (columns) => `select ${columns} from verified_contract
   where chain_id = ? and (verified_at < ? or (verified_at = ? and address < ?))
   order by verified_at desc, address desc limit ?`,
)

/** Those of a chain, newest first, strictly after one. Cost: a range of the index. */
export async function newestContracts(
  reader: Reader,
  chainId: number,
  after: Pick<ListedContract, 'verifiedAt' | 'address'> | undefined,
  limit: number,
): Promise<ListedContract[]> {
  const { verifiedAt, address } = after ?? { verifiedAt: maxSafe, address: new Uint8Array() }
  return listedRow.all(reader, newest, [chainId, verifiedAt, verifiedAt, address, limit])
}

/** Those at some addresses, or `undefined`, in their order. Cost: a look-up by key each. */
export async function listedContracts(
  reader: Reader,
  chainId: number,
  addresses: readonly Uint8Array[],
): Promise<(ListedContract | undefined)[]> {
  const lookUp = { table: verifiedContract, key: ['chain_id', 'address'], select: listedRow.names }
  const rows = await reader.lookup(lookUp, [addresses.map(() => chainId), addresses])
  return rows.map((row) => (row === undefined ? undefined : listedRow.read(row)))
}

// Names have no index: of a chain with more contracts the newest are looked through.
const mostLookedThrough = 20_000

const namedRow = storedRow({ address: bytes('address') })

const named = namedRow.statement(
  (columns) => `select ${columns} from (
     select address, name, verified_at from verified_contract
     where chain_id = ? order by verified_at desc, address desc limit ${mostLookedThrough}) c
   where lower(name) like ? escape '!' or lower(name) like ? escape '!'
   order by verified_at desc, address desc limit ?`,
)

/** Addresses of those whose names, without their paths, begin with `text`. Cost: a scan of the newest of the chain. */
export async function contractsNamed(
  reader: Reader,
  chainId: number,
  text: string,
  limit: number,
): Promise<Uint8Array[]> {
  const begin = `${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`
  const rows = await namedRow.all(reader, named, [chainId, `%:${begin}`, begin, limit])
  return rows.map(({ address }) => address)
}

const maxSafe = Number.MAX_SAFE_INTEGER
const mostSameCode = 8

const byAddress = contractRow.statement(
  (columns) => `select ${columns} from verified_contract where chain_id = ? and address = ?`,
)
const byCode = contractRow.statement(
  (columns) => `select ${columns} from verified_contract where code_hash = ?
   order by case when chain_id = ? then 0 else 1 end, chain_id, address limit ${mostSameCode}`,
)
const after = contractRow.statement(
  (columns) => `select ${columns} from verified_contract
   where chain_id > ? or (chain_id = ? and address > ?) order by chain_id, address limit ?`,
)
const any = statement('select 1 from verified_contract where chain_id = ? limit 1')

/** The one at an address, or `undefined`. One look-up by key. */
export async function contractAt(
  reader: Reader,
  chainId: number,
  address: Uint8Array,
): Promise<VerifiedContract | undefined> {
  return contractRow.first(reader, byAddress, [chainId, address])
}

/** One with the same code, those of the chain first; `undefined` where there is none. */
export async function contractWithCode(
  reader: Reader,
  chainId: number,
  codeHash: Uint8Array,
): Promise<VerifiedContract | undefined> {
  return contractRow.first(reader, byCode, [codeHash, chainId])
}

/** Returns whether a contract of the chain is verified. */
export async function hasContracts(reader: Reader, chainId: number): Promise<boolean> {
  return (await reader.get(any, [chainId])) !== undefined
}

/** The next ones in order of chain and address. One range of the key. */
export async function contractsAfter(
  reader: Reader,
  last: Pick<VerifiedContract, 'chainId' | 'address'> | undefined,
  limit: number,
): Promise<VerifiedContract[]> {
  const { chainId = -1, address = new Uint8Array() } = last ?? {}
  return contractRow.all(reader, after, [chainId, chainId, address, limit])
}

/** Signatures of verified contracts by their selectors, of those that are known. One look-up by key each. */
export async function verifiedMethods(
  reader: Reader,
  selectors: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const lookUp = {
    table: verifiedMethod,
    key: ['selector'],
    select: ['selector', 'signature'],
  } as const
  const rows = await reader.lookup(lookUp, [selectors])
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row[0], row[1]]])))
}

/** Adds contracts, or replaces those that are there; `methods` are signatures in their ABIs by selector. */
export function putContracts(
  store: Database,
  contracts: readonly VerifiedContract[],
  methods: ReadonlyMap<number, string>,
): Promise<void> {
  return store.transaction(async (writer) => {
    await writer.insertNew(verifiedMethod, {
      selector: [...methods.keys()],
      signature: [...methods.values()],
    })
    await writer.upsert(verifiedContract, {
      chain_id: contracts.map(({ chainId }) => chainId),
      address: contracts.map(({ address }) => address),
      code_hash: contracts.map(({ codeHash }) => codeHash),
      runtime_match: contracts.map(({ runtimeMatch }) => matches.indexOf(runtimeMatch)),
      creation_match: contracts.map(({ creationMatch }) => matches.indexOf(creationMatch)),
      verified_at: contracts.map(({ verifiedAt }) => verifiedAt),
      name: contracts.map(({ name }) => name),
      version: contracts.map(({ version }) => version),
      body: contracts.map(({ body }) => zstdCompressSync(JSON.stringify(body))),
    })
  })
}
