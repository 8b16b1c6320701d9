/** Checks of the stores: their versions, and who writes them. */

import { faultIn } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { leaseRow, leaseTtlMs } from '../../store/lease.ts'
import { fits, openStore, type StoreLocation } from '../../store/open.ts'
import { controlTables } from '../../store/schema/control.ts'
import { fine, problem, warning, type Finding } from './finding.ts'

/** One finding per pattern of `stores` that fits none of `names`. */
export function checkPatterns({ stores = [] }: StoreLocation, names: readonly string[]): Finding[] {
  return stores
    .filter(({ pattern }) => !names.some((name) => fits(name, pattern)))
    .map(({ pattern }) =>
      warning(
        'stores',
        `no chain of this configuration fits ${pattern}`,
        `names of stores are ${names.join(', ')}`,
      ),
    )
}

/** One finding per store. */
export async function checkStores(
  location: StoreLocation,
  names: readonly string[],
  clock: Clock,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const name of names) findings.push(await checkStore(location, name, clock))
  return findings
}

async function checkStore(location: StoreLocation, name: string, clock: Clock): Promise<Finding> {
  const subject = `store ${name}`
  try {
    await using database = await openStore(location, name, controlTables, 'read')
    const heights = await checkpointHeights(database)
    const stored = [...heights].map(([stage, height]) => `${stage} ${height}`).join(', ')
    const lease = await leaseRow(database)
    if (lease === undefined) return fine(subject, `no process has written it yet; ${stored}`)
    const age = clock.now() - lease.stamp
    if (age < -leaseTtlMs)
      return warning(
        subject,
        `its writer's clock is ${Math.round(-age / 1_000)} s ahead of this machine's`,
        'synchronise the clocks, for instance with chrony',
      )
    const writer =
      age < leaseTtlMs * 2
        ? `written now by ${lease.owner}`
        : `not written since ${new Date(lease.stamp).toISOString()}`
    return fine(subject, `${writer}; ${stored === '' ? 'empty' : stored}`)
  } catch (error) {
    const fault = faultIn(error)
    if (fault.code === 'store-version')
      return problem(
        subject,
        fault.message,
        'use the version of Firn that wrote it, or a newer one',
      )
    if (fault.detail['layout'] !== undefined)
      return fine(subject, 'of an older layout; the next start brings it to this version')
    if (
      fault.code === 'store-failed' &&
      (location.store === 'embedded' || absent.includes(String(fault.detail['sqlstate'])))
    )
      return fine(subject, 'not made yet')
    return problem(subject, fault.message, 'see that the database runs and its address is right')
  }
}

// A schema and a table that are not there. Source: PostgreSQL, appendix A.
const absent = ['3F000', '42P01']
