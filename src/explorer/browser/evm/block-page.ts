/** Blocks of an EVM chain: a table of them, and the page of one. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import type { PrimaryNetworkBlock } from '../../../shape/primary/block.ts'
import { callNode, useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, gasPrice } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  bar,
  card,
  coins,
  copied,
  exactCoins,
  facts,
  heading,
  idLink,
  neighbours,
  type RowColumn,
  rowTable,
  when,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { chainName, chainOf, coinOf, primaryHeights, statusOf, type World } from '../kit/world.ts'
import { nodeLink, primarySubnetId } from '../primary/primary-parts.ts'
import { blockLink, chainLink, shownOn, toldTable } from './evm-parts.ts'

type OnChain = { readonly world: World; readonly chainId: string }

/**
 * The network whose C-Chain this is, where it has the block at a height: its blocks name who proposed them. Those of
 * L1s are read from nodes that do not tell it.
 */
function networkWith({ world, chainId }: OnChain, height: number): string | undefined {
  const network = statusOf(world, chainId)?.network ?? ''
  return chainOf(world, chainId)?.subnetId === primarySubnetId &&
    primaryHeights(world, network, 'c-chain').head >= height
    ? network
    : undefined
}

/** Blocks, one a row, newest first; of the C-Chain with who proposed them. */
export function BlockTable(props: OnChain & { readonly blocks: readonly EvmBlock[] }): JSX.Element {
  const { world, blocks } = props
  const [newest, oldest] = [blocks[0], blocks.at(-1)]
  const network = networkWith(props, Number(newest?.blockNumber))
  const answer = useAnswer(
    network &&
      urlOf('/v1/networks/{network}/blockchains/{blockchainId}/blocks', {
        network,
        blockchainId: 'c-chain',
        startTimestamp: oldest?.blockTimestamp ?? 0,
        endTimestamp: 1 + (newest?.blockTimestamp ?? 0),
        pageSize: 100,
      }),
  )
  const proposers = new Map(
    answer.data?.blocks.map((one) => [one.blockNumber, one.proposerDetails?.proposerNodeId]),
  )
  const proposer: RowColumn<EvmBlock> = [
    'Proposer',
    'wide',
    ({ blockNumber }) => {
      const node = proposers.get(blockNumber)
      return node === undefined ? '' : nodeLink(network ?? '', node)
    },
  ]
  return rowTable(blocks, [
    ['Block', '', ({ chainId, blockNumber }) => blockLink(chainId, blockNumber)],
    ['Time', '', ({ blockTimestamp }) => age(blockTimestamp)],
    [
      'Hash',
      'wide',
      ({ chainId, blockHash }) => idLink(to('chain', chainId, 'block', blockHash), blockHash),
    ],
    ...(network === undefined ? [] : [proposer]),
    ['Transactions', 'num', ({ txCount }) => count(txCount)],
    [
      'Gas used',
      'num wide',
      ({ gasUsed, gasLimit }) =>
        h('span', { class: 'share', title: `${count(gasUsed)} of ${count(gasLimit)}` }, [
          bar(Number(gasUsed), Number(gasLimit)),
          count(gasUsed),
        ]),
    ],
    ['Base fee', 'num wide', ({ baseFee }) => gasPrice(baseFee)],
    [
      'Fees',
      'num',
      ({ chainId, feesSpent }) => {
        const { symbol, decimals } = coinOf(world, chainId)
        return coins(feesSpent, decimals, symbol)
      },
    ],
  ])
}

/** A block, by height or hash. */
export type BlockProps = OnChain & { readonly blockId: string }

