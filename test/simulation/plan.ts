/**
 * What goes wrong in a simulation, when and for how long: drawn from its seed, before it begins.
 */

import { drawsOf, type Draws } from './draws.ts'
import { type FaultKind, faultKinds, type PlannedFault, primaryFaultKinds } from './fault-kinds.ts'
import type { Role } from './sim-process.ts'

/** A deployment and what happens to it. Plain data, so that it can be kept. */
export type Plan = {
  readonly seed: number
  /** Which of the made-up chains. */
  readonly history: number
  readonly nodes: number
  readonly roles: readonly Role[]
  readonly callers: number
  readonly faults: readonly PlannedFault[]
}

/** Chains that are made once and used by many seeds. */
export const histories = 12
/** Blocks with genesis; half of them are there at the start. */
export const historyLength = 36
/** Virtual time in which faults begin: blocks come over all of it. */
export const troubleMs = 30_000

const deployments: readonly (readonly Role[])[] = [
  ['all'],
  ['all'],
  ['index', 'serve'],
  ['all', 'all'],
  ['index', 'index', 'serve', 'serve'],
]

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const draws = drawsOf(seed).part('plan')
  const nodes = draws.between(1, 4)
  const count = draws.between(1, 9)
  return {
    seed,
    history: seed % histories,
    nodes,
    roles: draws.pick(deployments),
    callers: draws.between(1, 3),
    faults: Array.from({ length: count }, () => faultOf(draws)),
  }
}

/** The plan of a seed for a primary network, which has one node. */
export function primaryPlanOf(seed: number): Plan {
  const draws = drawsOf(seed).part('primary plan')
  const count = draws.between(1, 7)
  return {
    seed,
    history: 0,
    nodes: 1,
    roles: draws.pick(deployments),
    callers: draws.between(1, 3),
    faults: Array.from({ length: count }, () => faultOf(draws, primaryFaultKinds)),
  }
}

function faultOf(draws: Draws, kinds: readonly FaultKind[] = faultKinds): PlannedFault {
  return {
    kind: draws.pick(kinds),
    atMs: draws.below(troubleMs),
    forMs: draws.between(500, draws.chance(0.3) ? 25_000 : 6_000),
    target: draws.below(12),
    seed: draws.below(2 ** 31),
  }
}
