/** L1s: a directory of all, and the validators of one. */

import { h, type JSX } from 'preact'

import type { L1Validator } from '../../../shape/primary/validator.ts'
import { useTraffic } from '../icm/message-routes.ts'
import { useAnswer, useWhole } from '../kit/answer.ts'
import { urlOf, type AnswerAt } from '../kit/contract.ts'
import { amount, brief, count, counted, ends, share, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import {
  card,
  coins,
  copied,
  facts,
  figures,
  heading,
  idLink,
  pill,
  shown,
  when,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { sortedTable, type SortColumn } from '../kit/sorted-table.ts'
import { chainsOfSubnet, type World } from '../kit/world.ts'
import { BalanceHistory } from './l1-balance.ts'
import { nodeLink, owners, shortAvax, subnetLink } from './primary-parts.ts'
import { daysLeft, fewestHolding } from './stake.ts'

// Pages of 100: more than any network has, and an end for one that is out of hand.
const mostPages = 20

/** Validators whose balance lasts shorter are marked. */
const fewDays = 30

/** Quorum of signatures that AvalancheGo demands of an L1, percent of the weight. */
const quorum = 67

/** All L1s of a network. */
export function L1sPage({ network }: { readonly network: string }): JSX.Element {
  useTitle('L1s')
  const answer = useWhole(
    urlOf('/v1/networks/{network}/subnets:listFunds', { network, pageSize: 100 }),
    mostPages,
  )
  const traffic = useTraffic(network)
  return h('div', { class: 'stack' }, [
    heading('Chains with their own validators', 'L1s'),
    l1Figures(answer.data ?? []),
    card(
      '',
      shown(answer, (pages) =>
        sortedTable({
          rows: pages.flatMap(({ subnets }) => subnets),
          columns: [...directory(network), messagesColumn(traffic)],
          order: 'days',
          csv: urlOf('/v1/networks/{network}/subnets:listFunds', { network }),
        }),
      ),
    ),
  ])
}

/** All L1s in sum, and what a validator of one pays. */
function l1Figures(pages: readonly FundsPage[]): View {
  const rate = pages[0]?.feeRate
  if (rate === undefined) return null
  const all = pages.flatMap(({ subnets }) => subnets)
  const balance = all.reduce((sum, { totalBalance }) => sum + BigInt(totalBalance), 0n)
  const few = all.filter(({ daysLeft: days = Infinity }) => days < fewDays).length
  const above = `the fee rises above ${count(rate.target)}`
  return figures([
    ['L1s', count(all.length)],
    ['Active validators', h('span', { title: above }, count(rate.activeValidators))],
    ['Balance of all', shortAvax(balance)],
    ['Fee of a validator, a day', [`${amount(rate.perDay, 9)} `, h('small', null, 'AVAX')]],
    [`L1s that run out in ${fewDays} days`, few === 0 ? '0' : pill(count(few), 'bad')],
  ])
}

function directory(network: string): SortColumn<Funds>[] {
  return [
    { title: 'L1', cell: ({ subnetId }) => h(L1Name, { key: subnetId, network, subnetId }) },
    {
      title: 'Active validators',
      name: 'validators',
      style: 'num',
      down: true,
      by: ({ activeValidatorCount }) => activeValidatorCount,
      cell: ({ activeValidatorCount: active, validatorCount }) =>
        `${count(active)} of ${count(validatorCount)}`,
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
      title: 'Active weight',
      name: 'active',
      style: 'num wide',
      by: ({ activeWeight, totalWeight }) => activeWeight / Math.max(1, totalWeight),
      cell: ({ activeWeight, totalWeight }) => share(activeWeight, totalWeight),
    },
    {
      title: 'Balance',
      name: 'balance',
      style: 'num',
      down: true,
      by: ({ totalBalance }) => Number(totalBalance),
      cell: ({ totalBalance }) => coins(totalBalance, 9, 'AVAX'),
    },
    {
      title: 'First runs out in',
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
    title: 'Messages, last 24 h',
    name: 'messages',
    style: 'num wide',
    down: true,
    by: of,
    cell: (row) => (traffic === undefined ? '' : count(of(row))),
  }
}

/** Names of an L1's chains, which lead to its page; its id until they are known. */
function L1Name(props: Record<'network' | 'subnetId', string>): JSX.Element {
  const { network, subnetId } = props
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/subnets/{subnetId}', { network, subnetId }),
  )
  const names = answer.data?.blockchains.map(({ blockchainName }) => visible(blockchainName)) ?? []
  const chainIds = answer.data?.blockchains.flatMap(({ evmChainId }) => evmChainId ?? []) ?? []
  const href = to('primary', network, 'subnet', subnetId)
  return h('span', null, [
    names.length === 0 ? null : h('a', { href }, `${names.slice(0, 3).join(', ')} `),
    h('small', null, idLink(href, subnetId, ends(subnetId, 6, 4))),
    chainIds.length === 0 ? null : h('small', { class: 'quiet' }, ` chain ${chainIds.join(', ')}`),
  ])
}

function daysPill(days: number | undefined): View {
  if (days === undefined) return '–'
  const text = days < 1 ? '< 1 d' : `${count(Math.floor(days))} d`
  return days < fewDays ? pill(text, 'bad') : text
}

/** The validators of an L1: weights, balances, owners, and who can sign. */
export function L1Validators(props: Record<'network' | 'subnetId', string>): JSX.Element {
  const { network, subnetId } = props
  const query = { subnetId, pageSize: 100, includeInactiveL1Validators: 'true' }
  const validators = useWhole(
    urlOf('/v1/networks/{network}/l1Validators', { network, ...query }),
    mostPages,
  )
  const rate = useAnswer(
    urlOf('/v1/networks/{network}/l1Validators:listFunds', { network, subnetId, pageSize: 1 }),
  )
  const feePerDay = rate.data?.feeRate.perDay ?? '0'
  return h('div', null, [
    shown(validators, (pages) => {
      const all = pages.flatMap(({ validators }) => validators)
      const total = all.reduce((sum, { weight }) => sum + weight, 0)
      return [
        card('Summary', sums(all, total, feePerDay)),
        card(
          'Validators',
          sortedTable({
            rows: all,
            columns: validatorColumns(network, total, feePerDay),
            order: '-weight',
            csv: urlOf('/v1/networks/{network}/l1Validators', { network, ...query, pageSize: '' }),
          }),
        ),
      ]
    }),
  ])
}

/** One validator, by the id of its validation. */
export function ValidationPage({
  world,
  network,
  validationId,
}: {
  readonly world: World
  readonly network: string
  readonly validationId: string
}): JSX.Element {
  useTitle(`Validation ${ends(validationId)}`)
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/l1Validators', {
      network,
      l1ValidationId: validationId,
      includeInactiveL1Validators: 'true',
    }),
  )
  const subnetId = answer.data?.validators[0]?.subnetId
  return h('div', { class: 'stack' }, [
    heading(
      subnetId === undefined
        ? 'L1 validator'
        : ['Validator of ', subnetLink(network, subnetId, chainsOfSubnet(world, subnetId))],
      h('span', { class: 'id' }, copied(validationId)),
    ),
    shown(answer, ({ validators: [validator] }) =>
      validator === undefined
        ? card('Validator', 'No such validator.')
        : [
            card('Validator', validatorFacts(network, validator)),
            h(BalanceHistory, { network, validator, key: validationId }),
          ],
    ),
  ])
}

