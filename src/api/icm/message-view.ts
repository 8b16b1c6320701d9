/** Messages as the API shows them. */

import { toChecksumAddress, zeroAddress } from '../../core/address.ts'
import { equalBytes, to0x, toBigint, toHex } from '../../core/bytes.ts'
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
export function messageViews(
  context: IcmContext,
  rows: readonly MessageRow[],
): Promise<IcmMessage[]> {
  return Promise.all(rows.map((row) => messageView(context, row)))
}

/** One message; what only the other end knows is left out or, where demanded, empty. */
export async function messageView(context: IcmContext, row: MessageRow): Promise<IcmMessage> {
  const { sent, received } = row
  const end = sent ?? received
  assert(end !== undefined, 'a stored message has an end')
  return {
    messageId: toHex(row.messageId),
    icmContractAddress: toChecksumAddress(end.contract),
    sourceBlockchainId: toCb58(end.sourceId),
    destinationBlockchainId: toCb58(end.destinationId),
    sourceEvmChainId: await evmChainIdOf(context, end.sourceId),
    destinationEvmChainId: await evmChainIdOf(context, end.destinationId),
    messageNonce: toBigint(end.nonce).toString(),
    from: toChecksumAddress(end.sender),
    fromLabel: labelOf(context, end.sourceId, end.sender),
    to: toChecksumAddress(end.recipient),
    toLabel: labelOf(context, end.destinationId, end.recipient),
    data: to0x(end.data),
    messageExecuted: row.executed,
    receipts: receiptsOf(end.receipts),
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
            delivererLabel: labelOf(context, end.destinationId, received.deliverer),
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

function receiptsOf(bytes: Uint8Array): IcmMessage['receipts'] {
  const receipts: IcmMessage['receipts'] = []
  for (let at = 0; at + receiptSize <= bytes.length; at += receiptSize) {
    receipts.push({
      receivedMessageNonce: toBigint(bytes.subarray(at, at + 32)).toString(),
      relayerRewardAddress: toChecksumAddress(bytes.subarray(at + 32, at + receiptSize)),
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

/** The operator's name of an address of a chain that is served here. */
function labelOf(
  { chains, addressBooks }: IcmContext,
  blockchainId: Uint8Array,
  address: Uint8Array,
): string | undefined {
  const chain = chains.byBlockchainId(blockchainId)
  return chain && addressBooks(chain).labelOf(address)
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
