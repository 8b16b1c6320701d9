/** An address of the primary network: P, X and C together, stakes, rewards, UTXOs, transactions. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { Balances } from '../../../shape/primary/asset.ts'
import type { HistoricalReward } from '../../../shape/primary/validator.ts'
import { useAnswer, useWhole } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { assetName, counted, ends, share, words } from '../kit/format.ts'
import { later } from '../kit/later.ts'
import { to, withQuery } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  bar,
  card,
  coins,
  copied,
  exactCoins,
  facts,
  failed,
  heading,
  rowTable,
  shown,
  table,
  tabs,
  type View,
} from '../kit/parts.ts'
import { go, query, useTitle, withParams } from '../kit/place.ts'
import { QrCode } from '../kit/qr-code.ts'
import {
  assetSum,
  assetSums,
  chainLabel,
  chains,
  isChain,
  nodeLink,
  pTxLink,
  stakeSum,
  type Sum,
  txRows,
  utxoRows,
} from './primary-parts.ts'

/** The page; `view` is the chain of its lists. */
export function PrimaryAddressPage({
  network,
  address,
  view,
}: Record<'network' | 'address' | 'view', string>): JSX.Element {
  useTitle(`Address ${ends(address)}`)
  const name = view === '' ? 'p-chain' : view
  if (!isChain(name)) return failed({ status: 404, message: `no such chain: ${name}` })
  // Accounts of the EVM have atomic transactions and nothing else here.
  const isEvm = address.startsWith('0x')
  return h('div', { class: 'stack' }, [
    heading('Primary network address', h('span', { class: 'id' }, copied(address))),
    isEvm ? null : overview(network, address),
    tabs(
      chains.map((one) => [
        chainLabel(one),
        to('primary', network, 'address', address, ...(one === 'p-chain' ? [] : [one])),
      ]),
    ),
    isEvm ? null : utxos(network, name, address),
    card(
      'Transactions',
      paged({
        path: urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions', {
          network,
          blockchainId: name,
        }),
        query: { addresses: address },
        view: ({ transactions }) => txRows(network, name, transactions),
      }),
    ),
  ])
}

const Picture = later(async () => (await import('../rare.ts')).rare.Picture)

/** A button, and the flow of funds once it was pressed. */
function FundsFlow(of: Record<'network' | 'address', string>): JSX.Element {
  const [isOpen, open] = useState(false)
  return card(
    'Flow of funds',
    isOpen
      ? h(Picture, of)
      : h('button', { type: 'button', onClick: () => open(true) }, 'Show flow of funds'),
  )
}

function overview(network: string, address: string): View {
  return [
    h(QrCode, { text: address, key: address }),
    h(Composition, { network, address, key: `${network} ${address}` }),
    h(FundsFlow, { network, address, key: `flow ${network} ${address}` }),
    card('Active stakes', stakes(network, address)),
    card('Rewards', h(Rewards, { address, network, key: address })),
  ]
}

/** Balances on the three chains by state; AVAX as a bar of shares. */
function Composition({ network, address }: Record<'network' | 'address', string>): JSX.Element {
  const answers = ['P', 'X', 'C'].map((chain) => {
    const url = urlOf('/v1/networks/{network}/blockchains/{blockchainId}/balances', {
      network,
      blockchainId: `${chain.toLowerCase()}-chain`,
      addresses: address,
    })
    return [chain, useAnswer(url, 30_000)] as const
  })
  const rows = answers.flatMap(([chain, { data }]) => heldOn(chain, data?.balances))
  const total = rows.reduce((sum, { isAvax, amount }) => sum + (isAvax ? BigInt(amount) : 0n), 0n)
  return card(
    'Balances on P, X and C',
    answers.some(([, { data }]) => data === undefined)
      ? shown({}, () => null)
      : h('div', null, [
          h('p', { class: 'big small' }, exactCoins(String(total), 9, 'AVAX')),
          table(
            [['Chain'], ['State'], ['Amount', 'num'], ['Share', 'num wide']],
            rows.map((row) => [
              row.chain,
              row.state,
              coins(row.amount, row.denomination, row.symbol),
              row.isAvax
                ? h('span', null, [
                    share(Number(row.amount), Number(total)),
                    bar(Number(row.amount), Number(total) || 1),
                  ])
                : '',
            ]),
          ),
        ]),
  )
}

const states: Readonly<Record<string, string>> = {
  unlockedUnstaked: 'unlocked',
  unlockedStaked: 'staked',
  lockedPlatform: 'locked',
  lockedStakeable: 'locked, stakeable',
  lockedStaked: 'locked and staked',
  pendingStaked: 'staked, not started',
  atomicMemoryUnlocked: 'importable',
  atomicMemoryLocked: 'importable, locked',
}

