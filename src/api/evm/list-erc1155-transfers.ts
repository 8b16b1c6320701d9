/** ERC-1155 transfers of an address. */

import { ListErc1155Transfers } from '../../shape/evm/list-erc1155-transfers.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { transfersOfAddress } from '../../store/query/evm/transfers-of-address.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken, positionPage } from './list-page.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader, subjectOf } from './subject.ts'
import { erc1155Transfer, transferViewer } from './transfer-views.ts'

/** Document B, endpoint 1. */
export function listErc1155Transfers(parts: EvmParts): Operation {
  return operation(ListErc1155Transfers, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const height = await heightHeader(chain)
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListErc1155Transfers.id,
      subject: binding,
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(query.startBlock, query.endBlock),
      rows: async (range, limit) =>
        id === undefined
          ? []
          : transfersOfAddress(chain.store, { addressId: id, standard: 1155, range, limit }),
    })
    const viewer = await transferViewer(parts, chain, page.rows)
    const transactions = page.rows.map((row) => erc1155Transfer(row, viewer))
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
