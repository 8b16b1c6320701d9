/** The interchain message of a transaction. */

import { provenReceive, provenSend } from '../../../codec/evm/abi/icm-events.ts'
import { eventKinds } from '../../../codec/evm/columns/columns.ts'
import { equalBytes, toHex } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { faultOf } from '../../../core/fault.ts'
import { publicNetworks } from '../../../core/network.ts'
import type { TeleporterMessageInfo } from '../../../shape/evm/transaction.ts'
import type { EventRow } from '../../../store/query/evm/events.ts'
import type { ChainFacts } from '../../operation/chain-directory.ts'
import type { EvmContext } from '../evm-context.ts'

/**
 * The first message sent or, where none was, the first delivered.
 *
 * A transaction that delivers a message and, in it, sends another shows the one it sent. Only logs of the
 * messengers that have the id of their message are believed: none of a chain whose blockchain id is not known.
 */
export function messageInfo(
  { chains, icmContracts }: EvmContext,
  { blockchainId }: Pick<ChainFacts, 'blockchainId'>,
  events: readonly EventRow[],
): TeleporterMessageInfo | undefined {
  if (blockchainId === undefined) return undefined
  const firstOf = <T>(
    kind: number,
    prove: (log: EventRow, chain: Uint8Array) => T,
  ): T | undefined => {
    for (const log of events) {
      if (log.kind !== kind || !icmContracts.some((one) => equalBytes(one, log.contract))) continue
      try {
        return prove(log, blockchainId)
      } catch (error) {
        if (faultOf(error)?.code !== 'bad-bytes') throw error
      }
    }
    return undefined
  }
  const sent = firstOf(eventKinds.icmSend, provenSend)
  if (sent !== undefined) {
    return {
      teleporterMessageId: toHex(sent.messageId),
      direction: 'SOURCE_TRANSACTION',
      destinationChainId: chainIdText(chains, sent.destinationId),
    }
  }
  const received = firstOf(eventKinds.icmReceive, provenReceive)
  if (received === undefined) return undefined
  return {
    teleporterMessageId: toHex(received.messageId),
    direction: 'DESTINATION_TRANSACTION',
    sourceChainId: chainIdText(chains, received.sourceId),
  }
}

/** EVM chain id where the chain is known, else its blockchain id in cb58. */
function chainIdText(chains: EvmContext['chains'], blockchainId: Uint8Array): string {
  const served = chains.byBlockchainId(blockchainId)
  if (served !== undefined) return String(served.facts.evmChainId)
  const id = toCb58(blockchainId)
  const known = Object.values(publicNetworks).find(({ cChainId }) => cChainId === id)
  return known === undefined ? id : String(known.evmChainId)
}
