/** Sources of a contract: those that are proved, or those of the project that its chain is developed with. */

import { readAbi } from '../../../codec/evm/abi/abi.ts'
import { contractNameOf } from '../../../contracts/standard-input.ts'
import { toChecksumAddress } from '../../../core/address.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import type { ContractCode, ContractSource, ProjectSource } from '../../../shape/evm/contract.ts'
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { constructorValues } from '../abi/abi-book.ts'
import { abiOfStandard } from '../abi/known-abis.ts'
import { subjectOf } from '../address-list.ts'
import { answerOfNode } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelsOf } from '../rich-addresses.ts'
import type { KnownContract, ProjectContract } from './contract-book.ts'

/** Sources of a contract and its implementations, of each that has some. */
export function getContractCode(context: EvmContext): Operation<'getContractCode'> {
  const { contracts, clock } = context
  return operation(EvmContracts.getContractCode, async ({ path, signal }) => {
    const { chain, address, id } = await subjectOf(context, path)
    const find = async (of: Uint8Array): Promise<Pick<ContractCode, 'source' | 'project'>> => {
      const known = await answerOfNode(clock, signal, (until) => contracts.find(chain, of, until))
      if (known !== undefined) return { source: sourceView(known) }
      const own = await answerOfNode(clock, signal, (until) =>
        contracts.projectAt(chain, of, until),
      )
      return { project: own && (await projectView(own)) }
    }
    const [{ source, project }, proxy] = await Promise.all([
      find(address),
      answerOfNode(clock, signal, (until) => contracts.proxyAt(chain, address, until)),
    ])
    if (source === undefined) contracts.seek(chain, address)
    const compilers =
      source === undefined ? await answerOfNode(clock, signal, contracts.versions) : undefined
    const implementations = await Promise.all(
      (proxy?.implementations ?? []).map(async (one) => ({ one, sources: await find(one) })),
    )
    const all = [{ source, project }, ...implementations.map(({ sources }) => sources)]
    const isKnown = all.some((one) => (one.source ?? one.project) !== undefined)
    const standardAbi = isKnown || id === undefined ? [] : await abiOfToken(context, chain, id)
    const labels = await labelsOf(
      context.addressBooks(chain),
      [address, ...(proxy?.implementations ?? [])].map(to0x),
      [source?.decodedConstructor],
    )
    return {
      body: {
        address: toChecksumAddress(address),
        label: labels.of(to0x(address)),
        source: source && {
          ...source,
          decodedConstructor: labels.in(source.decodedConstructor),
        },
        project,
        standardAbi: standardAbi.length === 0 ? undefined : standardAbi,
        verificationsAhead: contracts.ahead(chain, address),
        compilers: compilers === undefined ? undefined : [...compilers],
        proxy:
          proxy === undefined
            ? undefined
            : {
                kind: proxy.kind,
                implementations: implementations.map(({ one, sources }) => ({
                  address: toChecksumAddress(one),
                  label: labels.of(to0x(one)),
                  ...sources,
                })),
              },
      },
    }
  })
}

async function projectView({ artifact, compilation }: ProjectContract): Promise<ProjectSource> {
  const { name, path, abi } = artifact
  const { language, version, settings, sources } = await compilation()
  return {
    name,
    path,
    language,
    compilerVersion: version,
    settings,
    sources: Object.entries(sources).map(([each, { content }]) => ({ path: each, content })),
    abi: [...abi],
  }
}

async function abiOfToken(
  { addressBooks }: EvmContext,
  chain: ServedChain,
  id: number,
): Promise<object[]> {
  const named = await addressBooks(chain).load([id])
  return abiOfStandard(named(id).token?.standard ?? 0)
}

/** Sources of a contract. */
function sourceView({ contract, isOwn }: KnownContract): ContractSource {
  const { chainId, address, runtimeMatch, creationMatch, name, version, verifiedAt, body } =
    contract
  const { path = '', name: own } = contractNameOf(name)
  const { input, abi, constructorArguments } = body
  const view: ContractSource = {
    name: own,
    path,
    match: runtimeMatch === 'full' ? 'full' : 'partial',
    language: input.language,
    compilerVersion: version,
    settings: input.settings,
    sources: Object.entries(input.sources).map(([each, { content }]) => ({ path: each, content })),
    abi: [...abi],
    verifiedAt,
  }
  if (!isOwn)
    return {
      ...view,
      sameCodeAs: { chainId: String(chainId), address: toChecksumAddress(address) },
    }
  if (creationMatch !== 'none') view.creationMatch = creationMatch
  if (constructorArguments === undefined) return view
  const decoded = constructorValues(readAbi(abi), fromHex(constructorArguments))
  if (decoded !== undefined) view.decodedConstructor = decoded
  return { ...view, constructorArguments }
}