function validatorFacts(network: string, validator: L1Validator): JSX.Element {
  const { subnetId, nodeId, remainingBalanceOwner, deactivationOwner } = validator
  return facts([
    ['State', stateOf(validator)],
    ['L1', h(L1Name, { network, subnetId })],
    ['Node', copied(nodeId, to('primary', network, 'node', nodeId))],
    ['Weight', count(validator.weight)],
    [
      'Balance',
      h('span', null, [
        coins(String(validator.remainingBalance), 9, 'AVAX'),
        isActive(validator) && h(DaysLeft, { network, validator }),
      ]),
    ],
    ['Created', when(validator.creationTimestamp)],
    ['BLS public key', copied(validator.blsCredentials.publicKey)],
    [
      'Balance owner',
      owners(network, remainingBalanceOwner.addresses, remainingBalanceOwner.threshold),
    ],
    ['Disable owner', owners(network, deactivationOwner.addresses, deactivationOwner.threshold)],
  ])
}

/** How long its balance lasts at the present fee. */
function DaysLeft({
  network,
  validator: { subnetId, remainingBalance },
}: {
  readonly network: string
  readonly validator: L1Validator
}): JSX.Element {
  const query = { network, subnetId, pageSize: 1 }
  const { data } = useAnswer(urlOf('/v1/networks/{network}/l1Validators:listFunds', query))
  return h('span', null, [
    data !== undefined && [' · lasts ', daysPill(daysLeft(remainingBalance, data.feeRate.perDay))],
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
    ['Active weight', `${share(weight, total)} of ${count(total)}`],
    [
      `Quorum of ${quorum} %`,
      needed === undefined
        ? pill('not reached: nothing can be signed', 'bad')
        : counted(needed, 'validator'),
    ],
    ['Total balance', coins(String(balance), 9, 'AVAX')],
    ['Fee per validator', feePerDay === '0' ? '' : `${amount(feePerDay, 9)} AVAX per day`],
    ['First runs out', Number.isFinite(first) ? h('span', null, 'in ', daysPill(first)) : ''],
  ])
}

function isActive({ remainingBalance, weight }: L1Validator): boolean {
  return remainingBalance > 0 && weight > 0
}

function stateOf(validator: L1Validator): JSX.Element {
  if (validator.weight === 0) return pill('removed')
  return isActive(validator) ? pill('active', 'good') : pill('inactive', 'bad')
}

function validatorColumns(
  network: string,
  total: number,
  feePerDay: string,
): SortColumn<L1Validator>[] {
  return [
    {
      title: 'Node',
      cell: ({ nodeId, validationId }) =>
        h('span', { title: `validation ${validationId}` }, nodeLink(network, nodeId)),
    },
    { title: 'State', name: 'state', by: (one) => Number(isActive(one)), cell: stateOf },
    {
      title: 'Weight',
      name: 'weight',
      style: 'num',
      down: true,
      by: ({ weight }) => weight,
      cell: ({ weight }) =>
        h('span', { title: count(weight) }, [
          `${brief(weight)} `,
          h('b', null, share(weight, total)),
        ]),
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
      title: 'Balance owner',
      style: 'wide',
      cell: ({ remainingBalanceOwner: { addresses, threshold } }) =>
        owners(network, addresses, threshold),
    },
    {
      title: 'Disable owner',
      style: 'wide',
      cell: ({ deactivationOwner: { addresses, threshold } }) =>
        owners(network, addresses, threshold),
    },
  ]
}

/** A page of `subnets:listFunds`; amounts are nAVAX. */
export type FundsPage = AnswerAt<'/v1/networks/{network}/subnets:listFunds'>

/** The present fee; the same on every page. */
export type FeeRate = FundsPage['feeRate']

/** An L1 in sum; `daysLeft` is that of its first active validator to run out. */
export type Funds = FundsPage['subnets'][number]
