/** Object storage of a deployment that does harm, while processes, connections and servers break. */

import { performance } from 'node:perf_hooks'

import { until } from '../support/processes/firn-process.ts'
import type { ObjectStorage, StorageFault } from '../support/stores/object-storage.ts'
import type { Disaster } from './disasters.ts'

/** Two kinds of harm: to every request, or to every third. */
const faults: readonly { readonly fault: StorageFault; readonly every: number }[] = [
  { fault: 'cut before', every: 1 },
  { fault: 'cut in the middle', every: 3 },
  { fault: 'cut after', every: 3 },
  { fault: 'slow down', every: 3 },
  { fault: 'error behind success', every: 3 },
  { fault: 'skewed', every: 1 },
  { fault: 'expired', every: 3 },
  { fault: 'denied', every: 1 },
  { fault: 'wrong bytes', every: 3 },
]
/** So many blocks become history beside each disaster. */
const historyBlocks = 256
/** Requests that suffer harm during a disaster, at least. */
const leastHarmed = 3

/**
 * The disasters in turn, each while the storage does one kind of harm and a range of blocks becomes history. In round
 * `number` the first disaster meets the kind with that number.
 */
export function besideHarm(
  storage: ObjectStorage,
  disasters: readonly Disaster[],
  number: number,
): readonly Disaster[] {
  return disasters.map(({ kind, strike }, at) => {
    const { fault, every } = faults[(number + at) % faults.length] ?? faults[0]!
    return {
      kind,
      strike: async (fleet) => {
        const before = storage.requests.length
        let harmed = 0
        let requests = 0
        storage.fault = () => {
          if (requests++ % every > 0) return undefined
          harmed++
          return fault
        }
        const sinceMs = performance.now()
        fleet.node.head += historyBlocks
        const tookMs = await strike(fleet)
        await until('the storage did harm', async () => harmed >= leastHarmed)
        storage.fault = () => undefined
        await fleet.untilAtHead()
        console.log(
          `${fault}: ${harmed} of ${storage.requests.length - before} requests in ${Math.round(performance.now() - sinceMs)} ms`,
        )
        return tookMs
      },
    }
  })
}
