/** The strip of numbers of the first page. */

import { Fragment, h, type JSX } from 'preact'

import { Totals } from '../evm/chain-page.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf, type AnswerAt } from '../kit/contract.ts'
import { brief, count, short } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { age, type View } from '../kit/parts.ts'
import { isPlaying, isWhole, onlyChain, pace, primaryNetworks, type World } from '../kit/world.ts'
import type { FundsPage } from '../primary/l1-page.ts'
import { primarySubnetId, shortAvax } from '../primary/primary-parts.ts'

type Details = AnswerAt<'/v1/networks/{network}'>
type Points = AnswerAt<'/v2/chains/{chainId}/metrics/{metric}'>

/** Chains of the world, and the second of the newest block. */
export type NumbersProps = { readonly world: World; readonly newest: number | undefined }

/** The strip: what is served, with a dash where it is not known yet, or not whole and therefore nothing. */
export function Numbers({ world, newest }: NumbersProps): JSX.Element {
  const network = primaryNetworks(world)[0]
  const stake = useAnswer(network && urlOf('/v1/networks/{network}', { network }), ...pace())
  const listed = useAnswer(
    network && urlOf('/v1/networks/{network}/subnets:listFunds', { network, pageSize: 100 }),
    ...pace(),
  )
  const [{ data: details }, { data: funds }] = isWhole(world, 'primary')
    ? [stake, listed]
    : [{}, {}]
  const ofNetwork =
    network === undefined
      ? []
      : [
          number('Total stake', details && staked(details), to('primary', network)),
          number(
            'Validators',
            details && count(details.validatorDetails.validatorCount),
            to('primary', network),
          ),
          number('L1s · their validators', funds && l1Validators(funds), to('l1s', network)),
        ]
  return h('dl', { class: 'numbers card' }, [
    ofNetwork,
    world.chains.length > 0 && h(NumbersOfChains, { world, newest, funds }),
  ])
}

type ChainProps = NumbersProps & { readonly funds: FundsPage | undefined }

function NumbersOfChains({ world, newest, funds }: ChainProps): JSX.Element {
  const cChain = world.chains.find(({ subnetId }) => subnetId === primarySubnetId)?.chainId
  const fees = useAnswer(
    cChain &&
      urlOf('/v2/chains/{chainId}/metrics/{metric}', {
        chainId: cChain,
        metric: 'feesPaid',
        timeInterval: 'day',
        pageSize: 2,
      }),
    ...pace(),
  ).data
  const messages = useAnswer(urlOf('/v2/icm/summary', {}), ...pace()).data
  const all = isWhole(world, 'evm')
  const only = onlyChain(world)
  return h(Fragment, null, [
    only !== undefined ? h(Totals, { chainId: only }) : h(LastDay, { isWhole: all }),
    cChain !== undefined &&
      number(
        'Burned, last full day',
        all ? fees && burned(fees, funds) : undefined,
        to('metrics', cChain, 'day', 'feesPaid'),
      ),
    (only === undefined || (messages?.result.allTime ?? 0) > 0) &&
      number(
        'Messages, last 24 h',
        total(messages?.result.lastDay, all && world.status?.messages?.state === 'live'),
        to('messages'),
      ),
    number('Latest EVM block', newest === undefined ? undefined : age(newest)),
  ])
}

/** Transactions of all chains. */
function LastDay({ isWhole: isAll }: { readonly isWhole: boolean }): JSX.Element {
  // The hours of a day, of which the running one is the last: a tenth of the work of all windows.
  const hours = useAnswer(
    urlOf('/v2/chains/{chainId}/metrics/{metric}', {
      chainId: 'total',
      metric: 'txCount',
      timeInterval: 'hour',
      pageSize: 24,
    }),
    ...pace(),
  ).data
  const sum = hours?.results.reduce((all, { value }) => all + value, 0)
  return number(
    'Transactions, last 24 h',
    total(sum, isAll),
    to('metrics', 'total', 'day', 'txCount'),
  )
}

function number(title: string, value: View | undefined, link?: string): JSX.Element {
  return h('div', null, [
    h('dt', null, link === undefined ? title : h('a', { href: link }, title)),
    h('dd', null, value ?? '–'),
  ])
}

/** Of validators and delegators together. */
function staked({ validatorDetails, delegatorDetails }: Details): JSX.Element {
  return shortAvax(
    BigInt(validatorDetails.totalAmountStaked) + BigInt(delegatorDetails.totalAmountStaked),
  )
}

/** Fees of the C-Chain on its newest whole day, or on its first, and what validators of L1s pay a day. */
function burned({ results }: Points, funds: FundsPage | undefined): JSX.Element {
  const chain = (results[1] ?? results[0])?.value ?? 0
  const l1Fees =
    funds === undefined ? 0 : (Number(funds.feeRate.perDay) * funds.feeRate.activeValidators) / 1e9
  return h(
    'span',
    { title: `C-Chain fees ${brief(chain)} AVAX, L1 validator fees ${brief(l1Fees)} AVAX` },
    [`${short(chain + l1Fees)} `, h('small', null, 'AVAX')],
  )
}

function l1Validators({ subnets, nextPageToken, feeRate }: FundsPage): string | undefined {
  if (subnets.length === 0 && isPlaying()) return undefined
  return `${count(subnets.length)}${nextPageToken === undefined ? '' : '+'} · ${count(feeRate.activeValidators)}`
}

/** A sum over chains, so far where not all are indexed: nothing of nothing is no sum then. */
function total(sum: number | null | undefined, isAll: boolean): string | undefined {
  return typeof sum === 'number' && ((isAll && !isPlaying()) || sum > 0)
    ? count(Math.round(sum))
    : undefined
}
