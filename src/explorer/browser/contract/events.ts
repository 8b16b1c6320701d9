/** Events of a contract, newest first, by name and topics. */

import { h, type JSX } from 'preact'

import type { Log } from '../../../shape/evm/log.ts'
import { blockLink, txLink } from '../evm/evm-parts.ts'
import { eventCells } from '../evm/tx-execution.ts'
import { urlOf } from '../kit/contract.ts'
import { visible } from '../kit/format.ts'
import { CsvLink, paged } from '../kit/paged.ts'
import { age, card, select, table } from '../kit/parts.ts'
import { go, query, submitFilters, withParams } from '../kit/place.ts'
import { statusOf } from '../kit/world.ts'
import { type AbiItem, signatureOf } from './abi.ts'
import type { CallsOf } from './calls.ts'

/** The list and its filters. */
export function Events({ world, chainId, address, items }: CallsOf): JSX.Element {
  const chain = statusOf(world, chainId)
  if (chain !== undefined && !chain.stages.some(({ stage }) => stage === 'logs'))
    return card(
      '',
      h(
        'p',
        { class: 'empty' },
        'This chain is indexed without logs (setting logs). The page of a transaction shows its events.',
      ),
    )
  const events = items.filter(({ type }) => type === 'event')
  const params = query()
  const event = events.find((one) => signatureOf(one) === params.get('event'))
  const places = topicsOf(event)
  const topics = places.map((_, at) => topicText(params.get(`topic${at + 1}`) ?? ''))
  return card(
    '',
    h('div', null, [
      filters(events, places),
      event !== undefined && asTable({ chainId, address, event: signatureOf(event) }),
      topics.includes(undefined)
        ? h(
            'p',
            { class: 'failed', role: 'alert' },
            'A topic is an address, a whole number, or 0x and 64 hex digits.',
          )
        : paged({
            path: urlOf('/v1/chains/{chainId}/logs', { chainId }),
            query: {
              address,
              amounts: 'true',
              event: event === undefined ? '' : signatureOf(event),
              ...Object.fromEntries(topics.map((topic, at) => [`topic${at + 1}`, topic ?? ''])),
            },
            view: ({ logs }) =>
              table(
                [
                  ['Transaction'],
                  ['Block', 'num wide'],
                  ['Time', 'wide'],
                  ['Event'],
                  ['Parameters', 'whole'],
                ],
                logs.map((log) => [
                  txLink(chainId, log.txHash),
                  blockLink(chainId, log.blockNumber),
                  age(log.blockTimestamp),
                  ...eventCells(chainId, { ...log, topics: topicsIn(log) }),
                ]),
              ),
          }),
    ]),
  )
}

/** One event with a column for each of its arguments. */
function asTable(of: Record<'chainId' | 'address' | 'event', string>): JSX.Element {
  const path = urlOf('/v1/chains/{chainId}/contracts/{address}/events/{event}', of)
  return h('p', { class: 'quiet' }, [
    'All of this event, a column for each argument: ',
    h(CsvLink, { path, name: 'all of this event' }),
  ])
}

/** Which event, and a field for each of its topics. */
function filters(events: readonly AbiItem[], places: readonly string[]): JSX.Element {
  const params = query()
  const chosen = params.get('event') ?? ''
  return h('form', { class: 'controls filters', onSubmit: submitFilters, key: chosen }, [
    events.length === 0
      ? null
      : select(
          { name: 'event', 'aria-label': 'event' },
          [
            ['', 'All events'],
            ...events.map((one) => [signatureOf(one), visible(signatureOf(one))] as const),
          ],
          { chosen, change: (event) => go(withParams({ ...cleared, event })) },
        ),
    places.map((label, at) =>
      h('input', {
        name: `topic${at + 1}`,
        'aria-label': label,
        placeholder: label,
        value: params.get(`topic${at + 1}`) ?? '',
        autocomplete: 'off',
        spellcheck: false,
      }),
    ),
    h('button', { type: 'submit' }, 'Apply'),
  ])
}

const cleared = { topic1: '', topic2: '', topic3: '', page: '' }

/** Names of the topics after the first, of an event where it is known. */
function topicsOf(event: AbiItem | undefined): readonly string[] {
  if (event === undefined) return ['Topic 1', 'Topic 2', 'Topic 3']
  return event.inputs
    .filter(({ indexed }) => indexed === true)
    .map(({ name = '', type }) => `${visible(name)} (${type})`)
}

function topicsIn({ topic0, topic1, topic2, topic3 }: Log): string[] {
  return [topic0, topic1, topic2, topic3].filter((topic) => topic !== undefined)
}

/** A topic of what was typed: an address, a whole number or the very word; `undefined` for other text. */
function topicText(typed: string): string | undefined {
  const text = typed.trim().toLowerCase()
  if (text === '' || /^0x[0-9a-f]{64}$/.test(text)) return text
  if (!/^(0x[0-9a-f]{40}|\d{1,77})$/.test(text)) return undefined
  return `0x${BigInt(text).toString(16).padStart(64, '0')}`
}
