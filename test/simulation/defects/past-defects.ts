/**
 * Defects that Firn had, each as the change of its source that brings it back.
 *
 * `is` stands in the file exactly once: a change of the product that moves it fails the test, which
 * says so. `both` takes its place and does both; in it `$on` is whether the defect is on.
 */

import type { FaultKind } from '../fault-kinds.ts'

/** One place of a defect. */
export type Place = { readonly file: string; readonly is: string; readonly both: string }

/** One defect. */
export type PastDefect = {
  readonly name: string
  /** The first that found it, tried before the others. */
  readonly seed: number
  /** Its seeds are those of plans with this kind of fault alone. */
  readonly only?: FaultKind
  readonly places: readonly Place[]
}

/** All of them. */
export const pastDefects: readonly PastDefect[] = [
  {
    name: 'one failure of a trace switches traces off for good',
    seed: 7,
    places: [
      {
        file: 'src/source/node-traces.ts',
        is: "return new Fault('node-not-yet', 'a node gives no trace', { detail: { method } })",
        both: "return new Fault($on ? 'node-refused' : 'node-not-yet', 'a node gives no trace', { detail: { method } })",
      },
      {
        file: 'src/indexing/evm/read/read-traces.ts',
        is: "return fault.code === 'node-refused' ? next : undefined",
        both: "return !$on && fault.code === 'node-refused' ? next : undefined",
      },
    ],
  },
  {
    name: 'blocks of a backfill are not hashed',
    seed: 8,
    only: 'node: lies',
    places: [
      {
        file: 'src/indexing/evm/read/block-checks.ts',
        is: 'if (atHead || height % this.#checkEvery === 0 || this.#doubted.has(height)) return true',
        both: 'if ($on) return atHead; if (atHead || height % this.#checkEvery === 0 || this.#doubted.has(height)) return true',
      },
    ],
  },
  {
    name: 'a writer that lost its lease goes on writing',
    seed: 29,
    places: [
      {
        file: 'src/store/lease.ts',
        is: 'if (held !== 1)',
        both: 'if (!$on && held !== 1)',
      },
      {
        file: 'src/store/checkpoint.ts',
        is: 'if (changed !== 1)',
        both: 'if (!$on && changed !== 1)',
      },
    ],
  },
  {
    name: 'a part of a range that a lagging node gives counts as all of it',
    seed: 20,
    places: [
      {
        file: 'src/indexing/stream/pipeline.ts',
        is: 'from = batch.until\n        failures = 0',
        both: 'from = $on ? range.until : batch.until\n        failures = 0',
      },
    ],
  },
  {
    name: 'a store that fails once stops the chain',
    seed: 1,
    places: [
      {
        file: 'src/indexing/evm/read/read-chain.ts',
        is: 'if (signal.aborted || fault === undefined || !fault.retryable) throw error',
        both: "if ($on && fault?.code === 'store-failed') throw error; if (signal.aborted || fault === undefined || !fault.retryable) throw error",
      },
    ],
  },
  {
    name: 'a chain whose head nobody tells is called live',
    seed: 168,
    places: [
      {
        file: 'src/indexing/evm/read/watch-head.ts',
        is: 'if (++failures >= headFailures) blocks.loseHead(fault.message)',
        both: 'if (!$on && ++failures >= headFailures) blocks.loseHead(fault.message)',
      },
    ],
  },
  {
    name: 'whether a batch was stored is guessed when the answer of its commit was lost',
    seed: 18,
    places: [
      {
        file: 'src/indexing/run/run-writer.ts',
        is: 'if (known !== undefined) return known.resume()',
        both: 'if ($on && known !== undefined) return Reflect.get(known, "first"); if (known !== undefined) return known.resume()',
      },
      {
        file: 'src/indexing/run/run-writer.ts',
        is: 'return host.resume()',
        both: 'Reflect.set(host, "first", await host.resume()); return host.resume()',
      },
    ],
  },
  {
    name: 'blocks are taken whose parent is not the stored one',
    seed: 7,
    places: [
      {
        file: 'src/indexing/evm/read/block-pipeline.ts',
        is: 'if (tail !== undefined && !equalBytes(tail, first)) {',
        both: 'if (!$on && tail !== undefined && !equalBytes(tail, first)) {',
      },
    ],
  },
  {
    name: 'a configured chain that no node has told of yet is 404',
    seed: 64,
    places: [
      {
        file: 'src/service/served/served-chains.ts',
        is: 'waiting: () => options.chains.filter(({ spec }) => !found.has(spec.key)).map(waitingChain),',
        both: 'waiting: () => $on ? [] : options.chains.filter(({ spec }) => !found.has(spec.key)).map(waitingChain),',
      },
    ],
  },
  {
    name: 'how far an answer is complete is read after its rows',
    seed: 103,
    places: [
      {
        file: 'src/api/server/route-operation.ts',
        is: 'await this.#tellFresh(exchange)',
        both: 'if (!$on) await this.#tellFresh(exchange)',
      },
      {
        file: 'src/api/server/route-operation.ts',
        is: 'const answer = await this.#ask(exchange, path, query)',
        both: `const answer = await this.#ask(exchange, path, query)
        if ($on) {
          await new Promise((resolve) => setImmediate(resolve))
          await this.#tellFresh(exchange)
        }`,
      },
    ],
  },
]
