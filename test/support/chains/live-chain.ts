/**
 * A chain that goes on while it is indexed: anvil, with contracts compiled for it.
 *
 * Its blocks, receipts and state are those of another program than ours, which also says what is true.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

import { argumentsOf, type Argument, callOf } from '../../../scripts/demo/abi.ts'
import { concatBytes, fromHex, to0x } from '../../../src/core/bytes.ts'
import { isObject } from '../../../src/core/json.ts'
import { atEnd, type Ending, until } from '../processes/firn-process.ts'

/** A running chain. */
export type LiveChain = {
  readonly url: string
  /** 20 bytes; sends everything. */
  readonly sender: Uint8Array
  readonly ask: (method: string, ...params: readonly unknown[]) => Promise<unknown>
  /** Makes a contract. Returns its address. */
  readonly deploy: (code: Uint8Array, ...given: readonly Argument[]) => Promise<Uint8Array>
  /** Sends a transaction and waits for its block. Throws where it fails. Returns its receipt. */
  readonly send: (
    to: Uint8Array | undefined,
    data: Uint8Array,
    value?: bigint,
  ) => Promise<Readonly<Record<string, unknown>>>
  /** `balanceOf` as the chain answers, now or after a block. */
  readonly balanceOf: (token: Uint8Array, holder: Uint8Array, height?: number) => Promise<bigint>
  /** Ends it before the test ends. */
  readonly end: () => Promise<unknown>
}

const kinds: Readonly<Record<string, string>> = {
  'linux x64': 'linux-amd64',
  'linux arm64': 'linux-arm64',
  'darwin arm64': 'darwin-arm64',
}

/** Starts a chain that ends with the test. `args` are further ones of anvil. */
export async function liveChain(t: Ending, args: readonly string[] = []): Promise<LiveChain> {
  const kind = kinds[`${process.platform} ${process.arch}`] ?? ''
  const { resolve } = createRequire(
    createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'),
  )
  const program = resolve(`@foundry-rs/anvil-${kind}/bin/anvil`)
  const port = args.includes('--port') ? [] : ['--port', '0']
  const child = spawn(program, ['--host', '127.0.0.1', ...port, ...args])
  const exited = once(child, 'exit')
  const end = (): Promise<unknown> => {
    child.kill('SIGKILL')
    return exited
  }
  atEnd(t, end)
  const url = await listening(child)
  let id = 0
  const ask: LiveChain['ask'] = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })
    const headers = { 'content-type': 'application/json' }
    const reply: unknown = await (await fetch(url, { method: 'POST', headers, body })).json()
    if (!isObject(reply) || reply['error'] !== undefined)
      throw new Error(`${method}: ${JSON.stringify(reply)}`)
    return reply['result']
  }
  const [first] = (await ask('eth_accounts')) as string[]
  const sender = fromHex(first ?? '')
  const send: LiveChain['send'] = async (to, data, value = 0n) => {
    const hash = await ask('eth_sendTransaction', {
      from: first,
      ...(to === undefined ? {} : { to: to0x(to) }),
      data: to0x(data),
      value: `0x${value.toString(16)}`,
      gas: '0x1c00000',
    })
    let receipt: unknown
    await until('a receipt', async () => {
      receipt = await ask('eth_getTransactionReceipt', hash)
      return receipt !== null
    })
    if (!isObject(receipt) || receipt['status'] !== '0x1')
      throw new Error(`failed: ${JSON.stringify(receipt)}`)
    return receipt
  }
  return {
    url,
    end,
    sender,
    ask,
    send,
    deploy: async (code, ...given) => {
      const { contractAddress } = await send(undefined, concatBytes(code, argumentsOf(given)))
      return fromHex(String(contractAddress))
    },
    balanceOf: async (token, holder, height) => {
      const at = height === undefined ? 'latest' : `0x${height.toString(16)}`
      const data = to0x(callOf('balanceOf(address)', holder))
      const answer = await ask('eth_call', { to: to0x(token), data }, at)
      return answer === '0x' ? 0n : BigInt(String(answer))
    },
  }
}

async function listening(child: ChildProcess): Promise<string> {
  let said = ''
  for await (const part of child.stdout ?? []) {
    said += String(part)
    const found = /Listening on ([\d.:]+)/.exec(said)
    if (found !== null) break
  }
  const address = /Listening on ([\d.:]+)/.exec(said)?.[1]
  if (address === undefined) throw new Error(`anvil does not listen: ${said}`)
  return `http://${address}`
}
