/** The time of a process that plays recordings back. */

import type { Config } from '../config/settings.ts'
import type { RecordedTime } from '../core/recorded-time.ts'
import type { World } from '../core/world.ts'
import { openRecordedPrimary } from '../source/primary/recorded-source.ts'
import { newestTimes } from '../source/recorded/recording.ts'
import { contractStore } from '../store/schema/deployment.ts'
import { storeSizes } from './stores/data-folder.ts'

/**
 * The time of `config` where all of its networks and chains are recordings, else `undefined`. A first start
 * holds back `recordings.heldBlocks`; later ones rest at the end.
 */
export async function recordedTimeOf(
  { networks, chains, dataDir, 'recordings.heldBlocks': held }: Config,
  { files, clock }: Pick<World, 'files' | 'clock'>,
): Promise<RecordedTime | undefined> {
  const all = [...Object.values(networks), ...chains].map((one) => one?.recording ?? '')
  if (all.length === 0 || all.includes('')) return undefined
  const times: number[] = []
  const read = async (
    path: string,
    timesOf: (file: Uint8Array) => readonly number[],
  ): Promise<void> => {
    const file = await files.read(path)
    if (file !== undefined) times.push(...timesOf(file))
  }
  for (const network of Object.values(networks))
    await read(network?.recording ?? '', (file) => openRecordedPrimary(file).times())
  for (const { recording } of chains) await read(recording, newestTimes)
  if (times.length === 0) return undefined
  // The bundled contracts are there before the first block.
  const isFirst = [...storeSizes(dataDir).keys()].every((store) => store === contractStore)
  const count = isFirst ? held : 0
  const last = times.toSorted((a, b) => a - b).slice(-count - 1)
  return { startedMs: clock.now(), times: last }
}
