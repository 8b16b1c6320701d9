/**
 * Verification in the form of Sourcify's API, version 2, for the tools that speak it.
 *
 * Source: Sourcify's OpenAPI document, `/v2/verify` and `/v2/contract`.
 */

import { contractNameOf, readStandardInput } from '../../../contracts/standard-input.ts'
import { parseEvmAddress, toChecksumAddress } from '../../../core/address.ts'
import { to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { ChainAddressPath, NoQuery } from '../../../shape/evm/parameters.ts'
import { Type } from '../../../shape/type.ts'
import type { VerifiedContract } from '../../../store/query/verified-contracts.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import type { EvmContext } from '../evm-context.ts'
import { endedOf, verification, verifyWeight } from './verification.ts'

/** Bytes of sources with their settings; the largest contracts in use have half of it. */
export const sourceBytes = 8_388_608
/** Milliseconds for waiting one's turn and compiling. */
export const verifyMs = 180_000

const matchText = Type.Union([Type.Literal('exact_match'), Type.Literal('match'), Type.Null()])
const Matches = {
  match: matchText,
  creationMatch: matchText,
  runtimeMatch: matchText,
  chainId: Type.String(),
  address: Type.String(),
  verifiedAt: Type.Optional(Type.String({ description: 'ISO 8601' })),
  matchId: Type.Optional(Type.String()),
}

const VerifyContract = {
  id: 'verifyContract',
  method: 'POST',
  path: '/v2/verify/{chainId}/{address}',
  summary: 'Verifies a contract by the standard JSON input of its compiler (Sourcify)',
  tag: 'EVM contracts',
  weight: verifyWeight,
  status: 202,
  timeoutMs: verifyMs,
  bodyBytes: sourceBytes,
  parameters: {
    path: ChainAddressPath,
    query: NoQuery,
    body: Type.Object({
      stdJsonInput: Type.Unknown({
        description: 'standard JSON input with the content of sources',
      }),
      compilerVersion: Type.String({ maxLength: 128, description: '0.8.30+commit.73712a01' }),
      contractIdentifier: Type.String({ maxLength: 2_048, description: 'src/Token.sol:Token' }),
      creationTransactionHash: Type.Optional(
        Type.String({ maxLength: 128, description: 'not needed here' }),
      ),
    }),
  },
  response: Type.Object({ verificationId: Type.String() }),
} as const

const GetVerification = {
  id: 'getVerification',
  path: '/v2/verify/{verificationId}',
  summary: 'How a verification ended (Sourcify)',
  tag: 'EVM contracts',
  weight: 10,
  parameters: {
    path: Type.Object({ verificationId: Type.String({ maxLength: 2_048 }) }),
    query: NoQuery,
  },
  response: Type.Object({
    isJobCompleted: Type.Boolean(),
    verificationId: Type.String(),
    jobStartTime: Type.String({ description: 'ISO 8601' }),
    jobFinishTime: Type.String({ description: 'ISO 8601' }),
    contract: Type.Object(Matches),
    error: Type.Optional(
      Type.Object({ customCode: Type.String(), message: Type.String(), errorId: Type.String() }),
    ),
  }),
} as const

const GetSourcifyContract = {
  id: 'getSourcifyContract',
  path: '/v2/contract/{chainId}/{address}',
  summary: 'A verified contract (Sourcify)',
  tag: 'EVM contracts',
  mayBeAbsent: true,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({
      fields: Type.Optional(
        Type.String({ description: 'all, or names with commas: abi, sources, compilation, …' }),
      ),
      omit: Type.Optional(Type.String({ description: 'names that are left out' })),
    }),
  },
  response: Type.Object(Matches),
} as const

/** The three operations. */
export function sourcifyOperations(context: EvmContext): Operation[] {
  return [verifyContract(context), getVerification(context), getSourcifyContract(context)]
}

function verifyContract(context: EvmContext): Operation {
  return operation(VerifyContract, async ({ path, body, caller, signal }) => {
    const chain = context.chains.find(path.chainId)
    const claim = {
      input: readStandardInput(body.stdJsonInput),
      contract: contractNameOf(body.contractIdentifier),
      version: body.compilerVersion,
    }
    const address = parseEvmAddress(path.address)
    const { id } = await verification(context, { chain, address, claim, caller, signal })
    return { body: { verificationId: id } }
  })
}

