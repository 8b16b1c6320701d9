/** Messages as the API shows them. */

import { toChecksumAddress, zeroAddress } from '../../core/address.ts'
import { bytesOfKey, equalBytes, keyOf, to0x, toBigint, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { assert } from '../../core/fault.ts'
import { publicNetworks } from '../../core/network.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import { addressId } from '../../store/query/evm/addresses.ts'
import type { MessageEnd, MessageRow } from '../../store/query/icm/messages.ts'
import { knownDecimals } from '../evm/rich-addresses.ts'
import type { IcmContext } from './icm-context.ts'

// 32 bytes of nonce and 20 of an address.
const receiptSize = 52

/** Views of a page. */
export async function messageViews(
  context: IcmContext,
  rows: readonly MessageRow[],
): Promise<IcmMessage[]> {
  const labelOf = await labelsOfMessages(context, rows)
  return Promise.all(rows.map((row) => viewOf(context, row, labelOf)))
}

/** One message; what only the other end knows is left out or, where demanded, empty. */
export async function messageView(context: IcmContext, row: MessageRow): Promise<IcmMessage> {
  return viewOf(context, row, await labelsOfMessages(context, [row]))
}

/** Views of a page, each with the transaction that sent the message, or else delivered it, in a sentence. */
export async function toldMessages(
  { chains, told }: IcmContext,
  rows: readonly MessageRow[],
  views: readonly IcmMessage[],
  signal: AbortSignal,
): Promise<IcmMessage[]> {
  const summaries = await Promise.all(
    rows.map(async ({ sent, received }) => {
      const [id, end] =
        sent === undefined ? [received?.destinationId, received] : [sent.sourceId, sent]
      const chain = id && chains.byBlockchainId(id)
      return chain && end && told?.(chain, end.txHash, signal)
    }),
  )
  return views.map((view, at) => ({ ...view, summary: summaries[at] }))
}

async function viewOf(context: IcmContext, row: MessageRow, labelOf: LabelOf): Promise<IcmMessage> {
  const { sent, received } = row
  const end = endOf(row)
  return {
    messageId: toHex(row.messageId),
    icmContractAddress: toChecksumAddress(end.contract),
    icmContractLabel: labelOf(end === sent ? end.sourceId : end.destinationId, end.contract),
    sourceBlockchainId: toCb58(end.sourceId),
    destinationBlockchainId: toCb58(end.destinationId),
    sourceEvmChainId: await evmChainIdOf(context, end.sourceId),
    destinationEvmChainId: await evmChainIdOf(context, end.destinationId),
    messageNonce: toBigint(end.nonce).toString(),
    from: toChecksumAddress(end.sender),
    fromLabel: labelOf(end.sourceId, end.sender),
    to: toChecksumAddress(end.recipient),
    toLabel: labelOf(end.destinationId, end.recipient),
    data: to0x(end.data),
    messageExecuted: row.executed,
    receipts: receiptsOf(end.receipts).map(({ nonce, address }) => ({
      receivedMessageNonce: nonce,
      relayerRewardAddress: toChecksumAddress(address),
      // Their rewards lie on the chain to which they go back.
      relayerRewardLabel: labelOf(end.destinationId, address),
    })),
    receiptDelivered: row.receiptDelivered,
    rewardDetails: await rewardOf(context, row, end),
    sourceTransaction: sent === undefined ? undefined : transactionOf(sent),
    destinationTransaction:
      received === undefined
        ? undefined
        : {
            ...transactionOf(received),
            rewardRedeemer: toChecksumAddress(received.rewardRedeemer),
            delivererAddress: toChecksumAddress(received.deliverer),
            rewardRedeemerLabel: labelOf(end.sourceId, received.rewardRedeemer),
            delivererLabel: labelOf(end.destinationId, received.deliverer),
          },
    status: statusOf(row),
  }
}

function statusOf({ sent, received }: MessageRow): IcmMessage['status'] {
  if (received === undefined) return 'pending'
  return sent === undefined ? 'delivered_source_not_indexed' : 'delivered'
}

function transactionOf(end: MessageEnd): { txHash: string; timestamp: number; gasSpent: string } {
  return {
    txHash: to0x(end.txHash),
    timestamp: end.timestamp,
    gasSpent: toBigint(end.gasSpent).toString(),
  }
}

type Receipt = { readonly nonce: string; readonly address: Uint8Array }

function receiptsOf(bytes: Uint8Array): Receipt[] {
  const receipts: Receipt[] = []
  for (let at = 0; at + receiptSize <= bytes.length; at += receiptSize) {
    receipts.push({
      nonce: toBigint(bytes.subarray(at, at + 32)).toString(),
      address: bytes.subarray(at + 32, at + receiptSize),
    })
  }
  return receipts
}

/** The fee's token is one of the source chain; without a fee it is the zero address. */
async function rewardOf(
  context: IcmContext,
  { fee }: MessageRow,
  end: MessageEnd,
): Promise<IcmMessage['rewardDetails']> {
  const token = fee?.token ?? zeroAddress
  const value = toBigint(fee?.amount ?? new Uint8Array(0)).toString()
  const isOffered = !equalBytes(token, zeroAddress)
  const nameless = {
    address: toChecksumAddress(token),
    name: '',
    symbol: '',
    ...(isOffered ? knownDecimals(undefined) : { decimals: 0 }),
    ercType: 'ERC-20',
    value,
  } as const
  const chain = context.chains.byBlockchainId(end.sourceId)
  if (chain === undefined || !isOffered) return nameless
  const id = await addressId(chain.store, token)
  if (id === undefined) return nameless
  const named = await context.addressBooks(chain).load([id])
  return { ...named(id).erc20, value }
}

function endOf({ sent, received }: MessageRow): MessageEnd {
  const end = sent ?? received
  assert(end !== undefined, 'a stored message has an end')
  return end
}

/** Label of an address of a chain; `undefined` also on a chain that is not served here. */
type LabelOf = (blockchainId: Uint8Array, address: Uint8Array) => string | undefined

/** Labels of all addresses in messages, looked up once for each chain. */
async function labelsOfMessages(
  { chains, addressBooks }: IcmContext,
  rows: readonly MessageRow[],
): Promise<LabelOf> {
  const wanted = new Map<string, Uint8Array[]>()
  for (const row of rows) {
    const { sourceId, destinationId, contract, sender, recipient, receipts } = endOf(row)
    const { received } = row
    const bySource = [
      contract,
      sender,
      ...(received === undefined ? [] : [received.rewardRedeemer]),
    ]
    const byDestination = [
      contract,
      recipient,
      ...(received === undefined ? [] : [received.deliverer]),
      ...receiptsOf(receipts).map(({ address }) => address),
    ]
    for (const [id, addresses] of [
      [sourceId, bySource],
      [destinationId, byDestination],
    ] as const)
      wanted.set(keyOf(id), [...(wanted.get(keyOf(id)) ?? []), ...addresses])
  }
  const about = new Map(
    await Promise.all(
      [...wanted].map(async ([key, addresses]) => {
        const chain = chains.byBlockchainId(bytesOfKey(key))
        return [key, chain && (await addressBooks(chain).about(addresses))] as const
      }),
    ),
  )
  return (blockchainId, address) => about.get(keyOf(blockchainId))?.(address).rich.label
}

/** Decimal EVM chain id, or empty where the chain is not known here. */
async function evmChainIdOf(context: IcmContext, blockchainId: Uint8Array): Promise<string> {
  const served = context.chains.byBlockchainId(blockchainId)
  if (served !== undefined) return String(served.facts.evmChainId)
  const reported = await context.evmChainIdOf?.(blockchainId)
  if (reported !== undefined) return String(reported)
  const id = toCb58(blockchainId)
  const known = Object.values(publicNetworks).find(({ cChainId }) => cChainId === id)
  return known === undefined ? '' : String(known.evmChainId)
}
