/** A transaction of an EVM chain with everything that happened in it. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { TransactionDetail } from '../../../shape/evm/transaction.ts'
import { argumentRows } from '../contract/decoded-values.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, gasPrice, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import {
  age,
  card,
  coins,
  copied,
  exactCoins,
  facts,
  heading,
  pill,
  shown,
  table,
  when,
  worthOf,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { chainOf, coinOf, statusOf, type World } from '../kit/world.ts'
import {
  blockLink,
  chainLink,
  outcome,
  addressLink,
  sentence,
  shownOn,
  txLink,
  wholeAddress,
} from './evm-parts.ts'
import { feeOf, receiverOf } from './moved-coins.ts'
import { pendingFacts, usePending } from './pending.ts'
import { StateChanges } from './state-changes.ts'
import { nftLabel, tokenAmount } from './transfers.ts'
import { Calls, Logs } from './tx-execution.ts'

/** A transaction. */
export type TxProps = { readonly world: World; readonly chainId: string; readonly txHash: string }

/** The page. */
export function TxPage({ world, chainId, txHash }: TxProps): JSX.Element {
  useTitle(`Transaction ${ends(txHash)}`)
  const [isMissing, setMissing] = useState(false)
  const pending = usePending(chainOf(world, chainId), isMissing ? txHash : undefined)
  const answer = useAnswer(
    urlOf('/v1/chains/{chainId}/transactions/{txHash}', { chainId, txHash }),
    pending === undefined ? 0 : 1_000,
  )
  useEffect(() => setMissing(answer.failure?.status === 404), [answer.failure?.status])
  return h('div', { class: 'stack' }, [
    heading(
      h('span', null, 'Transaction on ', chainLink(world, chainId)),
      h('span', { class: 'id' }, copied(txHash)),
    ),
    pending !== undefined &&
      answer.data === undefined &&
      card('Transaction', pendingFacts(world, chainId, pending), pill('pending', 'busy')),
    (pending === undefined || answer.data !== undefined) &&
      shownOn({ world, chainId, place: ['tx', txHash] }, answer, (detail) => [
        h(
          'p',
          { class: 'said' },
          sentence(world, detail.nativeTransaction.chainId, detail.summary),
          '.',
        ),
        card('Transaction', nativeFacts(world, detail), outcome(detail.nativeTransaction.txStatus)),
        ...message(world, detail),
        ...transfers(chainId, detail),
        ...internals(world, chainId, detail),
        ...called(chainId, detail),
        ...delegations(detail),
        [Calls, StateChanges, Logs].map((part, at) =>
          h(part, {
            key: `${txHash} ${at}`,
            chainId,
            txHash,
            coin: coinOf(world, chainId),
          }),
        ),
        card(
          '',
          h('details', null, [
            h('summary', null, 'Raw input data'),
            h('pre', { class: 'bytes', tabIndex: 0 }, detail.nativeTransaction.input),
          ]),
        ),
      ]),
  ])
}

function nativeFacts(
  world: World,
  { nativeTransaction: tx, networkTokenDetails: coin }: TransactionDetail,
): JSX.Element {
  const { symbol, decimals } = coinOf(world, tx.chainId)
  const receiver = receiverOf(tx)
  const { currentPrice, historicalPrice: then } = coin
  const worth = (units: string): View =>
    worthOf(units, decimals, then ?? currentPrice, then && 'on that day ')
  const creates = tx.method?.callType === 'CONTRACT_CREATION'
  return facts([
    ['Block', blockLink(tx.chainId, tx.blockNumber)],
    ['Position in block', String(tx.blockIndex)],
    ['Time', when(tx.blockTimestamp)],
    ['Confirmations', confirmations(world, tx.chainId, tx.blockNumber)],
    ['From', wholeAddress(tx.chainId, tx.from)],
    [
      creates ? 'Created contract' : 'To',
      creates && tx.createdContract === undefined
        ? 'none: the creation failed'
        : wholeAddress(tx.chainId, receiver),
    ],
    ['Value', [exactCoins(tx.value, decimals, symbol), worth(tx.value)]],
    ['Transaction fee', [exactCoins(feeOf(tx), decimals, symbol), worth(feeOf(tx))]],
    ['Reverted', visible(tx.revertReason?.message ?? '')],
    ['Method', visible(tx.method?.methodName ?? tx.method?.methodHash ?? '')],
    ['Gas used', `${count(tx.gasUsed)} of ${count(tx.gasLimit)}`],
    ['Gas price', gasPrice(tx.gasPrice)],
    [
      'Max fee per gas',
      tx.maxFeePerGas === undefined
        ? ''
        : `${gasPrice(tx.maxFeePerGas)}, max priority fee ${gasPrice(tx.maxPriorityFeePerGas ?? '0')}`,
    ],
    ['Nonce', count(tx.nonce)],
    ['Type', typeNames[tx.txType] ?? String(tx.txType)],
  ])
}

