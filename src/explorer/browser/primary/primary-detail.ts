/** A block, a transaction, an address of the primary network. */

import { h, type JSX } from 'preact'

import type { PrimaryNetworkBlock } from '../../../shape/primary/block.ts'
import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, percent, visible, assetName } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import {
  bar,
  card,
  copied,
  exactCoins,
  facts,
  heading,
  neighbours,
  pill,
  shown,
  table,
  when,
  type View,
  coins,
  idLink,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { chainOf, chainsOfSubnet, primaryHeights, type World } from '../kit/world.ts'
import { feeBurned, primarySentence, whatHappened } from '../what-happened.ts'
import {
  assetSum,
  blockOf,
  l1ValidatorRows,
  managerFacts,
  assetSums,
  chainLabel,
  primarySubnetId,
  shortAddress,
  shortBlockType,
  shortType,
  stakeSum,
  utxoRows,
  type Sum,
} from './primary-parts.ts'

/** An item of a chain. */
export type DetailProps = {
  readonly world: World
  readonly network: string
  readonly chain: string
  readonly id: string
}

/** A block and the ids of its transactions. */
export function PrimaryBlockPage(props: DetailProps): JSX.Element {
  const { world, network, chain, id } = props
  useTitle(`${chainLabel(chain)} block ${ends(id)}`)
  const heights = primaryHeights(world, network, chain)
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}', {
      network,
      blockchainId: chain,
      blockId: id,
    }),
  )
  return h('div', { class: 'stack' }, [
    heading(
      `${chainLabel(chain)} block`,
      answer.data === undefined ? 'Block' : count(answer.data.blockNumber),
      answer.data === undefined
        ? null
        : neighbours(Number(answer.data.blockNumber), heights, (one) =>
            to('primary', network, 'block', chain, one),
          ),
    ),
    shown(answer, (block) => [
      block.transactions.length === 0 && h('p', { class: 'said' }, decisionOf(block)),
      card('Block', blockFacts(props, block, heights.first), pill(shortBlockType(block.blockType))),
      block.transactions.length > 0 &&
        card(
          'Transactions',
          block.transactions.map((id, at) =>
            h(TxLine, { network, chain, id, isTold: at < mostTold, key: id }),
          ),
        ),
    ]),
  ])
}

/** The purpose of a block without transactions. */
function decisionOf({ blockType, blockNumber }: PrimaryNetworkBlock): string {
  const before = count(Number(blockNumber) - 1)
  if (blockType.includes('Commit')) return `It accepted what block ${before} proposed.`
  if (blockType.includes('Abort')) return `It refused what block ${before} proposed.`
  return 'It has no transactions.'
}

// A request each.
const mostTold = 20

/** A transaction of a block, in its words where it is told. */
function TxLine({
  network,
  chain,
  id,
  isTold,
}: Omit<DetailProps, 'world'> & { readonly isTold: boolean }): JSX.Element {
  const { data } = useAnswer(
    isTold
      ? urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}', {
          network,
          blockchainId: chain,
          txHash: id,
        })
      : undefined,
  )
  return h('p', null, [
    h('a', { class: 'id', href: to('primary', network, 'tx', chain, id) }, ends(id)),
    data !== undefined && ` ${whatHappened(data)}`,
  ])
}

function blockFacts(
  { network, chain }: DetailProps,
  block: PrimaryNetworkBlock,
  first: number,
): JSX.Element {
  const parent = to('primary', network, 'block', chain, block.parentHash)
  const proposer = block.proposerDetails?.proposerNodeId
  return facts([
    ['Time', when(block.blockTimestamp)],
    ['Block ID', copied(block.blockHash)],
    ['Parent ID', copied(block.parentHash, Number(block.blockNumber) > first ? parent : undefined)],
    ['Size', `${count(block.blockSizeBytes)} bytes`],
    [
      'Proposer',
      proposer === undefined
        ? ''
        : h('a', { class: 'id', href: to('primary', network, 'node', proposer) }, proposer),
    ],
    [
      'Active L1 validators',
      block.activeL1Validators === undefined ? '' : count(block.activeL1Validators),
    ],
    [
      'AVAX supply',
      block.currentSupply === undefined ? '' : exactCoins(block.currentSupply, 9, 'AVAX'),
    ],
  ])
}

