/** Token transfers to or from an address: of each standard, and of all together. */

import type { Erc20Transfer } from '../../../shape/evm/token-transfer.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import type { Database } from '../../../store/engine/database.ts'
import { heightOf } from '../../../store/query/evm/position.ts'
import {
  allTransfersOfAddress,
  type TransferRow,
  transfersOfAddress,
} from '../../../store/query/evm/transfers.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken, type Page } from '../../operation/paging.ts'
import { type AddressList, addressPage } from '../address-list.ts'
import { decimalText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import {
  type TransferViewer,
  transferView,
  transferViewer,
  erc20Transfer,
  erc721Transfer,
  erc1155Transfer,
} from './transfer-views.ts'

type TransferList = Omit<AddressList<TransferRow>, 'fits'> & {
  readonly query: { readonly tokenAddress?: string | undefined }
}

type TransferPage = { readonly page: Page<TransferRow>; readonly viewer: TransferViewer }

/** A page of a list, and what its views need. Throws `not-found`, `bad-page-token`. */
async function addressTransfers(context: EvmContext, list: TransferList): Promise<TransferPage> {
  const { tokenAddress } = list.query
  const known =
    tokenAddress === undefined
      ? undefined
      : await context.addressBooks(context.chains.find(list.path.chainId)).find(tokenAddress)
  const { chain, page } = await addressPage(context, {
    ...list,
    fits: known === undefined ? undefined : ({ tokenId }) => tokenId === known.id,
  })
  return { page, viewer: await transferViewer(context, chain, page.rows) }
}

function viewsOf<V>(
  { page, viewer }: TransferPage,
  view: (row: TransferRow, viewer: TransferViewer) => V,
): V[] {
  return page.rows.map((row) => view(row, viewer))
}

/** Rows of one standard, newest first. */
function rowsOf(standard: 20 | 721 | 1155): TransferList['rows'] {
  return (store: Database, part) => transfersOfAddress(store, { ...part, standard })
}

/** All standards, newest first. */
export function listAddressTransfers(context: EvmContext): Operation<'listAddressTransfers'> {
  return operation(EvmTransactions.listAddressTransfers, async ({ path, query }) => {
    const { id: route } = EvmTransactions.listAddressTransfers
    const list = await addressTransfers(context, {
      route,
      path,
      query,
      rows: allTransfersOfAddress,
    })
    return { body: { ...nextToken(list.page), transfers: viewsOf(list, transferView) } }
  })
}

/** Completes endpoints 1 and 2 of document B. */
export function listErc721Transfers(context: EvmContext): Operation<'listErc721Transactions'> {
  return operation(EvmTransactions.listErc721Transactions, async ({ path, query }) => {
    const { id: route } = EvmTransactions.listErc721Transactions
    const list = await addressTransfers(context, { route, path, query, rows: rowsOf(721) })
    return { body: { ...nextToken(list.page), transactions: viewsOf(list, erc721Transfer) } }
  })
}

/** Document B, endpoint 1. */
export function listErc1155Transfers(context: EvmContext): Operation<'listErc1155Transactions'> {
  return operation(EvmTransactions.listErc1155Transactions, async ({ path, query }) => {
    const { id: route } = EvmTransactions.listErc1155Transactions
    const list = await addressTransfers(context, { route, path, query, rows: rowsOf(1155) })
    return { body: { ...nextToken(list.page), transactions: viewsOf(list, erc1155Transfer) } }
  })
}

/** Document B, endpoint 2. */
export function listErc20Transfers(context: EvmContext): Operation<'listErc20Transactions'> {
  return operation(EvmTransactions.listErc20Transactions, async ({ path, query }) => {
    const { id: route } = EvmTransactions.listErc20Transactions
    return new Erc20Answer(
      await addressTransfers(context, { route, path, query, rows: rowsOf(20) }),
    )
  })
}

/**
 * A page that is written as JSON without views. It is a class, because a closure made per request and called
 * through an object keeps its variables alive: ten times the memory reached the old generation.
 */
class Erc20Answer {
  readonly #list: TransferPage

  constructor(list: TransferPage) {
    this.#list = list
  }

  /** Made only where it is read: by dialects that rewrite, lists as lines, and tests. */
  get body(): { nextPageToken?: string; transactions: Erc20Transfer[] } {
    return { ...nextToken(this.#list.page), transactions: viewsOf(this.#list, erc20Transfer) }
  }

  json(): string {
    const { page, viewer } = this.#list
    return erc20PageText(page.rows, viewer, page.nextPageToken)
  }
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
