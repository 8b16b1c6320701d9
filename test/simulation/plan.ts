/**
 * Faults of a simulation, their times and durations: drawn from its seed, before it begins.
 */

import { drawsOf, type Draws } from '../support/processes/draws.ts'
import {
  bucketPlanKinds,
  type FaultKind,
  faultKinds,
  type PlannedFault,
  primaryFaultKinds,
} from './fault-kinds.ts'
import type { Role } from './sim-process.ts'

/** A deployment and what happens to it. Plain data, so that it can be kept. */
export type Plan = {
  readonly seed: number
  /** Which of the made-up chains. */
  readonly history: number
  readonly nodes: number
  readonly roles: readonly Role[]
  readonly callers: number
  /** The history freezes, and lies in a bucket. */
  readonly hasBucket?: boolean
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

/**
 * So many faults of a plan are dealt: a few seeds in a row have every kind. The others are drawn.
 */
const dealt = 3
/** Blocks of the primary network come until shortly before the end of the trouble. */
const primaryLiesMs = 20_000

/**
 * Faults that would begin earlier are there from the start: half of the blocks are read within a
 * second then, and lies matter most where many blocks are read at once.
 */
const startMs = (kind: FaultKind): number => (kind === 'node: lies' ? 15_000 : 3_000)

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const draws = drawsOf(seed).part('plan')
  const nodes = draws.between(1, 4)
  const count = draws.between(dealt, 9)
  return {
    seed,
    history: seed % histories,
    nodes,
    roles: draws.pick(deployments),
    callers: draws.between(1, 3),
    faults: faultsOf(draws, { seed, count, kinds: faultKinds }),
  }
}

/**
 * The plan of a seed with faults of one kind alone, and one node: what others would hide is seen.
 */
export function planOfKind(seed: number, kind: FaultKind): Plan {
  const draws = drawsOf(seed).part('plan of a kind')
  const faults = Array.from({ length: draws.between(1, 4) }, () => faultOf(draws, kind))
  return { ...planOf(seed), nodes: 1, faults }
}

/** The plan of a seed for a chain whose history lies in a bucket. */
export function bucketPlanOf(seed: number): Plan {
  const draws = drawsOf(seed).part('bucket plan')
  const count = draws.between(dealt, 7)
  return {
    seed,
    history: seed % histories,
    nodes: 1,
    roles: draws.pick(deployments),
    callers: draws.between(1, 3),
    hasBucket: true,
    faults: faultsOf(draws, { seed, count, kinds: bucketPlanKinds }),
  }
}

/** The plan of a seed for a primary network, which has one node. */
export function primaryPlanOf(seed: number): Plan {
  const draws = drawsOf(seed).part('primary plan')
  const count = draws.between(dealt, 7)
  return {
    seed,
    history: 0,
    nodes: 1,
    roles: draws.pick(deployments),
    callers: draws.between(1, 3),
    faults: faultsOf(draws, { seed, count, kinds: primaryFaultKinds }),
  }
}

function faultsOf(
  draws: Draws,
  of: { readonly seed: number; readonly count: number; readonly kinds: readonly FaultKind[] },
): PlannedFault[] {
  const { seed, count, kinds } = of
  return Array.from({ length: count }, (_, at) =>
    faultOf(draws, at < dealt ? dealtKind(seed * dealt + at, kinds) : draws.pick(kinds)),
  )
}

/** The kind at a place of a pack that is shuffled anew each time all of it was dealt. */
function dealtKind(place: number, kinds: readonly FaultKind[]): FaultKind {
  const draws = drawsOf(Math.floor(place / kinds.length)).part('pack')
  const pack = [...kinds]
  for (let left = place % kinds.length; left > 0; left--)
    pack.splice(pack.indexOf(draws.pick(pack)), 1)
  return draws.pick(pack)
}

function faultOf(draws: Draws, kind: FaultKind): PlannedFault {
  const isPrimary = kind.startsWith('primary: ')
  const atMs = draws.below(isPrimary ? primaryLiesMs : troubleMs)
  return {
    kind,
    atMs: atMs < startMs(kind) ? 0 : atMs,
    forMs: draws.between(isPrimary ? 3_000 : 500, draws.chance(0.3) ? 25_000 : 6_000),
    target: draws.below(12),
    seed: draws.below(2 ** 31),
  }
}
