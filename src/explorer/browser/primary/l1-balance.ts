/** The balance of an L1 validator from its first day on, with its top-ups, and the history of its weight. */

import { h, type JSX } from 'preact'

import type { L1Validator } from '../../../shape/primary/validator.ts'
import { useWhole } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { type AnswerAt, type Url, urlOf } from '../kit/contract.ts'
import { count } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { CsvLink } from '../kit/paged.ts'
import { age, card, coins, idLink, shown, table, type View } from '../kit/parts.ts'
import { now } from '../kit/world.ts'

type Changes = AnswerAt<'/v1/networks/{network}/l1Validators/{l1ValidationId}/changes'>
type Change = Changes['changes'][number]

// Pages of 100: more than any validation has by far.
const mostPages = 10

/** The chart and the list of changes. */
export function BalanceHistory({
  network,
  validator,
}: {
  readonly network: string
  readonly validator: L1Validator
}): JSX.Element {
  const path = (pageSize: number | ''): Url<Changes> =>
    urlOf('/v1/networks/{network}/l1Validators/{l1ValidationId}/changes', {
      network,
      l1ValidationId: validator.validationId,
      pageSize,
    })
  const answer = useWhole(path(100), mostPages)
  return h('div', { class: 'stack' }, [
    shown(answer, (pages) => {
      const changes = pages.flatMap((page) => page.changes)
      const isWhole = pages.at(-1)?.nextPageToken === undefined
      return [
        changes.length > 0 &&
          card('Balance over time, AVAX', [
            h(Chart, {
              points: pointsOf(changes, validator.remainingBalance),
              label: 'Balance',
              height: 200,
              bars: false,
              hours: isShort(changes),
            }),
            h('p', { class: 'quiet' }, [
              isWhole ? '' : `The latest ${count(changes.length)} changes; there are more. `,
              'Exact where something was paid in or out; between, the fee of each second is paid.',
            ]),
          ]),
        card('Top-ups and weight', [
          changeTable(network, changes),
          h('div', { class: 'below' }, h(CsvLink, { path: path(''), name: 'changes' })),
        ]),
      ]
    }),
  ])
}

/** Returns whether it is a matter of days: moments then have hours. */
function isShort(changes: readonly Change[]): boolean {
  return now() / 1_000 - (changes.at(-1)?.timestamp ?? 0) < 5 * 86_400
}

/** The balance right before and after each change, oldest first, and now. */
function pointsOf(
  changes: readonly Change[],
  present: number,
): { readonly timestamp: number; readonly value: number }[] {
  const points = changes.toReversed().flatMap((one, at) => {
    const after = BigInt(one.remainingBalance)
    const before = after - BigInt(one.balanceAdded) + BigInt(one.balanceReturned)
    const timestamp = one.timestamp
    const point = { timestamp, value: Number(after) / 1e9 }
    // A moment has one point: that of before is a second earlier.
    return at === 0 || before === after
      ? [point]
      : [{ timestamp: timestamp - 1, value: Number(before) / 1e9 }, point]
  })
  const last = Math.floor(now() / 1_000)
  return last > (points.at(-1)?.timestamp ?? 0)
    ? [...points, { timestamp: last, value: present / 1e9 }]
    : points
}

function changeTable(network: string, changes: readonly Change[]): JSX.Element {
  return table(
    [
      ['What'],
      ['Time'],
      ['Transaction'],
      ['Weight', 'num'],
      ['Paid in or out', 'num'],
      ['Balance after', 'num'],
    ],
    changes.map((one, at) => [
      whatOf(one, changes[at + 1]),
      age(one.timestamp),
      one.txHash === undefined
        ? 'none'
        : idLink(to('primary', network, 'tx', 'p-chain', one.txHash), one.txHash),
      count(one.weight),
      moved(one),
      coins(one.remainingBalance, 9, 'AVAX'),
    ]),
  )
}

/** The kind of a change, seen from the one `before` it. */
function whatOf(one: Change, before: Change | undefined): string {
  if (before === undefined) return 'created'
  if (one.weight === 0) return 'removed'
  if (one.weight !== before.weight) return `weight ${count(before.weight)} → ${count(one.weight)}`
  if (one.balanceAdded !== '0') return before.isActive ? 'topped up' : 'topped up, active again'
  return one.txHash === undefined ? 'balance used up' : 'disabled'
}

function moved({ balanceAdded, balanceReturned }: Change): View {
  if (balanceAdded !== '0') return ['+', coins(balanceAdded, 9, 'AVAX')]
  return balanceReturned === '0' ? '' : ['−', coins(balanceReturned, 9, 'AVAX')]
}
