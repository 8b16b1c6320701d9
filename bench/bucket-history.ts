/** History in a bucket whose server another process of a bench has. */

import type { StoreLocation } from '../src/store/open.ts'
import { systemClock } from '../test/support/processes/system-clock.ts'
import { bucketOf } from '../test/support/stores/object-storage.ts'

/** The bucket at `url`, of which files lie in `folder`. `count` hears of requests, and of bytes. */
export function historyAt(
  url: string,
  folder: string,
  count: (what: string, by?: number) => void = () => undefined,
): Required<Pick<StoreLocation, 'segments' | 'bucket'>> {
  const address = { url, region: 'here', prefix: 'firn/' }
  const maxBytes = 2 ** 40
  // An eighth of the default: as many files as eight times the history has.
  const fileBytes = 2 ** 24
  return {
    segments: folder,
    bucket: bucketOf({ address }, { folder, maxBytes, fileBytes, clock: systemClock, count }),
  }
}
