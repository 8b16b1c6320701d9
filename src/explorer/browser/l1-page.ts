/** L1s: a directory of all, and the seats of one. */

import { h, type JSX } from 'preact'

import type { L1Validator } from '../../shape/primary/l1-validator.ts'
import type { Subnet } from '../../shape/primary/subnet.ts'
import { useAnswer, useWhole, withQuery } from './answer.ts'
import { amount, brief, count, ends, share, visible } from './format.ts'
import type { FeeRate, Funds, FundsPage } from './l1-funds.ts'
import { useTraffic } from './l1-traffic.ts'
import { to } from './link.ts'
import { daysLeft, fewestHolding } from './order.ts'
import {
  card,
  coins,
  copied,
  facts,
  heading,
  idLink,
  pill,
  shown,
  when,
  type View,
} from './parts.ts'
import { useTitle } from './place.ts'
import { owners } from './primary-parts.ts'
import { sortedTable, type SortColumn } from './sorted-table.ts'

type SeatsPage = { readonly validators: L1Validator[]; readonly nextPageToken?: string }

// Pages of 100: more than any network has, and an end for one that is out of hand.
const mostPages = 20

/** Seats whose balance lasts shorter are marked. */
const fewDays = 30

/** Quorum of signatures that AvalancheGo asks of an L1, percent of the weight. */
const quorum = 67

/** All L1s of a network. */
export function L1sPage({ network }: { readonly network: string }): JSX.Element {
  useTitle('L1s')
  const base = `/v1/networks/${encodeURIComponent(network)}`
  const answer = useWhole<FundsPage>(`${base}/subnets:listFunds?pageSize=100`, mostPages)
  const traffic = useTraffic(base)
  return h(
    'div',
    { class: 'stack' },
    heading('Chains with validators of their own', 'L1s', answer.data && rateLine(answer.data[0])),
    card(
      '',
      shown(answer, (pages) =>
        sortedTable({
          rows: pages.flatMap(({ subnets }) => subnets),
          columns: [...directory(network, base), messagesColumn(traffic)],
          order: 'days',
          csv: `${base}/subnets:listFunds`,
        }),
      ),
    ),
  )
}

function rateLine(page: FundsPage | undefined): View {
  if (page === undefined) return null
  const { perDay, activeValidators, target } = page.feeRate
  return h(
    'p',
    { class: 'quiet' },
    `${count(activeValidators)} active seats · above ${count(target)} the fee grows · `,
    `${amount(perDay, 9)} AVAX a seat a day now`,
  )
}

function directory(network: string, base: string): SortColumn<Funds>[] {
  return [
    { title: 'L1', cell: ({ subnetId }) => h(L1Name, { key: subnetId, network, base, subnetId }) },
    {
      title: 'Active seats',
      name: 'seats',
      style: 'num',
      down: true,
      by: ({ activeSeats }) => activeSeats,
      cell: ({ activeSeats, seats }) => `${count(activeSeats)} of ${count(seats)}`,
    },
    {
      title: 'Weight',
      name: 'weight',
      style: 'num wide',
      down: true,
      by: ({ totalWeight }) => totalWeight,
      cell: ({ totalWeight }) => count(totalWeight),
    },
    {
      title: 'Can sign',
      name: 'active',
      style: 'num wide',
      by: ({ activeWeight, totalWeight }) => activeWeight / Math.max(1, totalWeight),
      cell: ({ activeWeight, totalWeight }) => share(activeWeight, totalWeight),
    },
    {
      title: 'Fee balance',
      name: 'balance',
      style: 'num',
      down: true,
      by: ({ totalBalance }) => Number(totalBalance),
      cell: ({ totalBalance }) => coins(totalBalance, 9, 'AVAX'),
    },
    {
      title: 'First runs dry',
      name: 'days',
      style: 'num',
      by: ({ daysLeft: days }) => days,
      cell: ({ daysLeft: days }) => daysPill(days),
    },
  ]
}

