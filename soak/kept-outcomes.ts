/** Outcomes of a soak by kind, kept in a file so that another run goes on where this one ended. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

import { joined, nothing, type Outcome, type Step } from './report.ts'

/** Between two writes of the file. */
const writeEveryMs = 5_000

/** All outcomes so far, in the order in which their kinds came first. */
export class KeptOutcomes {
  readonly #path: string | undefined
  readonly #byKind = new Map<string, Outcome>()
  #writtenMs = 0

  /** Without a path nothing is kept. */
  constructor(path: string | undefined) {
    this.#path = path
    if (path === undefined || !existsSync(path)) return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this class
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Outcome[]
    for (const outcome of kept) this.#byKind.set(outcome.kind, outcome)
  }

  all(): readonly Outcome[] {
    return [...this.#byKind.values()]
  }

  of(kind: string): Outcome {
    return this.#byKind.get(kind) ?? nothing(kind)
  }

  add(step: Step): void {
    for (const outcome of step)
      this.#byKind.set(outcome.kind, joined(this.of(outcome.kind), outcome))
    if (performance.now() - this.#writtenMs > writeEveryMs) this.write()
  }

  /** In one step, so that a kill leaves the last whole one. */
  write(): void {
    this.#writtenMs = performance.now()
    if (this.#path === undefined) return
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.all(), undefined, 1))
    renameSync(`${this.#path}.new`, this.#path)
  }
}
