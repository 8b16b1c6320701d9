/** Token transfers as the API shows them. */

import { standardOf } from '../../../codec/evm/columns/columns.ts'
import type { Erc1155Token, Erc721Token } from '../../../shape/evm/nft-token.ts'
import type {
  Erc1155Transfer,
  Erc1155TransferDetails,
  Erc20Transfer,
  Erc20TransferDetails,
  Erc721Transfer,
  Erc721TransferDetails,
} from '../../../shape/evm/token-transfer.ts'
import type { Erc20Token, RichAddress } from '../../../shape/evm/token.ts'
import type { MaybePromise } from '../../../store/engine/database.ts'
import { heightOf } from '../../../store/query/evm/position.ts'
import type { TransferRow } from '../../../store/query/evm/transfers.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { decimalText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import type { Named } from '../rich-addresses.ts'
import { tokenPricer, unpriced } from '../tokens/token-views.ts'

/** Turns transfers into views; made by {@link transferViewer} for the rows of one page. */
export type TransferViewer = {
  readonly erc20Token: (row: TransferRow) => Erc20Token
  readonly erc721Token: (row: TransferRow) => Erc721Token
  readonly erc1155Token: (row: TransferRow) => Erc1155Token
  readonly rich: (id: number) => RichAddress
  /** JSON of addresses, and of {@link TransferViewer.erc20Token}. */
  readonly richText: (id: number) => string
  readonly erc20Text: (row: TransferRow) => string
}

/** Loads what the views of `rows` need: addresses, prices, NFT details. */
export async function transferViewer(
  context: EvmContext,
  chain: ServedChain,
  rows: readonly TransferRow[],
): Promise<TransferViewer> {
  const ids: number[] = []
  for (const row of rows) ids.push(row.tokenId, row.fromId, row.toId)
  const named = await context.addressBooks(chain).load(ids)
  const erc721 = await nftTokens(rows, 721, (items) => context.nfts.erc721(chain, items))
  const erc1155 = await nftTokens(rows, 1155, (items) => context.nfts.erc1155(chain, items))
  const priced = context.prices.offered
    ? await tokenPricer(
        context.prices,
        chain,
        rows.map((row) => named(row.tokenId).erc20),
      )
    : unpriced
  return {
    rich: (id) => named(id).rich,
    richText: (id) => named(id).richText,
    erc20Token: (row) => priced(named(row.tokenId).erc20),
    erc20Text: (row) => {
      const entry = named(row.tokenId)
      const token = priced(entry.erc20)
      return token === entry.erc20 ? entry.erc20Text() : JSON.stringify(token)
    },
    erc721Token: (row) => erc721View(row, named, erc721(row)),
    erc1155Token: (row) => erc1155View(row, named, erc1155(row)),
  }
}

/** An ERC-20 transfer with its place. */
export function erc20Transfer(row: TransferRow, viewer: TransferViewer): Erc20Transfer {
  return { ...placement(row), ...erc20TransferDetails(row, viewer) }
}

/** An ERC-20 transfer inside its transaction. */
export function erc20TransferDetails(
  row: TransferRow,
  viewer: TransferViewer,
): Erc20TransferDetails {
  return {
    from: viewer.rich(row.fromId),
    to: viewer.rich(row.toId),
    logIndex: row.logIndex,
    value: decimalText(row.value),
    erc20Token: viewer.erc20Token(row),
  }
}

/** An ERC-721 transfer with its place. */
export function erc721Transfer(row: TransferRow, viewer: TransferViewer): Erc721Transfer {
  return { ...placement(row), ...erc721TransferDetails(row, viewer) }
}

/** An ERC-721 transfer inside its transaction. */
export function erc721TransferDetails(
  row: TransferRow,
  viewer: TransferViewer,
): Erc721TransferDetails {
  return {
    from: viewer.rich(row.fromId),
    to: viewer.rich(row.toId),
    logIndex: row.logIndex,
    erc721Token: viewer.erc721Token(row),
  }
}

/** An ERC-1155 transfer with its place. */
export function erc1155Transfer(row: TransferRow, viewer: TransferViewer): Erc1155Transfer {
  return { ...placement(row), ...erc1155TransferDetails(row, viewer) }
}

/** An ERC-1155 transfer inside its transaction. */
export function erc1155TransferDetails(
  row: TransferRow,
  viewer: TransferViewer,
): Erc1155TransferDetails {
  return {
    from: viewer.rich(row.fromId),
    to: viewer.rich(row.toId),
    logIndex: row.logIndex,
    value: decimalText(row.value),
    erc1155Token: viewer.erc1155Token(row),
  }
}

/** A transfer by the form of its standard. */
export function transferView(
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

/** Where a transfer or internal transaction lies. */
export function placement(row: {
  readonly pos: number
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly blockHash: string
  readonly txHash: string
}): Placement {
  const place: Placement = {
    blockNumber: String(heightOf(row.pos)),
    blockTimestamp: row.timestamp,
    blockHash: row.blockHash,
    txHash: row.txHash,
  }
  if (row.timestampMs !== undefined) place.blockTimestampMilliseconds = row.timestampMs
  return place
}

type Placement = {
  blockNumber: string
  blockTimestamp: number
  blockTimestampMilliseconds?: number
  blockHash: string
  txHash: string
}

type NftRow = { readonly contractId: number; readonly item: string }

/** Details of the rows of one standard, read once; found again by row. */
function nftTokens<D>(
  rows: readonly TransferRow[],
  standard: 721 | 1155,
  read: (items: readonly NftRow[]) => Promise<readonly D[]>,
): MaybePromise<(row: TransferRow) => D | undefined> {
  const wanted = rows.filter((row) => standardOf(row.kind) === standard)
  if (wanted.length === 0) return () => undefined
  const items = wanted.map((row) => ({ contractId: row.tokenId, item: row.item ?? '0x' }))
  return read(items).then((details) => {
    const byRow = new Map(wanted.map((row, at) => [row, details[at]]))
    return (row) => byRow.get(row)
  })
}

function erc721View(
  row: TransferRow,
  named: Named,
  details: Pick<Erc721Token, 'tokenUri' | 'metadata' | 'ownerAddress' | 'ownerLabel'> | undefined,
): Erc721Token {
  const { erc20 } = named(row.tokenId)
  return {
    address: erc20.address,
    name: erc20.name,
    symbol: erc20.symbol,
    ercType: 'ERC-721',
    tokenId: decimalText(row.item ?? '0x'),
    ...(details ?? { tokenUri: '', metadata: { indexStatus: 'UNKNOWN' } }),
  }
}

function erc1155View(
  row: TransferRow,
  named: Named,
  details: Pick<Erc1155Token, 'tokenUri' | 'metadata'> | undefined,
): Erc1155Token {
  return {
    address: named(row.tokenId).address,
    ercType: 'ERC-1155',
    tokenId: decimalText(row.item ?? '0x'),
    ...(details ?? { tokenUri: '', metadata: { indexStatus: 'UNKNOWN' } }),
  }
}
