/** Transfers of one token standard to or from an address: one list, of which three operations are made. */

import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { heightOf } from '../../../store/query/evm/position.ts'
import { type TransferRow, transfersOfAddress } from '../../../store/query/evm/transfers.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken, type Page } from '../../operation/paging.ts'
import { type AddressList, addressPage } from '../address-list.ts'
import { decimalText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import {
  type TransferViewer,
  transferViewer,
  erc20Transfer,
  erc721Transfer,
  erc1155Transfer,
} from './transfer-views.ts'

/** A token standard, and the view of its transfers. */
type TransferList<V> = Omit<AddressList<TransferRow>, 'rows' | 'fits'> & {
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
 * The answer of such an operation. It is a class, because a closure made per request and called
 * through an object keeps its variables alive: ten times the memory reached the old generation.
 */
class TransferAnswer<V> {
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
async function addressTransfers<V>(
  context: EvmContext,
  list: TransferList<V>,
): Promise<TransferAnswer<V>> {
  const { standard, route, path, query } = list
  const { tokenAddress } = query
  const known =
    tokenAddress === undefined
      ? undefined
      : await context.addressBooks(context.chains.find(path.chainId)).find(tokenAddress)
  const { chain, page } = await addressPage(context, {
    route,
    path,
    query,
    rows: (store, { addressId, range, limit }) =>
      transfersOfAddress(store, { addressId, standard, range, limit }),
    fits: known === undefined ? undefined : ({ tokenId }) => tokenId === known.id,
  })
  return new TransferAnswer(list, page, await transferViewer(context, chain, page.rows))
}

/** Document B, endpoint 2. */
export function listErc20Transfers(context: EvmContext): Operation<'listErc20Transactions'> {
  return operation(EvmTransactions.listErc20Transactions, ({ path, query }) =>
    addressTransfers(context, {
      route: EvmTransactions.listErc20Transactions.id,
      path,
      query,
      standard: 20,
      view: erc20Transfer,
      text: erc20PageText,
    }),
  )
}

/** `{"nextPageToken":…,"transactions":[…]}`; the token is of letters that JSON leaves as they are. */
function erc20PageText(
  rows: readonly TransferRow[],
  viewer: TransferViewer,
  nextPageToken: string | undefined,
): string {
  let text = nextPageToken === undefined ? '{' : `{"nextPageToken":"${nextPageToken}",`
  text += '"transactions":['
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined) continue
    if (at > 0) text += ','
    text += erc20Text(row, viewer)
  }
  return `${text}]}`
}

function erc20Text(row: TransferRow, viewer: TransferViewer): string {
  const ms = row.timestampMs === undefined ? '' : `,"blockTimestampMilliseconds":${row.timestampMs}`
  return (
    `{"blockNumber":"${heightOf(row.pos)}","blockTimestamp":${row.timestamp}` +
    `,"blockHash":"${row.blockHash}","txHash":"${row.txHash}"${ms}` +
    `,"from":${viewer.richText(row.fromId)},"to":${viewer.richText(row.toId)}` +
    `,"logIndex":${row.logIndex},"value":"${decimalText(row.value)}"` +
    `,"erc20Token":${viewer.erc20Text(row)}}`
  )
}

/** Completes endpoints 1 and 2 of document B. */
export function listErc721Transfers(context: EvmContext): Operation<'listErc721Transactions'> {
  return operation(EvmTransactions.listErc721Transactions, ({ path, query }) =>
    addressTransfers(context, {
      route: EvmTransactions.listErc721Transactions.id,
      path,
      query,
      standard: 721,
      view: erc721Transfer,
    }),
  )
}

/** Document B, endpoint 1. */
export function listErc1155Transfers(context: EvmContext): Operation<'listErc1155Transactions'> {
  return operation(EvmTransactions.listErc1155Transactions, ({ path, query }) =>
    addressTransfers(context, {
      route: EvmTransactions.listErc1155Transactions.id,
      path,
      query,
      standard: 1155,
      view: erc1155Transfer,
    }),
  )
}
