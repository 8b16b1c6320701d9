/** Rows and links that several EVM pages share. */

import { h, type JSX } from 'preact'

import type { TokenReputation, RichAddress } from '../../../shape/evm/token.ts'
import type {
  NativeTransaction,
  SummaryPart,
  TransactionSummary,
} from '../../../shape/evm/transaction.ts'
import type { Answer } from '../kit/answer.ts'
import { amount, clipped, count, ends, named, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import {
  age,
  coins,
  copied,
  CopyButton,
  idLink,
  pill,
  type RowColumn,
  rowTable,
  shown,
  type View,
} from '../kit/parts.ts'
import { chainName, chainOf, coinOf, statusOf, type World } from '../kit/world.ts'
import { feeOf, isSame } from './moved-coins.ts'

/** Returns whether an address is the zero one, which mints come from and burns go to. */
export function isZero(address: string): boolean {
  return /^0x0{40}$/.test(address)
}

/** An address with what is known of it; the decimals of a token may be unknown. */
export type ShownAddress = Omit<RichAddress, 'decimals'> & {
  readonly decimals?: number | null | undefined
}

/** Link to an address by what it is called and by its ends; `self` without a link. */
export function addressLink(chainId: string, of: ShownAddress, self = ''): JSX.Element {
  const { address, name, label } = of
  if (isSame(address, self)) return h('span', { class: 'quiet' }, 'this address')
  if (isZero(address)) {
    return h('span', { class: 'quiet', title: address }, 'zero address')
  }
  const link = to('chain', chainId, 'address', address)
  if (label === undefined && of.isSpam === undefined) return idLink(link, address)
  return h('span', null, [
    h('a', { href: link, title: `${visible(name ?? label ?? '')}\n${address}`.trim() }, [
      of.logoUri !== undefined && logo(chainId, address),
      named(label, address),
    ]),
    spamPill(of),
  ])
}

/** Name of an address, and the address in full. */
export function wholeAddress(
  chainId: string,
  { address, label }: Pick<ShownAddress, 'address' | 'label'>,
): JSX.Element {
  const href = to('chain', chainId, 'address', address)
  if (label === undefined) return copied(address, href)
  return h('span', { class: 'copied' }, [
    h('a', { href }, `${clipped(label)} `, h('span', { class: 'id' }, address)),
    h(CopyButton, { text: address }),
  ])
}

/** The operator's word on a token, or that it looks like spam; empty for others. */
export function spamPill({
  tokenReputation: reputation,
  isSpam,
}: {
  readonly tokenReputation?: TokenReputation | undefined
  readonly isSpam?: true | undefined
}): View {
  if (reputation === undefined || reputation === null)
    return isSpam === true ? [' ', pill('spam', 'bad')] : null
  return [' ', pill(reputation.toLowerCase(), reputation === 'Benign' ? 'good' : 'bad')]
}

/** Sender and receiver, as seen from `self` where given: `OUT` and `IN` beside it. */
export function bothEnds(
  chainId: string,
  { from, to: receiver }: { readonly from: RichAddress; readonly to: RichAddress },
  self = '',
): [JSX.Element, JSX.Element] {
  const cell = (end: RichAddress, word: View): JSX.Element =>
    isSame(end.address, self)
      ? h('span', null, word, ' ', addressLink(chainId, end, self))
      : addressLink(chainId, end)
  return [cell(from, pill('OUT')), cell(receiver, pill('IN', 'good'))]
}

/** Link to a block. */
export function blockLink(chainId: string, height: string): JSX.Element {
  return h('a', { href: to('chain', chainId, 'block', height) }, count(height))
}

/** Link to a transaction. */
export function txLink(chainId: string, txHash: string): JSX.Element {
  return idLink(to('chain', chainId, 'tx', txHash), txHash)
}

/** The configured picture of a chain, or of a token; it comes by this process. */
export function logo(chainId: string, ...token: readonly string[]): JSX.Element {
  const src = `/explorer/logos/${[chainId, ...token].join('/')}`
  return h('img', { class: 'logo', src, width: 18, height: 18, alt: '', loading: 'lazy' })
}

/** Link to a chain by its name. */
export function chainLink(world: World, chainId: string): JSX.Element {
  const chain = chainOf(world, chainId)
  return h('a', { href: to('chain', chainId) }, [
    chain?.chainLogoUri !== undefined && logo(chain.chainId),
    chainName(world, chainId),
  ])
}

/** A place below a chain: `['tx', hash]`. */
type PlaceOn = {
  readonly world: World
  readonly chainId: string
  readonly place: readonly string[]
}

/** {@link shown}; of what the chain does not have, where it was looked for, and that place on the other chains. */
export function shownOn<T>(
  { world, chainId, place }: PlaceOn,
  answer: Answer<T>,
  view: (data: T) => View,
): View {
  if (answer.failure?.status !== 404) return shown(answer, view)
  const others = world.chains.filter((chain) => chain.chainId !== chainId)
  const { indexedHeight = -1 } = statusOf(world, chainId) ?? {}
  return h('p', { class: 'empty', role: 'status' }, [
    `Not found on ${chainName(world, chainId)}`,
    indexedHeight < 0 ? '.' : `, which is indexed up to block ${count(indexedHeight)}.`,
    others.length === 0 ? '' : ' Look on ',
    others.map((chain) =>
      h(
        'a',
        { class: 'also', href: to('chain', chain.chainId, ...place) },
        visible(chain.chainName),
      ),
    ),
  ])
}

/** `success` or `failed`. */
export function outcome(txStatus: string): View {
  return txStatus === '1' ? pill('success', 'good') : pill('failed', 'bad')
}

/** The column of a table of transactions that tells each in a sentence. */
export function whatHappened(world: World): RowColumn<NativeTransaction> {
  const told = ({ chainId, summary }: NativeTransaction): View =>
    summary && sentence(world, chainId, summary)
  return ['What happened', 'told', told]
}

/** Transactions of a chain, each with its sentence; of an address, `self`, also whether it sent or received. */
export function toldTable(
  world: World,
  transactions: readonly NativeTransaction[],
  self?: string,
): JSX.Element {
  const direction: RowColumn<NativeTransaction> = [
    'Direction',
    'wide',
    (tx) =>
      isSame(tx.from.address, self)
        ? pill('OUT')
        : tx.summary?.parts.some(({ address = '' }) => isSame(address, self)) === true &&
          pill('IN', 'good'),
  ]
  return rowTable(transactions, [
    ['Transaction', '', ({ chainId, txHash }) => txLink(chainId, txHash)],
    ['Block', 'wide', ({ chainId, blockNumber }) => blockLink(chainId, blockNumber)],
    ['Time', 'wide', ({ blockTimestamp }) => age(blockTimestamp)],
    ...(self === undefined ? [] : [direction]),
    whatHappened(world),
    [
      'Fee',
      'num wide',
      (tx) => {
        const { symbol, decimals } = coinOf(world, tx.chainId)
        return coins(feeOf(tx), decimals, symbol)
      },
    ],
  ])
}

/** A transaction of a chain in its sentence; what a part is about is a link. */
export function sentence(world: World, chainId: string, { parts }: TransactionSummary): View {
  return parts.map((part) => partView(world, chainId, part))
}

/** A name that a stranger gave and that leads to a site. */
function isAdvert(name = ''): boolean {
  return /\.[a-z]{2,}\b|[/:]/i.test(name)
}

/** A part of the sentence: what it is about is a link, amounts have grouped digits. */
function partView(world: World, chainId: string, part: SummaryPart): View {
  const { text, address, label, value, decimals = 0, symbol = '', tokenAddress, tokenId } = part
  if (address !== undefined)
    return h(
      'a',
      { href: to('chain', part.chainId ?? chainId, 'address', address), title: address },
      visible(isAdvert(label) ? ends(address) : (label ?? text)),
    )
  if (part.chainId !== undefined) return chainLink(world, part.chainId)
  const unit = isAdvert(symbol) ? `of ${ends(tokenAddress ?? '')}` : symbol
  const words = value === undefined ? text : `${amount(value, decimals)} ${unit}`
  if (tokenAddress === undefined) return visible(words)
  const link =
    tokenId === undefined
      ? to('chain', chainId, 'address', tokenAddress)
      : to('chain', chainId, 'nft', tokenAddress, tokenId)
  return h('a', { href: link }, visible(words))
}
