/** Calls inside a transaction as a tree. A node traces it again, so they are asked for when wanted. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useAnswer } from '../kit/answer.ts'
import { clipped, count, visible } from '../kit/format.ts'
import { card, coins, shown, type View } from '../kit/parts.ts'
import type { Coin } from '../kit/world.ts'
import { party } from './evm-parts.ts'

/** A call of the operation `listTransactionCalls`. */
type Call = {
  readonly depth: number
  readonly callType: string
  readonly from: string
  readonly to?: string
  readonly value: string
  readonly gasUsed: string
  readonly methodHash?: string
  readonly methodName?: string
  readonly error?: string
  readonly isReverted: boolean
}

/** A transaction with calls, and the coin they move. */
export type CallsProps = {
  readonly chainId: string
  readonly txHash: string
  readonly coin: Coin
}

/** The card: a button, and the tree once it was pressed. */
export function Calls({ chainId, txHash, coin }: CallsProps): JSX.Element {
  const [isOpen, open] = useState(false)
  const path = `/v1/chains/${chainId}/transactions/${encodeURIComponent(txHash)}/calls`
  const answer = useAnswer<{ calls: Call[]; callCount: number }>(isOpen ? path : undefined)
  return card(
    'Internal calls',
    isOpen
      ? shown(answer, ({ calls, callCount }) => [
          h(
            'div',
            { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'tree of calls' },
            branch(calls, 0, (call) => line(chainId, call, coin)),
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

function line(chainId: string, call: Call, { symbol, decimals }: Coin): JSX.Element {
  const { callType, to, methodName, methodHash, value, gasUsed, error, isReverted } = call
  const method = methodName?.replace(/\(.*/, '') ?? methodHash ?? ''
  return h(
    'div',
    null,
    h('code', { class: isReverted ? 'undone' : '' }, callType.toLowerCase()),
    ' ',
    to === undefined ? null : party(chainId, { address: to }),
    ' ',
    method === ''
      ? null
      : h('span', { class: 'method', title: visible(methodName ?? method) }, clipped(method)),
    value === '0' ? null : [' ', coins(value, decimals, symbol)],
    h('span', { class: 'quiet' }, ` ${count(gasUsed)} gas`),
    error === undefined ? null : h('span', { class: 'failed' }, ` ${visible(error)}`),
  )
}
