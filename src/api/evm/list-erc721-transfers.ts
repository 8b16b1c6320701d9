/** ERC-721 transfers of an address. */

import { ListErc721Transfers } from '../../shape/evm/list-erc721-transfers.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { posRange } from '../../store/query/evm/position.ts'
import { transfersOfAddress } from '../../store/query/evm/transfers-of-address.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken, positionPage } from './list-page.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader, subjectOf } from './subject.ts'
import { erc721Transfer, transferViewer } from './transfer-views.ts'

/** Completes endpoints 1 and 2 of document B. */
export function listErc721Transfers(parts: EvmParts): Operation {
  return operation(ListErc721Transfers, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const height = await heightHeader(chain)
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListErc721Transfers.id,
      subject: binding,
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(query.startBlock, query.endBlock),
      rows: async (range, limit) =>
        id === undefined
          ? []
          : transfersOfAddress(chain.store, { addressId: id, standard: 721, range, limit }),
    })
    const viewer = await transferViewer(parts, chain, page.rows)
    const transactions = page.rows.map((row) => erc721Transfer(row, viewer))
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}
