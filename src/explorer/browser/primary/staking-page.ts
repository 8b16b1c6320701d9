/** Staking: stake over time, when it ends, how it is distributed, and what a stake would earn. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Validator } from '../../../shape/primary/validator.ts'
import { useAnswer, useWhole } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf, type AnswerAt } from '../kit/contract.ts'
import { count, share } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { AvaxSeries } from '../kit/metric-chart.ts'
import { card, exactCoins, facts, heading, select, shown, table, type View } from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { pace } from '../kit/world.ts'
import { NetworkFigures } from './network-figures.ts'
import { nodeLink } from './primary-parts.ts'
import { afterFee, endsPerWeek, fewestHolding, minRates, navax, rewardOf } from './stake.ts'

type Details = AnswerAt<'/v1/networks/{network}'>

// Pages of 100: three times what mainnet has.
const mostPages = 50

/** The page. */
export function StakingPage({ network }: { readonly network: string }): JSX.Element {
  useTitle(`Staking on ${network}`)
  const details = useAnswer(urlOf('/v1/networks/{network}', { network }), ...pace())
  const running = useWhole(
    urlOf('/v1/networks/{network}/validators', {
      network,
      validationStatus: 'active',
      pageSize: 100,
    }),
    mostPages,
  )
  return h('div', { class: 'stack' }, [
    heading(
      'Primary network',
      'Staking',
      h('a', { class: 'button', href: to('primary', network) }, 'All validators'),
    ),
    h(NetworkFigures, { network }),
    h('div', { class: 'grid two' }, [
      h(AvaxSeries, {
        path: urlOf('/v2/networks/{network}/metrics/{metric}', {
          network,
          metric: 'validatorWeight',
          pageSize: 365,
        }),
        title: 'Validator stake, AVAX',
      }),
      h(AvaxSeries, {
        path: urlOf('/v2/networks/{network}/metrics/{metric}', {
          network,
          metric: 'delegatorWeight',
          pageSize: 365,
        }),
        title: 'Delegated, AVAX',
      }),
    ]),
    h('div', { class: 'grid two top-aligned' }, [
      h('div', { class: 'stack' }, [
        card(
          'Staking calculator',
          shown(details, (data) => h(Calculator, { details: data })),
        ),
        card(
          'Versions of AvalancheGo',
          shown(details, (data) => versions(data)),
        ),
        shown(running, (pages) => ends(allOf(pages))),
      ]),
      shown(running, (pages) => distribution(network, allOf(pages))),
    ]),
  ])
}

/** Stake by the versions that nodes run, which the own node tells of its peers. */
function versions({ validatorDetails }: Details): JSX.Element {
  const rows = validatorDetails.stakingDistributionByVersion
  const total = rows.reduce((sum, one) => sum + Number(one.amountStaked), 0)
  return table(
    [['Version'], ['Nodes', 'num'], ['Stake, AVAX', 'num'], ['Share', 'num']],
    rows.map((one) => [
      one.version === 'unknown' ? 'not known' : one.version,
      count(one.validatorCount),
      count(Math.round(Number(one.amountStaked) / navax)),
      share(Number(one.amountStaked), total),
    ]),
  )
}

function allOf(pages: readonly { readonly validators: readonly Validator[] }[]): Validator[] {
  return pages.flatMap(({ validators }) => validators)
}

/** Stake by the week in which it ends. */
function ends(all: readonly Validator[]): View {
  const title = 'Stake ending per week, AVAX'
  const points = endsPerWeek(all)
  return card(title, h(Chart, { points, label: title, height: 240, bars: true, hours: false }))
}

/** Numbers of nodes that hold parts of the stake, and the greatest nodes. */
function distribution(network: string, all: readonly Validator[]): View {
  const stakes = all.map((one) => Number(one.amountStaked) + Number(one.amountDelegated ?? 0))
  const total = stakes.reduce((sum, one) => sum + one, 0)
  const held = (part: number): string => {
    const nodes = fewestHolding(stakes, total, part)
    return nodes === undefined ? '–' : `${count(nodes)} of ${count(all.length)} nodes`
  }
  const greatest = all
    .map((one, at) => ({ one, stake: stakes[at] ?? 0 }))
    .toSorted((a, b) => b.stake - a.stake)
    .slice(0, 10)
  return card(
    'Distribution',
    h('div', null, [
      facts([
        ['Nakamoto coefficient (1/3 of the stake)', held(34)],
        ['Nodes that hold 1/2', held(51)],
        ['Nodes that hold 2/3', held(67)],
      ]),
      table(
        [['Largest validators'], ['Stake, AVAX', 'num'], ['Share', 'num']],
        greatest.map(({ one, stake }) => [
          nodeLink(network, one.nodeId),
          count(Math.round(stake / navax)),
          share(stake, total),
        ]),
      ),
    ]),
  )
}

/** A form that computes as the chain does; nothing is requested. */
function Calculator({ details }: { readonly details: Details }): JSX.Element {
  const [plan, setPlan] = useState({ avax: '2000', days: '365', fee: '0', rate: 'before' })
  const field = (name: keyof typeof plan, label: string, more: object): JSX.Element =>
    h('label', { class: 'field' }, [
      label,
      h('input', {
        type: 'number',
        value: plan[name],
        onInput: (event: Event) =>
          event.currentTarget instanceof HTMLInputElement &&
          setPlan({ ...plan, [name]: event.currentTarget.value }),
        ...more,
      }),
    ])
  const gross = rewardOf({
    amount: BigInt(Math.max(0, Math.round(Number(plan.avax) * navax)) || 0),
    seconds: BigInt(Math.max(0, Math.round(Number(plan.days) * 86_400)) || 0),
    supply: BigInt(details.currentSupply),
    minRate: plan.rate === 'after' ? minRates.after : minRates.before,
  })
  const net = afterFee(gross, BigInt(Math.round((Number(plan.fee) || 0) * 10_000)))
  const yearly = (Number(net) / navax / (Number(plan.avax) || 1)) * (365 / (Number(plan.days) || 1))
  return h('form', { class: 'calculator', onSubmit: (event: Event) => event.preventDefault() }, [
    field('avax', 'Stake, AVAX', { min: 1, max: 3_000_000, step: 'any' }),
    field('days', 'Days', { min: 1, max: 365, step: 1 }),
    field('fee', 'Delegation fee, %', { min: 0, max: 100, step: 'any' }),
    h('label', { class: 'field' }, [
      'Minimum rate',
      select(
        {},
        [
          ['before', '10 %, before Helicon'],
          ['after', '7.5 %, 90 days after Helicon'],
        ],
        { chosen: plan.rate, change: (rate) => setPlan({ ...plan, rate }) },
      ),
    ]),
    h('output', null, [
      h('span', { class: 'big small' }, exactCoins(String(net), 9, 'AVAX')),
      h('p', { class: 'quiet' }, `APR ${share(yearly, 1)}, if the validator stays up.`),
    ]),
  ])
}
