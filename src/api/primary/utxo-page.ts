/** A page of UTXOs, however the addresses came. */

import { struct } from '../../codec/kit.ts'
import { f64, i64 } from '../../codec/primitives.ts'
import { toHex } from '../../core/bytes.ts'
import type { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import type { Utxo } from '../../shape/primary/utxo.ts'
import { knownNumbers, numberOfAsset } from '../../store/query/primary/addresses.ts'
import {
  utxosByNumber,
  type Holding,
  type HoldingCursor,
  utxosOfAddresses,
} from '../../store/query/primary/utxos.ts'
import { bindingOf, cursorOf, readPage, nextToken } from '../operation/paging.ts'
import { assetBook } from './asset-view.ts'
import { chainInfo, type ChainOf, indexedTo } from './chain-of.ts'
import { amountFrom, idIn } from './inputs.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { credentialsShown, utxoView } from './utxo-view.ts'

/** Parameters of both UTXO lists. */
export type UtxoPageQuery = {
  readonly chain: ChainOf
  /** 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  readonly route: string
  readonly filters: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
    readonly assetId?: string | undefined
    readonly minUtxoAmount?: number | undefined
    readonly includeSpent?: boolean | undefined
    readonly sortBy?: 'timestamp' | 'amount' | undefined
    readonly sortOrder?: 'asc' | 'desc' | undefined
  }
}

/** Body and height of the answer. */
export type UtxoPage = {
  readonly body: {
    readonly nextPageToken?: string
    readonly utxos: Utxo[]
    readonly chainInfo: PrimaryChainInfo
  }
  readonly indexedHeight?: number
}

const holdingCursor = cursorOf<HoldingCursor>(struct({ key: i64, utxo: f64 }))

/** Reads the page. Throws `bad-parameter`, `bad-page-token`. */
export async function utxoPage(parts: PrimaryParts, asked: UtxoPageQuery): Promise<UtxoPage> {
  const { chain, filters, addresses } = asked
  const { store } = chain
  const height = await indexedTo(store, chain.chain)
  const minAmount = amountFrom('minUtxoAmount', filters.minUtxoAmount)
  const asset = await assetFilter(chain, filters.assetId)
  const numbers = await knownNumbers(store, addresses)
  const page = await readPage<Holding, HoldingCursor>({
    tokens: parts.tokens,
    pageToken: filters.pageToken,
    binding: bindingOf(asked.route, {
      ...filters,
      network: chain.network,
      chain: chain.chain,
      addresses: addresses.map(toHex).toSorted(),
    }),
    limit: filters.pageSize ?? defaultPageSize,
    ...holdingCursor,
    rows: async (after, limit) =>
      asset === 'unknown'
        ? []
        : utxosOfAddresses(store, {
            addresses: numbers,
            chain: chain.chain,
            sortBy: filters.sortBy ?? 'timestamp',
            sortOrder: filters.sortOrder ?? 'desc',
            includeSpent: filters.includeSpent ?? false,
            minAmount,
            limit,
            asset,
            after,
          }),
    cursorOf: (row) => row,
  })
  const rows = await utxosByNumber(
    store,
    page.rows.map(({ utxo }) => utxo),
  )
  const book = await assetBook(
    store,
    chain,
    rows.map((row) => row.asset),
  )
  const facts = { book, credentials: await credentialsShown(chain, rows) }
  const utxos = rows.map((row) => utxoView(chain, row, facts))
  return { body: { ...nextToken(page), utxos, chainInfo: chainInfo(chain) }, ...height }
}

/** Number of the asset asked for; the filter means nothing outside the X-Chain. */
async function assetFilter(
  chain: ChainOf,
  assetId: string | undefined,
): Promise<number | 'unknown' | undefined> {
  if (assetId === undefined) return undefined
  const id = idIn('assetId', assetId)
  if (chain.chain !== 'X') return undefined
  return (await numberOfAsset(chain.store, id)) ?? 'unknown'
}
