/** Interchain messages: all of them, and one. */

import { h, type JSX } from 'preact'

import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import { useAnswer } from './answer.ts'
import { party } from './evm-parts.ts'
import { count, ends, took } from './format.ts'
import { to } from './link.ts'
import {
  age,
  card,
  coins,
  copied,
  exactCoins,
  facts,
  heading,
  idLink,
  paged,
  pill,
  shown,
  statePill,
  table,
  when,
  type View,
} from './parts.ts'
import { useTitle } from './place.ts'
import { chainName, coinOf, type World } from './world.ts'

/** All messages, newest first. */
export function MessagesPage({ world }: { readonly world: World }): JSX.Element {
  useTitle('Interchain messages')
  return h(
    'div',
    { class: 'stack' },
    heading('Between chains', 'Interchain messages', progressOf(world)),
    card(
      '',
      paged<{ messages: IcmMessage[]; nextPageToken?: string }>({
        path: '/v1/icm/messages',
        view: ({ messages }) => messageTable(world, messages),
      }),
    ),
  )
}

/** How far the messages of all chains are joined; nothing once they are. */
function progressOf({ status }: World): View {
  const stage = status?.messages
  if (stage === undefined || stage.state === 'live') return null
  return statePill(stage.state, stage.reason)
}

function messageTable(world: World, messages: readonly IcmMessage[]): JSX.Element {
  return table(
    [['Message'], ['Status'], ['Sent'], ['From'], ['To'], ['Took', 'num'], ['Fee', 'num wide']],
    messages.map((message) => [
      idLink(to('message', message.messageId), message.messageId),
      statusPill(message),
      message.sourceTransaction === undefined ? '' : age(message.sourceTransaction.timestamp),
      end(world, message.sourceEvmChainId, message.sourceBlockchainId),
      end(world, message.destinationEvmChainId, message.destinationBlockchainId),
      timeTaken(message),
      coins(
        message.rewardDetails.value,
        message.rewardDetails.decimals,
        message.rewardDetails.symbol,
      ),
    ]),
  )
}

function statusPill({ status, messageExecuted }: IcmMessage): JSX.Element {
  if (status === 'pending') return pill('pending', 'busy')
  return messageExecuted ? pill('executed', 'good') : pill('delivered', 'busy')
}

function end(world: World, evmChainId: string, blockchainId: string): JSX.Element {
  return evmChainId === ''
    ? h('span', { class: 'id', title: blockchainId }, ends(blockchainId))
    : h('a', { href: to('chain', evmChainId), title: blockchainId }, chainName(world, evmChainId))
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
  const answer = useAnswer<IcmMessage>(`/v1/icm/messages/${encodeURIComponent(messageId)}`)
  return h(
    'div',
    { class: 'stack' },
    heading('Interchain message', h('span', { class: 'id' }, copied(messageId))),
    shown(answer, (message) => [
      h('div', { class: 'grid two' }, sending(world, message), delivery(world, message)),
      card('Message', messageFacts(message), statusPill(message)),
      card('Data', h('pre', { class: 'bytes', tabIndex: 0 }, message.data)),
    ]),
  )
}

function messageFacts(message: IcmMessage): JSX.Element {
  const { rewardDetails: fee } = message
  return facts([
    ['Nonce', count(message.messageNonce)],
    ['Messenger', copied(message.icmContractAddress)],
    ['Fee', exactCoins(fee.value, fee.decimals, fee.symbol)],
    ['Receipt', message.receiptDelivered ? 'came back to the source' : 'not back yet'],
    ['Receipts carried', count(message.receipts.length)],
  ])
}

function sending(world: World, message: IcmMessage): View {
  const { sourceEvmChainId: chainId, sourceTransaction: tx } = message
  return card(
    'Sent',
    facts([
      ['Chain', end(world, chainId, message.sourceBlockchainId)],
      ['Sender', party(chainId, { address: message.from })],
      [
        'Transaction',
        tx === undefined
          ? 'not indexed here'
          : idLink(to('chain', chainId, 'tx', tx.txHash), tx.txHash),
      ],
      ['Time', tx === undefined ? '' : when(tx.timestamp)],
      ['Spent on gas', tx === undefined ? '' : gas(world, chainId, tx.gasSpent)],
    ]),
  )
}

function delivery(world: World, message: IcmMessage): View {
  const { destinationEvmChainId: chainId, destinationTransaction: tx } = message
  return card(
    'Delivered',
    facts([
      ['Chain', end(world, chainId, message.destinationBlockchainId)],
      ['Recipient', party(chainId, { address: message.to })],
      [
        'Transaction',
        tx === undefined ? 'not yet' : idLink(to('chain', chainId, 'tx', tx.txHash), tx.txHash),
      ],
      ['Time', tx === undefined ? '' : when(tx.timestamp)],
      ['Took', timeTaken(message)],
      ['Deliverer', tx === undefined ? '' : party(chainId, { address: tx.delivererAddress })],
      ['Spent on gas', tx === undefined ? '' : gas(world, chainId, tx.gasSpent)],
    ]),
  )
}

function gas(world: World, chainId: string, wei: string): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  return exactCoins(wei, decimals, symbol)
}
