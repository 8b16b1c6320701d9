/** Interchain messages: all of them, and one. */

import { h, type JSX } from 'preact'

import type { IcmMessage } from '../../../shape/icm/icm-message.ts'
import { addressLink, sentence, wholeAddress } from '../evm/evm-parts.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, span, took, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  card,
  coins,
  copied,
  exactCoins,
  facts,
  heading,
  idLink,
  pill,
  shown,
  statePill,
  table,
  when,
  type View,
} from '../kit/parts.ts'
import { query, submitFilters, useTitle } from '../kit/place.ts'
import { coinOf, type World } from '../kit/world.ts'
import { messageEnd, Routes } from './message-routes.ts'

/** Messages with filters, routes between chains, and how long delivery takes. */
export function MessagesPage({ world }: { readonly world: World }): JSX.Element {
  useTitle('Interchain messages')
  const params = query()
  const wanted = Object.fromEntries(
    ['sourceBlockchainId', 'destinationBlockchainId', 'from', 'to'].map((name) => [
      name,
      params.get(name) ?? '',
    ]),
  )
  return h('div', { class: 'stack' }, [
    heading('Between chains', 'Interchain messages', progressOf(world)),
    h('div', { class: 'grid two top-aligned' }, [
      card('Routes', h(Routes, { world })),
      card('Delivery time, latest 100', h(Latency, { wanted })),
    ]),
    card(
      '',
      h('div', null, [
        filters(world, wanted),
        paged({
          path: urlOf('/v1/icm/messages', {}),
          query: { ...wanted, summaries: 'true' },
          view: ({ messages }) => messageTable(world, messages),
        }),
      ]),
    ),
  ])
}

function filters(world: World, wanted: Readonly<Record<string, string>>): JSX.Element {
  const chains = world.chains.filter(({ platformChainId }) => platformChainId !== undefined)
  const chain = (name: string, label: string): JSX.Element =>
    h('select', { name, 'aria-label': label, key: `${name} ${wanted[name]} ${chains.length}` }, [
      h('option', { value: '' }, label),
      chains.map(({ platformChainId, chainName: title }) =>
        h(
          'option',
          { value: platformChainId, selected: wanted[name] === platformChainId },
          visible(title),
        ),
      ),
    ])
  const address = (name: string, label: string): JSX.Element =>
    h('input', {
      name,
      'aria-label': label,
      placeholder: label,
      pattern: '0x[0-9a-fA-F]{40}',
      title: '0x and 40 hex digits',
      key: `${name} ${wanted[name]}`,
      defaultValue: wanted[name],
    })
  return h('form', { class: 'controls filters', onSubmit: submitFilters }, [
    chain('sourceBlockchainId', 'From any chain'),
    chain('destinationBlockchainId', 'To any chain'),
    address('from', 'Sender address'),
    address('to', 'Recipient address'),
    h('button', { type: 'submit' }, 'Apply'),
    h('a', { class: 'button', href: to('messages') }, 'Clear'),
  ])
}

/** Median and slowest tenth of the newest messages that were delivered. */
function Latency({ wanted }: { readonly wanted: Readonly<Record<string, string>> }): JSX.Element {
  const answer = useAnswer(urlOf('/v1/icm/messages', { ...wanted, pageSize: 100 }))
  return h('div', null, [
    shown(answer, ({ messages }) => {
      const times = messages
        .flatMap(({ sourceTransaction: sent, destinationTransaction: came }) =>
          sent === undefined || came === undefined || came.timestamp < sent.timestamp
            ? []
            : [came.timestamp - sent.timestamp],
        )
        .toSorted((a, b) => a - b)
      const at = (part: number): string => {
        const seconds = times[Math.min(times.length - 1, Math.floor(times.length * part))]
        return seconds === undefined ? '–' : span(seconds)
      }
      return facts([
        ['Median', at(0.5)],
        ['90th percentile', at(0.9)],
        ['Slowest', at(1)],
        ['Delivered', `${count(times.length)} of ${count(messages.length)} messages`],
        ['Pending', count(messages.filter(({ status }) => status === 'pending').length)],
      ])
    }),
  ])
}

