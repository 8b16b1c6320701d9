/** Carries out the faults of a plan on a deployment, and counts where each took effect. */

import { drawsOf } from '../support/processes/draws.ts'
import type { Deployment } from './deployment.ts'
import type { StoreHarm } from './disk.ts'
import type { BucketFault, FaultKind, PlannedFault } from './fault-kinds.ts'

/** Number of times each kind took effect. */
export type Tally = Map<FaultKind, number>

/** Waits for the fault's time, carries it out, and takes it back when it is over. */
export async function inflict(
  fault: PlannedFault,
  deployment: Deployment,
  tally: Tally,
): Promise<void> {
  const { clock } = deployment
  const took = (): void => void tally.set(fault.kind, (tally.get(fault.kind) ?? 0) + 1)
  await clock.sleep(fault.atMs)
  if (/^(node|primary): /.test(fault.kind)) await inflictNode(fault, deployment, took)
  else if (isOfBucket(fault.kind))
    await inflictBucket({ ...fault, kind: fault.kind }, deployment, took)
  else if (fault.kind in harms) await inflictDisk(fault, deployment, took)
  else await inflictProcess(fault, deployment, took)
}

async function inflictNode(
  { kind, forMs, target, seed }: PlannedFault,
  { clock, nodes }: Deployment,
  took: () => void,
): Promise<void> {
  const node = nodes[target % nodes.length]
  const fromMs = clock.monotonic()
  const condition = { kind, draws: drawsOf(seed), took, fromMs, untilMs: fromMs + forMs }
  node?.conditions.add(condition)
  await clock.sleep(forMs)
  node?.conditions.delete(condition)
}

function isOfBucket(kind: FaultKind): kind is BucketFault {
  return kind.startsWith('bucket: ')
}

async function inflictBucket(
  { kind, forMs, seed }: PlannedFault & { readonly kind: BucketFault },
  { clock, bucket }: Deployment,
  took: () => void,
): Promise<void> {
  const harm = { kind, draws: drawsOf(seed), took }
  bucket?.harms.add(harm)
  await clock.sleep(forMs)
  bucket?.harms.delete(harm)
}

const harms: Readonly<Partial<Record<FaultKind, StoreHarm['kind']>>> = {
  'process: killed in a write': 'kill in a write',
  'store: full': 'full',
  'store: fails': 'fails',
  'store: loses the answer of a commit': 'answer lost',
  'store: reads fail': 'reads fail',
  'power: lost in a commit': 'power',
}

async function inflictDisk(
  { kind, forMs, seed }: PlannedFault,
  { clock, disk }: Deployment,
  took: () => void,
): Promise<void> {
  const harm = harms[kind]
  if (harm === undefined) return
  const active: StoreHarm = { kind: harm, draws: drawsOf(seed), took }
  disk.harms.add(active)
  await clock.sleep(forMs)
  disk.harms.delete(active)
}

async function inflictProcess(
  { kind, forMs, target, seed }: PlannedFault,
  deployment: Deployment,
  took: () => void,
): Promise<void> {
  const { life } = deployment.process(target)
  if (life.isDead) return
  took()
  switch (kind) {
    case 'process: killed':
      life.kill()
      return
    case 'process: stopped in order':
      await deployment.replace(target)
      return
    case 'process: replaced one by one':
      for (let at = 0; at < deployment.processes.length; at++) await deployment.replace(at)
      return
    case 'process: frozen':
      life.freeze()
      await deployment.clock.sleep(forMs)
      life.thaw()
      return
    case 'clock: jumps':
      // Page tokens live for a day.
      deployment.wallAheadMs += drawsOf(seed).between(1_000, 3_600_000)
      return
    default:
      throw new RangeError(`no fault of a process: ${kind}`)
  }
}
