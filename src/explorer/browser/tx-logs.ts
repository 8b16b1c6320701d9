/** Logs of a transaction. They are not stored: a node or a recording tells them, when asked. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useAnswer } from './answer.ts'
import { valueView } from './decoded-values.ts'
import { eventOf, type Log } from './event-data.ts'
import { party } from './evm-parts.ts'
import { ends, visible } from './format.ts'
import { card, shown, table, type View } from './parts.ts'

/** A transaction with logs. */
export type LogsProps = { readonly chainId: string; readonly txHash: string }

/** The card: a button, and the logs once it was pressed. */
export function Logs({ chainId, txHash }: LogsProps): JSX.Element {
  const [isOpen, open] = useState(false)
  const path = `/v1/chains/${chainId}/transactions/${encodeURIComponent(txHash)}/logs`
  const answer = useAnswer<{ logs: Log[] }>(isOpen ? path : undefined)
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
                  ...told(chainId, log),
                ]),
              ),
        )
      : h('button', { type: 'button', onClick: () => open(true) }, 'Show event logs'),
  )
}

/** Event and arguments of a common event; topics and data of any other. */
function told(chainId: string, log: Log): View[] {
  const event = log.decoded ?? eventOf(log)
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
          valueView(chainId, each, { address: log.address }),
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