/** Throws `not-found` for an id that was not given here in the last day. */
function getVerification(context: EvmContext): Operation {
  return operation(GetVerification, async ({ path, signal }) => {
    const id = path.verificationId
    const ended = endedOf(context, id)
    if (ended === undefined)
      throw new Fault('not-found', 'no verification of the last day has this id')
    const { chainId, address, at, problem } = ended
    const time = new Date(at * 1_000).toISOString()
    const chain = context.chains.find(String(chainId))
    const known = await context.contracts.find(chain, parseEvmAddress(address), signal)
    const contract = known?.isOwn === true ? known.contract : undefined
    const body = {
      isJobCompleted: true,
      verificationId: id,
      jobStartTime: time,
      jobFinishTime: time,
      contract: matchesOf({ chainId, address }, contract),
    }
    if (problem === undefined) return { body }
    const error = { customCode: codeOf(problem), message: problem, errorId: id.slice(-16) }
    return { body: { ...body, error } }
  })
}

function getSourcifyContract(context: EvmContext): Operation {
  return operation(GetSourcifyContract, async ({ path, query, signal }) => {
    const chain = context.chains.find(path.chainId)
    const known = await context.contracts.find(chain, parseEvmAddress(path.address), signal)
    const contract = known?.isOwn === true ? known.contract : undefined
    const matches = matchesOf({ chainId: chain.facts.evmChainId, address: path.address }, contract)
    // Tools read from the matches of a 404 that it is not verified; another body is a failure to them.
    if (contract === undefined) return { body: matches, isAbsent: true }
    return { body: { ...matches, ...fieldsOf(contract, query) } }
  })
}

/** Words of Sourcify for a failure. */
function codeOf(problem: string): string {
  if (problem.startsWith('the code is not')) return 'no_match'
  if (problem.startsWith('this compiler is not here')) return 'unsupported_compiler_version'
  if (problem.startsWith('the compiler refuses')) return 'compiler_error'
  if (problem.startsWith('there is no contract')) return 'contract_not_deployed'
  return 'invalid_parameter'
}

const matchWords = { none: null, partial: 'match', full: 'exact_match' } as const

function matchesOf(
  { chainId, address }: { readonly chainId: number; readonly address: string },
  contract: VerifiedContract | undefined,
): {
  match: 'exact_match' | 'match' | null
  creationMatch: 'exact_match' | 'match' | null
  runtimeMatch: 'exact_match' | 'match' | null
  chainId: string
  address: string
  verifiedAt?: string
  matchId?: string
} {
  const runtimeMatch = matchWords[contract?.runtimeMatch ?? 'none']
  const common = {
    match: runtimeMatch,
    runtimeMatch,
    creationMatch: matchWords[contract?.creationMatch ?? 'none'],
    chainId: String(chainId),
    address: toChecksumAddress(parseEvmAddress(address)),
  }
  if (contract === undefined) return common
  const sum = keccak256(contract.address)
  const matchId = String(new DataView(sum.buffer, sum.byteOffset).getUint32(0))
  return { ...common, matchId, verifiedAt: new Date(contract.verifiedAt * 1_000).toISOString() }
}

/** The fields that are requested. */
function fieldsOf(
  { name, version, body }: VerifiedContract,
  { fields, omit }: { readonly fields?: string | undefined; readonly omit?: string | undefined },
): Readonly<Record<string, unknown>> {
  if (fields === undefined && omit === undefined) return {}
  const left = new Set(omit === undefined ? [] : namesIn(omit))
  const { path, name: own } = contractNameOf(name)
  const all = {
    abi: body.abi,
    sources: body.input.sources,
    sourceIds: Object.fromEntries(
      Object.entries(body.input.sources).map(([file, { content }], id) => [
        file,
        { id, keccak256: to0x(keccak256(new TextEncoder().encode(content))) },
      ]),
    ),
    compilation: {
      language: body.input.language,
      compiler: 'solc',
      compilerVersion: version,
      compilerSettings: body.input.settings,
      name: own,
      fullyQualifiedName: `${path}:${own}`,
    },
    metadata: body.metadata === undefined ? undefined : JSON.parse(body.metadata),
    storageLayout: body.storageLayout,
    userdoc: body.userdoc,
    devdoc: body.devdoc,
    stdJsonInput: body.input,
  }
  const wanted = fields === undefined || fields === 'all' ? Object.keys(all) : namesIn(fields)
  return Object.fromEntries(
    Object.entries(all).filter(([field]) => wanted.includes(field) && !left.has(field)),
  )
}

/** Names with commas between them; what stands behind a point is part of the field. */
function namesIn(text: string): string[] {
  return text.split(',').map((name) => name.replace(/\..*/, ''))
}
