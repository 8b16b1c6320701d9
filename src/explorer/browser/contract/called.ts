/** Calls of a contract's methods on its node. */

import { send, type Answer } from '../kit/answer.ts'
import type { AbiItem } from './abi.ts'
import type { DecodedValue } from './decoded-values.ts'

/** How a call ended. */
export type Called = {
  readonly data: string
  readonly values?: readonly DecodedValue[]
  readonly error?: string
}

type PlannedCall = { readonly abi: AbiItem; readonly arguments: readonly unknown[] }

/** Calls methods without a transaction. */
export async function called(
  { chainId, address }: { readonly chainId: string; readonly address: string },
  calls: readonly PlannedCall[],
  more: object = {},
): Promise<Answer<readonly Called[]>> {
  const path = `/v1/chains/${chainId}/contracts/${encodeURIComponent(address)}/calls`
  const { data, failure } = await send<{ calls: Called[] }>(path, { calls, ...more })
  return data === undefined ? (failure === undefined ? {} : { failure }) : { data: data.calls }
}