const typeNames = ['0 (legacy)', '1 (EIP-2930)', '2 (EIP-1559)', '3 (EIP-4844)', '4 (EIP-7702)']

/** Number of later blocks. Acceptance is final at once; some readers expect the number anyway. */
function confirmations(world: World, chainId: string, height: string): string {
  const held = statusOf(world, chainId)
  return held === undefined
    ? ''
    : `${count(Math.max(0, held.indexedHeight - Number(height)))}, final`
}

/** Arguments of the call, where its method is known. */
function called(chainId: string, detail: TransactionDetail): View[] {
  const { nativeTransaction: tx } = detail
  const values = tx.decodedInput?.parameters ?? []
  if (values.length === 0) return []
  return [
    card(
      'Decoded input',
      table([['Parameter'], ['Type'], ['Value', 'whole']], argumentRows(chainId, values)),
      h('code', null, visible(tx.decodedInput?.signature ?? '')),
    ),
  ]
}

/** Accounts that the transaction lets act by the code of contracts. */
function delegations({ nativeTransaction: tx }: TransactionDetail): View[] {
  const { chainId, authorizations = [] } = tx
  if (authorizations.length === 0) return []
  return [
    card(
      'Authorizations (EIP-7702)',
      table(
        [['Account'], ['Delegates to'], ['Chain ID', 'num'], ['Nonce', 'num']],
        authorizations.map((one) => [
          one.authority === undefined
            ? 'not signed'
            : addressLink(chainId, { address: one.authority, label: one.authorityLabel }),
          addressLink(chainId, one),
          one.chainId === '0' ? 'every chain' : one.chainId,
          count(one.nonce),
        ]),
      ),
    ),
  ]
}

function message(world: World, detail: TransactionDetail): View[] {
  const { teleporterMessageInfo: info } = detail
  if (info === undefined) return []
  const other = info.sourceChainId ?? info.destinationChainId ?? ''
  const known = chainOf(world, other)
  const sent = info.direction === 'SOURCE_TRANSACTION'
  return [
    card(
      'Interchain message',
      facts([
        ['Message ID', copied(info.teleporterMessageId, to('message', info.teleporterMessageId))],
        [
          sent ? 'Destination chain' : 'Source chain',
          known === undefined ? other : chainLink(world, known.chainId),
        ],
        [sent ? 'Delivery' : 'Sending', h(OtherEnd, { messageId: info.teleporterMessageId, sent })],
      ]),
      pill(sent ? 'sent' : 'delivered', 'good'),
    ),
  ]
}

/** The transaction at the other end of a message. */
function OtherEnd({
  messageId,
  sent,
}: {
  readonly messageId: string
  readonly sent: boolean
}): JSX.Element {
  const answer = useAnswer(urlOf('/v1/icm/messages/{messageId}', { messageId }))
  return h('span', null, [
    shown(answer, (one) => {
      const tx = sent ? one.destinationTransaction : one.sourceTransaction
      const chainId = sent ? one.destinationEvmChainId : one.sourceEvmChainId
      if (tx === undefined) return sent ? 'not yet, or not indexed here' : 'not indexed here'
      return h('span', null, txLink(chainId, tx.txHash), ' · ', age(tx.timestamp))
    }),
  ])
}

function transfers(chainId: string, detail: TransactionDetail): View[] {
  const rows = [
    ...detail.erc20Transfers.map((one) => ({
      one,
      what: tokenAmount(chainId, one.erc20Token, one.value),
    })),
    ...detail.erc721Transfers.map((one) => ({ one, what: nftLabel(chainId, one.erc721Token) })),
    ...detail.erc1155Transfers.map((one) => ({
      one,
      what: nftLabel(chainId, one.erc1155Token, { value: one.value }),
    })),
  ].toSorted((a, b) => a.one.logIndex - b.one.logIndex)
  if (rows.length === 0) return []
  return [
    card(
      'Token transfers',
      table(
        [['Log', 'num'], ['From'], ['To'], ['Token', 'num']],
        rows.map(({ one, what }) => [
          String(one.logIndex),
          addressLink(chainId, one.from),
          addressLink(chainId, one.to),
          what,
        ]),
      ),
      h('span', { class: 'quiet' }, count(rows.length)),
    ),
  ]
}

function internals(world: World, chainId: string, detail: TransactionDetail): View[] {
  if (detail.internalTransactions.length === 0) return []
  const { symbol, decimals } = coinOf(world, chainId)
  return [
    card(
      'Internal transactions',
      table(
        [['Type'], ['From'], ['To'], ['Gas', 'num wide'], ['Value', 'num']],
        detail.internalTransactions.map((call) => [
          h('span', { class: call.isReverted ? 'undone' : '' }, call.internalTxType),
          addressLink(chainId, call.from),
          addressLink(chainId, call.to),
          count(call.gasUsed),
          coins(call.value, decimals, symbol),
        ]),
      ),
    ),
  ]
}
