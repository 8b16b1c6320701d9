/** Everything that can go wrong in a simulation, by name. */

/** Of a node of an EVM chain. */
export const nodeFaults = [
  'node: slow',
  'node: unreachable',
  'node: hangs',
  'node: throttles',
  'node: restarts',
  'node: lags behind',
  'node: lies',
  'node: garbles replies',
  'node: mixes up batches',
  'node: has no receipts yet',
  'node: fails to trace',
  'node: serves another history',
  'node: disagrees about its head',
] as const

/** Of a node of the primary network, beside those of {@link nodeFaults} that are not of the EVM. */
export const primaryFaults = [
  'primary: blocks out of order',
  'primary: blocks of another network',
  'primary: a false parent',
  'primary: spent again, rewarded again',
  'primary: the index skips',
  'primary: the index is gone',
] as const

/** Of a process that indexes or serves. */
export const processFaults = [
  'process: killed',
  'process: killed in a write',
  'process: stopped in order',
  'process: frozen',
  'process: replaced one by one',
  'clock: jumps',
] as const

/** Of the stores on a machine's disk. */
export const storeFaults = [
  'store: full',
  'store: fails',
  'store: loses the answer of a commit',
  'store: reads fail',
  'power: lost in a commit',
] as const

/** Of object storage with the history of an EVM chain, where a deployment has one. */
export const bucketFaults = [
  'bucket: slow',
  'bucket: gone',
  'bucket: cuts connections',
  'bucket: refuses for a while',
  'bucket: refuses the keys',
  'bucket: keeps less',
  'bucket: gives other bytes',
] as const

/** One of them. */
export type BucketFault = (typeof bucketFaults)[number]

/** All kinds of a simulation of an EVM chain, in the order of the table. */
export const faultKinds = [...nodeFaults, ...processFaults, ...storeFaults] as const

/** Those of a simulation of an EVM chain whose history lies in a bucket. */
export const bucketPlanKinds = [...bucketFaults, ...processFaults, ...storeFaults] as const

/** Those of a simulation of a primary network. */
export const primaryFaultKinds = [
  'node: slow',
  'node: unreachable',
  'node: hangs',
  'node: throttles',
  'node: restarts',
  'node: lags behind',
  'node: garbles replies',
  ...primaryFaults,
  ...processFaults,
  ...storeFaults,
] as const satisfies readonly FaultKind[]

/** One kind. */
export type FaultKind = (typeof faultKinds)[number] | (typeof primaryFaults)[number] | BucketFault

/** One fault of a plan: from when to when, and which node or process. */
export type PlannedFault = {
  readonly kind: FaultKind
  /** Milliseconds of virtual time. */
  readonly atMs: number
  readonly forMs: number
  /** Counted from 0 and reduced to what there is. */
  readonly target: number
  /** Source of the fault's draws. */
  readonly seed: number
}
