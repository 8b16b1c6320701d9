/**
 * A transaction in one sentence: made of transfers, known methods, messages, approvals and creations, for the
 * API, whose parts the explorer links.
 *
 * What its sender gave and got tells more than the method that was called: what goes out against what comes in is a
 * swap, a purchase or a sale, whatever contract did it. A kind that is not known stays counted.
 */

import { withPoint } from '../../../core/text.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'
import type {
  SummaryPart,
  TransactionDetail,
  TransactionSummary,
} from '../../../shape/evm/transaction.ts'

/** The other end of the message of a transaction. */
export type MessageEnd = {
  readonly otherChain?: SummaryPart | undefined
  /** The receiver of the tokens that the message carries, on that chain. */
  readonly receiver?: SummaryPart | undefined
  /** Seconds until it came there; absent where it has not, or nobody knows. */
  readonly tookSeconds?: number | undefined
}

/** Facts beside the transaction. */
type SummaryFacts = MessageEnd & {
  /** The coin of the chain. */
  readonly coin: { readonly symbol: string; readonly decimals: number }
}

type Detail = Omit<TransactionDetail, 'summary'>
type Words = readonly (string | SummaryPart)[]

/** The sentence, without a full stop. */
export function summaryOf(detail: Detail, context: SummaryFacts): TransactionSummary {
  const { txStatus, revertReason: { message = '' } = {} } = detail.nativeTransaction
  // Nodes say of a call without a reason that it was reverted.
  const why = /^(execution )?reverted/.test(message) ? '' : `: ${message}`
  const failed = txStatus === '1' ? [] : ['; it failed', message === '' ? '' : why]
  const parts = [...actionOf(detail, context), ...failed].flatMap((part) =>
    typeof part !== 'string' ? part : part === '' ? [] : { text: part },
  )
  return { text: parts.map(({ text }) => text).join(''), parts }
}

function actionOf(detail: Detail, context: SummaryFacts): Words {
  const { nativeTransaction: tx, teleporterMessageInfo: message } = detail
  const { callType, methodName, methodHash } = tx.method ?? {}
  const [sender, called] = [partyPart(tx.from), partyPart(tx.to)]
  const value = tx.value === '0' ? undefined : coins(tx.value, context)
  if (callType === 'CONTRACT_CREATION') return creation(detail)
  if (callType !== 'CONTRACT_CALL') return [sender, ' sent ', value ?? 'nothing', ' to ', called]
  const method = methodName?.split('(')[0] ?? methodHash
  const call: Words = [sender, ` called ${method} on `, called, ...(value ? [' with ', value] : [])]
  if (tx.txStatus !== '1') return call
  const moves = movesOf(detail, context)
  if (message?.direction === 'SOURCE_TRANSACTION')
    return [...sent(moves, sender, context), ...took(context)]
  if (message !== undefined) return delivered(moves, sender, context)
  return (
    approval(detail) ?? exchange(moves, tx) ?? single(moves, tx) ?? [...call, ...counted(detail)]
  )
}

function creation({ nativeTransaction: tx }: Detail): Words {
  const { createdContract: address, createdContractLabel: label } = tx
  return address === undefined
    ? [partyPart(tx.from), ' tried to create a contract']
    : [partyPart(tx.from), ' created the contract ', partyPart({ address, label })]
}

/** Something that went from one to another. */
type Move = {
  readonly from: RichAddress
  readonly to: RichAddress
  /** Names the asset, whatever the amount. */
  readonly asset: string
  readonly isNft: boolean
  readonly units: bigint
  readonly shown: (units: bigint) => SummaryPart
}

