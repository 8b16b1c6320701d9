/** A chain of anvil for one test, and a Firn over it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import {
  atEnd,
  type Ending,
  type RunningFirn,
  startFirn,
  untilLive,
} from '../support/processes/firn-process.ts'

/** A tool of `test/tools/package.json`. */
export function toolPath(name: string): string {
  return join(import.meta.dirname, 'node_modules', '.bin', name)
}

/** A running anvil. */
export type Anvil = {
  readonly url: string
  /** Result of a call. Throws the message of an error. */
  readonly call: (method: string, ...params: readonly unknown[]) => Promise<unknown>
  readonly end: () => Promise<void>
}

/** The first account, which anvil signs for, and its key. Source: anvil's own mnemonic. */
export const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const accountKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

/** Starts an anvil with an EVM chain id on a free port. */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const child: ChildProcess = spawn(
    toolPath('anvil'),
    // The moment of its genesis is the same in each run.
    ['--port', '0', '--chain-id', String(chainId), '--timestamp', '1700000000'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let port = ''
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  for await (const line of lines) {
    port = /Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? ''
    if (port !== '') break
  }
  child.stdout?.resume()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    call: async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const reply = await fetch(url, { method: 'POST', headers, body })
      const response = (await reply.json()) as { result?: unknown; error?: { message: string } }
      if (response.error !== undefined) throw new Error(`${method}: ${response.error.message}`)
      return response.result
    },
    end: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** An anvil and a Firn that indexes it, in a folder. `settings` are lines of its `firn.yaml`. */
export async function firnOverAnvil(
  t: Ending,
  { folder, chainId, settings = '' }: { folder: string; chainId: number; settings?: string },
): Promise<{ readonly anvil: Anvil; readonly firn: RunningFirn }> {
  const anvil = await startAnvil(chainId)
  atEnd(t, anvil.end)
  const config = join(folder, 'firn.yaml')
  writeFileSync(
    config,
    `warp: { enabled: false }
${settings}
chains:
  - { network: fuji, name: Anvil, symbol: ETH, rpcUrls: ['${anvil.url}'], publicRpc: send, logs: on }
`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  await untilLive(firn, ['fuji-anvil'])
  return { anvil, firn }
}
