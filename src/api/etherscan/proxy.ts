/** Module `proxy`: calls of the node, where `publicRpc` of the chain offers them. */

import { Fault } from '../../core/fault.ts'
import { offeredRpc } from '../operation/chain-directory.ts'
import type { Action, Query, Result } from './query.ts'

/** Parameters of each method in their order; one that may be absent with what stands for it. */
const methods: Readonly<Record<string, readonly string[]>> = {
  eth_blockNumber: [],
  eth_gasPrice: [],
  eth_getBlockByNumber: ['tag=latest', 'boolean=true'],
  eth_getBlockTransactionCountByNumber: ['tag=latest'],
  eth_getTransactionByHash: ['txhash'],
  eth_getTransactionByBlockNumberAndIndex: ['tag=latest', 'index'],
  eth_getTransactionReceipt: ['txhash'],
  eth_getTransactionCount: ['address', 'tag=latest'],
  eth_getCode: ['address', 'tag=latest'],
  eth_getStorageAt: ['address', 'position', 'tag=latest'],
  eth_sendRawTransaction: ['hex'],
}

/** Members of a call that is tried. */
const tried = ['to', 'from', 'data', 'value', 'gas', 'gasPrice'] as const

/** Actions by name: the methods themselves. */
export const proxy: ReadonlyMap<string, Action> = new Map<string, Action>([
  ...Object.entries(methods).map(([method, names]): [string, Action] => [
    method,
    (query) =>
      passed(
        query,
        method,
        names.map((name) => valueOf(query, name)),
      ),
  ]),
  ['eth_call', (query) => passed(query, 'eth_call', [callOf(query), query.of('tag') ?? 'latest'])],
  ['eth_estimateGas', (query) => passed(query, 'eth_estimateGas', [callOf(query)])],
])

function valueOf({ of }: Query, parameter: string): unknown {
  const [name = '', fallback] = parameter.split('=')
  const text = of(name) ?? fallback
  if (text === undefined) throw new Fault('bad-parameter', `Error! Missing ${name}`)
  return name === 'boolean' ? text === 'true' : text
}

function callOf({ of }: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tried.flatMap((name) => {
      const value = of(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

async function passed(
  { chain, signal }: Query,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  const [answer] = await offeredRpc(chain, method).call([{ method, params }], signal)
  if (answer === undefined) throw new Fault('not-served', 'the node gave no answer')
  const reply = answer.kind === 'result' ? { result: answer.result } : { error: answer.error }
  return { body: { jsonrpc: '2.0', id: 1, ...reply } }
}
