/** Makes a plan that fails as small as it goes, so that what matters in it can be read. */

import type { Plan } from './plan.ts'

/** Runs that are spent on it at most: some seconds. */
const mostRuns = 60

/** The smallest plan found that still fails; `fails` runs one. */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan
  let runs = 0
  const take = async (smaller: Plan): Promise<boolean> => {
    if (runs++ >= mostRuns || !(await fails(smaller))) return false
    best = smaller
    return true
  }
  for (let at = best.faults.length - 1; at >= 0; at--)
    await take({ ...best, faults: best.faults.toSpliced(at, 1) })
  if (best.roles.length > 1) await take({ ...best, roles: ['all'] })
  if (best.nodes > 1) await take({ ...best, nodes: 1 })
  if (best.callers > 1) await take({ ...best, callers: 1 })
  for (let at = 0; at < best.faults.length; at++)
    for (let isShorter = true; isShorter;) {
      const fault = best.faults[at]
      if (fault === undefined || fault.forMs < 500) break
      const shorter = { ...fault, forMs: Math.floor(fault.forMs / 2) }
      isShorter = await take({ ...best, faults: best.faults.with(at, shorter) })
    }
  return best
}
