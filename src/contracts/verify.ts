/** Verification: sources are compiled, and the code is compared with what lies on the chain. */

import { equalBytes, to0x } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { isObject } from '../core/json.ts'
import type { Compiled } from './compiler.ts'
import {
  compilerIn,
  holeValue,
  type HoleValues,
  type MadeCode,
  madeCode,
  type Match,
  matchOf,
  ownAddress,
  withDigests,
  withImmutables,
} from './match.ts'
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
  readonly address: Uint8Array
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
  /** `undefined` where no creation code proves them. */
  readonly constructorArguments: string | undefined
  /** As the compiler gives them. */
  readonly abi: readonly unknown[]
  readonly metadata: string | undefined
  readonly storageLayout: unknown
  readonly userdoc: unknown
  readonly devdoc: unknown
}

const wantedOfAll = ['abi', 'userdoc', 'devdoc', 'evm.bytecode', 'evm.deployedBytecode']
const wantedOfSolidity = [...wantedOfAll, 'metadata', 'storageLayout']

type Candidate = {
  readonly name: string
  readonly output: Readonly<Record<string, unknown>>
  readonly runtime: MadeCode
  readonly creation: MadeCode
}

/**
 * Proves a claim. `compileWith` compiles the sources of the claim with other settings. Throws
 * `bad-parameter` with the reason why the claim does not hold.
 */
export async function verifyClaim(
  { input, contract, constructorArguments: given }: Claim,
  chain: ChainCode,
  compileWith: (settings: Readonly<Record<string, unknown>>) => Promise<Compiled>,
): Promise<Verified> {
  const { path = '*', name } = contract
  const wanted = input.language === 'Vyper' ? wantedOfAll : wantedOfSolidity
  const outputSelection = { [path]: { [name]: wanted } }
  const settings = { ...input.settings, outputSelection }
  const metadata = isObject(input.settings['metadata']) ? input.settings['metadata'] : {}
  const isHashed =
    input.language === 'Solidity' &&
    metadata['appendCBOR'] !== false &&
    metadata['bytecodeHash'] !== 'none'
  const { output, version } = await compileWith(settings)
  const candidates =
    input.language === 'Vyper'
      ? candidatesOf(output, contract).map((one) => filledByVyper(one, chain))
      : candidatesOf(output, contract)
  let proof = proofOf(candidates, chain, isHashed)
  const isNear = candidates.some(({ runtime }) => runtime.code.length === chain.runtime.length)
  if (proof === undefined && isHashed && isNear) {
    // Hashes of sources are what differs with other metadata; the sources cannot tell, so they cannot lie.
    const useLiteralContent = metadata['useLiteralContent'] !== true
    const other = { ...settings, metadata: { ...metadata, useLiteralContent } }
    const twins = candidatesOf((await compileWith(other)).output, contract)
    const marked = candidates.map((one, at) => ({
      ...one,
      runtime: withDigests(one.runtime, twins[at]?.runtime),
      creation: withDigests(one.creation, twins[at]?.creation),
    }))
    proof = proofOf(marked, chain, isHashed)
  }
  if (proof === undefined)
    throw new Fault('bad-parameter', whyOther(candidates, chain.runtime, version))
  const { candidate, runtimeMatch } = proof
  const { abi, metadata: described, storageLayout, userdoc, devdoc } = candidate.output
  return {
    runtimeMatch,
    ...creationOf(proof, chain.creation, { given, isHashed }),
    name: candidate.name,
    version,
    input,
    abi: Array.isArray(abi) ? abi : [],
    metadata: typeof described === 'string' ? described : undefined,
    storageLayout,
    userdoc,
    devdoc,
  }
}

type Proof = {
  readonly candidate: Candidate
  readonly runtimeMatch: Match
  readonly values: HoleValues
}

function filledByVyper(candidate: Candidate, { runtime, creation }: ChainCode): Candidate {
  const made = candidate.creation.code
  const isProved = creation !== undefined && equalBytes(made, creation.subarray(0, made.length))
  const found = runtime.length
  return {
    ...candidate,
    runtime: withImmutables(candidate.runtime, candidate.creation, { found, isProved }),
  }
}

/** The first candidate whose code runs on the chain. */
function proofOf(
  candidates: readonly Candidate[],
  chain: ChainCode,
  isHashed: boolean,
): Proof | undefined {
  for (const candidate of candidates) {
    const values: HoleValues = new Map([[ownAddress, holeValue(chain.address)]])
    const runtimeMatch = matchOf(candidate.runtime, chain.runtime, { values, isHashed })
    if (runtimeMatch !== undefined) return { candidate, runtimeMatch, values }
  }
  return undefined
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
    const [runtime, creation] = [madeCode(evm['deployedBytecode']), madeCode(evm['bytecode'])]
    return runtime === undefined || creation === undefined ? [] : [{ ...one, runtime, creation }]
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
  { candidate: { creation, output }, values }: Proof,
  found: Uint8Array | undefined,
  { given, isHashed }: { readonly given: Uint8Array | undefined; readonly isHashed: boolean },
): Pick<Verified, 'creationMatch' | 'constructorArguments'> {
  const unknown = { creationMatch: undefined, constructorArguments: undefined }
  if (found === undefined) return unknown
  const size = creation.code.length
  const match = matchOf(creation, found.subarray(0, size), { values, isHashed })
  if (match === undefined)
    throw new Fault(
      'bad-parameter',
      'the code is not that of the contract: what runs is the same, but not what created it; another constructor?',
    )
  const rest = found.subarray(size)
  if (given !== undefined && !equalBytes(given, rest))
    throw new Fault(
      'bad-parameter',
      `the constructor arguments are others: ${shown(given)} is given, ${shown(rest)} created the contract`,
    )
  // Bytes behind the code of a constructor that takes none are no arguments, whatever they are.
  return takesNone(output['abi']) && rest.length > 0
    ? unknown
    : { creationMatch: match, constructorArguments: to0x(rest) }
}

/** Returns whether an ABI, which Yul has not, says that its constructor takes no arguments. */
function takesNone(abi: unknown): boolean {
  return (
    Array.isArray(abi) &&
    !abi.some(
      (one) =>
        isObject(one) &&
        one['type'] === 'constructor' &&
        Array.isArray(one['inputs']) &&
        one['inputs'].length > 0,
    )
  )
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
