/**
 * The P-Chain's history of L1s as a node gives it, for deployments that do not index the P-Chain.
 *
 * A node knows every transaction but only the validations that still exist: messages about removed
 * validators need the index.
 *
 * Source: avalanchego vms/platformvm/service.go getTx, getL1Validator, getSubnet.
 */

import { toCb58 } from '../../core/cb58.ts'
import { orAbsent } from '../../core/fault.ts'
import { bytesIn, fieldIn, idIn, listIn, nodeIdIn, u64In } from '../../source/rpc/node-text.ts'
import type { Node } from '../node.ts'
import type { L1Transaction, MessageSource } from './message-source.ts'

/** History as `node` knows it. */
export function nodeMessages(node: Node): MessageSource {
  const call = (
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> =>
    orAbsent('not-found', () => node.call('/ext/bc/P', `platform.${method}`, params, signal))
  return {
    transaction: async (txId, signal) => {
      const params = { txID: toCb58(txId), encoding: 'json' }
      const answer = await call('getTx', params, signal)
      return answer === undefined ? undefined : readTransaction(fieldIn(answer, 'tx'))
    },
    validation: async (validationId, signal) => {
      const params = { validationID: toCb58(validationId) }
      const answer = await call('getL1Validator', params, signal)
      if (answer === undefined) return undefined
      const minNonce = u64In(answer, 'minNonce')
      return {
        subnetId: idIn(answer, 'subnetID'),
        // Only justifications of removed validations need it, and those are not given.
        origin: { kind: 'conversion', index: 0 },
        removed: false,
        weight: u64In(answer, 'weight'),
        minNonce,
      }
    },
    managerChain: async (subnetId, signal) =>
      (await orAbsent('not-found', () => node.subnet(subnetId, signal)))?.managerChainId,
  }
}

function readTransaction(tx: unknown): L1Transaction {
  const unsigned = fieldIn(tx, 'unsignedTx')
  if (fieldIn(unsigned, 'validators') !== undefined) {
    return {
      kind: 'conversion',
      conversion: {
        subnetId: idIn(unsigned, 'subnetID'),
        managerChainId: idIn(unsigned, 'chainID'),
        managerAddress: bytesIn(unsigned, 'address'),
        validators: listIn(unsigned, 'validators').map((validator) => ({
          nodeId: nodeIdIn(validator, 'nodeID'),
          blsPublicKey: bytesIn(fieldIn(validator, 'signer'), 'publicKey'),
          weight: u64In(validator, 'weight'),
        })),
      },
    }
  }
  if (typeof fieldIn(unsigned, 'message') !== 'string') return { kind: 'none', type: '' }
  // Only a registration carries a proof that its key is possessed.
  const registers = fieldIn(unsigned, 'proofOfPossession') !== undefined
  return { kind: registers ? 'registration' : 'weight', message: bytesIn(unsigned, 'message') }
}
