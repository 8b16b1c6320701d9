/** Balances and holders of the blocks that are in tables, counted from the first of them. */

import { setImmediate as turn } from 'node:timers/promises'

import { statement, type Writer } from '../../../store/engine/database.ts'
import type { Freezing } from '../../../store/history/freeze.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { heightsPerSum } from '../../../store/schema/sums.ts'
import type { Table } from '../../../store/schema/table.ts'
import { writeBalances } from './balances.ts'
import { Interner } from './intern.ts'
import { writeNftHoldings } from './nft-rows.ts'
import { amountsInput, storedBatch } from './stored-batch.ts'

const lastHeight = statement('select max(height) from evm_block', { over: 'tables' })

/**
 * Writes the rows of `balance` and `holding`, which have none, for stored blocks from height `from` on.
 *
 * Cost: every row of these blocks is read; between ranges of sums the thread does whatever else it has to.
 */
export const recount: Freezing['recount'] = async (writer, from) => {
  const height = (await writer.get(lastHeight))?.[0]
  const last = typeof height === 'number' ? height : -1
  const into = writingOnly(writer, counted)
  const interner = new Interner()
  for (let at = from; at <= last; at += heightsPerSum) {
    const range = { from: at, until: Math.min(last + 1, at + heightsPerSum) }
    const input = amountsInput(await storedBatch(writer, range))
    await writeBalances(into, { ...input, stored: Number.POSITIVE_INFINITY })
    await writeNftHoldings(into, input, interner)
    await turn()
  }
}

const counted: ReadonlySet<Table> = new Set<Table>([balance, holding])

/** A writer that adds rows to `tables` and drops those of others. */
export function writingOnly(writer: Writer, tables: ReadonlySet<Table>): Writer {
  return {
    ...writer,
    insert: (table, columns) => (tables.has(table) ? writer.insert(table, columns) : undefined),
    insertNew: (table, columns) =>
      tables.has(table) ? writer.insertNew(table, columns) : undefined,
  }
}
