/** Verification: sources are compiled, and the code is compared with what lies on the chain. */

import { equalBytes, to0x } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { isObject } from '../core/json.ts'
import type { Clock } from '../core/world.ts'
import { compile, type Compiled, type CompileLimits } from './compiler.ts'
import type { Compilers } from './compilers.ts'
import { compilerIn, creationMatch, type MadeCode, madeCode, type Match, matchOf } from './match.ts'
import type { ContractName, StandardInput } from './standard-input.ts'

/** A caller's claim. */
export type Claim = {
  readonly input: StandardInput
  readonly contract: ContractName
  /** Of the compiler: `0.8.20`, `v0.8.20+commit.a1b79de6`. */
  readonly version: string
  /** Where the caller gives them. */
  readonly constructorArguments?: Uint8Array | undefined
}

/** Code of a contract on its chain. */
export type ChainCode = {
  readonly runtime: Uint8Array
  /** Code that created it, with the constructor's arguments; `undefined` where it is not known. */
  readonly creation: Uint8Array | undefined
}

/** A claim that was proved. */
export type Verified = {
  readonly runtimeMatch: Match
  /** `undefined` where the creation code is not known. */
  readonly creationMatch: Match | undefined
  /** Path of the source and name: `src/Token.sol:Token`. */
  readonly name: string
  readonly version: string
  readonly input: StandardInput
  readonly constructorArguments: string | undefined
  /** As the compiler gives them. */
  readonly abi: readonly unknown[]
  readonly metadata: string | undefined
  readonly storageLayout: unknown
  readonly userdoc: unknown
  readonly devdoc: unknown
}

const wanted = [
  'abi',
  'metadata',
  'storageLayout',
  'userdoc',
  'devdoc',
  'evm.bytecode',
  'evm.deployedBytecode',
]

type Candidate = {
  readonly name: string
  readonly output: Readonly<Record<string, unknown>>
  readonly runtime: MadeCode
  readonly creation: MadeCode | undefined
}

/** Proves a claim. Throws `bad-parameter` with the reason why it does not hold. */
export async function verifyClaim(
  claim: Claim,
  chain: ChainCode,
  {
    compilers,
    ...how
  }: {
    readonly compilers: Compilers
    readonly clock: Clock
    readonly limits: CompileLimits
    readonly signal: AbortSignal
  },
): Promise<Verified> {
  const { input, contract, version } = claim
  const { path = '*', name } = contract
  const compiler = await compilers.load(version)
  const settings = { ...input.settings, outputSelection: { [path]: { [name]: wanted } } }
  return proved(claim, chain, await compile({ compiler, input: { ...input, settings } }, how))
}

/** The claim by what its input was compiled to. Throws `bad-parameter` where it does not hold. */
export function proved(claim: Claim, chain: ChainCode, compiled: Compiled): Verified {
  const { input, contract } = claim
  const candidates = candidatesOf(compiled.output, contract)
  for (const candidate of candidates) {
    const runtimeMatch = matchOf(candidate.runtime, chain.runtime)
    if (runtimeMatch === undefined) continue
    const { abi, metadata, storageLayout, userdoc, devdoc } = candidate.output
    return {
      runtimeMatch,
      ...creationOf(claim, chain, candidate),
      name: candidate.name,
      version: compiled.version,
      input,
      abi: Array.isArray(abi) ? abi : [],
      metadata: typeof metadata === 'string' ? metadata : undefined,
      storageLayout,
      userdoc,
      devdoc,
    }
  }
  throw new Fault('bad-parameter', whyOther(candidates, chain.runtime, compiled.version))
}

function candidatesOf(
  output: Readonly<Record<string, unknown>>,
  { path, name }: ContractName,
): Candidate[] {
  const files = isObject(output['contracts']) ? Object.entries(output['contracts']) : []
  const named = files.flatMap(([file, contracts]) =>
    isObject(contracts) && (path === undefined || path === file)
      ? Object.entries(contracts).flatMap(([each, one]) =>
          each === name && isObject(one) ? [{ name: `${file}:${each}`, output: one }] : [],
        )
      : [],
  )
  if (named.length === 0) {
    const wanted = path === undefined ? name : `${path}:${name}`
    throw new Fault('bad-parameter', `the sources have no contract ${wanted.slice(0, 200)}`)
  }
  const found = named.flatMap((one) => {
    const evm = isObject(one.output['evm']) ? one.output['evm'] : {}
    const runtime = madeCode(evm['deployedBytecode'])
    return runtime === undefined ? [] : [{ ...one, runtime, creation: madeCode(evm['bytecode']) }]
  })
  if (found.length === 0)
    throw new Fault('bad-parameter', `${name.slice(0, 200)} is abstract or an interface: no code`)
  return found
}

/**
 * How the creation code fits. Constructors and what they put into immutables are there alone, so that
 * other code is another contract. Throws `bad-parameter` for it, and for other arguments than
 * given.
 */
function creationOf(
  { constructorArguments: given }: Claim,
  { creation }: ChainCode,
  candidate: Candidate,
): Pick<Verified, 'creationMatch' | 'constructorArguments'> {
  if (creation === undefined || candidate.creation === undefined) {
    return {
      creationMatch: undefined,
      constructorArguments: given === undefined ? undefined : to0x(given),
    }
  }
  const found = creationMatch(candidate.creation, creation)
  if (found === undefined)
    throw new Fault(
      'bad-parameter',
      'the code is not that of the contract: what runs is the same, but not what created it; another constructor?',
    )
  const { match, constructorArguments } = found
  if (given !== undefined && !equalBytes(given, constructorArguments))
    throw new Fault(
      'bad-parameter',
      `the constructor arguments are others: ${shown(given)} is given, ${shown(constructorArguments)} created the contract`,
    )
  return { creationMatch: match, constructorArguments: to0x(constructorArguments) }
}

function shown(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'nothing'
  const hex = to0x(bytes)
  return hex.length > 140 ? `${hex.slice(0, 140)}… (${bytes.length} bytes)` : hex
}

/** The difference, as far as it helps: the compiler, the length, the first place. */
function whyOther(candidates: readonly Candidate[], runtime: Uint8Array, version: string): string {
  const [first] = candidates
  const made = first?.runtime.code ?? new Uint8Array()
  const maker = compilerIn(runtime)
  if (maker !== undefined && !version.startsWith(`${maker}+`))
    return `the code is not that of the contract: it was compiled by ${maker}, not ${version}`
  if (made.length !== runtime.length)
    return `the code is not that of the contract: ${made.length} bytes were compiled, ${runtime.length} are deployed; other sources or settings (optimizer, evmVersion, viaIR)?`
  const at = made.findIndex((byte, place) => byte !== runtime[place])
  return `the code is not that of the contract: it differs from byte ${at} of ${made.length} on; other sources or settings?`
}
