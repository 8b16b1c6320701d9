import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { configOf, filledStores, openConfigured } from '../stores/configured-stores.ts'
import { isWhole, printVerdict, type StoreVerdict, verdictOf } from '../stores/store-verdict.ts'

/**
 * Reads every store and compares it with its own sums. Another Firn may be writing meanwhile.
 *
 * Prints what is damaged by store, table and range; exit code 1 when anything is, or when a store
 * has no sums.
 */
export async function verifyStores(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const isJson = flags['json'] === true
  await using world = openWorld()
  const verdicts: StoreVerdict[] = []
  for (const store of await filledStores(config)) {
    const verdict = await verdictOf(store, () => openConfigured(config, store, world))
    verdicts.push(verdict)
    if (!isJson) printVerdict(store, verdict)
  }
  if (isJson) console.log(JSON.stringify({ stores: verdicts.map(plainOf) }, undefined, 2))
  if (verdicts.some((each) => !isWhole(each))) process.exitCode = exitCodes.failed
}

function plainOf({ damaged, ...rest }: StoreVerdict): unknown {
  return {
    ...rest,
    damaged: damaged.map(({ table, part, range, written, found }) => ({
      table: table.name,
      ...(range ?? { part }),
      rowsWritten: written?.rows,
      ...(found === undefined
        ? { isReadable: false }
        : { isReadable: true, rowsFound: found.rows }),
    })),
  }
}
