/** Calls of a contract by its ABI, without a transaction. */

import { encodeInput } from '../../../codec/evm/abi/abi-encode.ts'
import { type AbiEntry, readAbi, resultValues } from '../../../codec/evm/abi/abi.ts'
import { parseEvmAddress } from '../../../core/address.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { DecodedValues } from '../../../shape/evm/log.ts'
import { ChainAddressPath, NoQuery } from '../../../shape/evm/parameters.ts'
import { decimal, hex } from '../../../shape/evm/scalars.ts'
import { Type } from '../../../shape/type.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { textOf } from '../abi/abi-book.ts'
import type { EvmContext } from '../evm-context.ts'
import { reasonText } from '../transactions/revert-reason.ts'

const mostCalls = 100
const callWeight = 10

const CallContract = {
  id: 'callContract',
  method: 'POST',
  path: '/v1/chains/{chainId}/contracts/{address}/calls',
  summary: 'Calls methods of a contract by their ABI on its node, without a transaction',
  tag: 'EVM contracts',
  weight: callWeight,
  parameters: {
    path: ChainAddressPath,
    query: NoQuery,
    body: Type.Object({
      calls: Type.Array(
        Type.Object({
          abi: Type.Unknown({ description: 'of one method, as the compiler writes it' }),
          arguments: Type.Optional(
            Type.Array(Type.Unknown(), {
              description: 'integers as text in base 10, bytes in hex, lists and tuples as JSON',
            }),
          ),
        }),
        { minItems: 1, maxItems: mostCalls, description: `1 to ${mostCalls}` },
      ),
      from: Type.Optional(
        Type.String({
          description: 'Who calls',
          pattern: '^0x[0-9a-fA-F]{40}$',
          allowed: 'an EVM address: 0x and 40 hex digits',
        }),
      ),
      value: Type.Optional(
        Type.String({
          ...decimal('Coins that are sent along, smallest unit'),
          maxLength: 78,
        }),
      ),
    }),
  },
  response: Type.Object({
    calls: Type.Array(
      Type.Object({
        signature: Type.String({ description: '`balanceOf(address)`' }),
        data: hex('Input: selector and arguments'),
        values: Type.Optional(DecodedValues),
        error: Type.Optional(
          Type.String({ description: 'why there are no values: the reason of the revert, …' }),
        ),
      }),
    ),
  }),
} as const

/**
 * Calls a contract. An argument that does not fit its type is `bad-parameter`; a call that reverts, or that
 * no node answers, says so in its place.
 */
export function callContract({ chains, contracts }: EvmContext): Operation {
  return operation(CallContract, async ({ path, body, charge, signal }) => {
    const chain = chains.find(path.chainId)
    const address = parseEvmAddress(path.address)
    const calls = body.calls.map(({ abi, arguments: values = [] }) => {
      const method = methodOf(abi)
      return { method, data: encodeInput(method, values) }
    })
    if (calls.length > 1) await charge((calls.length - 1) * callWeight)
    const to = path.address.toLowerCase()
    const value = body.value === undefined ? undefined : `0x${BigInt(body.value).toString(16)}`
    const from = body.from?.toLowerCase()
    const outcomes = await chain.state.tried(
      calls.map(({ data }) => ({ from, to, data, value })),
      undefined,
      signal,
    )
    const abis = outcomes.some(({ kind }) => kind === 'reverted')
      ? await contracts.abisOf(chain, [address], signal)
      : undefined
    return {
      body: {
        calls: calls.map(({ method, data }, at) => {
          const { signature } = method
          const outcome = itemAt(outcomes, at)
          if (outcome.kind === 'not-served') return { signature, data, error: outcome.reason }
          if (outcome.kind === 'reverted' && abis !== undefined)
            return { signature, data, error: reasonText({ chain, to, abis }, outcome) }
          const values = resultValues(method, outcome.bytes)
          if (values === undefined)
            return { signature, data, error: 'what it returned is not of this ABI' }
          return {
            signature,
            data,
            values: method.results.map(({ name, type }, place) => ({
              name,
              type,
              value: textOf(itemAt(values, place)),
            })),
          }
        }),
      },
    }
  })
}

/** The method of an ABI of one. Throws `bad-parameter`. */
function methodOf(abi: unknown): AbiEntry {
  try {
    const [entry] = readAbi([abi])
    if (entry?.kind === 'function') return entry
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'bad-text') throw error
    throw new Fault('bad-parameter', fault.message)
  }
  throw new Fault('bad-parameter', 'abi is not of a method: type function')
}
