/**
 * Compiled contracts as tools of projects write them into files.
 *
 * Source: Foundry's `out/`, Hardhat 3's `artifacts/`, and the form of the Solidity compiler within both.
 */

import { isObject, membersOf } from '../../core/json.ts'
import { type MadeCode, madeCode } from '../match.ts'

/** A compiled contract. */
export type Artifact = {
  /** Of its source. */
  readonly path: string
  readonly name: string
  /** As the compiler gives it. */
  readonly abi: readonly unknown[]
  readonly runtime: MadeCode
  /** Sources and settings: the compiler's metadata that name them, or the id of a build of Hardhat. */
  readonly madeOf: Readonly<Record<string, unknown>> | string
}

/** The contract of an artifact; `undefined` for other files, and where there is no code. */
export function readArtifact(json: unknown): Artifact | undefined {
  if (!isObject(json) || !Array.isArray(json['abi'])) return undefined
  const { abi, contractName: name, sourceName: path, buildInfoId: id } = json
  if (typeof name === 'string' && typeof path === 'string') {
    const runtime = madeCode({
      object: json['deployedBytecode'],
      linkReferences: json['deployedLinkReferences'],
      immutableReferences: json['immutableReferences'],
    })
    return runtime && { path, name, abi, runtime, madeOf: String(id) }
  }
  const { deployedBytecode, metadata } = json
  if (!isObject(deployedBytecode) || !isObject(metadata)) return undefined
  const target = membersOf(membersOf(metadata['settings'])['compilationTarget'])
  const [[file, own] = []] = Object.entries(target)
  const runtime = madeCode(deployedBytecode)
  if (runtime === undefined || file === undefined) return undefined
  // Its output is the ABI once more.
  const { output: _, ...madeOf } = metadata
  return { path: file, name: String(own), abi, runtime, madeOf }
}

/** Name of a contract, or its path and name, that a tool says of an address, 40 lower-case digits. */
export type ToldAddress = { readonly address: string; readonly name: string }

/** Addresses that a run of `forge script` made contracts at, or calls: `broadcast/…/run-latest.json`. */
export function readBroadcast(json: unknown): ToldAddress[] {
  const all = isObject(json) ? json['transactions'] : undefined
  return (Array.isArray(all) ? all : []).filter(isObject).flatMap((one) => {
    const more = Array.isArray(one['additionalContracts']) ? one['additionalContracts'] : []
    return [
      ...told(one['contractAddress'], one['contractName']),
      ...more.filter(isObject).flatMap((made) => told(made['address'], made['contractName'])),
    ]
  })
}

/** Addresses of a deployment of Hardhat Ignition: `deployed_addresses.json`. */
export function readDeployment(json: unknown): ToldAddress[] {
  return Object.entries(membersOf(json)).flatMap(([id, address]) =>
    told(address, id.replace(/^.*#/, '')),
  )
}

function told(address: unknown, name: unknown): ToldAddress[] {
  const digits = /^0x([0-9a-f]{40})$/i.exec(String(address))?.[1]
  return digits === undefined || typeof name !== 'string'
    ? []
    : [{ address: digits.toLowerCase(), name }]
}
