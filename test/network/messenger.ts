/**
 * A messenger of our own: it tells of messages in the logs that the Teleporter messenger has, sends
 * them by the Warp precompile, and takes only those that the precompile has verified, once each. It
 * keeps no queue of receipts and calls nobody: who sends writes the whole message.
 *
 * Source: icm-services icm-contracts/avalanche/teleporter/ITeleporterMessenger.sol (logs, message,
 * ids) and avalanchego precompile/contracts/warp/IWarpMessenger.sol.
 */

import { encodeRlp } from '../../src/codec/evm/proof/rlp.ts'
import { concatBytes, fromBigint, fromHex } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { type Code, creationOf, demand, op, programOf, push, when } from './evm-code.ts'
import { keyNamed } from './keys.ts'
import { warpPrecompile } from './l1-steps.ts'

/** Who makes it, with a first transaction on each chain, so that its address is the same on all. */
export const messengerMaker = keyNamed('messenger maker')

/** Where it lies. */
export const messengerAddress = keccak256(encodeRlp([messengerMaker.evm, new Uint8Array()])).slice(
  12,
)

/** A message to be sent. Addresses 20 bytes, the id of the chain 32. */
export type Message = {
  readonly nonce: bigint
  readonly sender: Uint8Array
  readonly destinationChainId: Uint8Array
  readonly destination: Uint8Array
  /** A message of the other chain that was received, and who delivered it; one at most. */
  readonly receipt?: { readonly nonce: bigint; readonly relayer: Uint8Array }
  readonly data: Uint8Array
}

/** Data of the call that makes the messenger send. */
export function sendCall({ receipt, data, ...message }: Message): Uint8Array {
  const receipts = receipt === undefined ? [] : [number(receipt.nonce), number(receipt.relayer)]
  const padding = new Uint8Array((32 - (data.length % 32)) % 32)
  return concatBytes(
    number(0n),
    // The tuple begins here; offsets count from its beginning.
    number(0x20n),
    number(message.nonce),
    number(message.sender),
    message.destinationChainId,
    number(message.destination),
    number(100_000n),
    number(0x100n),
    number(0x120n),
    number(0x140n + BigInt(receipts.length * 32)),
    number(0n),
    number(BigInt(receipts.length / 2)),
    ...receipts,
    number(BigInt(data.length)),
    data,
    padding,
  )
}

/** Data of the call that makes the messenger deliver the first message of the predicates. */
export function receiveCall(rewardRedeemer: Uint8Array): Uint8Array {
  return concatBytes(number(1n), number(rewardRedeemer))
}

function number(value: bigint | Uint8Array): Uint8Array {
  if (typeof value === 'bigint') return fromBigint(value, 32)
  return concatBytes(new Uint8Array(32 - value.length), value)
}

const topicOf = (event: string): Code => push(keccak256(new TextEncoder().encode(event)))
const tuple = '(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes)'
const topics = {
  send: topicOf(`SendCrossChainMessage(bytes32,bytes32,${tuple},(address,uint256))`),
  receive: topicOf(`ReceiveCrossChainMessage(bytes32,bytes32,address,address,${tuple})`),
  executed: topicOf('MessageExecuted(bytes32,bytes32)'),
  receipt: topicOf('ReceiptReceived(bytes32,bytes32,address,(address,uint256))'),
}

const warp = push(warpPrecompile)
/** A selector at the beginning of a word. */
const selector = (hex: string): Code => push(concatBytes(fromHex(hex), new Uint8Array(28)))
const load = (at: number): Code => op('MLOAD', at)
const store = (at: number, value: Code | number): Code => op('MSTORE', at, value)

/**
 * Places in memory, far behind any message: the chain's own id, a message's, what is hashed, zeros.
 */
const own = 0x4000
const id = 0x4020
const hashed = 0x4040
const size = 0x4100
const zeros = 0x4120

const ownId = concatBytes(
  store(own, selector('4213cf78')),
  demand(op('STATICCALL', op('GAS'), warp, own, 4, own, 32)),
)

/** Puts the id of a message at {@link id}. */
function storeId(source: Code, destination: Code, nonce: Code): Code {
  const parts = [op('ADDRESS'), source, destination, nonce]
  return concatBytes(
    ...parts.map((part, at) => store(hashed + at * 32, part)),
    store(id, op('KECCAK256', hashed, parts.length * 32)),
  )
}

/**
 * The call from its second word on lies at 96, the message's tuple so at 128. The log's data is the
 * place of the message, a fee of nothing, and the message.
 */
const sending = concatBytes(
  op('CALLDATACOPY', 96, 32, op('SUB', op('CALLDATASIZE'), 32)),
  storeId(load(own), load(192), load(128)),
  store(32, 0x60),
  store(64, 0),
  store(96, 0),
  op('LOG3', 32, op('ADD', op('CALLDATASIZE'), 32), topics.send, load(id), load(192)),
  // sendWarpMessage(bytes), its selector at the end of the first word.
  store(0, push(fromHex('ee5b48eb'))),
  store(32, 0x20),
  store(64, op('SUB', op('CALLDATASIZE'), 32)),
  store(96, 0x20),
  demand(op('CALL', op('GAS'), warp, 0, 28, op('ADD', op('CALLDATASIZE'), 36), 0, 0)),
  op('STOP'),
)

/**
 * getVerifiedWarpMessage(0) gives, each a word: a place, whether it is verified (32), source chain
 * (64), sender (96), a place, the size of the payload (160) and the payload, whose tuple begins at 224.
 */
const receiving = concatBytes(
  store(0, selector('6f825350')),
  demand(op('STATICCALL', op('GAS'), warp, 0, 36, 0, 0)),
  op('RETURNDATACOPY', 0, 0, op('RETURNDATASIZE')),
  demand(load(32)),
  // From the same messenger, to this chain.
  demand(op('EQ', load(96), op('ADDRESS'))),
  demand(op('EQ', load(288), load(own))),
  when(
    load(512),
    concatBytes(
      storeId(load(own), load(64), load(544)),
      op('LOG4', zeros, 64, topics.receipt, load(id), load(64), load(576)),
    ),
  ),
  storeId(load(64), load(288), load(224)),
  demand(op('ISZERO', op('SLOAD', load(id)))),
  op('SSTORE', load(id), 1),
  // The log's data: who may take the reward, the place of the message, and the message.
  store(size, load(160)),
  store(160, op('CALLDATALOAD', 32)),
  store(192, 0x40),
  op('LOG4', 160, op('ADD', load(size), 32), topics.receive, load(id), load(64), op('CALLER')),
  op('LOG3', 0, 0, topics.executed, load(id), load(64)),
  op('STOP'),
)

/** Makes the messenger. */
export const messengerCreation = creationOf(
  programOf(ownId, when(op('ISZERO', op('CALLDATALOAD', 0)), sending), receiving),
)
