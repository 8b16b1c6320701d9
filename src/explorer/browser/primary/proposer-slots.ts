/** Slots in which a node was due to propose, beside the whole network: sums by chain, and the list. */

import { h, type JSX } from 'preact'

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { type Answer, useAnswer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { type AnswerAt, urlOf } from '../kit/contract.ts'
import { count, share, words } from '../kit/format.ts'
import { paged } from '../kit/paged.ts'
import { age, card, pill, rowTable, segments, shown, table, type View } from '../kit/parts.ts'
import { query } from '../kit/place.ts'
import { pace } from '../kit/world.ts'
import { blockLink, chainLabel, type ChainName, chains } from './primary-parts.ts'

type Node = { readonly network: string; readonly nodeId: string }
type Sums =
  AnswerAt<'/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/slots:listDays'>

/** Newest days of the chart. */
const daysShown = 90

const outcomes = ['proposed', 'missed', 'unclear', 'idle'] as const
const moods = { proposed: 'good', missed: 'bad', unclear: '', idle: '' } as const

/** The card; says so where no block names who signed it. */
export function ProposerSlots({ network, nodeId }: Node): JSX.Element {
  const chosen = chains.find((name) => name === query().get('slots')) ?? 'p-chain'
  const outcome = outcomes.find((name) => name === query().get('outcome'))
  const sums = chains.map((chain) => [chain, useSums({ network, nodeId }, chain)] as const)
  const isEmpty = sums.every(([, { data }]) => data?.total.due === 0)
  return card(
    'Slots to propose a block',
    isEmpty
      ? h('p', { class: 'empty' }, 'None: it was never due, or blocks do not name who signed them.')
      : h('div', null, [
          sumTable(sums),
          h('p', { class: 'quiet' }, [
            'A slot that passed says little: without transactions no block is wanted. Missed are slots in which one ',
            'surely was. Below each: the share of all nodes on the same days.',
          ]),
          h('div', { class: 'controls' }, [
            segments(
              'slots',
              'chain of the slots',
              chains.map((name) => [name, chainLabel(name)] as const),
            ),
            segments('outcome', 'outcome of the slots', [
              ['', 'All'],
              ...outcomes.map((name) => [name, words(name)] as const),
            ]),
          ]),
          sums.map(([chain, answer]) => (chain === chosen ? dayChart(answer) : null)),
          slotList({ network, nodeId }, chosen, outcome),
        ]),
  )
}

function useSums(node: Node, blockchainId: ChainName): Answer<Sums> {
  const path = '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/slots:listDays'
  return useAnswer(urlOf(path, { ...node, blockchainId, pageSize: daysShown }), ...pace())
}

/** Slots by day: those that it proposed beside all that were due. */
function dayChart({ data }: Answer<Sums>): JSX.Element | null {
  if (data === undefined || data.days.length < 2) return null
  const days = data.days.toReversed()
  const pointsOf = (name: 'due' | 'proposed'): MetricPoint[] =>
    days.map(({ timestamp, [name]: value }) => ({ timestamp, value }))
  return h(Chart, {
    points: pointsOf('proposed'),
    label: 'Slots by day',
    height: 160,
    bars: true,
    hours: false,
    other: { labels: ['Proposed', 'Due'], points: pointsOf('due') },
  })
}

function sumTable(sums: readonly (readonly [ChainName, Answer<Sums>])[]): JSX.Element {
  const row = (chain: ChainName, { total, networkTotal }: Sums): View[] => {
    const beside = (name: 'proposed' | 'passed' | 'idle' | 'missed' | 'unclear'): View => {
      if (total.due === 0) return '–'
      const whole = share(networkTotal[name], networkTotal.due)
      return [
        total[name] === 0 ? '0' : `${count(total[name])} · ${share(total[name], total.due)}`,
        h('div', { class: 'quiet' }, `all nodes ${whole}`),
      ]
    }
    return [
      chainLabel(chain),
      count(total.due),
      beside('proposed'),
      beside('passed'),
      beside('missed'),
      beside('unclear'),
      beside('idle'),
    ]
  }
  return table(
    [
      ['Chain'],
      ['Due', 'num'],
      ['Proposed', 'num'],
      ['Passed', 'num'],
      ['Missed', 'num'],
      ['Unclear', 'num wide'],
      ['Idle', 'num wide'],
    ],
    sums.map(([chain, answer]) =>
      answer.data === undefined
        ? [chainLabel(chain), shown(answer, () => null)]
        : row(chain, answer.data),
    ),
  )
}

function slotList(node: Node, blockchainId: ChainName, outcome: string | undefined): JSX.Element {
  const path = '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/slots'
  return paged({
    path: urlOf(path, { ...node, blockchainId }),
    query: outcome === undefined ? { pageSize: 10 } : { pageSize: 10, outcome },
    view: ({ slots }) =>
      rowTable(slots, [
        ['Outcome', '', (one) => pill(one.outcome, moods[one.outcome])],
        ['Block', '', ({ blockNumber }) => blockLink(node.network, blockchainId, blockNumber)],
        ['Slot', 'num', ({ slot }) => (slot === undefined ? '' : count(slot))],
        ['Time', 'num', ({ timestamp }) => age(timestamp)],
      ]),
  })
}
