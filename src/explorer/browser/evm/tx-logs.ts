/** Logs of a transaction. They are not stored: a node or a recording tells them, when asked. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Decoded } from '../../../shape/evm/log.ts'
import type { Party } from '../../../shape/evm/token.ts'
import { useAnswer } from '../kit/answer.ts'
import { ends, visible } from '../kit/format.ts'
import { card, shown, table, type View } from '../kit/parts.ts'
import { valueView } from './decoded-values.ts'
import { party } from './evm-parts.ts'

/** A log as the API tells it. */
export type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly decoded?: Decoded | undefined
}

/** A transaction with logs. */
export type LogsProps = {
  readonly chainId: string
  readonly txHash: string
  /** Tokens that it moved, with their decimals. */
  readonly tokens: readonly Party[]
}

/** The card: a button, and the logs once it was pressed. */
export function Logs({ chainId, txHash, tokens }: LogsProps): JSX.Element {
  const [isOpen, open] = useState(false)
  const path = `/v1/chains/${chainId}/transactions/${encodeURIComponent(txHash)}/logs`
  const tokenAt = (address: string): Party =>
    tokens.find((one) => one.address.toLowerCase() === address.toLowerCase()) ?? { address }
  const answer = useAnswer<{ logs: (Log & { readonly logIndex: number })[] }>(
    isOpen ? path : undefined,
  )
  return card(
    'Event logs',
    isOpen
      ? shown(answer, ({ logs }) =>
          logs.length === 0
            ? h('p', { class: 'quiet' }, 'The transaction emitted no event.')
            : table(
                [['Index', 'num'], ['Contract'], ['Event'], ['Parameters', 'whole']],
                logs.map((log) => [
                  String(log.logIndex),
                  party(chainId, { address: log.address }),
                  ...eventCells(chainId, log, tokenAt(log.address)),
                ]),
              ),
        )
      : h('button', { type: 'button', onClick: () => open(true) }, 'Show event logs'),
  )
}

/** Cells of an event and its arguments; topics and data where no ABI fits. */
export function eventCells(chainId: string, log: Log, of: Party): View[] {
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
    h('code', { title: event.signature }, event.signature.replace(/\(.*/, '')),
    h(
      'div',
      null,
      event.parameters.map((each) =>
        line([
          each.name === '' ? null : h('span', { class: 'quiet' }, `${visible(each.name)}: `),
          valueView(chainId, each, of),
        ]),
      ),
      h(
        'details',
        null,
        h('summary', null, 'raw'),
        [...log.topics, log.data].map((value) => line(bytes(value))),
      ),
    ),
  ]
}

function line(value: View): JSX.Element {
  return h('div', null, value)
}

function bytes(value: string): JSX.Element {
  return h('span', { class: 'id', title: value }, value.length > 90 ? ends(value, 66, 8) : value)
}
