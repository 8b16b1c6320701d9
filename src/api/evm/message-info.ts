/** The interchain message of a transaction. */

import { eventKinds } from '../../codec/evm/columns.ts'
import { equalBytes, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { publicNetworks } from '../../core/network.ts'
import type { TeleporterMessageInfo } from '../../shape/evm/transaction-detail.ts'
import type { EventRow } from '../../store/query/evm/events-of-transaction.ts'
import type { EvmParts } from './parts.ts'

/**
 * The first message sent or, where none was, the first delivered.
 *
 * A transaction that delivers a message and, in it, sends another shows the one it sent.
 * Logs of other contracts than the messengers are not believed.
 */
export function messageInfo(
  parts: EvmParts,
  events: readonly EventRow[],
): TeleporterMessageInfo | undefined {
  const believed = events.filter(
    ({ address, topics }) =>
      topics.length >= 64 && parts.icmContracts.some((known) => equalBytes(known, address)),
  )
  const sent = believed.find(({ kind }) => kind === eventKinds.icmSend)
  if (sent !== undefined) {
    return {
      teleporterMessageId: toHex(sent.topics.subarray(0, 32)),
      direction: 'SOURCE_TRANSACTION',
      destinationChainId: chainIdText(parts, sent.topics.subarray(32, 64)),
    }
  }
  const received = believed.find(({ kind }) => kind === eventKinds.icmReceive)
  if (received === undefined) return undefined
  return {
    teleporterMessageId: toHex(received.topics.subarray(0, 32)),
    direction: 'DESTINATION_TRANSACTION',
    sourceChainId: chainIdText(parts, received.topics.subarray(32, 64)),
  }
}

/** EVM chain id where the chain is known, else its blockchain id in cb58. */
function chainIdText({ chains }: EvmParts, blockchainId: Uint8Array): string {
  const served = chains.byBlockchainId(blockchainId)
  if (served !== undefined) return String(served.facts.evmChainId)
  const id = toCb58(blockchainId)
  const known = Object.values(publicNetworks).find(({ cChainId }) => cChainId === id)
  return known === undefined ? id : String(known.evmChainId)
}
