/**
 * The P-Chain's history of L1s as a node tells it, for deployments that do not index the P-Chain.
 *
 * A node knows every transaction but only the validations that still exist: messages about removed
 * validators need the index.
 *
 * Source: avalanchego vms/platformvm/service.go getTx, getL1Validator, getSubnet.
 */

import type { ConversionData } from '../codec/warp/l1-message.ts'
import { fromHex } from '../core/bytes.ts'
import { parseId, parseNodeId, toCb58 } from '../core/cb58.ts'
import { orAbsent } from '../core/fault.ts'
import { field, list, text, u64Text } from './json-value.ts'
import type { L1Transaction, MessageSource } from './message-source.ts'
import type { Node } from './node.ts'

/** History as `node` knows it. */
export function nodeMessages(node: Node): MessageSource {
  const ask = (
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> =>
    orAbsent('not-found', () => node.call('/ext/bc/P', `platform.${method}`, params, signal))
  return {
    transaction: async (txId, signal) => {
      const params = { txID: toCb58(txId), encoding: 'json' }
      const answer = await ask('getTx', params, signal)
      return answer === undefined ? undefined : readTransaction(field(answer, 'tx'))
    },
    validation: async (validationId, signal) => {
      const params = { validationID: toCb58(validationId) }
      const answer = await ask('getL1Validator', params, signal)
      if (answer === undefined) return undefined
      const minNonce = u64Text(answer, 'minNonce')
      return {
        subnetId: parseId(text(answer, 'subnetID')),
        // Only justifications of removed validations need it, and those are not told.
        origin: { kind: 'conversion', index: 0 },
        removed: false,
        weight: u64Text(answer, 'weight'),
        minNonce,
      }
    },
    managerChain: async (subnetId, signal) =>
      (await orAbsent('not-found', () => node.subnet(subnetId, signal)))?.managerChainId,
  }
}

function readTransaction(tx: unknown): L1Transaction {
  const unsigned = field(tx, 'unsignedTx')
  if (field(unsigned, 'validators') !== undefined) {
    return { kind: 'conversion', conversion: readConversion(unsigned) }
  }
  const message = field(unsigned, 'message')
  if (typeof message !== 'string') return { kind: 'none', type: '' }
  // Only a registration carries a proof that its key is possessed.
  const registers = field(unsigned, 'proofOfPossession') !== undefined
  return { kind: registers ? 'registration' : 'weight', message: fromHex(message) }
}

function readConversion(unsigned: unknown): ConversionData {
  return {
    subnetId: parseId(text(unsigned, 'subnetID')),
    managerChainId: parseId(text(unsigned, 'chainID')),
    managerAddress: fromHex(text(unsigned, 'address')),
    validators: list(unsigned, 'validators').map((validator) => ({
      nodeId: readNodeId(text(validator, 'nodeID')),
      blsPublicKey: fromHex(text(field(validator, 'signer'), 'publicKey')),
      weight: u64Text(validator, 'weight'),
    })),
  }
}

/** Node ids of conversions may have any length; those of 20 bytes are shown as `NodeID-…`. */
function readNodeId(shown: string): Uint8Array {
  return shown.startsWith('NodeID-') ? parseNodeId(shown) : fromHex(shown)
}
