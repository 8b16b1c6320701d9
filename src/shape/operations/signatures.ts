/** Signatures of validators for Warp messages. */

import { NetworkName, NetworkPath } from '../primary/parameters.ts'
import { type Schema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

/** A message and the signature under it. */
const SignedMessage = Type.Object({
  signedMessage: Type.String('Signed Warp message, hex without 0x'),
})

/** Longest time an aggregation may take over HTTP: its own limits are shorter. */
const aggregationTimeoutMs = 65_000

const percent = (description: string, fallback: number): Schema<number> =>
  Type.Integer({ minimum: 0, maximum: 100, default: fallback, description })

/** Signatures of validators for Warp messages. */
export const Signatures = contracts('Signature Aggregator', {
  aggregateSignatures: {
    method: 'POST',
    path: '/v1/signatureAggregator/{network}/aggregateSignatures',
    summary: 'Signs a Warp message with the validators of a subnet',
    timeoutMs: aggregationTimeoutMs,
    pathParameters: NetworkPath,
    body: Type.Object({
      message: Optional.String(
        'Unsigned message, or the data of its SendWarpMessage log; hex, 0x optional; this or `justification` is required',
        { maxLength: 131_074 },
      ),
      justification: Optional.String('Why a P-Chain message is true; hex, 0x optional', {
        maxLength: 49_154,
        examples: ['0a02'],
      }),
      signingSubnetId: Optional.String(
        'Subnet whose validators sign, hex or cb58; the source chain’s when absent',
        { maxLength: 128, examples: ['2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'] },
      ),
      quorumPercentage: Type.Optional(
        percent('Share of the subnet’s weight that must sign, percent', 67),
      ),
      quorumPercentageBuffer: Type.Optional(
        percent('Further share that is waited for, percent; with the quorum at most 100', 0),
      ),
      pChainHeight: Optional.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description:
          'P-Chain height whose validators sign; 0 = the height of the P-Chain’s current epoch for messages that register a validator or set a weight, the proposed height for all others',
      }),
    }),
    response: SignedMessage,
  },
  getAggregatedSignatures: {
    path: '/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}',
    summary:
      'Message of the P-Chain about an L1 transaction, signed for the L1’s validator manager',
    timeoutMs: aggregationTimeoutMs,
    pathParameters: {
      network: NetworkName,
      txHash: Type.String('Transaction id, cb58 or hex', { maxLength: 128 }),
    },
    response: SignedMessage,
  },
} as const satisfies Declarations)