type HeldRow = {
  readonly chain: string
  readonly state: string
  readonly amount: string
  readonly denomination: number
  readonly symbol: string
  readonly isAvax: boolean
}

function heldOn(chain: string, balances: Balances | undefined): HeldRow[] {
  if (balances === undefined) return []
  const { restakedRewards = '0', ...categories } = balances
  const restaked = {
    chain,
    state: 'restaked rewards',
    amount: restakedRewards,
    denomination: 9,
    symbol: 'AVAX',
    isAvax: true,
  }
  return [
    ...Object.entries(categories).flatMap(([name, sums = []]) =>
      sums.map((sum) => ({
        chain,
        state: states[name] ?? words(name),
        amount: sum.amount,
        denomination: sum.denomination,
        symbol: assetName(sum),
        isAvax: assetName(sum) === 'AVAX',
      })),
    ),
    ...(restakedRewards === '0' ? [] : [restaked]),
  ]
}

/** Running stakes with what is over of them and what they are expected to pay. */
function stakes(network: string, address: string): JSX.Element {
  return paged({
    path: urlOf('/v1/networks/{network}/rewards:listPending', { network }),
    query: { addresses: address },
    name: 'stakes',
    view: ({ pendingRewards }) =>
      rowTable(pendingRewards, [
        ['Transaction', '', ({ txHash }) => pTxLink(network, txHash)],
        ['Node', 'wide', ({ nodeId }) => nodeLink(network, nodeId)],
        ['Role', 'wide', ({ rewardType }) => words(rewardType)],
        ['Amount', 'num', (one) => stakeSum(one.estimatedReward, one.amountStaked)],
        ['Expected reward', 'num', ({ estimatedReward }) => assetSum(estimatedReward)],
        [
          'Progress',
          'num',
          ({ progress }) => h('span', null, [`${progress} %`, bar(progress, 100, 'time passed')]),
        ],
        ['Ends', 'num', ({ endTimestamp }) => age(endTimestamp)],
      ]),
  })
}

// Pages of 100.
const mostPages = 50

/** Rewards paid, in sum for each year and one by one. */
function Rewards({ address, network }: Record<'address' | 'network', string>): JSX.Element {
  const path = urlOf('/v1/networks/{network}/rewards', { network })
  const whole = useWhole(withQuery(path, { addresses: address, pageSize: 100 }), mostPages)
  return h('div', null, [
    shown(whole, (pages) => yearSums(pages.flatMap(({ historicalRewards }) => historicalRewards))),
    paged({
      path,
      query: { addresses: address, pageSize: 10 },
      name: 'rewards',
      view: ({ historicalRewards }) =>
        rowTable(historicalRewards, [
          ['Transaction', '', ({ rewardTxHash }) => pTxLink(network, rewardTxHash)],
          ['Node', 'wide', ({ nodeId }) => nodeLink(network, nodeId)],
          ['Role', 'wide', ({ rewardType }) => words(rewardType)],
          ['Reward', 'num', ({ reward }) => assetSum(reward)],
          ['Ended', 'num', ({ endTimestamp }) => age(endTimestamp)],
        ]),
    }),
  ])
}

function yearSums(all: readonly HistoricalReward[]): JSX.Element {
  const years = Map.groupBy(all, ({ endTimestamp }) =>
    new Date(endTimestamp * 1_000).getUTCFullYear(),
  )
  return facts(
    [...years]
      .toSorted(([a], [b]) => b - a)
      .map(([year, list]) => [
        String(year),
        h('span', null, [
          assetSums(sumsOf(list)),
          h('span', { class: 'quiet' }, ` · ${counted(list.length, 'reward')}`),
        ]),
      ]),
  )
}

/** Sums of rewards, one of each asset. */
function sumsOf(list: readonly HistoricalReward[]): Sum[] {
  const sums = new Map<string, Sum>()
  for (const { reward } of list) {
    const before = BigInt(sums.get(reward.assetId)?.amount ?? 0)
    sums.set(reward.assetId, { ...reward, amount: String(before + BigInt(reward.amount)) })
  }
  return [...sums.values()]
}

function utxos(network: string, chain: string, address: string): JSX.Element {
  const spent = query().get('spent') === 'true'
  return card(
    'UTXOs',
    paged({
      name: 'utxos',
      path: urlOf('/v1/networks/{network}/blockchains/{blockchainId}/utxos', {
        network,
        blockchainId: chain,
      }),
      query: { addresses: address, includeSpent: String(spent) },
      view: (page) => utxoRows(network, chain, page.utxos),
    }),
    h('label', { class: 'check' }, [
      h('input', {
        type: 'checkbox',
        checked: spent,
        onChange: () => go(withParams({ spent: spent ? '' : 'true', utxos: '' })),
      }),
      'Include spent',
    ]),
  )
}
