/** Metadata of a contract. */

import { Fault } from '../../core/fault.ts'
import { ContractMetadata } from '../../shape/evm/contract.ts'
import { ChainAddressPath, NoQuery } from '../../shape/evm/parameters.ts'
import { creationOfContract } from '../../store/query/evm/contracts.ts'
import { transactionAt } from '../../store/query/evm/transactions.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { EvmParts } from './parts.ts'
import type { PartyEntry } from './party-book.ts'
import { subjectOf } from './subject.ts'
import { tokenPricer } from './token-views.ts'
import { tracedHeaders } from './traced.ts'

const GetContract = {
  id: 'getContractMetadata',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}',
  summary: 'Facts about a contract',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: NoQuery },
  response: ContractMetadata,
} as const

/**
 * Metadata of a contract. Throws `not-found` for an address that indexing has not seen as a
 * contract.
 */
export function getContract(parts: EvmParts): Operation {
  return operation(GetContract, async ({ path }) => {
    const { chain, id } = await subjectOf(parts, path)
    const deploymentDetails = id === undefined ? undefined : await deployment(parts, chain, id)
    const named = await parts.parties(chain).load(id === undefined ? [] : [id])
    const entry = id === undefined ? undefined : named(id)
    if (entry === undefined || (entry.token === undefined && deploymentDetails === undefined))
      throw new Fault('not-found', `contract is not known here: ${path.address}`)
    const view = contractView(entry)
    if (entry.token?.standard === 20) {
      const { price } = (await tokenPricer(parts.prices, chain, [entry.erc20]))(entry.erc20)
      if (price !== undefined) view.price = price
    }
    if (deploymentDetails !== undefined) view.deploymentDetails = deploymentDetails
    return { body: view, ...(await tracedHeaders(chain)) }
  })
}

/** A contract as its token logs show it. */
export function contractView({ address, party, token, note }: PartyEntry): ContractMetadata {
  const view: ContractMetadata = { address, ercType: 'UNKNOWN' }
  if (token !== undefined) {
    view.name = token.name ?? ''
    view.symbol = token.symbol ?? ''
    view.ercType = ercTypeOf(token.standard)
    if (token.standard === 20) view.decimals = token.decimals ?? 0
    if (token.metadata_at > 0) view.metadataLastUpdatedTimestamp = token.metadata_at
    if (token.inexact_height !== undefined) {
      const { inexact_height: height, inexact_reason: reason = '' } = token
      view.balancesDiffer = { blockNumber: String(height), reason }
    }
  }
  if (note?.label !== undefined) view.label = note.label
  if (party.isSpam === true) view.isSpam = true
  if (note?.reputation !== undefined) view.tokenReputation = note.reputation
  if (note?.logoUri !== undefined) view.logoAsset = { imageUri: note.logoUri }
  return view
}

function ercTypeOf(standard: number): ContractMetadata['ercType'] {
  switch (standard) {
    case 20:
      return 'ERC-20'
    case 721:
      return 'ERC-721'
    case 1155:
      return 'ERC-1155'
    default:
      return 'UNKNOWN'
  }
}

async function deployment(
  { parties }: EvmParts,
  chain: ServedChain,
  id: number,
): Promise<ContractMetadata['deploymentDetails']> {
  const creation = await creationOfContract(chain.store, id)
  if (creation === undefined) return undefined
  const transaction = await transactionAt(chain.store, creation.txPos)
  if (transaction === undefined) return undefined
  const { creatorId } = creation
  const named = await parties(chain).load(
    creatorId === undefined ? [transaction.fromId] : [transaction.fromId, creatorId],
  )
  return {
    txHash: transaction.hash,
    deployerAddress: named(transaction.fromId).address,
    deployerContractAddress: creatorId === undefined ? undefined : named(creatorId).address,
  }
}
