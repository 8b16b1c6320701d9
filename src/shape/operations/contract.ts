/**
 * The contract of an operation as data: where it is called, what it takes, what it answers.
 *
 * The files beside this one hold the contracts by subject. Routes, checks of requests, queues, the OpenAPI document, the
 * reference, and the types of answers in `api` and of requests in `explorer` are made of them.
 */

import { type ObjectSchema, type Properties, type Schema, Type } from '../type.ts'

/**
 * The queue of requests: how the service is, one thing by its key or what is kept in memory, a list, or
 * what waits for a node or for validators.
 */
export type Lane = 'vital' | 'item' | 'list' | 'patient'

/** Headings of the OpenAPI document in reading order, and what stands under each. */
export const tags = {
  'EVM chains': 'Chains served here, and calls of their nodes',
  'EVM blocks': 'Blocks',
  'EVM transactions': 'Transactions, transfers and logs',
  'EVM balances': 'Balances of coins and tokens, and holders',
  'EVM contracts': 'Contracts, and their sources',
  NFTs: 'NFTs with their metadata, and who holds them',
  'Etherscan form': 'What tools of EVM chains speak: the same data in the form of Etherscan',
  Metrics: 'Series of chains',
  'Primary Network': 'Validators, subnets, L1s and blockchains',
  'Primary Network Blocks': 'Blocks of the P-, X- and C-Chain',
  'Primary Network Transactions': 'Transactions of the P-, X- and C-Chain',
  'Primary Network UTXOs': 'Outputs of addresses',
  'Primary Network Balances': 'Balances of addresses',
  'Primary Network Rewards': 'Rewards of staking, paid and expected',
  'Network metrics': 'Series of the primary network',
  'L1 metrics': 'Fees of L1 validators',
  'Interchain messages': 'Messages between chains, both ends joined',
  'Signature Aggregator': 'Signatures of validators for Warp messages',
  Search: 'One question over every kind of id and name',
  Webhooks: 'What happens to addresses, validators and L1s is reported',
  Operations: 'Exports',
  Usage: 'What API keys have used',
  Health: 'Whether the service is well',
  Service: 'How far indexing is',
} as const

type Tag = keyof typeof tags

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A contract as it is written. */
type Declaration = {
  /** GET where none is named. */
  readonly method?: Method
  /** As in the documents, `{name}` for a path parameter, `:verb` literally. */
  readonly path: string
  readonly summary: string
  /** Where it is another than that of its subject. */
  readonly tag?: Tag
  /** Compute units, as the original service weighs the call: 20 where none are named, as of most. */
  readonly weight?: number
  /** `list` where none is named, and `patient` where it has a time limit of its own. */
  readonly lane?: Lane
  /** Parameters that the path names; none where absent, as of the query. */
  readonly pathParameters?: Properties
  readonly query?: Properties
  readonly body?: Schema
  readonly response: Schema
  /** An answer, where no recording has one. */
  readonly example?: unknown
  /** Status of success where the documents and clients know another than 200. */
  readonly status?: number
  /** True when `message` of an error is a list, as in version 1 of document C. */
  readonly listMessages?: boolean
  /** Answered to everybody, also where keys are required: how the service is. */
  readonly open?: boolean
  /** Bytes that its body may have, where the general limit does not fit. */
  readonly bodyBytes?: number
  /** Its body may be a form instead of JSON: what web pages and older tools send. */
  readonly takesForm?: boolean
  /** Its body is a JSON-RPC call: failures have that form, whoever finds them. */
  readonly isJsonRpc?: boolean
  /** A 404 may have the form of the response. */
  readonly mayBeAbsent?: boolean
  /** It reads its query by itself, as text by name or a list of texts where a name is given twice. */
  readonly anyQuery?: boolean
  /** Milliseconds the answer may take where the general limit does not fit. */
  readonly timeoutMs?: number
}

/** Contracts of a subject by their ids, as they are written. */
export type Declarations = Readonly<Record<string, Declaration>>

type Inputs = 'pathParameters' | 'query' | 'body'

/** A contract. Its id is the `operationId` of the OpenAPI document. */
export type Contract = Omit<Declaration, Inputs> & {
  readonly id: string
  readonly method: Method
  readonly tag: Tag
  readonly weight: number
  readonly lane: Lane
  readonly parameters: {
    readonly path: ObjectSchema
    readonly query: ObjectSchema
    readonly body?: Schema | undefined
  }
}

type Whole<T extends Declarations> = {
  readonly [Id in keyof T & string]: Omit<T[Id], Inputs> & {
    readonly id: Id
    readonly method: T[Id] extends { readonly method: Method } ? Method : 'GET'
    readonly tag: Tag
    readonly weight: number
    readonly lane: Lane
    readonly parameters: {
      readonly path: ObjectSchema<MembersOf<T[Id], 'pathParameters'>>
      readonly query: ObjectSchema<MembersOf<T[Id], 'query'>>
      readonly body: T[Id] extends { readonly body: infer Body extends Schema } ? Body : undefined
    }
  }
}

type MembersOf<D, Name extends Inputs> = D extends {
  readonly [Each in Name]: infer Members extends Properties
}
  ? Members
  : Record<never, never>

/** Contracts of a subject with their ids, its heading, and what most have in common. */
export function contracts<T extends Declarations>(tag: Tag, declarations: T): Whole<T> {
  const whole = Object.entries(declarations).map(
    ([id, { pathParameters = {}, query = {}, body, ...one }]) => {
      const lane: Lane = one.timeoutMs === undefined ? 'list' : 'patient'
      const parameters = { path: Type.Object(pathParameters), query: Type.Object(query), body }
      return [id, { method: 'GET', tag, weight: 20, lane, ...one, parameters, id }]
    },
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of `declarations`
  return Object.fromEntries(whole) as Whole<T>
}
