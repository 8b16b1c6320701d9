/** The result of checking one store. */

import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import { dayText } from '../../core/text.ts'
import type { World } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { checkSegments, type DamagedSegment } from '../../store/history/check-segments.ts'
import type { ManifestSegment } from '../../store/history/manifest.ts'
import { isOnReadOnlyDisk } from '../../store/open.ts'
import { chainOfNumber, heightOfBlock } from '../../store/schema/primary/position.ts'
import { placesPerBlock } from '../../store/schema/sums.ts'
import { checkStore, checkStructure, type DamagedRange } from '../../store/sums/check-store.ts'
import { hasSums } from '../../store/sums/summed-database.ts'
import type { ConfiguredStore } from './configured-stores.ts'

/** A store of a terabyte takes some hours. */
const limitMs = 7 * 86_400_000

/** Between two lines of progress. */
const everyMs = 10_000

/** Findings in one store. */
export type StoreVerdict = {
  readonly store: string
  /** False where there are none: then nothing but `structure` is known. */
  readonly hasSums: boolean
  readonly rows: number
  readonly damaged: readonly DamagedRange[]
  /** Errors that the engine reports in the structure of its file. */
  readonly structure: readonly string[]
  /** Damaged files of frozen history. */
  readonly segments: readonly DamagedSegment[]
}

/** All that repairing one store takes. */
export type RepairWork = {
  readonly config: Config
  readonly store: ConfiguredStore
  readonly verdict: StoreVerdict
  readonly world: World & Required<Pick<World, 'download'>>
  /** Names this process in leases. */
  readonly owner: string
  /** Folder with copies of segments. */
  readonly copies?: string
}

/** Returns whether a store is as it was written. */
export function isWhole(verdict: StoreVerdict): boolean {
  const { hasSums: isSummed, damaged, structure, segments } = verdict
  return isSummed && damaged.length + structure.length + segments.length === 0
}

/** Checks one store. */
export async function verdictOf(
  store: ConfiguredStore,
  open: () => Promise<Database>,
): Promise<StoreVerdict> {
  const none = {
    store: store.name,
    hasSums: false,
    rows: 0,
    damaged: [],
    structure: [],
    segments: [],
  }
  try {
    await using database = await open()
    if (!(await hasSums(database))) return none
    const counted = countingProgress(store.name)
    const signal = AbortSignal.timeout(limitMs)
    const damaged = await checkStore(database, store.tables, { signal, ...counted })
    const structure = await checkStructure(database)
    const segments = await checkSegments(database, { progress: counted.segment, fetches: true })
    return { ...none, hasSums: true, rows: counted.rows(), damaged, structure, segments }
  } catch (error) {
    const fault = faultOf(error)
    // A file that may not be read says nothing of what it holds.
    if (fault?.code !== 'store-failed' || isOnReadOnlyDisk(error)) throw error
    return { ...none, hasSums: true, structure: [fault.message] }
  }
}

/** Prints lines to standard error: those that come soon after another are left out. */
export function progressLines(): (line: string) => void {
  let saidAt = performance.now()
  return (line) => {
    if (performance.now() - saidAt < everyMs) return
    saidAt = performance.now()
    process.stderr.write(`${line}\n`)
  }
}

function countingProgress(store: string): {
  readonly progress: (table: string, rows: number) => void
  readonly segment: (of: ManifestSegment) => void
  readonly rows: () => number
} {
  const byTable = new Map<string, number>()
  const say = progressLines()
  return {
    progress: (table, rows) => {
      byTable.set(table, rows)
      say(`${store}: ${table}, ${rows} rows read`)
    },
    segment: ({ stage, from, until }) =>
      say(`${store}: segment of ${stage} ${from} to ${until - 1}`),
    rows: () => [...byTable.values()].reduce((sum, rows) => sum + rows, 0),
  }
}

/** Prints what was found in a store. */
export function printVerdict({ kind, name: key }: ConfiguredStore, verdict: StoreVerdict): void {
  if (!verdict.hasSums) {
    console.log(`${key}: has no sums: delete it to index it again`)
    return
  }
  for (const each of verdict.damaged)
    console.log(`DAMAGED ${key}: ${each.table.name}, ${rangeText(kind, each)}: ${damageText(each)}`)
  for (const line of verdict.structure) console.log(`DAMAGED ${key}: ${line}`)
  for (const { stage, from, until, name, reason } of verdict.segments)
    console.log(`DAMAGED ${key}: segment ${name} of ${stage} ${from} to ${until - 1}: ${reason}`)
  const count = verdict.damaged.length + verdict.structure.length + verdict.segments.length
  console.log(
    `${key}: ${verdict.rows} rows read, ${count === 0 ? 'all add up' : `damages: ${count}`}`,
  )
}

/** A damaged range in words: `heights 256 to 511`. */
function rangeText(kind: ConfiguredStore['kind'], { table, range }: DamagedRange): string {
  if (range === undefined) return 'all rows'
  const { column, from, until } = range
  const last = until - 1
  switch (column) {
    case 'pos':
      return kind === 'primary'
        ? blocksText(Math.floor(from / placesPerBlock), Math.floor(last / placesPerBlock))
        : `heights ${from / placesPerBlock} to ${Math.floor(last / placesPerBlock)}`
    case 'id':
      return ['primary_block', 'primary_block_by_hash', 'raw_block'].includes(table.name)
        ? blocksText(from, last)
        : `numbers ${from} to ${last}`
    case 'utxo':
      return `UTXOs numbered ${from} to ${last}`
    case 'contract_id':
      return `contracts numbered ${from} to ${last}`
    case 'chunk':
      return `addresses numbered ${from * 4_096} to ${until * 4_096 - 1}`
    case 'height':
      return `heights ${from} to ${last}`
    default:
      return `${dayText(from)} to ${dayText(last)}`
  }
}

/** The damage in words: how many rows were written, and how many are there. */
function damageText({ written, found }: DamagedRange): string {
  if (found === undefined) return 'cannot be read'
  if (written === undefined) return `no sum is stored, rows found ${found.rows}`
  if (written.rows === found.rows) return `${found.rows} rows, changed`
  return `rows written ${written.rows}, found ${found.rows}`
}

function blocksText(from: number, last: number): string {
  if (last < 0) return 'the genesis'
  const chain = chainOfNumber(Math.floor(from / 2 ** 31))
  return `${chain}-Chain heights ${heightOfBlock(from)} to ${heightOfBlock(last)}`
}
