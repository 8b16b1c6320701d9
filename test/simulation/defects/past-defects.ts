/**
 * Defects that Firn had, each as the change of its source that brings it back.
 *
 * `is` stands in the file exactly once: a change of the product that moves it fails the test, which
 * says so. `both` takes its place and does both; in it `$on` is whether the defect is on.
 */

/** One place of a defect. */
export type Place = { readonly file: string; readonly is: string; readonly both: string }

/** One defect. */
export type PastDefect = {
  readonly name: string
  /** The first that found it, tried before the others. */
  readonly seed: number
  readonly places: readonly Place[]
}

/** All of them. */
export const pastDefects: readonly PastDefect[] = [
  {
    name: 'a basic method that a restarting node refuses once stops the chain',
    seed: 7,
    places: [
      {
        file: 'src/source/endpoint-pool.ts',
        is: "if (fault.code !== 'node-refused' || need.capability !== undefined) return fault",
        both: "if ($on || fault.code !== 'node-refused' || need.capability !== undefined) return fault",
      },
    ],
  },
  {
    name: 'one failure of a trace switches traces off for good',
    seed: 36,
    places: [
      {
        file: 'src/source/node-traces.ts',
        is: "return new Fault('node-not-yet', 'a node gives no trace', { detail: { method } })",
        both: "return new Fault($on ? 'node-refused' : 'node-not-yet', 'a node gives no trace', { detail: { method } })",
      },
      {
        file: 'src/indexing/evm/read-traces.ts',
        is: "return fault.code === 'node-refused' ? next : undefined",
        both: "return !$on && fault.code === 'node-refused' ? next : undefined",
      },
    ],
  },
  {
    name: 'blocks of a backfill are not hashed',
    seed: 21,
    places: [
      {
        file: 'src/indexing/evm/block-checks.ts',
        is: 'if (atHead || height % this.#checkEvery === 0 || this.#doubted.has(height)) return true',
        both: 'if ($on) return atHead; if (atHead || height % this.#checkEvery === 0 || this.#doubted.has(height)) return true',
      },
    ],
  },
]
