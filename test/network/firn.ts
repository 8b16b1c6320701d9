/** Firn beside a real network: processes on both engines, fed by nodes or peers, and requests to them. */

import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { fromHex, to0x } from '../../src/core/bytes.ts'
import {
  entry,
  follow,
  freshFolder,
  run,
  type RunningFirn,
} from '../support/processes/firn-process.ts'
import { messengerAddress } from './messenger.ts'
import { settled } from './real-network.ts'

/** Chains that a Firn is to index. */
export type Wanted = {
  /** Settings that say where the primary network comes from. */
  readonly network: object
  /** URLs of the RPC of chains, by name. */
  readonly chains: Readonly<Record<string, readonly string[]>>
}

/** A Firn that can be killed and started again. */
export class FollowingFirn {
  readonly name: string
  readonly #t: TestContext
  readonly #folder: string
  readonly #store: string
  #running: RunningFirn | undefined

  private constructor(t: TestContext, of: { name: string; folder: string; store: string }) {
    this.#t = t
    this.name = of.name
    this.#folder = of.folder
    this.#store = of.store
  }

  /** `store` as the setting of this name. */
  static async open(t: TestContext, name: string, store: string): Promise<FollowingFirn> {
    return new FollowingFirn(t, { name, folder: await freshFolder(t), store })
  }

  /** Starts it, or starts it again with other requests. */
  async start(wanted: Wanted): Promise<void> {
    await writeFile(this.#config, JSON.stringify(this.#settings(wanted), null, 2))
    const ports = ['--port', '0', '--node-port', '0']
    const child = spawn(process.execPath, [entry, 'start', ...ports, '--config', this.#config])
    this.#running = await follow(this.#t, child)
  }

  /** Ends it as a loss of power would. */
  async kill(): Promise<void> {
    await this.#process.end('SIGKILL')
  }

  /** Ends it as an operator does; its exit code. */
  stop(): Promise<number | NodeJS.Signals | null> {
    return this.#process.end('SIGTERM')
  }

  get url(): string {
    return this.#process.apiUrl
  }

  /** Where its stores are. */
  get location(): { readonly dataDir: string; readonly store: string } {
    return { dataDir: join(this.#folder, 'data'), store: this.#store }
  }

  /** A stage of the primary network, as `/status` shows it. */
  async stage(name: string): Promise<ChainStatus['stages'][number] | undefined> {
    const { chains } = await this.#process.get('/status')
    const primary = (chains as ChainStatus[]).find(({ chain }) => chain === 'primary-fuji')
    return primary?.stages.find(({ stage }) => stage === name)
  }

  /** Keys of the EVM chains that it indexes. */
  async evmChains(): Promise<string[]> {
    const { chains } = await this.#process.get('/status')
    return (chains as ChainStatus[]).filter(({ kind }) => kind === 'evm').map(({ chain }) => chain)
  }

  /** Waits until every stage of every chain is live, and at the height of `heads` where given. */
  async caughtUp(heads: Readonly<Record<string, number>> = {}): Promise<void> {
    await settled(`${this.name} has caught up`, async () => {
      const { chains } = await this.#process.get('/status')
      const stages = (chains as ChainStatus[]).flatMap(({ chain, stages: of }) =>
        of.map((stage) => ({ ...stage, key: `${chain} ${stage.stage}` })),
      )
      const late = stages.filter(
        // Stages that no node can serve are off.
        ({ key, state, indexedHeight }) =>
          state !== 'off' && (state !== 'live' || indexedHeight < (heads[key] ?? -1)),
      )
      if (late.length > 0) throw new Error(JSON.stringify(late))
      return true
    })
  }

  /** `firn verify` with these words. */
  async verify(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly output: string }> {
    const args = ['verify', '--config', this.#config, ...words]
    const { code, stdout, stderr } = await run(process.execPath, [entry, ...args])
    return { code, output: stdout + stderr }
  }

  /** Parsed answer of the data API. */
  get(path: string): ReturnType<RunningFirn['get']> {
    return this.#process.get(path)
  }

  /** Operation 1; the signed message, or what the refusal says. */
  async sign(body: object): Promise<Signed> {
    return this.#signed('/v1/signatureAggregator/fuji/aggregateSignatures', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** Operation 2. */
  signTransaction(txId: string): Promise<Signed> {
    return this.#signed(`/v1/signatureAggregator/fuji/aggregateSignatures/${txId}`, {})
  }

  async #signed(path: string, request: RequestInit): Promise<Signed> {
    const reply = await fetch(`${this.url}${path}`, request)
    const text = await reply.text()
    if (reply.status !== 200) return { status: reply.status, text, message: undefined }
    const { signedMessage } = JSON.parse(text) as { signedMessage: string }
    return { status: 200, text, message: fromHex(signedMessage) }
  }

  get #process(): RunningFirn {
    if (this.#running === undefined) throw new Error(`${this.name} does not run`)
    return this.#running
  }

  get #config(): string {
    return join(this.#folder, 'firn.yaml')
  }

  #settings({ network, chains }: Wanted): object {
    return {
      ...this.location,
      networks: { fuji: { primary: true, ...network } },
      chains: Object.entries(chains).map(([name, rpcUrls]) => ({
        network: 'fuji',
        name,
        rpcUrls,
        logs: 'on',
        publicRpc: 'read',
        icmContracts: [to0x(messengerAddress)],
      })),
    }
  }
}

/** Result of a request for signatures. */
export type Signed = {
  readonly status: number
  readonly text: string
  readonly message: Uint8Array | undefined
}

type ChainStatus = {
  readonly kind: string
  readonly chain: string
  readonly stages: readonly {
    readonly stage: string
    readonly state: string
    readonly indexedHeight: number
    readonly reason?: string
  }[]
}
