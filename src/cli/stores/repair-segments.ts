/** Puts damaged or missing segments back: from copies of them, else made again from the node. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { assert, Fault, faultOf } from '../../core/fault.ts'
import { openEvmSource } from '../../indexing/evm/read/open-source.ts'
import { remakeSegment } from '../../indexing/evm/repair/remake-segment.ts'
import { traceStage } from '../../indexing/evm/write/apply-traces.ts'
import { sourceLimits } from '../../service/chain-specs.ts'
import { fetchSegment, isWebAddress } from '../../service/stores/fetch-segment.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { version } from '../../service/version.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { type Database, statement } from '../../store/engine/database.ts'
import type { DamagedSegment } from '../../store/ice/check-segments.ts'
import type { FreezeSubject } from '../../store/ice/freeze.ts'
import { type Ice, iceOf } from '../../store/ice/ice.ts'
import type { ManifestSegment } from '../../store/ice/manifest.ts'
import { segmentFormat, unfilteredFormat } from '../../store/ice/segment-index.ts'
import { segmentEnding } from '../../store/ice/segment-writer.ts'
import { openStore } from '../../store/open.ts'
import { tracesSinceName } from '../../store/schema/control.ts'
import { silentLog } from '../../telemetry/log.ts'
import { checksOf } from './checks-of.ts'
import type { RepairWork } from './repair-work.ts'
import { takeStore, whileKept } from './take-store.ts'

const metaValue = statement('select value from meta where name = ?')

/**
 * Restores the damaged segments of a store, the oldest first, and returns whether all are whole.
 * Files that nothing names are removed. Throws `lease-lost` while a Firn writes the store,
 * `store-*`, and faults of the source.
 */
export async function repairSegments(work: RepairWork): Promise<boolean> {
  const { store, config, world, owner, verdict } = work
  const location = { ...storeLocation(config), freeze: { firn: version } }
  const database = await openStore(location, store.key, store.tables, 'write')
  try {
    const ice = iceOf(database)
    assert(ice !== undefined, 'a store with damaged segments has segments')
    const { clock } = world
    const lease = await takeStore(database, owner, clock)
    return await whileKept(database, { lease, clock }, async (signal) => {
      let isWhole = true
      for (const segment of verdict.segments.toSorted((a, b) => a.from - b.from)) {
        const isBack: boolean =
          (await isCopied({ ice, work }, segment)) ||
          // Later segments are made from the balances before them.
          (isWhole && (await isRemade({ database, ice, work, signal }, segment)))
        isWhole &&= isBack
      }
      ice.removeOrphans(await ice.manifest(database))
      return isWhole
    })
  } finally {
    await database.close()
  }
}

type Parts = { readonly ice: Ice; readonly work: RepairWork }

/** Takes a copy of a segment from the folder, or from the other Firn, that was given. */
async function isCopied({ ice, work }: Parts, { name }: ManifestSegment): Promise<boolean> {
  const { copies, store, world } = work
  if (copies === undefined) return false
  const isOffered = isWebAddress(copies)
  const file = name + segmentEnding
  const places = [file, join(store.key, file), join('segments', store.key, file)]
  const paths = places.map((place) => join(copies, place)).filter(existsSync)
  for (const from of isOffered ? [copies] : paths) {
    const draft = ice.draft()
    try {
      if (isOffered)
        await fetchSegment(world.download, {
          urls: [copies],
          store: store.key,
          name,
          key: work.config['segments.key'],
          path: draft,
          maxBytes: work.config['segments.maxBytes'],
        })
      else copyFileSync(from, draft)
      ice.adopt(draft, name)
      console.log(`${store.key}: segment ${name}: copied from ${from}`)
      return true
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      const isDamaged = fault.code !== 'node-unreachable' && fault.code !== 'not-found'
      const why = isDamaged ? `the copy is damaged, too: ${from}` : fault.message
      console.log(`${store.key}: segment ${name}: ${why}`)
    } finally {
      rmSync(draft, { force: true })
      ice.drafted(draft)
    }
  }
  return false
}

async function isRemade(
  parts: Parts & { readonly database: Database; readonly signal: AbortSignal },
  segment: DamagedSegment,
): Promise<boolean> {
  const { ice, work, database, signal } = parts
  const { config, store, world } = work
  assert(store.chain !== undefined, 'a store of an EVM chain has its chain')
  const folder = mkdtempSync(join(config.dataDir, `repair-${store.key}-`))
  const { spec } = store.chain
  const source = await openEvmSource(spec, sourceLimits(config), { world, log: silentLog })
  const place = { store: 'embedded', dataDir: folder, freeze: { firn: version } }
  const scratch = await openStore(place, store.key, store.tables, 'write')
  try {
    const remaking = {
      database,
      scratch,
      source,
      signal,
      checks: checksOf(source),
      compress: (bytes: Uint8Array) => zstdCompressSync(bytes),
      traced: await tracedHeights(database),
      log: (line: string) => console.log(`${store.key}: ${line}`),
    }
    const path = await remakeSegment(remaking, segment, await subjectsOf(parts, segment))
    if (path === undefined) {
      console.log(
        `${store.key}: segment ${segment.name}: NOT mended: the node tells other rows than were written, or another version wrote them`,
      )
      return false
    }
    ice.adopt(path, segment.name)
    console.log(`${store.key}: segment ${segment.name}: made again from the node`)
    return true
  } finally {
    await scratch.close()
    await source.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function tracedHeights(
  database: Database,
): Promise<{ readonly from: number; readonly until: number }> {
  const from = Number((await database.get(metaValue, [tracesSinceName]))?.[0] ?? 0)
  const last = (await checkpointHeights(database)).get(traceStage) ?? -1
  return { from, until: last + 1 }
}

/** Subjects that a segment may have had, the likeliest first. */
async function subjectsOf(
  { ice, database }: Parts & { readonly database: Database },
  damaged: ManifestSegment,
): Promise<FreezeSubject[]> {
  const genesisHash = String((await database.get(metaValue, ['genesisHash']))?.[0] ?? '')
  const { segments } = await ice.manifest(database)
  const told = [damaged, ...segments].flatMap((each) => subjectIn(ice, each))
  const newest = [...told, { store: database.name, genesisHash, firn: version }]
  const all = ([segmentFormat, unfilteredFormat] as const).flatMap((format) =>
    newest.map((subject) => ({ ...subject, format })),
  )
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

/** The subject of a segment; none where it cannot be opened. */
function subjectIn(ice: Ice, { name }: ManifestSegment): FreezeSubject[] {
  try {
    const { store, genesisHash, firn } = ice.segment(name).index
    return [{ store, genesisHash, firn }]
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}
