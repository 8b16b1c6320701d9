/** Webhooks as callers register them and as answers show them. */

import { addressExample, hashExample } from '../evm/scalars.ts'
import { Type, type Schema, Optional } from '../type.ts'

/** Kinds of events. */
const eventTypes = [
  'address_activity',
  'primary_network_address_activity',
  'validator_activity',
] as const

/** Balances a threshold may be of; `unlocked` and `locked` are the X-Chain's. */
const balanceTypes = [
  'unlockedUnstaked',
  'unlockedStaked',
  'lockedPlatform',
  'lockedStakeable',
  'lockedStaked',
  'pendingStaked',
  'unlocked',
  'locked',
  'atomicMemoryUnlocked',
  'atomicMemoryLocked',
] as const

/** Of addresses of the P- or X-Chain. */
export const addressSubEvents = [
  'balance_change',
  'balance_threshold',
  'reward_distribution',
] as const

/** Of validators. */
export const validatorSubEvents = [
  'validator_stake',
  'delegator_stake',
  'reward_distribution',
  'l1_validator_balance_increased',
  'l1_validator_disabled',
  'l1_validator_removed',
  'l1_validator_balance_threshold',
  'slot_missed',
] as const

const nodeExample = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
const list = (description: string, example: string): Schema<string[]> =>
  Type.Array(Type.String({ maxLength: 256 }), { description, examples: [[example]] })
const nanoAvax = (description: string): Schema<string> =>
  Type.String(`${description}, nAVAX, base 10`, {
    pattern: '^[0-9]{1,19}$',
    examples: ['1000000000'],
  })

/** The watched subjects, and the filters on them. */
const WebhookMetadata = Type.Object({
  addresses: Type.Optional(list('EVM addresses, `address_activity`', addressExample)),
  keyType: Optional.Enum(['addresses', 'nodeId', 'subnetId'], 'Kind of the keys'),
  keys: Type.Optional(list('Addresses, or exactly one node or subnet', nodeExample)),
  subEvents: Optional.Object(
    {
      addressActivitySubEvents: Optional.Array(Type.Enum(addressSubEvents), 'Events of addresses'),
      validatorActivitySubEvents: Optional.Array(
        Type.Enum(validatorSubEvents),
        'Events of validators',
      ),
    },
    'Which events of the kind',
  ),
  balanceThresholdFilter: Optional.Object(
    {
      balanceType: Type.Enum(balanceTypes, 'Which balance'),
      balanceThreshold: nanoAvax('Sends an event once less than this is left'),
    },
    'When a balance is reported',
  ),
  nodeIds: Type.Optional(list('Only these nodes of the subnet', nodeExample)),
  subnetIds: Type.Optional(
    list('Only these subnets of the node', '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'),
  ),
  l1ValidatorFeeBalanceThreshold: Type.Optional(
    nanoAvax('Sends an event once an L1 validator has less than this left'),
  ),
  event: Optional.Object(
    {
      name: Type.String({
        maxLength: 2_000,
        description: 'Of an event of the first address, or its signature',
      }),
      arguments: Type.Optional(
        Type.Record(
          Type.String(),
          Type.String(),
          'Values, each under the name of an indexed argument',
        ),
      ),
    },
    'Only transactions in which one of the addresses logged this event are reported, each with these events in words',
  ),
  eventSignatures: Type.Optional(
    list(
      'First topics of logs, 32 bytes in hex; only transactions that logged one are reported',
      hashExample,
    ),
  ),
})

/** Chat services whose form messages may have. */
const format = Optional.Enum(
  ['slack', 'discord', 'telegram'],
  'Messages are what this chat service takes: text, a line for each value of the event',
)

const status = Type.Enum(['active', 'inactive'], 'Whether anything is sent')

/** Body of the operation that registers one. */
export const CreateWebhookBody = Type.Object({
  eventType: Type.Enum(eventTypes, 'Kind of the events'),
  url: Optional.String({
    maxLength: 2_048,
    description: 'Where messages are sent by POST; without it they are only listened to',
  }),
  format,
  chainId: Optional.String({
    maxLength: 256,
    description: 'EVM chain id, or `p-chain`, `x-chain` or `c-chain`',
  }),
  network: Optional.Enum(['mainnet', 'fuji'], 'Of the primary network'),
  name: Optional.String({ maxLength: 256, description: 'A name' }),
  description: Optional.String({ maxLength: 2_048, description: 'A description' }),
  includeInternalTxs: Optional.Boolean(
    'Report internal transactions, and of those who took part in them',
  ),
  includeLogs: Optional.Boolean('Report all logs of the transaction'),
  metadata: WebhookMetadata,
})

/** Body of the operation that changes one. */
export const UpdateWebhookBody = Type.Object({
  name: Optional.String({ maxLength: 256, description: 'A name' }),
  description: Optional.String({ maxLength: 2_048, description: 'A description' }),
  url: Optional.String({ maxLength: 2_048, description: 'Where messages are sent' }),
  status: Type.Optional(status),
  includeInternalTxs: Optional.Boolean('Report internal transactions'),
  includeLogs: Optional.Boolean('Report all logs of the transaction'),
})

/** Body of the operations on addresses. */
export const WebhookAddressesBody = Type.Object({
  addresses: Type.Array(Type.String({ maxLength: 128 }), {
    minItems: 1,
    description: 'EVM addresses',
  }),
})

/** One webhook. */
export const Webhook = Type.Object(
  {
    id: Type.String('A UUID'),
    eventType: Type.Enum(eventTypes, 'Kind of the events'),
    url: Type.String('Where messages are sent; empty: they are only listened to'),
    format,
    chainId: Type.String('EVM chain id, or `p-chain`, `x-chain` or `c-chain`'),
    network: Optional.Enum(['mainnet', 'fuji'], 'Of the primary network'),
    status,
    createdAt: Type.Integer('Milliseconds since 1970', { examples: [1795372747000] }),
    name: Type.String('A name, or empty'),
    description: Type.String('A description, or empty'),
    includeInternalTxs: Optional.Boolean('Reports internal transactions'),
    includeLogs: Optional.Boolean('Reports logs'),
    metadata: WebhookMetadata,
    delivery: Optional.Object(
      {
        toldUntilBlock: Type.String('All of lower blocks was sent', { examples: ['75'] }),
        failedAttempts: Type.Integer('Attempts at the next message that failed', { examples: [0] }),
        nextAttemptAt: Optional.Integer('Milliseconds since 1970', { examples: [1795372747000] }),
        problem: Optional.String('Why the last attempt failed', { examples: ['answered 500'] }),
      },
      'How far messages were delivered',
    ),
  },
  { $id: 'Webhook', description: 'A webhook' },
)

/** Path of the operations on one. */
export const WebhookPath = {
  id: Type.String('Id of a webhook', { maxLength: 64 }),
}
