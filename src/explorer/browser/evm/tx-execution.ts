/**
 * How a transaction was executed: its calls as a tree, and its event logs. A node or a recording
 * gives both, so they are read when wanted.
 */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Decoded } from '../../../shape/evm/log.ts'
import { valueView } from '../contract/decoded-values.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf, type AnswerAt } from '../kit/contract.ts'
import { clipped, count, ends, visible } from '../kit/format.ts'
import { card, coins, shown, table, type View } from '../kit/parts.ts'
import type { Coin } from '../kit/world.ts'
import { addressLink } from './evm-parts.ts'

/** A call of the operation `listTransactionCalls`. */
type Call = AnswerAt<'/v1/chains/{chainId}/transactions/{txHash}/calls'>['calls'][number]

/** A transaction, and the coin of its chain. */
export type ExecutionProps = {
  readonly chainId: string
  readonly txHash: string
  readonly coin: Coin
}

/** The card: a button, and the tree once it was pressed. */
export function Calls({ chainId, txHash, coin }: ExecutionProps): JSX.Element {
  const [isOpen, open] = useState(false)
  const url = urlOf('/v1/chains/{chainId}/transactions/{txHash}/calls', { chainId, txHash })
  const answer = useAnswer(isOpen ? url : undefined)
  return card(
    'Internal calls',
    isOpen
      ? shown(answer, ({ calls, callCount }) => [
          h(
            'div',
            { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'tree of calls' },
            branch(calls, 0, (call) => [
              callLine(chainId, call, coin),
              argumentLines(chainId, call.decodedInput?.parameters ?? []),
              call.input === undefined ? null : raw([call.input]),
            ]),
          ),
          callCount > calls.length
            ? h('p', { class: 'quiet' }, `The first ${calls.length} of ${count(callCount)}.`)
            : null,
        ])
      : h('button', { type: 'button', onClick: () => open(true) }, 'Show internal calls'),
  )
}

/** The calls that begin at `at`, of one caller, with those inside each. */
function branch(calls: readonly Call[], at: number, view: (call: Call) => View): JSX.Element {
  const depth = calls[at]?.depth ?? 0
  const items: JSX.Element[] = []
  for (let next = at; next < calls.length; next++) {
    const call = calls[next]
    if (call === undefined || call.depth < depth) break
    if (call.depth > depth) continue
    const hasInner = (calls[next + 1]?.depth ?? 0) > depth
    items.push(h('li', null, view(call), hasInner ? branch(calls, next + 1, view) : null))
  }
  return h('ul', { class: 'calls' }, items)
}

function callLine(chainId: string, call: Call, { symbol, decimals }: Coin): JSX.Element {
  const {
    callType,
    to,
    toLabel: label,
    methodName,
    methodHash,
    value,
    gasUsed,
    error,
    isReverted,
  } = call
  const method = methodName?.replace(/\(.*/, '') ?? methodHash ?? ''
  return h('div', null, [
    h('code', { class: isReverted ? 'undone' : '' }, callType.toLowerCase()),
    ' ',
    to === undefined ? null : addressLink(chainId, { address: to, label }),
    ' ',
    method === ''
      ? null
      : h('span', { class: 'method', title: visible(methodName ?? method) }, clipped(method)),
    value === '0' ? null : [' ', coins(value, decimals, symbol)],
    h('span', { class: 'quiet' }, ` ${count(gasUsed)} gas`),
    error === undefined ? null : h('span', { class: 'failed' }, ` ${visible(error)}`),
  ])
}

/** A log as the API gives it. */
export type Log = AnswerAt<'/v1/chains/{chainId}/transactions/{txHash}/logs'>['logs'][number]

/** The card with the logs, which a receipt has. */
export function Logs({ chainId, txHash }: ExecutionProps): JSX.Element {
  const url = urlOf('/v1/chains/{chainId}/transactions/{txHash}/logs', { chainId, txHash })
  const answer = useAnswer(url)
  return card(
    'Event logs',
    shown(answer, ({ logs }) =>
      logs.length === 0
        ? h('p', { class: 'quiet' }, 'No events were emitted.')
        : table(
            [['Index', 'num'], ['Address'], ['Event'], ['Parameters', 'whole']],
            logs.map((log) => [
              String(log.logIndex),
              addressLink(chainId, log),
              ...eventCells(chainId, log),
            ]),
          ),
    ),
  )
}

/** Cells of an event and its arguments; topics and data where no ABI fits. */
export function eventCells(chainId: string, log: Log): View[] {
  const event = log.decoded
  if (event === undefined)
    return [
      h('code', { title: log.topics[0] ?? '' }, (log.topics[0] ?? 'anonymous').slice(0, 10)),
      h(
        'div',
        null,
        [...log.topics.slice(1), log.data].map((value) => line(bytes(value))),
      ),
    ]
  return [
    h('div', null, [
      h('code', { title: event.signature }, event.signature.replace(/\(.*/, '')),
      raw([...log.topics, log.data]),
    ]),
    h('div', null, argumentLines(chainId, event.parameters)),
  ]
}

/** Arguments one a line. */
function argumentLines(chainId: string, values: Decoded['parameters']): JSX.Element[] {
  return values.map((each) =>
    line([
      each.name === '' ? null : h('span', { class: 'quiet' }, `${visible(each.name)}: `),
      valueView(chainId, each),
    ]),
  )
}

function raw(values: readonly string[]): JSX.Element {
  return h('details', null, [h('summary', null, 'Raw'), values.map((value) => line(bytes(value)))])
}

function line(value: View): JSX.Element {
  return h('div', null, value)
}

function bytes(value: string): JSX.Element {
  return h('span', { class: 'id', title: value }, value.length > 90 ? ends(value, 66, 8) : value)
}
