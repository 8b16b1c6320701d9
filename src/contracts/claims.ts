/**
 * Claims made of sources that others have verified, in the forms in which they give them. They are proved like those
 * of any caller: nothing is believed.
 *
 * Source: Sourcify's `/v2/contract` and the folders of its repository, Etherscan's `getsourcecode`.
 */

import { fromHex, to0x } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { keccak256 } from '../core/hash.ts'
import { isObject, jsonOf, membersOf } from '../core/json.ts'
import type { Transport } from '../core/world.ts'
import { contractNameOf, readStandardInput, singleFileInput } from './standard-input.ts'
import type { Claim } from './verify.ts'

/** A claim of one answer, whichever of the forms it has. Throws `bad-parameter`. */
export function claimIn(json: unknown): Claim {
  const { stdJsonInput, compilation, result } = membersOf(json)
  if (Array.isArray(result) && isObject(result[0])) return ofEtherscan(result[0])
  if (!isObject(compilation)) throw new Fault('bad-parameter', 'sources in no form that is known')
  return {
    input: readStandardInput(stdJsonInput),
    contract: contractNameOf(textOf(compilation['fullyQualifiedName'])),
    version: textOf(compilation['compilerVersion']),
  }
}

/** A claim of a compiler's metadata and the texts of `files`, which are found by their hash. Throws `bad-parameter`. */
export function claimOfMetadata(json: unknown, files: readonly string[]): Claim {
  const { language, compiler, settings, sources } = membersOf(json)
  const texts = new Map(
    files.map((content) => [to0x(keccak256(new TextEncoder().encode(content))), content]),
  )
  const { compilationTarget, ...rest } = membersOf(settings)
  const [[path, name] = []] = Object.entries(membersOf(compilationTarget))
  const found = Object.entries(membersOf(sources)).map(([file, source]) => {
    const { keccak256: sum, content = texts.get(textOf(sum)) } = membersOf(source)
    return [file, { content }] as const
  })
  return {
    input: readStandardInput({ language, sources: Object.fromEntries(found), settings: rest }),
    contract: { path, name: textOf(name) },
    version: textOf(membersOf(compiler)['version']),
  }
}

function ofEtherscan(one: Readonly<Record<string, unknown>>): Claim {
  const [source, name, file, version] = [
    one['SourceCode'],
    one['ContractName'],
    one['ContractFileName'],
    one['CompilerVersion'],
  ].map(textOf)
  const contract = { path: file === '' ? undefined : file, name: name ?? '' }
  const evmVersion = textOf(one['EVMVersion']).toLowerCase()
  const isJson = jsonOf(source?.replace(/^\{\{([^]*)\}\}$/, '{$1}') ?? '')
  const isVyper = version?.startsWith('vyper') === true
  return {
    input: isObject(isJson)
      ? readStandardInput(isJson)
      : singleFileInput({
          ...contract,
          language: isVyper ? 'Vyper' : 'Solidity',
          source: source ?? '',
          optimizer: { enabled: one['OptimizationUsed'] === '1', runs: Number(one['Runs'] ?? 200) },
          evmVersion: evmVersion === 'default' ? undefined : evmVersion,
          libraries: {},
        }),
    contract,
    version: version ?? '',
    constructorArguments: fromHex(textOf(one['ConstructorArguments'])),
  }
}

const longestBytes = 16 * 1_048_576
const timeoutMs = 10_000

/** Finds what a server of Sourcify's form has of a contract; `undefined` where it has nothing. Throws faults of the transport. */
export type FindClaim = (
  chainId: number,
  address: Uint8Array,
  signal: AbortSignal,
) => Promise<Claim | undefined>

/** Asks the server at `url`. */
export function sourcifyAt(url: string, transport: Transport): FindClaim {
  return async (chainId, address, signal) => {
    const { status, body } = await transport.request({
      url: `${url.replace(/\/$/, '')}/v2/contract/${chainId}/${to0x(address)}?fields=stdJsonInput,compilation`,
      method: 'GET',
      timeoutMs,
      maxBytes: longestBytes,
      signal,
    })
    return status === 200 ? claimIn(jsonOf(body)) : undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
