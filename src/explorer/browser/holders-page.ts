/** Holders of a token or of items of a collection: the largest first, with their share. */

import { h, type JSX } from 'preact'

import type { ContractMetadata } from '../../shape/evm/contract-metadata.ts'
import { addressPath } from './address-summary.ts'
import { useAnswer, useWhole } from './answer.ts'
import { chainLink, party } from './evm-parts.ts'
import { amount, clipped, count, cutAmount, ends, named, share } from './format.ts'
import { to } from './link.ts'
import { card, CsvButton, heading, shown, table, type View } from './parts.ts'
import { useTitle } from './place.ts'
import type { TokenProps } from './token-page.ts'

type Holder = { readonly address: string; readonly sortKey: string }
type HoldersPage = { readonly addresses: readonly Holder[]; readonly nextPageToken?: string }

// The API tells holders as the chain first saw them, so all are read to find the largest.
const mostPages = 5
const perPage = 1_000
const mostRows = 100

/** The page. */
export function HoldersPage({ world, chainId, address }: TokenProps): JSX.Element {
  const contract = useAnswer<ContractMetadata>(addressPath(chainId, address))
  const { name, symbol, ercType } = contract.data ?? {}
  const title = name === undefined || name === '' ? 'Token' : clipped(name)
  useTitle(`Holders of ${title} ${ends(address)}`)
  return h(
    'div',
    { class: 'stack' },
    heading(
      h('span', null, 'Holders on ', chainLink(world, chainId)),
      h(
        'a',
        { href: to('chain', chainId, 'token', address) },
        title,
        ' ',
        h('span', { class: 'quiet' }, named(symbol, address)),
      ),
    ),
    shown(contract, (data) =>
      h(Holders, {
        chainId,
        path: `/v2/chains/${chainId}/contracts/${encodeURIComponent(address)}/${ercType === 'ERC-20' ? 'balances' : 'nfts:listHolders'}`,
        decimals: data.ercType === 'ERC-20' ? (data.decimals ?? 0) : 0,
      }),
    ),
  )
}

type HoldersProps = { readonly chainId: string; readonly path: string; readonly decimals: number }

function Holders({ chainId, path, decimals }: HoldersProps): JSX.Element {
  const answer = useWhole<HoldersPage>(`${path}?pageSize=${perPage}`, mostPages)
  return card(
    '',
    h(
      'div',
      null,
      shown(answer, (pages) => rows(chainId, decimals, pages)),
      h('div', { class: 'below' }, h(CsvButton, { path, name: 'holders' })),
    ),
  )
}

function rows(chainId: string, decimals: number, pages: readonly HoldersPage[]): View {
  const holders = pages.flatMap(({ addresses }) => addresses)
  const sorted = holders.toSorted((a, b) => compare(BigInt(b.sortKey), BigInt(a.sortKey)))
  const total = holders.reduce((sum, { sortKey }) => sum + BigInt(sortKey), 0n)
  const isWhole = pages.at(-1)?.nextPageToken === undefined
  return [
    h(
      'p',
      { class: 'quiet' },
      isWhole
        ? `${count(holders.length)} holders${holders.length > mostRows ? `, the largest ${mostRows} shown` : ''}`
        : `the largest among the first ${count(holders.length)} that the chain saw; there are more`,
    ),
    table(
      [
        ['#', 'num'],
        ['Holder'],
        ['Amount', 'num'],
        ...(isWhole ? [['Share', 'num'] as const] : []),
      ],
      sorted
        .slice(0, mostRows)
        .map(({ address, sortKey }, at) => [
          String(at + 1),
          party(chainId, { address }),
          h('span', { title: amount(sortKey, decimals) }, cutAmount(sortKey, decimals)),
          ...(isWhole ? [share(Number(sortKey), Number(total))] : []),
        ]),
    ),
  ]
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
