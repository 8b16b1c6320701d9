/** Contracts that an address deployed. Source: official clients, ListContractsResponse. */

import type { Static } from 'typebox'

import { struct } from '../../codec/kit.ts'
import { f64 } from '../../codec/primitives.ts'
import { ContractMetadata } from '../../shape/evm/contract.ts'
import { ChainAddressPath, defaultPageSize, PageQuery } from '../../shape/evm/parameters.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import {
  type DeploymentCursor,
  type DeploymentRow,
  deployments,
} from '../../store/query/evm/contracts.ts'
import { transactionAt } from '../../store/query/evm/transactions.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { Binding } from '../operation/page-token.ts'
import { bindingOf, cursorOf } from '../operation/paging.ts'
import { contractView } from './get-contract.ts'
import type { EvmParts } from './parts.ts'
import { subjectOf } from './subject.ts'

const ListContractDeployments = {
  id: 'listContractDeployments',
  method: 'GET',
  path: '/v1/chains/{chainId}/contracts/{address}/deployments',
  summary: 'Contracts created by transactions of an address, also inside, newest first',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: PageQuery },
  response: pageShape({ contracts: Type.Array(ContractMetadata) }),
} as const

/** Contracts of an address, newest first; those created inside where traces are read. */
export function listContractDeployments(parts: EvmParts): Operation {
  return operation(ListContractDeployments, async ({ path, query }) => {
    const { chain, id, binding: subject } = await subjectOf(parts, path)
    const binding = bindingOf(ListContractDeployments.id, { ...query, ...subject })
    if (id === undefined) {
      parts.tokens.open(query.pageToken, binding)
      return { body: { contracts: [] } }
    }
    return { body: await deploymentPage(parts, chain, { addressId: id, query, binding }) }
  })
}

/** A page of the contracts that were created by an address, or by all. */
export async function deploymentPage(
  parts: EvmParts,
  chain: ServedChain,
  of: {
    readonly addressId: number | undefined
    readonly query: Static<typeof PageQuery>
    readonly binding: Binding
  },
): Promise<{ contracts: ContractMetadata[]; nextPageToken?: string }> {
  const { addressId, query, binding } = of
  const opened = parts.tokens.open(query.pageToken, binding)
  const limit = query.pageSize ?? defaultPageSize
  const from = opened === undefined ? undefined : cursor.decode(opened)
  const page = await deployments(chain.store, { addressId, from, limit: limit + 1 })
  const rows = page.rows.slice(0, limit)
  const last = rows.at(-1)
  const end = page.rows.length > limit && last !== undefined ? last : page.goOnAt
  const next =
    end === undefined ? {} : { nextPageToken: parts.tokens.seal(cursor.encode(end), binding) }
  return { ...next, contracts: await viewsOf(parts, chain, rows) }
}

const cursor = cursorOf<DeploymentCursor>(struct({ txPos: f64, place: f64 }))

async function viewsOf(
  { parties }: EvmParts,
  chain: ServedChain,
  rows: readonly DeploymentRow[],
): Promise<ContractMetadata[]> {
  const transactions = new Map(
    await Promise.all(
      rows.map(async ({ txPos }) => [txPos, await transactionAt(chain.store, txPos)] as const),
    ),
  )
  const ids = rows.flatMap(({ contractId, creatorId, txPos }) => [
    contractId,
    creatorId ?? contractId,
    transactions.get(txPos)?.fromId ?? contractId,
  ])
  const named = await parties(chain).load(ids)
  return rows.map(({ contractId, creatorId, txPos }) => {
    const view = contractView(named(contractId))
    const transaction = transactions.get(txPos)
    if (transaction === undefined) return view
    return {
      ...view,
      deploymentDetails: {
        txHash: transaction.hash,
        deployerAddress: named(transaction.fromId).address,
        deployerContractAddress: creatorId === undefined ? undefined : named(creatorId).address,
      },
    }
  })
}
