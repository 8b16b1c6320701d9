/** Summary of an EVM address: coins, tokens with spam folded, and its first activity. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useAnswer, type Answer } from '../kit/answer.ts'
import { urlOf, type AnswerAt, type Url } from '../kit/contract.ts'
import { amount, cutAmount, money, named, visible } from '../kit/format.ts'
import { later } from '../kit/later.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import { exactCoins, facts, shown, table, when, type View } from '../kit/parts.ts'
import { query, withParams } from '../kit/place.ts'
import { coinOf, type World } from '../kit/world.ts'
import type { HistoryProps } from './balance-history.ts'
import { spamPill, txLink } from './evm-parts.ts'

/** An address. */
export type OfAddress = {
  readonly world: World
  readonly chainId: string
  readonly address: string
}

type Transactions = AnswerAt<'/v1/chains/{chainId}/addresses/{address}/transactions'>

/** Its first and its newest transaction. */
export function useEnds(chainId: string, address: string): readonly Answer<Transactions>[] {
  const first = (sortOrder: string): Url<Transactions> =>
    urlOf('/v1/chains/{chainId}/addresses/{address}/transactions', {
      chainId,
      address,
      pageSize: 1,
      sortOrder,
    })
  return [useAnswer(first('asc')), useAnswer(first('desc'))]
}

/** Balance, first and last seen; `also` has links to other chains. */
export function Summary({
  world,
  chainId,
  address,
  also,
}: OfAddress & { readonly also: View }): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  const answer = useAnswer(
    urlOf('/v1/chains/{chainId}/addresses/{address}/balances:getNative', {
      chainId,
      address,
      currency: 'usd',
    }),
  )
  const [first, last] = useEnds(chainId, address).map(
    ({ data }) => data?.transactions[0]?.nativeTransaction,
  )
  const seen = (tx: typeof first): View =>
    tx && [when(tx.blockTimestamp), ' ', h('span', { class: 'also' }, txLink(chainId, tx.txHash))]
  return h('div', null, [
    shown(answer, ({ nativeTokenBalance: { balance, balanceValue } }) =>
      h('div', { class: 'big small' }, [
        exactCoins(balance, decimals, symbol),
        balanceValue && h('small', null, ` ${worth(balanceValue)}`),
      ]),
    ),
    facts([
      ['Net worth', h(Worth, { world, chainId, address })],
      ['First transaction', seen(first)],
      ['Latest transaction', seen(last)],
      ['Also active on', also === false ? '' : also],
    ]),
    first === undefined || last === undefined || answer.data === undefined
      ? null
      : h(History, {
          key: address,
          chainId,
          address,
          from: first.blockTimestamp,
          until: last.blockTimestamp,
          balance: answer.data.nativeTokenBalance.balance,
          decimals,
        }),
  ])
}

function worth({ value, currencyCode }: { value: string; currencyCode: string }): string {
  return money(Number(value), currencyCode)
}

/** Coins and tokens together, of those that have a price; nothing where none has. */
function Worth({ chainId, address }: OfAddress): JSX.Element | null {
  const answer = useAnswer(
    urlOf('/v1/chains/{chainId}/addresses/{address}/balances:listErc20', {
      chainId,
      address,
      pageSize: 500,
      currency: 'usd',
    }),
  )
  if (answer.data === undefined) return null
  const { erc20TokenBalances: tokens, nativeTokenBalance: coin, nextPageToken } = answer.data
  const values = [coin, ...tokens].flatMap(({ balanceValue }) => balanceValue ?? [])
  const sum = values.reduce((total, { value }) => total + Number(value), 0)
  if (values.length === 0) return null
  const unpriced = 1 + tokens.length - values.length
  return h('span', { title: unpriced === 0 ? '' : `without ${unpriced} that have no price` }, [
    `${nextPageToken === undefined ? '' : 'more than '}${money(sum, 'usd')}`,
  ])
}

const BalanceHistory = later(async () => (await import('../rare.ts')).rare.BalanceHistory)

/** The chart, when wanted. */
function History(props: HistoryProps): JSX.Element {
  const [isOpen, open] = useState(false)
  return isOpen
    ? h(BalanceHistory, props)
    : h('button', { type: 'button', onClick: () => open(true) }, 'Show balance over time')
}

/** Tokens; what looks like spam is folded away until wanted. */
export function Tokens({ chainId, address }: OfAddress): JSX.Element {
  const all = query().get('spam') === 'shown'
  return h('div', null, [
    paged({
      path: urlOf('/v1/chains/{chainId}/addresses/{address}/balances:listErc20', {
        chainId,
        address,
      }),
      name: 'tokens',
      query: { pageSize: 8, filterSpamTokens: String(!all), currency: 'usd' },
      view: ({ erc20TokenBalances }) =>
        table(
          [['Token'], ['Balance', 'num'], ['Value', 'num']],
          erc20TokenBalances.map((token) => [
            h('span', null, [
              h(
                'a',
                {
                  href: to('chain', chainId, 'address', token.address),
                  title: visible(token.name),
                },
                named(token.symbol, token.address),
              ),
              spamPill(token),
            ]),
            h(
              'span',
              { title: amount(token.balance, token.decimals) },
              cutAmount(token.balance, token.decimals),
            ),
            token.balanceValue === undefined ? '–' : worth(token.balanceValue),
          ]),
        ),
    }),
    h('a', { class: 'fold', href: withParams({ spam: all ? '' : 'shown', tokens: '' }) }, [
      all ? 'Hide suspected spam' : 'Show suspected spam',
    ]),
  ])
}
