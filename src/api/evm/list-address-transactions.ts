/** Transactions an address took part in, with what touched it. */

import { standardOf } from '../../codec/evm/columns.ts'
import { itemAt } from '../../core/item-at.ts'
import {
  ChainAddressPath,
  defaultPageSize,
  blockRange,
  pageSize,
  pageToken,
  sortOrder,
} from '../../shape/evm/parameters.ts'
import {
  AddressTransaction,
  AddressTransactionV2,
  InternalTransactionDetails,
} from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import type { TransferRow } from '../../store/query/evm/transfers.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { type Participation, participationPage } from './address-transactions.ts'
import { internalDetails, internalParties } from './internal-views.ts'
import type { EvmParts } from './parts.ts'
import type { Named } from './party-book.ts'
import { looksLikeSpam } from './spam.ts'
import { subjectOf } from './subject.ts'
import { tracedHeaders } from './traced.ts'
import {
  nativeTransaction,
  type TransactionContext,
  transactionContext,
} from './transaction-views.ts'
import {
  erc1155TransferDetails,
  erc20TransferDetails,
  erc721TransferDetails,
  type TransferViewer,
  transferViewer,
} from './transfer-views.ts'

const list = { ...blockRange, sortOrder, pageToken, pageSize }

const ListAddressTransactions = {
  id: 'listTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions',
  summary: 'Transactions an address took part in',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object(list) },
  response: pageShape({ transactions: Type.Array(AddressTransaction) }),
} as const

const ListAddressTransactionsV2 = {
  id: 'listTransactionsV2',
  method: 'GET',
  path: '/v2/chains/{chainId}/addresses/{address}/transactions',
  summary: 'Transactions an address took part in, with token reputation',
  tag: 'EVM transactions',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({
      ...list,
      filterSpamTokens: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Leave transfers of tokens out that look like spam',
        }),
      ),
    }),
  },
  response: pageShape({ transactions: Type.Array(AddressTransactionV2) }),
} as const

/** Transactions an address sent, received, or in which tokens or coins moved to or from it. */
export function listAddressTransactions(parts: EvmParts): Operation {
  return operation(ListAddressTransactions, async ({ path, query }) => {
    const subject = await subjectOf(parts, path)
    const height = await tracedHeaders(subject.chain)
    const limit = query.pageSize ?? defaultPageSize
    const page = await participationPage(parts, subject, {
      route: ListAddressTransactions.id,
      query,
      limit,
    })
    const { views } = await participationViews(parts, subject.chain, page.rows)
    return { body: { ...nextToken(page), transactions: page.rows.map(views) }, ...height }
  })
}

/** The same with the reputation of tokens; transfers of spam tokens can be left out. */
export function listAddressTransactionsV2(parts: EvmParts): Operation {
  return operation(ListAddressTransactionsV2, async ({ path, query }) => {
    const subject = await subjectOf(parts, path)
    const height = await tracedHeaders(subject.chain)
    const page = await participationPage(parts, subject, {
      route: ListAddressTransactionsV2.id,
      query,
      limit: query.pageSize ?? defaultPageSize,
    })
    const { facts } = subject.chain
    const filtered = query.filterSpamTokens ?? true
    const { views, named } = await participationViews(parts, subject.chain, page.rows)
    const isShown = ({ tokenId }: TransferRow): boolean => {
      const { token, note } = named(tokenId)
      return !filtered || token === undefined || !looksLikeSpam(token, note, facts)
    }
    const transactions = page.rows.map((row): AddressTransactionV2 => {
      const shown = row.transfers.filter(isShown)
      const { erc20Transfers, ...rest } = views({ ...row, transfers: shown })
      if (erc20Transfers === undefined) return rest
      const tokens = shown.filter(({ kind }) => standardOf(kind) === 20)
      const rated = erc20Transfers.map((transfer, at) => {
        const note = named(itemAt(tokens, at).tokenId).note
        const tokenReputation = note?.reputation ?? null
        return { ...transfer, erc20Token: { ...transfer.erc20Token, tokenReputation } }
      })
      return { ...rest, erc20Transfers: rated }
    })
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}

type Views = {
  readonly views: (row: Participation) => AddressTransaction
  readonly named: Named
}

async function participationViews(
  parts: EvmParts,
  chain: ServedChain,
  rows: readonly Participation[],
): Promise<Views> {
  const transfers = rows.flatMap((row) => row.transfers)
  const internals = rows.flatMap((row) => row.internals)
  const transactions = rows.map(({ transaction }) => transaction)
  const others = [...internalParties(internals), ...transfers.map(({ tokenId }) => tokenId)]
  const [context, viewer] = await Promise.all([
    transactionContext(parts, chain, transactions, others),
    transferViewer(parts, chain, transfers),
  ])
  return { named: context.named, views: (row) => participationView(row, context, viewer) }
}

/** Lists without an entry are absent, not empty. */
function participationView(
  { transaction, transfers, internals }: Participation,
  context: TransactionContext,
  viewer: TransferViewer,
): AddressTransaction {
  const view: AddressTransaction = { nativeTransaction: nativeTransaction(transaction, context) }
  for (const row of transfers) {
    switch (standardOf(row.kind)) {
      case 20:
        ;(view.erc20Transfers ??= []).push(erc20TransferDetails(row, viewer))
        break
      case 721:
        ;(view.erc721Transfers ??= []).push(erc721TransferDetails(row, viewer))
        break
      case 1155:
        ;(view.erc1155Transfers ??= []).push(erc1155TransferDetails(row, viewer))
        break
      default:
    }
  }
  if (internals.length > 0) {
    view.internalTransactions = internals.map((row): InternalTransactionDetails =>
      internalDetails(row, context.named),
    )
  }
  return view
}
