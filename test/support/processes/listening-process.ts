/** A program that listens to a webhook and can be killed, and what it wrote down. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('event-listener-process.ts', import.meta.url))

/** Listens to a stream; what it heard outlives it. */
export class ListeningProcess {
  readonly file: string
  #child: ChildProcess | undefined

  constructor(t: TestContext, file: string) {
    this.file = file
    t.after(() => this.kill())
  }

  /** Begins at block `from`, or goes on after what it wrote down. `apiUrl` of the Firn it asks. */
  async start(apiUrl: string, webhook: string, from: number): Promise<void> {
    const url = `${apiUrl}/v1/webhooks/${webhook}/events?from=${from}`
    const child = spawn(process.execPath, [script, url, this.file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  }

  /** Ends it as a loss of power would. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.ended()
  }

  /** Waits until it ended by itself: the connection broke. */
  async ended(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    await once(child, 'exit')
  }

  /** Hashes of the transactions it received, in order of arrival, duplicates too. */
  hashes(): string[] {
    if (!existsSync(this.file)) return []
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => line.split(' ')[1] ?? '')
  }
}
