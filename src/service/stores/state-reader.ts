/** Answers about state, read from a chain's nodes or its recording. */

import type { StateReader } from '../../api/operation/chain-directory.ts'
import { fromHex, to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { EvmSource, StateAnswer, StateCall } from '../../source/evm-source.ts'

/** Reads state through `source`. Every answer that no node can give is `not-served`. */
export function createStateReader(source: EvmSource): StateReader {
  const read = (
    calls: readonly StateCall[],
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<StateAnswer[]> => source.state(calls, height ?? 'latest', signal)
  const one = async (
    call: StateCall,
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<string> => {
    const [answer] = await read([call], height, signal)
    const text = textOf(answer)
    // Only a contract reverts: a balance, code or storage that a node refuses is not known.
    if (text === undefined) throw new Fault('not-served', `the node refused ${call.method}`)
    return text
  }
  const calls: StateReader['calls'] = async (wanted, height, signal) => {
    const calls = wanted.map(({ to, data }) => ({
      method: 'eth_call' as const,
      target: { to: to0x(to), data: to0x(data) },
    }))
    return (await read(calls, height, signal)).map((answer) => {
      const text = textOf(answer)
      return text === undefined ? undefined : fromHex(text)
    })
  }
  return {
    balance: async (address, height, signal) =>
      BigInt(await one({ method: 'eth_getBalance', target: to0x(address) }, height, signal)),
    code: async (address, height, signal) =>
      fromHex(await one({ method: 'eth_getCode', target: to0x(address) }, height, signal)),
    call: async (to, data, height, signal) => (await calls([{ to, data }], height, signal))[0],
    calls,
    storage: async (address, slot, signal) => {
      const call = { method: 'eth_getStorageAt', target: to0x(address), slot: to0x(slot) } as const
      // Some nodes leave leading zeros out.
      return fromHex((await one(call, undefined, signal)).slice(2).padStart(64, '0'))
    },
    tried: async (all, height, signal) => {
      const calls = all.map((target) => ({ method: 'eth_call' as const, target }))
      return (await read(calls, height, signal)).map((answer) => {
        if (answer.kind === 'not-served') return answer
        return answer.kind === 'value'
          ? { kind: 'returned', bytes: fromHex(answer.value) }
          : { kind: 'reverted', bytes: fromHex(answer.data ?? '0x'), reason: answer.reason }
      })
    },
  }
}

/** The value; `undefined` when the contract reverted. Throws `not-served`. */
function textOf(answer: StateAnswer | undefined): string | undefined {
  if (answer === undefined) throw new Fault('not-served', 'the node gave no answer')
  switch (answer.kind) {
    case 'value':
      return answer.value
    case 'reverted':
      return undefined
    case 'not-served':
      throw new Fault('not-served', answer.reason)
  }
}