/** A transaction: what it consumed and what it made. */
export function PrimaryTxPage(props: DetailProps): JSX.Element {
  const { world, network, chain, id } = props
  useTitle(`Transaction ${ends(id)}`)
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}', {
      network,
      blockchainId: chain,
      txHash: id,
    }),
  )
  return h('div', { class: 'stack' }, [
    heading(`${chainLabel(chain)} transaction`, h('span', { class: 'id' }, copied(id))),
    shown(answer, (tx) => [
      h('p', { class: 'said' }, primarySentence(tx)),
      card('Flow of funds', flow(network, chain, tx)),
      card('Transaction', txFacts(props, tx), pill(shortType(tx.txType))),
      ...(tx.l1ValidatorDetails === undefined
        ? []
        : [card('L1 validators', l1ValidatorRows(props, tx.l1ValidatorDetails))]),
      card(
        `Inputs (${tx.consumedUtxos?.length ?? 0})`,
        utxoRows(network, chain, tx.consumedUtxos ?? []),
      ),
      card(
        `Outputs (${tx.emittedUtxos?.length ?? 0})`,
        utxoRows(network, chain, tx.emittedUtxos ?? []),
      ),
      ...evmSides(world, network, tx),
    ]),
  ])
}

/** Accounts of the EVM an import or export of the C-Chain paid or charged. */
function evmSides(world: World, network: string, tx: PrimaryNetworkTransaction): View[] {
  const account = (chain: string | undefined, address: string | undefined): View =>
    address === undefined ? '' : evmAccount(network, chainOf(world, chain ?? '')?.chainId, address)
  const sides = [...(tx.evmInputs ?? []), ...(tx.evmOutputs ?? [])]
  if (sides.length === 0) return []
  return [
    card(
      'EVM accounts',
      table(
        [
          ['From', 'whole'],
          ['To', 'whole'],
          ['Amount', 'num'],
        ],
        sides.map(({ fromAddress, toAddress, asset }) => [
          account(tx.sourceChain, fromAddress),
          account(tx.destinationChain, toAddress),
          assetSum(asset),
        ]),
      ),
    ),
  ]
}

/** Link to an account: its own page where the chain is served, else its atomic transactions. */
function evmAccount(network: string, chainId: string | undefined, address: string): JSX.Element {
  const href =
    chainId === undefined
      ? to('primary', network, 'address', address, 'c-chain')
      : to('chain', chainId, 'address', address)
  return h('a', { class: 'id', href }, address)
}

function txFacts(
  { world, network, chain }: DetailProps,
  tx: PrimaryNetworkTransaction,
): JSX.Element {
  const some = (sums: PrimaryNetworkTransaction['value'] | undefined): View =>
    sums === undefined || sums.length === 0 ? '' : assetSums(sums)
  return facts([
    ['Block', blockOf(network, chain, tx)],
    ['Time', when(tx.blockTimestamp ?? tx.timestamp ?? 0)],
    ['Status', tx.status],
    ['Total output', some(tx.value)],
    ['Fee burned', some(feeBurned(tx))],
    ['Paid into L1 validator balances', some(tx.amountL1ValidatorBalanceBurned)],
    ['Staked', some(tx.amountStaked)],
    ['Source chain', chainNamed(network, tx.sourceChain)],
    ['Destination chain', chainNamed(network, tx.destinationChain)],
    [
      'Node',
      tx.nodeId === undefined
        ? ''
        : h('a', { class: 'id', href: to('primary', network, 'node', tx.nodeId) }, tx.nodeId),
    ],
    ['Subnet', subnetOf(world, network, tx.subnetId)],
    ...managerFacts(world, tx.l1ValidatorManagerDetails),
    ['Starts', tx.startTimestamp === undefined ? '' : when(tx.startTimestamp)],
    ['Ends', tx.endTimestamp === undefined ? '' : when(tx.endTimestamp)],
    [
      'Delegation fee',
      tx.delegationFeePercent === undefined ? '' : percent(tx.delegationFeePercent),
    ],
    ['Expected reward', stakeSum(tx.estimatedRewardAsset, tx.estimatedReward)],
    ['Created chain', visible(tx.blockchainInfo?.chainName ?? '')],
    ['Memo', tx.memo === undefined || tx.memo === '0x' ? '' : h('span', { class: 'id' }, tx.memo)],
  ])
}

