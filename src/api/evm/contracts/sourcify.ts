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
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import type { VerifiedContract } from '../../../store/query/verified-contracts.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import type { EvmContext } from '../evm-context.ts'
import { endedOf, verification } from './verification.ts'

/** Verifies a contract by its sources. */
export function verifyContract(context: EvmContext): Operation<'verifyContract'> {
  return operation(EvmContracts.verifyContract, async ({ path, body, caller, signal }) => {
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

/** How a verification ended. Throws `not-found` for an id that was not given here in the last day. */
export function getVerification(context: EvmContext): Operation<'getVerification'> {
  return operation(EvmContracts.getVerification, async ({ path, signal }) => {
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

/** A verified contract, in Sourcify's words. */
export function getSourcifyContract(context: EvmContext): Operation<'getSourcifyContract'> {
  return operation(EvmContracts.getSourcifyContract, async ({ path, query, signal }) => {
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
      compiler: body.input.language === 'Vyper' ? 'vyper' : 'solc',
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
