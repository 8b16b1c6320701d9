/** A chain and its blocks; a block; the transactions of both. */

import { h, type JSX } from 'preact'

import type { ChainInfo } from '../../shape/evm/chain-info.ts'
import type { EvmBlock } from '../../shape/evm/evm-block.ts'
import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type { ChainStatus, StageStatus } from '../../shape/status.ts'
import { useAnswer } from './answer.ts'
import { blockTable, chainLink, txTable } from './evm-parts.ts'
import { amount, clipped, count, ends, progress, visible } from './format.ts'
import { to } from './link.ts'
import { MetricChart } from './metric-chart.ts'
import {
  card,
  copied,
  exactCoins,
  facts,
  heading,
  neighbours,
  paged,
  shown,
  statePill,
  tabs,
  when,
  type View,
} from './parts.ts'
import { useTitle } from './place.ts'
import { AddToWallet } from './wallet.ts'
import { chainName, chainOf, coinOf, primaryNetworks, type World } from './world.ts'

/** A chain, and one of its lists. */
export type ChainProps = { readonly world: World; readonly chainId: string; readonly view: string }

/** A chain: what it is, a chart, its blocks or transactions. */
export function ChainPage({ world, chainId, view }: ChainProps): JSX.Element {
  useTitle(chainName(world, chainId))
  const chain = chainOf(world, chainId)
  const status = statusOf(world, chainId)
  return h(
    'div',
    { class: 'stack' },
    heading(
      chain?.isTestnet === true ? 'Chain of the test network' : 'Chain',
      chainName(world, chainId),
      status === undefined ? null : statePill(status.state),
    ),
    h(
      'div',
      { class: 'grid two' },
      aboutCard(world, chainId),
      h(MetricChart, { chainId, metric: 'txCount', interval: 'day', title: 'Transactions a day' }),
    ),
    tabs([
      ['Blocks', to('chain', chainId)],
      ['Transactions', to('chain', chainId, 'transactions')],
      ['Gas', to('chain', chainId, 'gas')],
    ]),
    card(
      '',
      view === 'transactions'
        ? paged<{ transactions: NativeTransaction[]; nextPageToken?: string }>({
            path: `/v1/chains/${chainId}/transactions`,
            view: ({ transactions }) => txTable(world, transactions),
          })
        : paged<{ blocks: EvmBlock[]; nextPageToken?: string }>({
            path: `/v1/chains/${chainId}/blocks`,
            view: ({ blocks }) => blockTable(world, blocks),
          }),
    ),
  )
}

function aboutCard(world: World, chainId: string): JSX.Element {
  const chain = chainOf(world, chainId)
  const status = statusOf(world, chainId)
  return card(
    'About',
    facts([
      ['EVM chain id', chainId],
      [
        'Coin',
        chain === undefined
          ? ''
          : `${clipped(chain.networkToken.symbol)}, ${chain.networkToken.decimals} decimals`,
      ],
      ['RPC', chain === undefined || chain.rpcUrl === '' ? '' : rpcOf(chain)],
      ['Blockchain id', chain?.platformChainId === undefined ? '' : copied(chain.platformChainId)],
      ['Subnet id', subnetOf(world, chain?.subnetId, status?.network)],
      ['Indexed', status === undefined ? '' : progress(status)],
      ['Reason', status?.reason === undefined ? '' : h('span', { class: 'failed' }, status.reason)],
      [
        'Stages',
        status?.stages.map((stage) =>
          h(
            'span',
            { class: 'stage', title: stage.reason },
            `${stage.stage} `,
            statePill(stage.state, stageText(stage)),
          ),
        ),
      ],
      ['Description', visible(chain?.description ?? '')],
    ]),
  )
}

function rpcOf(chain: ChainInfo): JSX.Element {
  const url = new URL(chain.rpcUrl, location.href).href
  return h('span', null, copied(url), h(AddToWallet, { chain }))
}

function statusOf(world: World, chainId: string): ChainStatus | undefined {
  return world.status?.chains.find(({ evmChainId }) => String(evmChainId) === chainId)
}

/** The id of a subnet, a link where its network is indexed here too. */
function subnetOf(world: World, id: string | undefined, network: string | undefined): View {
  if (id === undefined) return ''
  return network === undefined || !primaryNetworks(world).includes(network)
    ? copied(id)
    : copied(id, to('primary', network, 'subnet', id))
}

/** A block, by height or hash. */
export type BlockProps = {
  readonly world: World
  readonly chainId: string
  readonly blockId: string
}

/** A block and its transactions. */
export function BlockPage({ world, chainId, blockId }: BlockProps): JSX.Element {
  useTitle(`Block ${ends(blockId)} of ${chainName(world, chainId)}`)
  const path = `/v1/chains/${chainId}/blocks/${encodeURIComponent(blockId)}`
  const answer = useAnswer<EvmBlock>(path)
  const height = Number(answer.data?.blockNumber ?? blockId)
  return h(
    'div',
    { class: 'stack' },
    heading(
      h('span', null, 'Block of ', chainLink(world, chainId)),
      Number.isSafeInteger(height) ? count(height) : 'Block',
      answer.data === undefined
        ? null
        : neighbours(height, { first: 0, head: headOf(world, chainId) }, (one) =>
            to('chain', chainId, 'block', one),
          ),
    ),
    card(
      'Header',
      shown(answer, (block) => blockFacts(world, block)),
    ),
    answer.data === undefined
      ? null
      : card(
          'Transactions',
          paged<{ transactions: NativeTransaction[]; nextPageToken?: string }>({
            path: `${path}/transactions`,
            view: ({ transactions }) => txTable(world, transactions),
          }),
        ),
  )
}

/** Height of the newest block of a chain; none is known of while the status is not. */
function headOf({ status }: World, chainId: string): number {
  return (
    status?.chains.find(({ evmChainId }) => String(evmChainId) === chainId)?.indexedHeight ?? -1
  )
}

function blockFacts(world: World, block: EvmBlock): JSX.Element {
  const { symbol, decimals } = coinOf(world, block.chainId)
  const full = Number((BigInt(block.gasUsed) * 1_000n) / (BigInt(block.gasLimit) || 1n)) / 10
  return facts([
    ['Time', when(block.blockTimestamp)],
    ['Hash', copied(block.blockHash)],
    ['Parent', copied(block.parentHash, to('chain', block.chainId, 'block', block.parentHash))],
    ['Transactions', count(block.txCount)],
    ['Gas used', `${count(block.gasUsed)} of ${count(block.gasLimit)} (${full} %)`],
    ['Base fee', `${amount(block.baseFee, 9)} gwei`],
    ['Fees', exactCoins(block.feesSpent, decimals, symbol)],
    ['Transactions so far', count(block.cumulativeTransactions)],
  ])
}

/**
 * `live`, `off at 1,210`, `live from 4,096`: a stage that is not whole says from where to where.
 */
function stageText({ state, indexedHeight, completeFrom }: StageStatus): string {
  const from = completeFrom === undefined ? '' : ` from ${count(completeFrom)}`
  const to = state === 'off' && indexedHeight >= 0 ? ` at ${count(indexedHeight)}` : ''
  return `${state}${from}${to}`
}
