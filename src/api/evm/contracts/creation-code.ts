/** The code that created a contract, with its constructor's arguments. */

import { fromHex, to0x } from '../../../core/bytes.ts'
import { isObject } from '../../../core/json.ts'
import type { Clock } from '../../../core/world.ts'
import { addressId } from '../../../store/query/evm/addresses.ts'
import { creationOfContract } from '../../../store/query/evm/contracts.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import { transactionAt } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { answerOfNode, inputOf } from '../answers.ts'

/**
 * From the transaction, or from its trace where a contract created it; `undefined` where neither is
 * known.
 */
export async function creationCode(
  chain: ServedChain,
  address: Uint8Array,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const id = await addressId(chain.store, address)
  const creation = id === undefined ? undefined : await creationOfContract(chain.store, id)
  if (creation === undefined) return undefined
  const { txPos, creatorId } = creation
  if (creatorId === undefined) {
    const transaction = await transactionAt(chain.store, txPos)
    return transaction === undefined ? undefined : fromHex(await inputOf(chain, transaction))
  }
  const traces = await answerOfNode(clock, signal, async (until) =>
    chain.traces?.(heightOf(txPos), until),
  )
  return frameOf(traces?.[placeOf(txPos)], to0x(address))
}

/** Input of the frame that created the contract at `address`, in the trace of a transaction. */
function frameOf(trace: unknown, address: string): Uint8Array | undefined {
  const open = [isObject(trace) && isObject(trace['result']) ? trace['result'] : trace]
  while (open.length > 0) {
    const frame = open.pop()
    if (!isObject(frame)) continue
    const { type, to, input, calls } = frame
    const isIt = typeof to === 'string' && to.toLowerCase() === address
    if (isIt && String(type).startsWith('CREATE') && typeof input === 'string')
      return fromHex(input)
    if (Array.isArray(calls)) open.push(...calls)
  }
  return undefined
}
