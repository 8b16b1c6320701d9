/**
 * Transfers of one token standard to or from an address: one list, of which three operations show
 * one standard each.
 */

import type { TransferRow } from '../../store/query/evm/transfer-row.ts'
import { transfersOfAddress } from '../../store/query/evm/transfers-of-address.ts'
import { nextToken } from '../paging.ts'
import { type AddressList, addressPage } from './address-list.ts'
import type { EvmParts } from './parts.ts'
import { type TransferViewer, transferViewer } from './transfer-views.ts'

/** Which standard, and how it is shown. */
export type TransferList<V> = Omit<AddressList<TransferRow>, 'rows' | 'stage'> & {
  readonly standard: 20 | 721 | 1155
  readonly view: (row: TransferRow, viewer: TransferViewer) => V
  /** Writes a page as JSON without views, where that is worth it. */
  readonly text?: (
    rows: readonly TransferRow[],
    viewer: TransferViewer,
    nextPageToken: string | undefined,
  ) => string
}

/** The answer of such an operation. */
export type TransferAnswer<V> = {
  readonly body: { nextPageToken?: string; transactions: V[] }
  readonly json?: () => string
  readonly indexedHeight?: number
}

/** Transfers of an address, newest first. Throws `not-found`, `bad-page-token`. */
export async function addressTransfers<V>(
  parts: EvmParts,
  { standard, view, text, ...list }: TransferList<V>,
): Promise<TransferAnswer<V>> {
  const { chain, page, height } = await addressPage(parts, {
    ...list,
    rows: (store, question) => transfersOfAddress(store, { ...question, standard }),
  })
  const viewer = await transferViewer(parts, chain, page.rows)
  const { rows, nextPageToken } = page
  return {
    // Made only where somebody reads it: dialects that rewrite, lists as lines, tests.
    get body() {
      return { ...nextToken(page), transactions: rows.map((row) => view(row, viewer)) }
    },
    ...(text === undefined ? {} : { json: () => text(rows, viewer, nextPageToken) }),
    ...height,
  }
}
