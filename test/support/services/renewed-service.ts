/**
 * The recorded network in which validators renew themselves, served as it was at a height.
 *
 * `local-two` has two such positions. One begins at 104, is renewed at 112, 119, 122 and 124 with
 * three shares and two periods, and exits at 127; the other begins at 105 and is aborted at 110.
 */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after } from 'node:test'

import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { indexRecording } from '../chains/recorded-five.ts'
import { recordingNamed } from '../chains/recorded-network.ts'
import { copyOfMade } from '../stores/made-stores.ts'
import { type PrimaryService, servePrimary } from './primary-service.ts'

/** Its blocks, and what its node said. */
export const renewed = recordingNamed('local-two')

/** Serves it up to height `last`, at the time of that block, until the test file ends. */
export async function renewedService(
  last = renewed.height,
  location?: StoreLocation,
): Promise<PrimaryService> {
  const key = `renewed-${last}`
  const index = (where: StoreLocation): Promise<unknown> =>
    indexRecording(renewed, { location: where, key, last })
  let where = location
  if (where === undefined) {
    const dataDir = await copyOfMade(key, async (folder) => {
      await index({ store: 'embedded', dataDir: folder })
    })
    after(() => rmSync(dataDir, { recursive: true, force: true }))
    where = { store: 'embedded', dataDir }
  } else await index(where)
  const store = await openStore(where, key, primaryStoreTables, 'read')
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    monotonic: () => performance.now(),
    sleep: () => Promise.resolve(),
  }
  const service = await servePrimary(store, nowMs, { clock })
  const { body } = await service.get(`/v1/networks/fuji/blockchains/p-chain/blocks/${last}`)
  nowMs = body.blockTimestamp * 1_000
  assert.ok(nowMs > 0)
  after(() => service.close())
  return service
}
