/** Who sent the most transactions of a day, week or month, and who was called by the most. */

import { h, type JSX } from 'preact'

import { type AnswerAt, urlOf } from '../kit/contract.ts'
import { count, day, share } from '../kit/format.ts'
import { paged } from '../kit/paged.ts'
import { bar, segments, table, type View } from '../kit/parts.ts'
import { query, withParams } from '../kit/place.ts'
import { addressLink } from './evm-parts.ts'

type Active = AnswerAt<'/v1/chains/{chainId}/activeSenders'>

/** The lists; which one, its period and its order are in the address. */
export function ActiveList({ chainId }: { readonly chainId: string }): JSX.Element {
  const params = query()
  const timeInterval = params.get('period') ?? 'day'
  const sortBy = params.get('by') ?? 'transactions'
  const path =
    params.get('who') === 'contracts'
      ? '/v1/chains/{chainId}/calledContracts'
      : '/v1/chains/{chainId}/activeSenders'
  return h('div', null, [
    h('div', { class: 'controls filters' }, [
      segments('who', 'who', [
        ['senders', 'Senders'],
        ['contracts', 'Called contracts'],
      ]),
      segments('by', 'order', [
        ['transactions', 'Most transactions'],
        ['gasUsed', 'Most gas'],
      ]),
      segments('period', 'period', [
        ['day', 'Day'],
        ['week', 'Week'],
        ['month', 'Month'],
      ]),
    ]),
    paged({
      path: urlOf(path, { chainId }),
      query: { timeInterval, sortBy, timestamp: params.get('at') ?? '' },
      view: (page) => [period(page), rows(chainId, sortBy, page)],
    }),
  ])
}

/** The period, its sums, and the one before and after it. */
function period(page: Active): View {
  const { startTimestamp: start, endTimestamp: end, isComplete, countedUntilBlock } = page
  const days = (end - start) / 86_400
  const dates = days === 1 ? day(start) : `${day(start)} to ${day(end - 1)}`
  const step = (at: number, text: string): JSX.Element =>
    h('a', { href: withParams({ at: String(at), page: '' }) }, text)
  return [
    h('p', { class: 'quiet' }, [
      `${dates} (UTC): ${count(page.addressCount)} addresses, ${count(page.transactionCount)} transactions`,
      isComplete ? '' : `, counted up to block ${count(Math.max(0, countedUntilBlock))}`,
    ]),
    h('nav', { class: 'steps', 'aria-label': 'periods' }, [
      step(start - 1, '← Period before'),
      isComplete && step(end, 'Period after →'),
    ]),
  ]
}

function rows(chainId: string, sortBy: string, page: Active): View {
  const isByGas = sortBy === 'gasUsed'
  return table(
    [['Address'], ['Transactions', 'num'], ['Gas used', 'num wide'], ['Share', 'num']],
    page.addresses.map((of) => {
      const part = isByGas ? of.gasUsed : of.transactionCount
      const all = isByGas ? page.gasUsed : page.transactionCount
      return [
        addressLink(chainId, of),
        count(of.transactionCount),
        count(of.gasUsed),
        h('span', { class: 'share' }, [bar(part, all), share(part, all)]),
      ]
    }),
  )
}
