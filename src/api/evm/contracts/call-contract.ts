/** Calls of a contract by its ABI, without a transaction. */

import { encodeInput } from '../../../codec/evm/abi/abi-encode.ts'
import { type AbiEntry, readAbi, resultValues } from '../../../codec/evm/abi/abi.ts'
import { parseEvmAddress } from '../../../core/address.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import type { Static } from '../../../shape/type.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { textOf } from '../abi/abi-book.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelsOf } from '../rich-addresses.ts'
import { reasonText } from '../transactions/revert-reason.ts'

/**
 * Calls a contract. An argument that does not fit its type is `bad-parameter`; a call that reverts, or that
 * no node answers, says so in its place.
 */
export function callContract(context: EvmContext): Operation<'callContract'> {
  return operation(EvmContracts.callContract, async ({ path, body, charge, signal }) => {
    const { contracts } = context
    const chain = context.chains.find(path.chainId)
    const address = parseEvmAddress(path.address)
    const calls = body.calls.map(({ abi, arguments: values = [] }) => {
      const method = methodOf(abi)
      return { method, data: encodeInput(method, values) }
    })
    if (calls.length > 1) await charge((calls.length - 1) * EvmContracts.callContract.weight)
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
    const answers = calls.map(({ method, data }, at): Called => {
      const { signature } = method
      const outcome = itemAt(outcomes, at)
      if (outcome.kind === 'not-served') return { signature, data, error: outcome.reason }
      if (outcome.kind === 'reverted' && abis !== undefined)
        return { signature, data, error: reasonText({ chain, to, abis }, outcome) }
      const values = resultValues(method, outcome.bytes)
      if (values === undefined)
        return { signature, data, error: 'what it returned is not of this ABI' }
      const parameters = method.results.map(({ name, type }, place) => ({
        name,
        type,
        value: textOf(itemAt(values, place)),
      }))
      return { signature, data, values: parameters }
    })
    const labels = await labelsOf(context.addressBooks(chain), [to], answers.map(inWords))
    return {
      body: {
        calls: answers.map((one) => ({
          ...one,
          values: labels.in(inWords(one), { contract: to })?.parameters,
        })),
      },
    }
  })
}

type Called = Static<typeof EvmContracts.callContract.response>['calls'][number]

/** The values that a call returned, in the form that labels are put into. */
function inWords({ signature, values }: Called): Decoded | undefined {
  return values && { name: signature.replace(/\(.*/, ''), signature, parameters: values }
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
