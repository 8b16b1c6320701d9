/** One transaction with everything that happened in it. */

import { provenReceive, provenSend } from '../../../codec/evm/abi/icm-events.ts'
import { standardOf, eventKinds } from '../../../codec/evm/columns/columns.ts'
import { fromHex, equalBytes, toHex } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { publicNetworks } from '../../../core/network.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import type { CurrencyCode, NetworkTokenDetails } from '../../../shape/evm/token.ts'
import type {
  TransactionDetail,
  FullNativeTransaction,
  TeleporterMessageInfo,
} from '../../../shape/evm/transaction.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { eventsOfTransaction, type EventRow } from '../../../store/query/evm/events.ts'
import { internalsOfTransaction } from '../../../store/query/evm/internals.ts'
import {
  transactionByHash,
  type TransactionRow,
  type TransactionWithFees,
} from '../../../store/query/evm/transactions.ts'
import { transfersOfTransaction } from '../../../store/query/evm/transfers.ts'
import { getMessage } from '../../../store/query/icm/messages.ts'
import type { ServedChain, ChainFacts } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import type { Moved } from '../abi/amounts.ts'
import { inputInWords } from '../abi/known-abis.ts'
import { movedIn } from '../abi/moved.ts'
import { answerOfNode, tracedHeaders, decimalText, inputOf } from '../answers.ts'
import { networkToken } from '../balances/native-balance.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelsOf } from '../rich-addresses.ts'
import { money } from '../tokens/token-views.ts'
import {
  erc1155TransferDetails,
  erc20TransferDetails,
  erc721TransferDetails,
  transferViewer,
} from '../transfers/transfer-views.ts'
import { authorizationsOf } from './authorizations.ts'
import { type MessageEnd, partyPart, summaryOf } from './summary.ts'
import {
  internalDetails,
  internalAddresses,
  nativeTransaction,
  type TransactionContext,
  transactionContext,
} from './transaction-views.ts'

/** Document B, endpoint 7. Throws `not-found` for a hash the chain does not have. */
export function getTransaction(evm: EvmContext): Operation<'getTransaction'> {
  return operation(EvmTransactions.getTransaction, async ({ path, signal }) => {
    const chain = evm.chains.find(path.chainId)
    const row = await transactionByHash(chain.store, fromHex(path.txHash))
    if (row === undefined)
      throw new Fault('not-found', `transaction is not known here: ${path.txHash}`)
    const body = await transactionDetail(evm, chain, row, { signal })
    return { body, ...(await tracedHeaders(chain)) }
  })
}

/** Everything of the transaction in `row`. */
export async function transactionDetail(
  evm: EvmContext,
  chain: ServedChain,
  row: TransactionWithFees,
  {
    currency = 'usd',
    signal,
  }: { readonly currency?: CurrencyCode | undefined; readonly signal: AbortSignal },
): Promise<TransactionDetail> {
  const { store } = chain
  const [transfers, internals, events, input, networkTokenDetails] = await Promise.all([
    transfersOfTransaction(store, row.pos),
    internalsOfTransaction(store, row.pos),
    eventsOfTransaction(store, row.pos),
    inputOf(chain, row),
    coinOf(evm, chain, row.timestamp, currency),
  ])
  const [context, viewer] = await Promise.all([
    transactionContext(evm, chain, [row], internalAddresses(internals)),
    transferViewer(evm, chain, transfers),
  ])
  const moved = movedIn(chain.facts, { transfers, internals, value: row.value }, viewer.rich)
  const info = messageInfo(evm, chain.facts, events)
  const ofStandard = (standard: 20 | 721 | 1155): typeof transfers =>
    transfers.filter(({ kind }) => standardOf(kind) === standard)
  const detail = {
    erc20Transfers: ofStandard(20).map((each) => erc20TransferDetails(each, viewer)),
    erc721Transfers: ofStandard(721).map((each) => erc721TransferDetails(each, viewer)),
    erc1155Transfers: ofStandard(1155).map((each) => erc1155TransferDetails(each, viewer)),
    internalTransactions: internals.map((each) => internalDetails(each, context.named)),
    networkTokenDetails,
    nativeTransaction: await inWords(
      evm,
      { chain, row, signal, moved },
      fullTransaction(row, context, input),
    ),
    teleporterMessageInfo: info,
  }
  const { symbol, decimals } = chain.facts
  const end = info === undefined ? {} : await otherEndOf(evm, info, detail.nativeTransaction)
  return { ...detail, summary: summaryOf(detail, { coin: { symbol, decimals }, ...end }) }
}

