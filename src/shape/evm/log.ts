/** Logs and their values by ABI. */

import { Type, type Static, Optional } from '../type.ts'
import { addressExample, address, decimal, hash, hex } from './scalars.ts'
import { label } from './token.ts'

/** Anything that amounts are of. */
export const Unit = Type.Component('Unit', 'A token, or the coin of a chain', {
  address: Type.Optional(address('Token contract; absent of the coin')),
  symbol: Type.String('Symbol; empty where the contract gives none or looks like spam'),
  decimals: Type.Integer('Digits of an amount behind the point'),
})
/** Decoded {@link Unit}. */
export type Unit = Static<typeof Unit>

/**
 * Values with their types; `token` where it is known what a value is an amount of: the token that was called or logged
 * it, by the name of the argument, or what the transaction moved so much of.
 */
export const DecodedValues = Type.Array(
  Type.Object({
    name: Type.String('empty where the ABI names it not'),
    type: Type.String(),
    indexed: Optional.Boolean('of events: whether it is a topic'),
    value: Type.String(
      'integers in base 10, bytes in hex, text as it is, lists and tuples as JSON; of an indexed parameter longer than a word the hash',
    ),
    label,
    labels: Type.Optional(
      Type.Record(
        Type.String(),
        Type.String(),
        'of a list or tuple: what addresses in it are called, by the addresses as they stand there',
      ),
    ),
    token: Type.Optional(Unit),
    tokens: Type.Optional(
      Type.Record(
        Type.String(),
        Unit,
        'of a list or tuple: what numbers in it are amounts of, by the numbers as they stand there',
      ),
    ),
  }),
)

/** A log or an input in words. */
export const Decoded = Type.Component('Decoded', 'A log or an input in words', {
  name: Type.String('of the event or method'),
  signature: Type.String('`Transfer(address,address,uint256)`'),
  parameters: DecodedValues,
})
/** Decoded {@link Decoded}. */
export type Decoded = Static<typeof Decoded>

/** A log, with its place, and in words where an ABI fits. */
export const Log = Type.Component('Log', 'A log with its place, and in words where an ABI fits', {
  blockNumber: decimal('Height of the block'),
  blockHash: hash('Hash of the block'),
  blockTimestamp: Type.Integer('Unix seconds'),
  txHash: hash('Hash of the transaction'),
  transactionIndex: Type.Integer('Place of the transaction in the block'),
  logIndex: Type.Integer('Place among the logs of the block'),
  address: address('Contract that logged it'),
  label,
  topic0: Type.Optional(hash('First topic, of most events the hash of their signature')),
  topic1: Type.Optional(hash('Second topic')),
  topic2: Type.Optional(hash('Third topic')),
  topic3: Type.Optional(hash('Fourth topic')),
  data: hex('Data'),
  removed: Type.Boolean('always false: only accepted blocks are stored'),
  decoded: Type.Optional(Decoded),
})
/** Decoded {@link Log}. */
export type Log = Static<typeof Log>

/** An event of a contract, with the values of its arguments by name. */
export const ContractEvent = Type.Component('ContractEvent', 'An event of a contract', {
  blockNumber: decimal('Height of the block'),
  blockTimestamp: Type.Integer('Unix seconds'),
  txHash: hash('Hash of the transaction'),
  logIndex: Type.Integer('Place among the logs of the block'),
  arguments: Type.Record(
    Type.String(),
    Type.Unknown(),
    'Values by name, or by place where an argument has none: integers in base 10, bytes in hex, addresses in mixed case, lists, tuples by names; of an indexed text, list or bytes the hash',
    { examples: [{ from: addressExample }] },
  ),
})
/** Decoded {@link ContractEvent}. */
export type ContractEvent = Static<typeof ContractEvent>