function subnetOf(world: World, network: string, id: string | undefined): View {
  if (id === undefined) return ''
  const link = to('primary', network, 'subnet', id)
  const name = id === primarySubnetId ? 'the primary network' : chainsOfSubnet(world, id)
  return name === '' ? copied(id, link) : h('a', { href: link, title: id }, name)
}

function chainNamed(network: string, id: string | undefined): View {
  return id === undefined ? '' : h(ChainNamed, { network, id })
}

/** Name of a chain, and its id. */
function ChainNamed({
  network,
  id,
}: {
  readonly network: string
  readonly id: string
}): JSX.Element {
  const answer = useAnswer(
    urlOf('/v1/networks/{network}/blockchains/{blockchainId}', { network, blockchainId: id }),
  )
  return h('span', null, [
    answer.data === undefined ? '' : `${visible(answer.data.blockchainName)} `,
    h('span', { class: 'id quiet' }, id),
  ])
}

// The flow of funds of a transaction: what went in at the left, what came out at the right.

/** One end of the flow. */
type End = { readonly who: View; readonly sum: Sum; readonly note?: View }

/** Inputs and outputs of a transaction; the fee is an output to nobody. */
function flow(network: string, chain: string, tx: PrimaryNetworkTransaction): JSX.Element {
  const owned = (utxo: Utxo): End => ({
    who: owner(network, chain, utxo.addresses),
    sum: utxo.asset,
    note: utxo.staked === true ? pill('staked', 'busy') : null,
  })
  const account = (address: string | undefined): View =>
    address === undefined ? '–' : h('span', { class: 'id', title: address }, ends(address))
  const inputs: End[] = [
    ...(tx.consumedUtxos ?? []).map(owned),
    ...(tx.evmInputs ?? []).map((one) => ({ who: account(one.fromAddress), sum: one.asset })),
  ]
  const outputs: End[] = [
    ...(tx.emittedUtxos ?? []).map(owned),
    ...(tx.evmOutputs ?? []).map((one) => ({ who: account(one.toAddress), sum: one.asset })),
    ...(tx.amountL1ValidatorBalanceBurned ?? []).map((sum) => ({
      who: 'L1 validator balances',
      sum,
      note: pill('refundable', 'busy'),
    })),
    ...feeBurned(tx).map((sum) => ({ who: pill('fee burned', 'bad'), sum })),
  ]
  return h('div', { class: 'flow' }, [
    side('Inputs', inputs),
    h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→'),
    side('Outputs', outputs),
  ])
}

function owner(network: string, chain: string, addresses: readonly string[]): View {
  const [first, ...others] = addresses
  if (first === undefined) return '–'
  return [
    idLink(to('primary', network, 'address', first), first, shortAddress(chain, first)),
    others.length === 0 ? null : h('small', { class: 'quiet' }, ` and ${others.length} more`),
  ]
}

/** One side; bars are shares of the greatest amount of the same asset there. */
function side(title: string, all: readonly End[]): JSX.Element {
  const most = new Map<string, number>()
  for (const { sum } of all) {
    const key = sum.assetId ?? sum.symbol
    most.set(key, Math.max(most.get(key) ?? 0, Number(sum.amount)))
  }
  return h('div', null, [
    h('h3', null, title),
    all.length === 0 ? h('p', { class: 'empty' }, 'None.') : null,
    all.map(({ who, sum, note }) =>
      h('div', { class: 'end' }, [
        h('span', null, who, ' ', note),
        coins(sum.amount, sum.denomination, assetName(sum)),
        bar(Number(sum.amount), most.get(sum.assetId ?? sum.symbol) || 1),
      ]),
    ),
  ])
}