/** Progress of joining the messages of all chains; nothing once they are joined. */
function progressOf({ status }: World): View {
  const stage = status?.messages
  if (stage === undefined || stage.state === 'live') return null
  return statePill(stage.state, stage.reason)
}

/** Messages, one a row. */
export function messageTable(world: World, messages: readonly IcmMessage[]): JSX.Element {
  // Where it was not asked for, there is no room for it either.
  const isTold = messages.some(({ summary }) => summary !== undefined)
  return table(
    [
      ['Message'],
      ...(isTold ? [['What happened', 'told'] as const] : []),
      ['Status'],
      ['Sent', 'wide'],
      ['From', isTold ? 'wide' : ''],
      ['To', isTold ? 'wide' : ''],
      ['Took', 'num wide'],
      ['Fee', 'num wide'],
    ],
    messages.map((message) => [
      idLink(to('message', message.messageId), message.messageId),
      ...(isTold ? [message.summary && sentence(world, toldChain(message), message.summary)] : []),
      statusPill(message),
      message.sourceTransaction === undefined ? '' : age(message.sourceTransaction.timestamp),
      messageEnd(world, message.sourceEvmChainId, message.sourceBlockchainId),
      messageEnd(world, message.destinationEvmChainId, message.destinationBlockchainId),
      timeTaken(message),
      coins(
        message.rewardDetails.value,
        message.rewardDetails.decimals,
        message.rewardDetails.symbol,
      ),
    ]),
  )
}

/** Messages in few words, one a row: what each brought, and whether it came. */
export function toldMessages(world: World, messages: readonly IcmMessage[]): JSX.Element {
  return table(
    [
      ['Message', 'wide'],
      ['What happened', 'told'],
      ['Status', 'num'],
    ],
    messages.map((message) => [
      idLink(to('message', message.messageId), message.messageId),
      message.summary && sentence(world, toldChain(message), message.summary),
      statusPill(message),
    ]),
  )
}

/** The chain whose transaction tells a message: that which sent it, where it is indexed here. */
function toldChain({ sourceTransaction, ...ends }: IcmMessage): string {
  return sourceTransaction === undefined ? ends.destinationEvmChainId : ends.sourceEvmChainId
}

function statusPill({ status, messageExecuted }: IcmMessage): JSX.Element {
  if (status === 'pending') return pill('pending', 'busy')
  return messageExecuted ? pill('executed', 'good') : pill('not executed', 'bad')
}

function timeTaken({ sourceTransaction, destinationTransaction }: IcmMessage): string {
  return sourceTransaction === undefined || destinationTransaction === undefined
    ? ''
    : took(sourceTransaction.timestamp, destinationTransaction.timestamp)
}

/** One message from its sending to its receipt. */
export function MessagePage({
  world,
  messageId,
}: {
  readonly world: World
  readonly messageId: string
}): JSX.Element {
  useTitle(`Message ${ends(messageId)}`)
  const answer = useAnswer(urlOf('/v1/icm/messages/{messageId}', { messageId }))
  return h('div', { class: 'stack' }, [
    heading('Interchain message', h('span', { class: 'id' }, copied(messageId))),
    shown(answer, (message) => [
      h(Told, { world, message, key: messageId }),
      stages(message),
      h('div', { class: 'grid two' }, sending(world, message), delivery(world, message)),
      card('Message', messageFacts(message), statusPill(message)),
      card(
        '',
        h('details', null, [
          h('summary', null, 'Data that it carries'),
          h('pre', { class: 'bytes', tabIndex: 0 }, message.data),
        ]),
      ),
    ]),
  ])
}

