/** Holders of a token or of items of a collection: the largest first, with their share; and the supply. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { ContractMetadata } from '../../../shape/evm/contract.ts'
import { called } from '../contract/called.ts'
import { useWhole } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { amount, count, cutAmount, share } from '../kit/format.ts'
import { withQuery } from '../kit/link.ts'
import { CsvLink } from '../kit/paged.ts'
import { bar, card, shown, table, type View } from '../kit/parts.ts'
import { addressLink, type ShownAddress } from './evm-parts.ts'

type Holder = ShownAddress & { readonly sortKey: string }
type HoldersPage = {
  readonly addresses: readonly Holder[]
  readonly nextPageToken?: string | undefined
}

// The API lists holders as the chain first saw them, so all are read to find the largest.
const mostPages = 5
const perPage = 1_000
const mostRows = 100

/** A token. */
export type TokenOf = { readonly chainId: string; readonly contract: ContractMetadata }

/** The largest holders. */
export function Holders({ chainId, contract }: TokenOf): JSX.Element {
  const { address, ercType } = contract
  const decimals = ercType === 'ERC-20' ? (contract.decimals ?? null) : 0
  const url = urlOf(
    ercType === 'ERC-20'
      ? '/v2/chains/{chainId}/contracts/{address}/balances'
      : '/v2/chains/{chainId}/contracts/{address}/nfts:listHolders',
    { chainId, address },
  )
  const answer = useWhole<HoldersPage>(withQuery(url, { pageSize: perPage }), mostPages)
  return card(
    '',
    h('div', null, [
      shown(answer, (pages) => rows(chainId, decimals, pages)),
      h('div', { class: 'below' }, h(CsvLink, { path: url, name: 'holders' })),
    ]),
  )
}

function rows(chainId: string, decimals: number | null, pages: readonly HoldersPage[]): View {
  const holders = pages.flatMap(({ addresses }) => addresses)
  const sorted = holders.toSorted((a, b) => compare(BigInt(b.sortKey), BigInt(a.sortKey)))
  const total = holders.reduce((sum, { sortKey }) => sum + BigInt(sortKey), 0n)
  const isWhole = pages.at(-1)?.nextPageToken === undefined
  return [
    h('p', { class: 'quiet' }, [
      isWhole
        ? `${count(holders.length)} holders${holders.length > mostRows ? `, the largest ${mostRows} shown` : ''}${ten(sorted, total)}`
        : `The largest of the first ${count(holders.length)} holders; there are more.`,
    ]),
    table(
      [
        ['#', 'num'],
        ['Holder'],
        ['Amount', 'num'],
        ...(isWhole ? [['Share', 'num'] as const] : []),
      ],
      sorted
        .slice(0, mostRows)
        .map(({ sortKey, ...holder }, at) => [
          String(at + 1),
          addressLink(chainId, holder),
          h('span', { title: amount(sortKey, decimals) }, cutAmount(sortKey, decimals)),
          ...(isWhole
            ? [
                h('span', { class: 'share' }, [
                  bar(Number(sortKey) / Number(total), 1),
                  share(Number(sortKey), Number(total)),
                ]),
              ]
            : []),
        ]),
    ),
  ]
}

/** The share that the ten largest have together. */
function ten(sorted: readonly Holder[], total: bigint): string {
  if (sorted.length <= 10) return ''
  const sum = sorted.slice(0, 10).reduce((all, { sortKey }) => all + BigInt(sortKey), 0n)
  return `; the ten largest have ${share(Number(sum), Number(total))}`
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const totalSupply = {
  type: 'function',
  name: 'totalSupply',
  stateMutability: 'view',
  inputs: [],
  outputs: [{ type: 'uint256' }],
} as const

/** The supply of an ERC-20 token in smallest units, as its contract gives it now; absent where it does not. */
export function useSupply({
  chainId,
  contract: { address, ercType },
}: TokenOf): string | undefined {
  const [supply, setSupply] = useState<string>()
  useEffect(() => {
    setSupply(undefined)
    if (ercType !== 'ERC-20') return
    void called({ chainId, address }, [{ abi: totalSupply, arguments: [] }]).then(({ data }) =>
      setSupply(data?.[0]?.values?.[0]?.value),
    )
  }, [chainId, address, ercType])
  return supply
}
