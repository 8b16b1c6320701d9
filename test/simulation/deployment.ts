/** A simulated deployment: nodes, processes that a supervisor starts again, one disk, one clock. */

import type { Config } from '../../src/config/settings.ts'
import { Fault } from '../../src/core/fault.ts'
import { loopTurn } from '../../src/core/loop-turn.ts'
import type { Clock, World } from '../../src/core/world.ts'
import type { StageStatus } from '../../src/indexing/stream/stage.ts'
import { messageStore } from '../../src/service/chain-specs.ts'
import { drawsOf, type Draws } from '../support/processes/draws.ts'
import { type VirtualClock, virtualClock } from '../support/processes/virtual-clock.ts'
import type { Defect } from './defects.ts'
import { Disk } from './disk.ts'
import type { SimEndpoint } from './node-harms.ts'
import { Wrong } from './oracle.ts'
import { SimBucket } from './sim-bucket.ts'
import { type Role, type SimProcess, startProcess } from './sim-process.ts'

/** Stages that are live only while a node tells the head. */
const followed: ReadonlySet<string> = new Set(['blocks', 'P', 'X', 'C'])
/** A supervisor starts what is gone again after so long. */
const restartMs = 1_500
/** A process that is told to stop must end within the time after which its threads are ended. */
const stopLimitMs = 10_000
/** A chain whose nodes are all away for so long must not be called live. */
const unheardLimitMs = 12_000

/** Parts of a deployment. */
export type DeploymentParts = {
  readonly seed: number
  readonly roles: readonly Role[]
  /** Holds the stores. */
  readonly folder: string
  readonly config: Config
  readonly nodes: (clock: Clock, draws: Draws) => readonly SimEndpoint[]
  /** Files of the operator, as far as they are read. */
  readonly files?: World['files']['read']
  /** The history freezes, and lies in a bucket. */
  readonly hasBucket?: boolean
  /** The wall clock is so far ahead at first. */
  readonly wallAheadMs?: number
  /** That of every process. */
  readonly defect?: Defect | undefined
}

/** One deployment under way. */
export class Deployment {
  readonly clock: VirtualClock
  readonly disk: Disk
  readonly bucket: SimBucket | undefined
  readonly nodes: readonly SimEndpoint[]
  /** Failures that no process may meet. */
  broken: unknown
  /** Adds to the wall clock of the machine, which may jump. */
  wallAheadMs: number
  /** By place: the process that is there, or was. */
  readonly #processes: SimProcess[] = []
  readonly #config: Config
  readonly #defect: Defect | undefined
  readonly #outside: World
  readonly #draws: Draws
  /** Processes that were told to stop. */
  readonly #stopping = new Set<SimProcess>()
  #isOver = false
  #started = 0