/** Messages of the latest day, of the chains that are indexed here. */
function messagesColumn(traffic: ReadonlyMap<string, number> | undefined): SortColumn<Funds> {
  const of = ({ subnetId }: Funds): number => traffic?.get(subnetId) ?? 0
  return {
    title: 'Messages, 24 h',
    name: 'messages',
    style: 'num wide',
    down: true,
    by: of,
    cell: (row) => (traffic === undefined ? '' : count(of(row))),
  }
}

/** Names of an L1's chains, which lead to its page; its id until they are known. */
function L1Name(props: {
  readonly network: string
  readonly base: string
  readonly subnetId: string
}): JSX.Element {
  const { network, base, subnetId } = props
  const answer = useAnswer<Subnet>(`${base}/subnets/${subnetId}`)
  const names = answer.data?.blockchains.map(({ blockchainName }) => visible(blockchainName)) ?? []
  const chainIds = answer.data?.blockchains.flatMap(({ evmChainId }) => evmChainId ?? []) ?? []
  const href = to('primary', network, 'subnet', subnetId)
  return h(
    'span',
    null,
    names.length === 0 ? null : h('a', { href }, `${names.slice(0, 3).join(', ')} `),
    h('small', null, idLink(href, subnetId, ends(subnetId, 6, 4))),
    chainIds.length === 0 ? null : h('small', { class: 'quiet' }, ` chain ${chainIds.join(', ')}`),
  )
}

function daysPill(days: number | undefined): View {
  if (days === undefined) return '–'
  const text = days < 1 ? '< 1 d' : `${count(Math.floor(days))} d`
  return days < fewDays ? pill(text, 'bad') : text
}

/** The seats of an L1: weights, balances, owners, and who can sign. */
export function Seats({
  network,
  subnetId,
}: {
  readonly network: string
  readonly subnetId: string
}): JSX.Element {
  const base = `/v1/networks/${encodeURIComponent(network)}`
  const query = { subnetId, pageSize: 100, includeInactiveL1Validators: 'true' }
  const seats = useWhole<SeatsPage>(withQuery(`${base}/l1Validators`, query), mostPages)
  const rate = useAnswer<{ feeRate: FeeRate }>(
    withQuery(`${base}/l1Validators:listFunds`, { subnetId, pageSize: 1 }),
  )
  const feePerDay = rate.data?.feeRate.perDay ?? '0'
  return h(
    'div',
    null,
    shown(seats, (pages) => {
      const all = pages.flatMap(({ validators }) => validators)
      const total = all.reduce((sum, { weight }) => sum + weight, 0)
      return [
        card('Seats in sum', sums(all, total, feePerDay)),
        card(
          'Seats',
          sortedTable({
            rows: all,
            columns: seatColumns(network, total, feePerDay),
            order: '-weight',
            csv: withQuery(`${base}/l1Validators`, { ...query, pageSize: '' }),
          }),
        ),
      ]
    }),
  )
}

/** One seat, by the id of its validation. */
export function ValidationPage({
  network,
  validationId,
}: {
  readonly network: string
  readonly validationId: string
}): JSX.Element {
  useTitle(`Validation ${ends(validationId)}`)
  const answer = useAnswer<SeatsPage>(
    withQuery(`/v1/networks/${encodeURIComponent(network)}/l1Validators`, {
      l1ValidationId: validationId,
      includeInactiveL1Validators: 'true',
    }),
  )
  return h(
    'div',
    { class: 'stack' },
    heading('L1 validation', h('span', { class: 'id' }, copied(validationId))),
    shown(answer, ({ validators: [seat] }) =>
      card('Seat', seat === undefined ? 'Nothing is known of it.' : seatFacts(network, seat)),
    ),
  )
}

