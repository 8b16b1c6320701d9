/**
 * Transfers of one token standard to or from an address: one list, of which three operations show
 * one standard each.
 */

import { type TransferRow, transfersOfAddress } from '../../store/query/evm/transfers.ts'
import { nextToken, type Page } from '../operation/paging.ts'
import { type AddressList, addressPage } from './address-list.ts'
import type { EvmParts } from './parts.ts'
import { type TransferViewer, transferViewer } from './transfer-views.ts'

/** A token standard, and the view of its transfers. */
export type TransferList<V> = Omit<AddressList<TransferRow>, 'rows' | 'fits'> & {
  readonly query: { readonly tokenAddress?: string | undefined }
  readonly standard: 20 | 721 | 1155
  readonly view: (row: TransferRow, viewer: TransferViewer) => V
  /** Writes a page as JSON without views, where that is worth it. */
  readonly text?: (
    rows: readonly TransferRow[],
    viewer: TransferViewer,
    nextPageToken: string | undefined,
  ) => string
}

/**
 * The answer of such an operation. A class, for a closure of each request that is called by its name
 * in an object keeps what it knows alive: ten times the memory went to the old generation.
 */
export class TransferAnswer<V> {
  readonly #list: Pick<TransferList<V>, 'view' | 'text'>
  readonly #page: Page<TransferRow>
  readonly #viewer: TransferViewer

  constructor(
    list: Pick<TransferList<V>, 'view' | 'text'>,
    page: Page<TransferRow>,
    viewer: TransferViewer,
  ) {
    this.#list = list
    this.#page = page
    this.#viewer = viewer
  }

  /** Made only where it is read: by dialects that rewrite, lists as lines, and tests. */
  get body(): { nextPageToken?: string; transactions: V[] } {
    const transactions = this.#page.rows.map((row) => this.#list.view(row, this.#viewer))
    return { ...nextToken(this.#page), transactions }
  }

  json(): string {
    const { rows, nextPageToken } = this.#page
    return this.#list.text?.(rows, this.#viewer, nextPageToken) ?? JSON.stringify(this.body)
  }
}

/** Transfers of an address, newest first. Throws `not-found`, `bad-page-token`. */
export async function addressTransfers<V>(
  parts: EvmParts,
  list: TransferList<V>,
): Promise<TransferAnswer<V>> {
  const { standard, route, path, query } = list
  const { tokenAddress } = query
  const known =
    tokenAddress === undefined
      ? undefined
      : await parts.parties(parts.chains.find(path.chainId)).find(tokenAddress)
  const { chain, page } = await addressPage(parts, {
    route,
    path,
    query,
    rows: (store, { addressId, range, limit }) =>
      transfersOfAddress(store, { addressId, standard, range, limit }),
    fits: known === undefined ? undefined : ({ tokenId }) => tokenId === known.id,
  })
  return new TransferAnswer(list, page, await transferViewer(parts, chain, page.rows))
}
