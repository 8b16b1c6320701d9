/** Contracts of a chain: the verified ones, or all that transactions created. */

import { struct } from '../../codec/kit.ts'
import { f64, fixed } from '../../codec/primitives.ts'
import { contractNameOf } from '../../contracts/standard-input.ts'
import { toChecksumAddress } from '../../core/address.ts'
import { fromHex, to0x } from '../../core/bytes.ts'
import { ContractMetadata, matchWord } from '../../shape/evm/contract.ts'
import { ChainPath, defaultPageSize, pageSize, pageToken } from '../../shape/evm/parameters.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import type { ListedContract } from '../../store/query/verified-contracts.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, cursorOf, nextToken, readPage } from '../operation/paging.ts'
import { contractView } from './get-contract.ts'
import { deploymentPage } from './list-contract-deployments.ts'
import type { EvmParts } from './parts.ts'

const ListedSource = Type.Object(
  {
    name: Type.String({ description: 'of the contract in its source' }),
    match: matchWord,
    verifiedAt: Type.Integer({ description: 'Unix seconds' }),
  },
  { description: 'Of a contract that is verified itself' },
)

const ListContracts = {
  id: 'listContracts',
  method: 'GET',
  path: '/v1/chains/{chainId}/contracts',
  summary:
    'Contracts of a chain, newest first: the verified ones, or all that transactions created',
  tag: 'EVM contracts',
  weight: 20,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      verified: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Only contracts that are verified, in the order in which they were',
        }),
      ),
      pageToken,
      pageSize,
    }),
  },
  response: pageShape({
    contracts: Type.Array(
      Type.Object({ ...ContractMetadata.properties, source: Type.Optional(ListedSource) }),
    ),
  }),
} as const

const place = cursorOf(struct({ verifiedAt: f64, address: fixed(20) }))

/** Contracts that are verified, or all that were created, also inside where traces are read. */
export function listContracts(parts: EvmParts): Operation {
  const { chains, contracts, parties, tokens } = parts
  return operation(ListContracts, async ({ path, query }) => {
    const chain = chains.find(path.chainId)
    const binding = bindingOf(ListContracts.id, { ...query, chain: chain.facts.key })
    if (query.verified !== true) {
      const page = await deploymentPage(parts, chain, { addressId: undefined, query, binding })
      const found = await contracts.listed(
        chain,
        page.contracts.map(({ address }) => fromHex(address)),
      )
      return {
        body: { ...page, contracts: page.contracts.map((one, at) => withSource(one, found[at])) },
      }
    }
    const page = await readPage({
      tokens,
      pageToken: query.pageToken,
      binding,
      limit: query.pageSize ?? defaultPageSize,
      ...place,
      rows: (after, limit) => contracts.newest(chain, after, limit),
      cursorOf: ({ verifiedAt, address }) => ({ verifiedAt, address }),
    })
    const found = await Promise.all(
      page.rows.map(async ({ address }) => parties(chain).find(to0x(address))),
    )
    const named = await parties(chain).load(found.flatMap(({ id }) => id ?? []))
    const views = page.rows.map((row, at) => {
      const id = found[at]?.id
      const { address } = row
      const view: ContractMetadata =
        id === undefined
          ? { address: toChecksumAddress(address), ercType: 'UNKNOWN' }
          : contractView(named(id))
      return withSource(view, row)
    })
    return { body: { ...nextToken(page), contracts: views } }
  })
}

type Listed = ContractMetadata & {
  source?: { name: string; match: 'full' | 'partial'; verifiedAt: number }
}

function withSource(view: ContractMetadata, row: ListedContract | undefined): Listed {
  if (row === undefined) return view
  const { name, runtimeMatch, verifiedAt } = row
  const match = runtimeMatch === 'full' ? 'full' : 'partial'
  return { ...view, source: { name: contractNameOf(name).name, match, verifiedAt } }
}