/** A block and its transactions. */
export function BlockPage({ world, chainId, blockId }: BlockProps): JSX.Element {
  useTitle(`Block ${ends(blockId)} of ${chainName(world, chainId)}`)
  const path = { chainId, blockId }
  const answer = useAnswer(urlOf('/v1/chains/{chainId}/blocks/{blockId}', path))
  const { blockNumber = blockId, blockHash } = answer.data ?? {}
  const height = Number(blockNumber)
  const network = answer.data && networkWith({ world, chainId }, height)
  const outer = useAnswer(
    network &&
      urlOf('/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}', {
        network,
        blockchainId: 'c-chain',
        blockId: blockNumber,
      }),
  ).data
  const header = useHeader({ world, chainId }, blockHash)
  return h('div', { class: 'stack' }, [
    heading(
      h('span', null, 'Block on ', chainLink(world, chainId)),
      Number.isSafeInteger(height) ? count(height) : 'Block',
      answer.data === undefined
        ? null
        : neighbours(
            height,
            { first: 0, head: statusOf(world, chainId)?.indexedHeight ?? -1 },
            (one) => to('chain', chainId, 'block', one),
          ),
    ),
    card(
      'Block',
      shownOn({ world, chainId, place: ['block', blockId] }, answer, (block) =>
        blockFacts(world, block, { network, outer, header }),
      ),
    ),
    answer.data === undefined
      ? null
      : card(
          'Transactions',
          paged({
            path: urlOf('/v1/chains/{chainId}/blocks/{blockId}/transactions', path),
            query: { summaries: 'true' },
            view: ({ transactions }) => toldTable(world, transactions),
          }),
        ),
  ])
}

/** Parts of a header that are not stored here. Source: execution-apis, `Block`. */
type Header = {
  readonly size?: string
  readonly miner?: string
  readonly stateRoot?: string
  readonly transactionsRoot?: string
  readonly receiptsRoot?: string
  readonly extraData?: string
}

/** The header of a block as the node tells it, where the operator lets pages ask the node. */
function useHeader({ world, chainId }: OnChain, hash: string | undefined): Header {
  const [header, setHeader] = useState<Header>({})
  const isOffered = (chainOf(world, chainId)?.rpcUrl ?? '') !== ''
  useEffect(() => {
    setHeader({})
    if (!isOffered || hash === undefined) return undefined
    let isOver = false
    void callNode<Header | null>(chainId, 'eth_getBlockByHash', [hash, false]).then(({ data }) => {
      if (!isOver) setHeader(data ?? {})
    })
    return () => {
      isOver = true
    }
  }, [chainId, isOffered, hash])
  return header
}

/** Facts of a block that others than the chain's own rows tell. */
type Beside = {
  readonly network: string | undefined
  /** Of the C-Chain: the block as the primary network has it. */
  readonly outer: PrimaryNetworkBlock | undefined
  readonly header: Header
}

function blockFacts(
  world: World,
  block: EvmBlock,
  { network, outer, header }: Beside,
): JSX.Element {
  const { symbol, decimals } = coinOf(world, block.chainId)
  const full = Number((BigInt(block.gasUsed) * 1_000n) / (BigInt(block.gasLimit) || 1n)) / 10
  const proposer = outer?.proposerDetails?.proposerNodeId
  const size = outer?.blockSizeBytes ?? header.size?.match(/^0x[\da-f]{1,12}$/)?.[0]
  const word = (text: string | undefined): JSX.Element | undefined =>
    text === undefined ? undefined : copied(text)
  return facts([
    ['Time', when(block.blockTimestamp)],
    ['Proposer', proposer && copied(proposer, to('primary', network ?? '', 'node', proposer))],
    ['Transactions', count(block.txCount)],
    [
      'Gas used',
      h('span', { class: 'share' }, [
        `${count(block.gasUsed)} of ${count(block.gasLimit)} (${full} %)`,
        bar(Number(block.gasUsed), Number(block.gasLimit)),
      ]),
    ],
    ['Base fee', gasPrice(block.baseFee)],
    ['Transaction fees', exactCoins(block.feesSpent, decimals, symbol)],
    [
      'of these the base fee',
      exactCoins(String(BigInt(block.baseFee) * BigInt(block.gasUsed)), decimals, symbol),
    ],
    ['Size', size === undefined ? undefined : `${count(BigInt(size))} bytes`],
    ['Hash', copied(block.blockHash)],
    [
      'Parent hash',
      copied(block.parentHash, to('chain', block.chainId, 'block', block.parentHash)),
    ],
    ['State root', word(header.stateRoot)],
    ['Transactions root', word(header.transactionsRoot)],
    ['Receipts root', word(header.receiptsRoot)],
    ['Coinbase', word(header.miner)],
    ['Extra data', header.extraData === '0x' ? '' : word(header.extraData)],
    ['P-Chain height', outer?.proposerDetails?.proposerPChainHeight],
    ['Transactions up to this block', count(block.cumulativeTransactions)],
  ])
}