/** The other chain of a message, and the receiver of its tokens there. */
async function otherEndOf(
  { chains, addressBooks, messages }: EvmContext,
  { teleporterMessageId, sourceChainId, destinationChainId }: TeleporterMessageInfo,
  { decodedInput }: FullNativeTransaction,
): Promise<MessageEnd> {
  const chainId = sourceChainId ?? destinationChainId ?? ''
  const other = chains.all().find(({ facts }) => String(facts.evmChainId) === chainId)
  const otherChain =
    other === undefined ? { text: `chain ${chainId}` } : { text: other.facts.name, chainId }
  const tookSeconds = await deliveryTime(messages(), fromHex(teleporterMessageId))
  const address = receiverIn(decodedInput)
  if (address === undefined) return { otherChain, tookSeconds }
  const label = other && (await labelsOf(addressBooks(other), [address])).of(address)
  const receiver = { ...partyPart({ address, label }), chainId: other && chainId }
  return { otherChain, receiver, tookSeconds }
}

/** Seconds between the ends of a message, by the clocks of both chains; absent until it came. */
async function deliveryTime(
  store: Reader | undefined,
  messageId: Uint8Array,
): Promise<number | undefined> {
  const { sent, received } = (store && (await getMessage(store, messageId))) ?? {}
  return sent === undefined || received === undefined
    ? undefined
    : Math.max(0, received.timestamp - sent.timestamp)
}

/** The receiver that a call of a bridge names: by the name of the argument, or by its place in the inputs of ICTT. */
function receiverIn(input: Decoded | undefined): string | undefined {
  const [first, ...others] = input?.parameters ?? []
  if (first === undefined) return undefined
  // SendTokensInput and SendAndCallInput: destination chain, bridge there, recipient.
  if (first.type.startsWith('(bytes32,address,address,')) {
    const third: unknown = Object.values(Object(JSON.parse(first.value)))[2]
    return typeof third === 'string' ? third : undefined
  }
  return [first, ...others].find(
    ({ name, type }) => type === 'address' && /^_?(to|recipient|receiver)$/i.test(name),
  )?.value
}

function fullTransaction(
  row: TransactionWithFees,
  context: TransactionContext,
  input: string,
): FullNativeTransaction {
  const view: FullNativeTransaction = {
    ...nativeTransaction(row, context),
    input,
    baseFeePerGas: row.baseFee === undefined ? '0' : decimalText(row.baseFee),
  }
  if (row.maxFee !== undefined) view.maxFeePerGas = decimalText(row.maxFee)
  if (row.maxPriorityFee !== undefined) view.maxPriorityFeePerGas = decimalText(row.maxPriorityFee)
  return view
}

/** With what the input says by the ABIs that are known, and why it failed where it did. */
async function inWords(
  { contracts, reverts, addressBooks, clock }: EvmContext,
  {
    chain,
    row,
    signal,
    moved,
  }: {
    readonly chain: ServedChain
    readonly row: TransactionRow
    readonly signal: AbortSignal
    readonly moved: Moved
  },
  view: FullNativeTransaction,
): Promise<FullNativeTransaction> {
  const target = row.toId === undefined ? undefined : view.to.address
  // A payment says nothing.
  const called = target === undefined || row.inputLength === 0 ? [] : [fromHex(target)]
  const abis = await contracts.abisOf(chain, called, signal)
  const failed = { chain, row, input: view.input, from: view.from.address, to: target, abis }
  const reason = row.status === 1 ? undefined : await reverts(failed, signal)
  const { method } = view
  const { methodName, decodedInput } =
    called.length === 0
      ? { methodName: method?.methodName, decodedInput: undefined }
      : inputInWords(
          abis,
          { chainId: view.chainId, address: target?.toLowerCase() ?? '' },
          { bytes: fromHex(view.input), listed: method?.methodName },
        )
  const delegated =
    row.type === 4
      ? await answerOfNode(clock, signal, (until) => authorizationsOf(chain, row.pos, until))
      : undefined
  const named = (delegated ?? []).flatMap(({ authority, address }) => [authority, address])
  const labels = await labelsOf(
    addressBooks(chain),
    [...named, target],
    [decodedInput, reason?.decoded],
  )
  return {
    ...view,
    authorizations: delegated?.map((one) => ({
      ...one,
      authorityLabel: labels.of(one.authority),
      label: labels.of(one.address),
    })),
    method: method && { ...method, methodName },
    decodedInput: labels.in(decodedInput, { contract: target, moved }),
    revertReason: reason && { ...reason, decoded: labels.in(reason.decoded, { contract: target }) },
  }
}

// The historical price is of another day than the current one. Source: public API description.
const historicalAfterSeconds = 24 * 60 * 60

async function coinOf(
  { prices, clock }: EvmContext,
  chain: ServedChain,
  timestamp: number,
  currency: CurrencyCode,
): Promise<NetworkTokenDetails> {
  const details: NetworkTokenDetails = { networkToken: networkToken(chain.facts) }
  if (!prices.offered) return details
  const question = { chain: chain.facts, of: ['native'] as const, currency }
  const [current] = await prices.current(question)
  if (current !== undefined) details.currentPrice = money(current, currency)
  if (clock.now() / 1_000 - timestamp > historicalAfterSeconds) {
    const [then] = await prices.historical({ ...question, timestamp })
    if (then !== undefined) details.historicalPrice = money(then, currency)
  }
  return details
}

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
