/** Summary of an EVM address: coins, tokens with spam folded, and its first activity. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { get, useAnswer, type Answer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf, type AnswerAt, type Url } from '../kit/contract.ts'
import { amount, cutAmount, money, named, visible } from '../kit/format.ts'
import { to, withQuery } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import { exactCoins, facts, shown, table, when, type View } from '../kit/parts.ts'
import { query, withParams } from '../kit/place.ts'
import { coinOf, isRecording, type World } from '../kit/world.ts'
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
  const native = '/v1/chains/{chainId}/addresses/{address}/balances:getNative'
  const path = { chainId, address }
  const answer = useAnswer(urlOf(native, { ...path, currency: 'usd' }))
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
    first === undefined || last === undefined
      ? null
      : h(History, {
          key: address,
          path: urlOf(native, path),
          from: Number(first.blockNumber),
          until: Number(last.blockNumber),
          chainId,
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

type HistoryProps = {
  readonly path: Url<AnswerAt<'/v1/chains/{chainId}/addresses/{address}/balances:getNative'>>
  readonly chainId: string
  readonly from: number
  readonly until: number
  readonly decimals: number
}

// As many as a chart of this width can show, and few enough for a node.
const samples = 16

/** The balance at some heights between the first and the newest transaction, when wanted. */
function History(props: HistoryProps): JSX.Element {
  const [answer, setAnswer] = useState<Answer<readonly MetricPoint[]> | undefined>(undefined)
  if (answer !== undefined)
    return h('div', null, [
      h('h3', null, 'Balance over time'),
      shown(answer, (points) =>
        h(Chart, { points, label: 'Balance', height: 160, bars: false, hours: false }),
      ),
    ])
  if (isRecording())
    return h('p', { class: 'quiet' }, 'A node tells past balances; this is a recording.')
  const load = (): void => {
    setAnswer({})
    void sampled(props).then(setAnswer)
  }
  return h('button', { type: 'button', onClick: load }, 'Show balance over time')
}

async function sampled(props: HistoryProps): Promise<Answer<readonly MetricPoint[]>> {
  const { path, from, until, chainId, decimals } = props
  const heights = new Set(
    Array.from({ length: samples }, (_, at) =>
      Math.round(from + ((until - from) * at) / (samples - 1)),
    ),
  )
  const points: MetricPoint[] = []
  for (const height of heights) {
    // One after the other: these are questions to a node.
    // oxlint-disable-next-line no-await-in-loop
    const [balance, block] = await Promise.all([
      get(withQuery(path, { blockNumber: height })),
      get(urlOf('/v1/chains/{chainId}/blocks/{blockId}', { chainId, blockId: height })),
    ])
    const failure = balance.failure ?? block.failure
    if (failure !== undefined) return { failure }
    if (balance.data !== undefined && block.data !== undefined)
      points.push({
        timestamp: block.data.blockTimestamp,
        value: Number(balance.data.nativeTokenBalance.balance) / 10 ** decimals,
      })
  }
  return { data: points }
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