/** The sentence of the transaction that sent it, or else delivered it. */
function Told({
  world,
  message,
}: {
  readonly world: World
  readonly message: IcmMessage
}): JSX.Element | null {
  const { sourceTransaction, destinationTransaction } = message
  const txHash = (sourceTransaction ?? destinationTransaction)?.txHash
  const chainId = toldChain(message)
  const path = txHash && { chainId, txHash }
  const answer = useAnswer(path && urlOf('/v1/chains/{chainId}/transactions/{txHash}', path))
  return answer.data === undefined
    ? null
    : h('p', { class: 'said' }, sentence(world, chainId, answer.data.summary), '.')
}

/** Each step with its time, as far as the message has come. */
function stages(message: IcmMessage): JSX.Element {
  const { sourceTransaction: sent, destinationTransaction: came } = message
  const isExecuted = came !== undefined && message.messageExecuted
  const steps: readonly (readonly [done: boolean, step: string, told: View])[] = [
    [sent !== undefined, 'Sent', sent === undefined ? 'not indexed here' : when(sent.timestamp)],
    [
      came !== undefined,
      'Delivered',
      came === undefined
        ? 'not yet'
        : [when(came.timestamp), sent === undefined ? '' : ` · ${timeTaken(message)} later`],
    ],
    [
      isExecuted,
      'Executed',
      came === undefined ? '' : isExecuted ? 'with its delivery' : 'it failed; anyone may retry it',
    ],
    [
      message.receiptDelivered,
      'Receipt',
      message.receiptDelivered ? 'back on the source chain' : 'not back yet',
    ],
  ]
  return h(
    'ol',
    { class: 'stages card', 'aria-label': 'stages' },
    steps.map(([done, step, told]) =>
      h('li', { class: done ? 'done' : '' }, [
        h('strong', null, step),
        h('span', { class: 'quiet' }, told),
      ]),
    ),
  )
}

function messageFacts(message: IcmMessage): JSX.Element {
  const { rewardDetails: fee } = message
  return facts([
    ['Nonce', count(message.messageNonce)],
    [
      'Messenger',
      wholeAddress(message.sourceEvmChainId, {
        address: message.icmContractAddress,
        label: message.icmContractLabel,
      }),
    ],
    ['Fee', exactCoins(fee.value, fee.decimals, fee.symbol)],
    ['Receipts carried', count(message.receipts.length)],
  ])
}

function sending(world: World, message: IcmMessage): View {
  const { sourceEvmChainId: chainId, sourceTransaction: tx } = message
  return card(
    'Sent',
    facts([
      ['Chain', messageEnd(world, chainId, message.sourceBlockchainId)],
      ['Sender', addressLink(chainId, { address: message.from, label: message.fromLabel })],
      [
        'Transaction',
        tx === undefined
          ? 'not indexed here'
          : idLink(to('chain', chainId, 'tx', tx.txHash), tx.txHash),
      ],
      ['Time', tx === undefined ? '' : when(tx.timestamp)],
      ['Gas spent', tx === undefined ? '' : gas(world, chainId, tx.gasSpent)],
    ]),
  )
}

function delivery(world: World, message: IcmMessage): View {
  const { destinationEvmChainId: chainId, destinationTransaction: tx } = message
  return card(
    'Delivered',
    facts([
      ['Chain', messageEnd(world, chainId, message.destinationBlockchainId)],
      ['Recipient', addressLink(chainId, { address: message.to, label: message.toLabel })],
      [
        'Transaction',
        tx === undefined ? 'not yet' : idLink(to('chain', chainId, 'tx', tx.txHash), tx.txHash),
      ],
      ['Time', tx === undefined ? '' : when(tx.timestamp)],
      ['Took', timeTaken(message)],
      [
        'Relayer',
        tx === undefined
          ? ''
          : addressLink(chainId, { address: tx.delivererAddress, label: tx.delivererLabel }),
      ],
      ['Gas spent', tx === undefined ? '' : gas(world, chainId, tx.gasSpent)],
    ]),
  )
}

function gas(world: World, chainId: string, wei: string): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  return exactCoins(wei, decimals, symbol)
}
