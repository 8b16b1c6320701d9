/**
 * Compares segments of a copied history with their own blocks: lists, balances and holders are made again
 * beside, and the segment must get the same name. Nothing of it then says more, less or other than its blocks.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Database } from '../../../store/engine/database.ts'
import { historyOf } from '../../../store/history/history.ts'
import type { ManifestSegment } from '../../../store/history/manifest.ts'
import { openStore } from '../../../store/open.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import { remakeSegment } from '../repair/remake-segment.ts'
import { storedBatch, storedTraces } from '../write/stored-batch.ts'
import { differs } from './difference.ts'

/** Parts of the comparison. */
export type OwnBlocksParts = {
  readonly database: Database
  /** Folder in which the store beside may lie. */
  readonly dataDir: string
  /** Waited for now and then, so that others have their turn. */
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Throws `source-mismatch` for the first segment below height `until` that does not follow from its blocks.
 *
 * Cost: each is written once more, one after the other.
 */
export async function compareWithOwnBlocks(parts: OwnBlocksParts, until: number): Promise<void> {
  const history = historyOf(parts.database)
  const { segments = [] } = (await history?.manifest(parts.database)) ?? {}
  for (const segment of segments)
    if (segment.from < until && !(await isOfOwnBlocks(parts, segment))) {
      // Merged or taken back into tables meanwhile: it is no part of the history any more.
      const now = (await history?.manifest(parts.database))?.segments ?? []
      const { stage, from, until: end, name } = segment
      if (now.some((each) => each.name === name))
        throw differs(
          `segment ${name} of ${stage} ${from} to ${end - 1} says other than its blocks`,
          {
            table: 'segments',
          },
        )
      return compareWithOwnBlocks(parts, until)
    }
}

async function isOfOwnBlocks(
  { database, dataDir, pause, signal }: OwnBlocksParts,
  segment: ManifestSegment,
): Promise<boolean> {
  const folder = join(dataDir, `copied-check-${database.name}`)
  rmSync(folder, { recursive: true, force: true })
  const place = { store: 'embedded', dataDir: folder, freeze: { firn: '' } }
  const scratch = await openStore(place, database.name, chainTables, 'write')
  try {
    const made = await remakeSegment(
      {
        database,
        scratch,
        signal,
        read: async (range) => {
          await pause()
          const { batch: blocks } = await storedBatch(database, range)
          const isTraced = segment.stage === 'traces'
          return { blocks, traces: isTraced ? await storedTraces(database, range) : undefined }
        },
      },
      segment,
    )
    return made !== undefined
  } finally {
    await scratch.close()
    if (!signal.aborted) rmSync(folder, { recursive: true, force: true })
  }
}
