/** Settings `segments.*`: where a process that only serves takes segments from. */

import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import type { World } from '../../core/world.ts'
import type { SegmentFetching } from '../../store/history/fetched-segments.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import { fetchSegment } from './fetch-segment.ts'

/** Settings that say whether segments are fetched. */
export type SegmentSettings = Pick<
  Config,
  | 'role'
  | 'dataDir'
  | 'api.handlerTimeoutMs'
  | 'segments.from'
  | 'segments.key'
  | 'segments.maxBytes'
>

/** Parts of the process that fetching uses. */
export type FetchingParts = Pick<World, 'clock' | 'download'> & {
  readonly gauges: Pick<Gauges, 'add'>
}

/** Of the time that an answer may take. */
const waitingShare = 0.7

/**
 * How segments are fetched; `undefined` where they are not. A process that writes has all of them, or
 * is damaged.
 */
export function segmentFetching(
  config: SegmentSettings,
  { clock, download, gauges }: FetchingParts,
): SegmentFetching | undefined {
  const urls = config['segments.from']
  if (config.role !== 'serve' || urls.length === 0 || download === undefined) return undefined
  const key = config['segments.key']
  return {
    folder: join(config.dataDir, 'segments-fetched'),
    maxBytes: config['segments.maxBytes'],
    urls,
    fetch: (segment) => fetchSegment(download, { ...segment, key }),
    waitMs: config['api.handlerTimeoutMs'] * waitingShare,
    clock,
    told: (outcome) => gauges.add('firn_segment_fetches_total', 1, { outcome }),
  }
}
