/** Last report of the threads on each chain, for `/status` and the gauges. */

import type { EndpointStatus } from '../../source/evm-source.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import { asBelieved, copiedStageName } from '../evm/copied/copied-stage.ts'
import type { Unchecked } from '../evm/read/block-checks.ts'
import type { ChainSpec } from '../stream/chain-spec.ts'
import type { Overall } from '../stream/overall-progress.ts'
import { idleStatus, type StageStatus } from '../stream/stage.ts'
import type { StreamSpec } from '../stream/stream-spec.ts'

/** A chain as `/status` shows it. */
export type ChainStatus = {
  /** Key of an EVM chain, or of a stream group such as `primary-fuji`. */
  readonly key: string
  readonly network: string
  readonly name: string
  readonly stages: readonly StageStatus[]
  readonly endpoints: readonly EndpointStatus[]
  /** Over all stages; absent where nobody keeps count. */
  readonly overall?: Overall
}

/** Messages of the threads to the main thread. */
export type ThreadReport = {
  readonly key: string
  readonly stages: readonly StageStatus[]
  readonly endpoints?: readonly EndpointStatus[]
  /** Since the thread began. */
  readonly unchecked?: Unchecked
}

/** The chains, and the receiver of figures. */
export type StatusBoardOptions = {
  readonly chains: readonly ChainSpec[]
  readonly streams: readonly StreamSpec[]
  readonly gauges: Gauges
}

/** Keeps the last status of each chain and writes the gauges. */
export class StatusBoard {
  readonly #options: StatusBoardOptions
  readonly #stages = new Map<string, Map<string, StageStatus>>()
  readonly #endpoints = new Map<string, readonly EndpointStatus[]>()
  readonly #unchecked = new Map<string, Unchecked>()
  /** Chains whose stores hold another chain than the one configured; another set after a change. */
  #foreign: ReadonlySet<string> = new Set()

  constructor(options: StatusBoardOptions) {
    this.#options = options
    // Shown in this order, whatever is reported first.
    const first = (key: string, stages: readonly string[]): unknown =>
      this.#stages.set(key, new Map(stages.map((stage) => [stage, idleStatus(stage)])))
    for (const { key } of options.chains) first(key, ['blocks', 'traces'])
    for (const { key, kind } of options.streams) if (kind === 'primary') first(key, ['P', 'X', 'C'])
  }

  take(report: ThreadReport): void {
    const { gauges } = this.#options
    const chain = report.key
    const stages = this.#stages.get(chain) ?? new Map<string, StageStatus>()
    this.#stages.set(chain, stages)
    if (report.endpoints !== undefined) this.#endpoints.set(chain, report.endpoints)
    if (report.unchecked !== undefined) {
      const before: Readonly<Record<string, number>> = this.#unchecked.get(chain) ?? {}
      this.#unchecked.set(chain, report.unchecked)
      for (const [check, count] of Object.entries(report.unchecked)) {
        const more = count - (before[check] ?? 0)
        if (more > 0) this.#options.gauges.add('firn_index_unchecked_total', more, { chain, check })
      }
    }
    for (const stage of report.stages) {
      stages.set(stage.stage, stage)
      const labels = { chain, stage: stage.stage }
      // A height below 0 is none: nothing was committed or reported yet, or the stage follows no
      // blocks.
      if (stage.indexedHeight >= 0) gauges.set('firn_index_height', stage.indexedHeight, labels)
      if (stage.headHeight >= 0) gauges.set('firn_index_head_height', stage.headHeight, labels)
    }
    const isForeign = [...stages.values()].some((stage) => stage.isForeign === true)
    if (isForeign !== this.#foreign.has(chain)) {
      const others = [...this.#foreign].filter((key) => key !== chain)
      this.#foreign = new Set(isForeign ? [...others, chain] : others)
    }
    const stopped = [...stages.values()].some(({ state }) => state === 'stopped')
    gauges.set('firn_index_stopped', stopped ? 1 : 0, { chain })
  }

  get foreign(): ReadonlySet<string> {
    return this.#foreign
  }

  /** One stage, without the cost of all. */
  stage(key: string, stage: string): StageStatus | undefined {
    const stages = this.#stages.get(key)
    const [found, copied] = [stages?.get(stage), stages?.get(copiedStageName)]
    return found && asBelieved(found, copied)
  }

  all(): readonly ChainStatus[] {
    return [...this.#stages].map(([key, stages]) => {
      const about =
        this.#options.chains.find((chain) => chain.key === key) ??
        this.#options.streams.find((stream) => stream.key === key)
      return {
        key,
        network: about?.network ?? '',
        name: about?.name ?? key,
        stages: [...stages.values()].map((stage) => asBelieved(stage, stages.get(copiedStageName))),
        endpoints: this.#endpoints.get(key) ?? [],
      }
    })
  }
}
