/**
 * Takes the end of a chain away in a process of its own, for tests that kill it then.
 *
 *     node test/support/processes/cut-process.ts '<location as JSON>' <name> <first height taken away>
 *
 * Prints `cut` once that is committed, and waits to be killed.
 */

import { EvmIngest } from '../../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../../src/rollup/chain-rollup.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { openStore } from '../../../src/store/open.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { systemClock } from './system-clock.ts'

const [location, name = '', from] = process.argv.slice(2)
const database = await openStore(JSON.parse(location ?? '{}'), name, chainTables, 'write')
const lease = await takeLease(database, `process ${process.pid}`, systemClock)
if (lease === undefined) throw new Error('another process writes this store')
const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup })
await ingest.cut(Number(from))
process.stdout.write('cut\n')
process.stdin.resume()
