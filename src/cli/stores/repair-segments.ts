/** Puts damaged or missing segments back: from copies of them, else made again from the node. */

import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'

import { assert, faultIn } from '../../core/fault.ts'
import { checksOfEvery } from '../../indexing/evm/read/block-checks.ts'
import { openEvmSource } from '../../indexing/evm/read/open-source.ts'
import { fromNode, type ReadBlocks, withRemade } from '../../indexing/evm/repair/remake-segment.ts'
import { sourceLimits } from '../../service/chain-specs.ts'
import { checkpointHeights, traceStage } from '../../store/checkpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import type { DamagedSegment } from '../../store/history/check-segments.ts'
import { type History } from '../../store/history/history.ts'
import { type ManifestSegment, markDamaged } from '../../store/history/manifest.ts'
import { segmentEnding } from '../../store/history/segment-bytes.ts'
import { underLease } from '../../store/lease.ts'
import { metaText } from '../../store/meta.ts'
import { tracesSinceName } from '../../store/schema/control.ts'
import { silentLog } from '../../telemetry/log.ts'
import type { RepairWork } from './store-verdict.ts'
import { withTaken } from './take-store.ts'

/**
 * Restores the damaged segments of a store, the oldest first, and returns whether all are whole. Throws
 * `lease-lost` while a Firn writes the store, `store-*`, and faults of the source.
 */
export function repairSegments(work: RepairWork): Promise<boolean> {
  const { verdict, world, store } = work
  if (store.chain === undefined && work.copies === undefined) {
    console.log(`${store.name}: segments come back from --copies, or with its chain in --config`)
    return Promise.resolve(false)
  }
  return withTaken(work, ({ database, lease, kept }) =>
    kept(async (signal) => {
      const history = database.history
      assert(history !== undefined, 'a store with damaged segments has segments')
      await history.folder.mendIdentity(await history.manifest(database))
      const mended = new Set<string>()
      let isWhole = true
      for (const segment of verdict.segments.toSorted((a, b) => a.from - b.from)) {
        const isBack: boolean =
          (await isCopied({ database, history, work }, segment)) ||
          // Later segments are made from the balances before them.
          (isWhole &&
            store.chain !== undefined &&
            (await isRemade({ database, history, work }, segment, signal)))
        isWhole &&= isBack
        if (isBack) mended.add(segment.name)
      }
      await underLease(database, { lease, clock: world.clock }, (writer) =>
        markDamaged(writer, (each) => each.isDamaged === true && !mended.has(each.name)),
      )
      return isWhole
    }),
  )
}

type Repaired = {
  readonly database: Database
  readonly history: History
  readonly work: RepairWork
}

/** Takes a copy of a segment from the folder that was given. */
async function isCopied(
  { database, history, work }: Repaired,
  { name }: ManifestSegment,
): Promise<boolean> {
  const { copies, store } = work
  if (copies === undefined) return false
  const file = name + segmentEnding
  const places = [file, join(store.name, file), join('segments', store.name, file)]
  for (const from of places.map((place) => join(copies, place)).filter(existsSync)) {
    const draft = await history.folder.draft(await history.manifest(database))
    try {
      copyFileSync(from, draft)
      await history.adopt(draft, name)
      console.log(`${store.name}: segment ${name}: copied from ${from}`)
      return true
    } catch (error) {
      faultIn(error)
      console.log(`${store.name}: segment ${name}: the copy is damaged, too: ${from}`)
    } finally {
      history.folder.drafted(draft)
    }
  }
  return false
}

async function isRemade(
  { database, history, work }: Repaired,
  segment: DamagedSegment,
  signal: AbortSignal,
): Promise<boolean> {
  const { config, store, world } = work
  assert(store.chain !== undefined, 'a store of an EVM chain has its chain')
  const { spec } = store.chain
  const source = await openEvmSource(spec, sourceLimits(config), { world, log: silentLog })
  const folder = join(config.dataDir, `repair-${store.name}`)
  const from = Number((await metaText(database, tracesSinceName)) ?? 0)
  const last = (await checkpointHeights(database)).get(traceStage) ?? -1
  const traced = { from, until: last + 1 }
  const fromChain = fromNode({ source, checks: checksOfEvery(source), traced, signal })
  const read: ReadBlocks = (range) => {
    console.log(`${store.name}: blocks ${range.from} to ${range.until - 1} are read from the node`)
    return fromChain(range)
  }
  return await withRemade({ database, folder, read, signal }, segment, async ({ path, name }) => {
    const isBack = name === segment.name
    if (isBack) await history.adopt(path, name)
    const result = isBack
      ? 'made again from the node'
      : 'NOT mended: the node gives other rows than were written, or another version wrote them'
    console.log(`${store.name}: segment ${segment.name}: ${result}`)
    return isBack
  })
}
