/** An interchain message as the API shows it. */

import { address, amount, hash } from '../evm/scalars.ts'
import { erc20Fields, label } from '../evm/token.ts'
import { TransactionSummary } from '../evm/transaction.ts'
import { Type, type Schema, type Static } from '../type.ts'

const decimal = (description: string): Schema<string> =>
  Type.String({ description, pattern: '^[0-9]+$', examples: ['1'] })

export const IcmReceipt = Type.Component(
  'IcmReceipt',
  'Word of a message that was received, on its way back',
  {
    receivedMessageNonce: decimal('Nonce of the message received'),
    relayerRewardAddress: address('Address the relayer named for its reward'),
    relayerRewardLabel: label,
  },
)

const IcmRewardDetails = Type.Component(
  'IcmRewardDetails',
  'What the sender offered for the delivery',
  { ...erc20Fields, value: amount('Fee, smallest unit; 0 where none was offered', 'decimals') },
)

const IcmSourceTransaction = Type.Component(
  'IcmSourceTransaction',
  'The transaction that sent it',
  {
    txHash: hash('Transaction that sent the message first'),
    timestamp: Type.Integer('Unix seconds'),
    gasSpent: amount('Gas used × price, wei', 18),
  },
)

const IcmDestinationTransaction = Type.Component(
  'IcmDestinationTransaction',
  'The transaction that delivered it',
  {
    txHash: hash('Transaction that delivered the message'),
    timestamp: Type.Integer('Unix seconds'),
    gasSpent: amount('Gas used × price, wei', 18),
    rewardRedeemer: address('Address that may take the reward'),
    rewardRedeemerLabel: label,
    delivererAddress: address('Address that delivered the message'),
    delivererLabel: label,
  },
)

const messageFields = {
  messageId: Type.String('Hex without 0x', { pattern: '^[0-9a-f]{64}$' }),
  icmContractAddress: address('Messenger'),
  icmContractLabel: label,
  sourceBlockchainId: Type.String('cb58'),
  destinationBlockchainId: Type.String('cb58'),
  sourceEvmChainId: Type.String('Empty where the chain is not known here'),
  destinationEvmChainId: Type.String('Empty where the chain is not known here'),
  messageNonce: decimal('Counts the messages of the source messenger'),
  from: address('Sender'),
  fromLabel: label,
  to: address('Recipient'),
  toLabel: label,
  data: Type.String('0x hex', { pattern: '^0x([0-9a-f]{2})*$' }),
  messageExecuted: Type.Boolean('Whether the recipient took it, at once or in a retry'),
  receipts: Type.Array(IcmReceipt, 'Receipts that it carried'),
  receiptDelivered: Type.Boolean('Whether the receipt came back to the source'),
  rewardDetails: IcmRewardDetails,
  sourceTransaction: Type.Optional(IcmSourceTransaction),
  destinationTransaction: Type.Optional(IcmDestinationTransaction),
  summary: Type.Optional(TransactionSummary),
  status: Type.Enum(
    ['pending', 'delivered', 'delivered_source_not_indexed'],
    'pending: sent; delivered: received; …: received, its source chain is not indexed',
  ),
} as const

export const IcmMessage = Type.Component(
  'IcmMessage',
  'An interchain message, both ends joined',
  messageFields,
)
/** One interchain message. */
export type IcmMessage = Static<typeof IcmMessage>

/** The same under the older name, which older clients read. */
export const TeleporterMessage = Type.Component(
  'TeleporterMessage',
  'An interchain message under its older name',
  { ...messageFields, teleporterContractAddress: address('Messenger') },
)
/** One interchain message with the older name of its contract. */
export type TeleporterMessage = Static<typeof TeleporterMessage>