  constructor(parts: DeploymentParts) {
    const { seed, roles } = parts
    // The time of this machine decides nothing here.
    loopTurn.limitMs = Number.POSITIVE_INFINITY
    this.clock = virtualClock()
    this.disk = new Disk(parts.folder)
    this.bucket = parts.hasBucket === true ? new SimBucket(this.clock) : undefined
    this.#draws = drawsOf(seed).part('deployment')
    this.wallAheadMs = parts.wallAheadMs ?? 0
    this.nodes = parts.nodes(this.clock, this.#draws)
    this.#outside = this.#worldOutside(parts.files)
    this.#config = parts.config
    this.#defect = parts.defect
    this.disk.powerLost = () => this.#losePower()
    for (const role of roles) this.#start(this.#processes.length, role)
    void this.#supervise()
  }

  get processes(): readonly SimProcess[] {
    return this.#processes
  }

  process(target: number): SimProcess {
    const found = this.#processes[target % this.#processes.length]
    if (found === undefined) throw new RangeError('a deployment has processes')
    return found
  }

  /** Ends everything, in order where it can. */
  async end(): Promise<void> {
    this.#isOver = true
    for (const { life } of this.#processes) {
      life.thaw()
      life.kill()
    }
    for (const { life } of this.#processes) await this.disk.leave(life)
  }

  /** Stops the process at a place in order and starts one in its place. */
  async replace(target: number): Promise<void> {
    const at = target % this.#processes.length
    const old = this.process(at)
    if (old.life.isDead || old.life.isFrozen || this.#stopping.has(old)) return
    this.#stopping.add(old)
    const over = new AbortController()
    const late = this.clock.sleep(stopLimitMs, over.signal).then(
      () => {
        if (!old.life.isDead) this.broken ??= new Wrong(`a process does not end: ${old.role}`)
      },
      () => undefined,
    )
    await Promise.race([old.stop(), late])
    over.abort()
    old.life.kill()
    // One that was killed meanwhile was started again.
    if (!this.#isOver && this.process(at) === old) this.#start(at, old.role)
  }

  /** Throws {@link Wrong} where a chain is called live although nobody can know. */
  checkLive(): void {
    const now = this.clock.monotonic()
    const isAway = this.nodes.every(({ conditions }) =>
      [...conditions].some(
        ({ kind, fromMs }) => kind === 'node: unreachable' && now - fromMs > unheardLimitMs,
      ),
    )
    if (!isAway) return
    for (const { life, status } of this.#processes)
      for (const { stages } of life.isDead || life.isFrozen ? [] : status())
        for (const { stage, state } of stages)
          if (followed.has(stage) && state === 'live')
            throw new Wrong(
              `${stage} is called live, and no node was heard for ${unheardLimitMs} ms`,
            )
  }

  /** Stages of the chain as the process that writes it sees them. */
  stages(): readonly StageStatus[] {
    const all = this.#processes
      .filter(({ life }) => !life.isDead)
      .flatMap(({ status }) => status())
      // What is joined of the chain is a stream of its own.
      .filter(({ key, stages }) => key !== messageStore && (stages[0]?.indexedHeight ?? -1) >= 0)
    // Who stands by knows how far it was, and not how far the one that writes is.
    const writing = all.filter(({ stages }) => !stages.some((one) => one.standsBy === true))
    return (writing.length === 0 ? all : writing).toSorted(byHeight)[0]?.stages ?? []
  }

  #start(at: number, role: Role): void {
    this.#processes[at] = startProcess({
      config: this.#config,
      outside: this.#outside,
      disk: this.disk,
      bucket: this.bucket,
      role,
      owner: `process-${++this.#started}`,
      broke: (error) => (this.broken ??= error),
      seams: this.#defect?.seams() ?? {},
    })
  }

  /** Starts again what is gone, and what a stopped stage has made useless. */
  async #supervise(): Promise<void> {
    while (!this.#isOver) {
      await this.clock.sleep(restartMs)
      for (const [at, one] of this.#processes.entries()) {
        if (this.#isOver) return
        const reason = stopReason(one)
        if (reason !== undefined) one.life.kill()
        if (reason !== undefined && !mayStop.test(reason))
          this.broken ??= new Wrong(`a stage stopped for what passes: ${reason}`)
        if (!one.life.isDead) continue
        await this.disk.leave(one.life)
        this.#start(at, one.role)
      }
    }
  }

  async #losePower(): Promise<void> {
    for (const { life } of this.#processes) life.kill()
    for (const { life } of this.#processes) await this.disk.leave(life)
  }

  #worldOutside(read: World['files']['read'] = async () => undefined): World {
    const draws = this.#draws.part('world')
    return {
      clock: { ...this.clock, now: () => this.clock.now() + this.wallAheadMs },
      random: {
        bytes: (size) => Uint8Array.from({ length: size }, () => draws.below(256)),
        number: draws.number,
      },
      transport: {
        request: async (request) => {
          const at = Number(/node-(\d+)/.exec(request.url)?.[1])
          const node = this.nodes[at]
          if (node === undefined) throw new Fault('node-unreachable', 'no such host')
          return node.request(request)
        },
      },
      files: { read, write: async () => {}, remove: async () => {}, list: async () => [] },
    }
  }
}

/**
 * Reasons that stop a stage until its process is started again: all of its endpoints told of
 * another chain, or another process writes the store. Everything else must pass by itself.
 */
const mayStop = /another (chain|process)|does not match what is stored/

/** Readiness says so, and a supervisor acts on it: what does not go on is started again. */
function stopReason({ life, status }: SimProcess): string | undefined {
  if (life.isDead || life.isFrozen) return undefined
  const stages = status().flatMap((chain) => chain.stages)
  const stopped = stages.find(({ state }) => state === 'stopped')
  return stopped === undefined ? undefined : (stopped.reason ?? 'no reason')
}

function byHeight(
  one: { readonly stages: readonly StageStatus[] },
  other: { readonly stages: readonly StageStatus[] },
): number {
  return (other.stages[0]?.indexedHeight ?? -1) - (one.stages[0]?.indexedHeight ?? -1)
}