function movesOf(detail: Detail, context: SummaryFacts): Move[] {
  const { nativeTransaction: tx } = detail
  const coin = { asset: '', isNft: false, shown: (units: bigint) => coins(String(units), context) }
  const ofCoin = [tx, ...detail.internalTransactions.filter(({ isReverted }) => !isReverted)]
    .filter(({ value }) => value !== '0')
    .map(({ from, to, value }) => ({ ...coin, from, to, units: BigInt(value) }))
  const ofTokens = detail.erc20Transfers.map(({ from, to, value, erc20Token: token }) => ({
    from,
    to,
    asset: token.address,
    isNft: false,
    units: BigInt(value),
    shown: (units: bigint) => amount(String(units), { ...token, tokenAddress: token.address }),
  }))
  const nfts = [
    ...detail.erc721Transfers.map(({ erc721Token: token, ...ends }) => ({
      ...ends,
      token,
      value: '1',
    })),
    ...detail.erc1155Transfers.map(({ erc1155Token: token, ...ends }) => ({ ...ends, token })),
  ].map(({ from, to, token, value }) => ({
    from,
    to,
    asset: `${token.address} ${token.tokenId}`,
    isNft: true,
    units: BigInt(value),
    shown: (units: bigint): SummaryPart => {
      const { address: tokenAddress, tokenId, metadata } = token
      const collection =
        'symbol' in token && token.symbol !== '' ? token.symbol : short(tokenAddress)
      const name = metadata.name ?? `${collection} #${tokenId}`
      return { text: units === 1n ? name : `${units} × ${name}`, tokenAddress, tokenId }
    },
  }))
  return [...ofCoin, ...ofTokens, ...nfts].filter(({ units }) => units > 0n)
}

/** The assets that one address got (above 0) and gave. */
function balanceOf(moves: readonly Move[], address: string): (Move & { readonly net: bigint })[] {
  const byAsset = Map.groupBy(moves, ({ asset }) => asset)
  return [...byAsset.values()].flatMap((all) => {
    const net = all.reduce(
      (sum, { from, to, units }) =>
        sum + (to.address === address ? units : 0n) - (from.address === address ? units : 0n),
      0n,
    )
    const [first] = all
    return first === undefined || net === 0n ? [] : { ...first, net }
  })
}

/** One thing against another. */
function exchange(
  moves: readonly Move[],
  { from, to }: Pick<Move, 'from' | 'to'>,
): Words | undefined {
  const balance = balanceOf(moves, from.address)
  const [given, got] = [
    balance.filter(({ net }) => net < 0n),
    balance.filter(({ net }) => net > 0n),
  ]
  const [out, back] = [given[0], got[0]]
  if (out === undefined || back === undefined || given.length > 1 || got.length > 1)
    return undefined
  const paid = out.shown(-out.net)
  const received = back.shown(back.net)
  const where = [' on ', partyPart(to)]
  if (back.isNft === out.isNft)
    return [partyPart(from), ' swapped ', paid, ' for ', received, ...where]
  return back.isNft
    ? [partyPart(from), ' bought ', received, ' for ', paid, ...where]
    : [partyPart(from), ' sold ', paid, ' for ', received, ...where]
}

/** All that moved is one thing between two. */
function single(
  moves: readonly Move[],
  { from: sender, to }: Pick<Move, 'from' | 'to'>,
): Words | undefined {
  const [move] = moves
  if (move === undefined || moves.some(({ asset }) => asset !== move.asset)) return undefined
  const [last = move] = moves.slice(-1)
  // A chain of hands: what one got the next gave.
  if (moves.some((one, at) => at > 0 && one.from.address !== moves[at - 1]?.to.address))
    return undefined
  const what = move.shown(last.units)
  const who = partyPart(sender)
  const isOwn = move.from.address === sender.address
  if (isZero(move.from))
    return last.to.address === sender.address
      ? [who, ' minted ', what]
      : [who, ' minted ', what, ' to ', partyPart(last.to)]
  if (isZero(last.to))
    return [who, ' burned ', what, ...(isOwn ? [] : [' of ', partyPart(move.from)])]
  if (isOwn) return [who, ' sent ', what, ' to ', partyPart(last.to)]
  return last.to.address === sender.address
    ? [who, ' got ', what, ' from ', partyPart(move.from)]
    : [
        who,
        ' moved ',
        what,
        ' from ',
        partyPart(move.from),
        ' to ',
        partyPart(last.to),
        ...through(to, [move.from, last.to]),
      ]
}

function through(called: RichAddress, ends: readonly RichAddress[]): Words {
  return ends.some(({ address }) => address === called.address) ? [] : [' by ', partyPart(called)]
}

