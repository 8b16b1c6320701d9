/** Verified contracts as the API shows them. */

import { readAbi } from '../../codec/evm/abi.ts'
import { contractNameOf } from '../../contracts/standard-input.ts'
import { toChecksumAddress } from '../../core/address.ts'
import { fromHex } from '../../core/bytes.ts'
import type { ContractSource } from '../../shape/evm/contract-source.ts'
import { constructorValues } from '../evm/abi-book.ts'
import type { KnownContract } from './contract-book.ts'

/** Sources of a contract. */
export function sourceView({ contract, isOwn }: KnownContract): ContractSource {
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