function seatFacts(network: string, seat: L1Validator): JSX.Element {
  const { subnetId, nodeId, remainingBalanceOwner, deactivationOwner } = seat
  return facts([
    ['State', stateOf(seat)],
    ['L1', copied(subnetId, to('primary', network, 'subnet', subnetId))],
    ['Node', copied(nodeId, to('primary', network, 'node', nodeId))],
    ['Weight', count(seat.weight)],
    ['Balance', coins(String(seat.remainingBalance), 9, 'AVAX')],
    ['Created', when(seat.creationTimestamp)],
    ['BLS key', copied(seat.blsCredentials.publicKey)],
    [
      'Balance goes to',
      owners(network, remainingBalanceOwner.addresses, remainingBalanceOwner.threshold),
    ],
    ['May switch off', owners(network, deactivationOwner.addresses, deactivationOwner.threshold)],
  ])
}

function sums(all: readonly L1Validator[], total: number, feePerDay: string): JSX.Element {
  const active = all.filter(isActive)
  const weight = active.reduce((sum, one) => sum + one.weight, 0)
  const needed = fewestHolding(
    active.map((one) => one.weight),
    total,
    quorum,
  )
  const balance = active.reduce((sum, one) => sum + BigInt(one.remainingBalance), 0n)
  const left = active.map((one) => daysLeft(one.remainingBalance, feePerDay) ?? Infinity)
  const first = Math.min(...left)
  return facts([
    ['Active', `${count(active.length)} of ${count(all.length)}`],
    ['Weight that can sign', `${share(weight, total)} of ${count(total)}`],
    [
      `Hold ${quorum} %`,
      needed === undefined
        ? pill(`all active seats together hold less: nothing can be signed`, 'bad')
        : `${count(needed)} ${needed === 1 ? 'seat' : 'seats'}, the heaviest`,
    ],
    ['Fee balance', coins(String(balance), 9, 'AVAX')],
    ['Fee of a seat', feePerDay === '0' ? '' : `${amount(feePerDay, 9)} AVAX a day now`],
    ['First runs dry', Number.isFinite(first) ? h('span', null, 'in ', daysPill(first)) : ''],
  ])
}

function isActive({ remainingBalance, weight }: L1Validator): boolean {
  return remainingBalance > 0 && weight > 0
}

function stateOf(seat: L1Validator): JSX.Element {
  if (seat.weight === 0) return pill('removed')
  return isActive(seat) ? pill('active', 'good') : pill('inactive', 'bad')
}

function seatColumns(network: string, total: number, feePerDay: string): SortColumn<L1Validator>[] {
  return [
    {
      title: 'Node',
      cell: ({ nodeId, validationId }) =>
        h(
          'span',
          { title: `validation ${validationId}` },
          idLink(to('primary', network, 'node', nodeId), nodeId, ends(nodeId, 14, 6)),
        ),
    },
    { title: 'State', name: 'state', by: (one) => Number(isActive(one)), cell: stateOf },
    {
      title: 'Weight',
      name: 'weight',
      style: 'num',
      down: true,
      by: ({ weight }) => weight,
      cell: ({ weight }) =>
        h(
          'span',
          { title: count(weight) },
          `${brief(weight)} `,
          h('b', null, share(weight, total)),
        ),
    },
    {
      title: 'Balance',
      name: 'balance',
      style: 'num',
      by: ({ remainingBalance }) => remainingBalance,
      cell: ({ remainingBalance }) => coins(String(remainingBalance), 9, 'AVAX'),
    },
    {
      title: 'Days left',
      name: 'days',
      style: 'num',
      by: (one) => (isActive(one) ? daysLeft(one.remainingBalance, feePerDay) : undefined),
      cell: (one) => (isActive(one) ? daysPill(daysLeft(one.remainingBalance, feePerDay)) : '–'),
    },
    {
      title: 'Balance goes to',
      style: 'wide',
      cell: ({ remainingBalanceOwner: { addresses, threshold } }) =>
        owners(network, addresses, threshold),
    },
    {
      title: 'May switch off',
      style: 'wide',
      cell: ({ deactivationOwner: { addresses, threshold } }) =>
        owners(network, addresses, threshold),
    },
  ]
}