/** A message that was sent, with what it carries: given to the bridge, or burned. */
function sent(
  moves: readonly Move[],
  sender: SummaryPart,
  { otherChain, receiver }: SummaryFacts,
): Words {
  const given = moves.find(({ from }) => from.address === sender.address)
  const where = otherChain === undefined ? [] : [' to ', otherChain]
  if (given === undefined) return [sender, ' sent a message', ...where]
  return receiver === undefined
    ? [sender, ' bridged ', given.shown(given.units), ...where]
    : [
        sender,
        ' bridged ',
        given.shown(given.units),
        ' to ',
        receiver,
        ...(otherChain ? [' on ', otherChain] : []),
      ]
}

function took({ tookSeconds: seconds }: SummaryFacts): Words {
  if (seconds === undefined) return []
  const [size, unit] =
    seconds < 120 ? [1, 's'] : seconds < 7_200 ? [60, 'minutes'] : [3_600, 'hours']
  return [`, delivered in ${Math.round(seconds / size)} ${unit}`]
}

/** A message that came, with what was given out for it: the last that was moved. */
function delivered(
  moves: readonly Move[],
  sender: SummaryPart,
  { otherChain }: SummaryFacts,
): Words {
  const given = moves.at(-1)
  const where = otherChain === undefined ? [] : [' from ', otherChain]
  return given === undefined
    ? [sender, ' delivered a message', ...where]
    : [sender, ' delivered ', given.shown(given.units), ' to ', partyPart(given.to), ...where]
}

const unlimited = String(2n ** 256n - 1n)

/** Approvals of the standards, which move nothing. */
function approval({ nativeTransaction: tx }: Detail): Words | undefined {
  const { signature = '', parameters = [] } = tx.decodedInput ?? {}
  const [first, second] = parameters
  if (first === undefined || second === undefined) return undefined
  const spender = partyPart({ address: first.value, label: first.label })
  const token = partyPart(tx.to)
  if (signature === 'setApprovalForAll(address,bool)')
    return second.value === 'true'
      ? [partyPart(tx.from), ' let ', spender, ' move all of ', token]
      : [partyPart(tx.from), ' no longer lets ', spender, ' move ', token]
  if (signature !== 'approve(address,uint256)') return undefined
  const { decimals, symbol = '' } = tx.to
  // Without decimals it may be the id of an NFT.
  if (decimals === undefined)
    return [partyPart(tx.from), ' let ', spender, ' move ', second.value, ' of ', token]
  const sum =
    second.value === unlimited
      ? { text: `unlimited ${symbol}`, tokenAddress: tx.to.address }
      : amount(second.value, { decimals, symbol, tokenAddress: tx.to.address })
  return second.value === '0'
    ? [partyPart(tx.from), ' no longer lets ', spender, ' spend ', token]
    : [partyPart(tx.from), ' let ', spender, ' spend ', sum]
}

/** Transfers that make no sentence, counted. */
function counted({ erc20Transfers, erc721Transfers, erc1155Transfers }: Detail): Words {
  const nfts = erc721Transfers.length + erc1155Transfers.length
  const kinds = [
    [erc20Transfers.length, 'token transfer'],
    [nfts, 'NFT transfer'],
  ] as const
  const said = kinds.flatMap(([size, kind]) =>
    size === 0 ? [] : `${size} ${kind}${size === 1 ? '' : 's'}`,
  )
  return said.length === 0 ? [] : [`: ${said.join(', ')}`]
}

/** An address as a part. */
export function partyPart({ address, label }: Pick<RichAddress, 'address' | 'label'>): SummaryPart {
  return {
    text: label ?? (isZero({ address }) ? 'the zero address' : short(address)),
    address,
    label,
  }
}

function coins(value: string, { coin }: SummaryFacts): SummaryPart {
  return amount(value, coin)
}

function amount(
  value: string,
  of: { readonly symbol: string; readonly decimals: number | null; readonly tokenAddress?: string },
): SummaryPart {
  const { symbol, decimals, tokenAddress } = of
  const units = decimals === null ? `${value} units of` : withPoint(BigInt(value), decimals)
  return { text: `${units} ${symbol}`.trim(), value, decimals, symbol, tokenAddress }
}

function short(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

function isZero({ address }: Pick<RichAddress, 'address'>): boolean {
  return /^0x0{40}$/.test(address)
}
