/** Transfers of a token contract. */

import { ListTokenTransfers } from '../../shape/evm/list-token-transfers.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import type {
  Erc1155Transfer,
  Erc20Transfer,
  Erc721Transfer,
} from '../../shape/evm/token-transfer.ts'
import { posRange } from '../../store/query/evm/position.ts'
import type { TransferRow } from '../../store/query/evm/transfer-row.ts'
import { transfersOfToken } from '../../store/query/evm/transfers-of-token.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken, positionPage } from './list-page.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader, subjectOf } from './subject.ts'
import {
  erc1155Transfer,
  erc20Transfer,
  erc721Transfer,
  standardOf,
  type TransferViewer,
  transferViewer,
} from './transfer-views.ts'

/** Document B, endpoint 3. */
export function listTokenTransfers(parts: EvmParts): Operation {
  return operation(ListTokenTransfers, async ({ path, query }) => {
    const { chain, id, binding } = await subjectOf(parts, path)
    const height = await heightHeader(chain)
    const page = await positionPage({
      tokens: parts.tokens,
      route: ListTokenTransfers.id,
      subject: binding,
      query,
      limit: query.pageSize ?? defaultPageSize,
      range: posRange(query.startBlock, query.endBlock),
      rows: async (range, limit) =>
        id === undefined ? [] : transfersOfToken(chain.store, { tokenId: id, range, limit }),
    })
    const viewer = await transferViewer(parts, chain, page.rows)
    const transfers = page.rows.map((row) => transferView(row, viewer))
    return { body: { ...nextToken(page), transfers }, ...height }
  })
}

/** Each log by its own form: one contract may log several standards. */
function transferView(
  row: TransferRow,
  viewer: TransferViewer,
): Erc20Transfer | Erc721Transfer | Erc1155Transfer {
  switch (standardOf(row.kind)) {
    case 721:
      return erc721Transfer(row, viewer)
    case 1155:
      return erc1155Transfer(row, viewer)
    default:
      return erc20Transfer(row, viewer)
  }
}
