/** Damaged ranges in words. */

import { dayText } from '../../core/day-text.ts'
import { placesPerBlock } from '../../store/schema/places.ts'
import { chainOfNumber, heightOfBlock } from '../../store/schema/primary-position.ts'
import type { DamagedRange } from '../../store/sums/check-store.ts'
import type { ConfiguredStore } from './configured-stores.ts'

/** A damaged range in words: `heights 256 to 511`. */
export function rangeText(kind: ConfiguredStore['kind'], { table, range }: DamagedRange): string {
  if (range === undefined) return 'all rows'
  const { column, from, until } = range
  const last = until - 1
  switch (column) {
    case 'pos':
      return kind === 'primary'
        ? blocksText(Math.floor(from / placesPerBlock), Math.floor(last / placesPerBlock))
        : `heights ${from / placesPerBlock} to ${Math.floor(last / placesPerBlock)}`
    case 'id':
      return ['block', 'block_by_hash', 'raw_block'].includes(table.name)
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
export function damageText({ written, found }: DamagedRange): string {
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
