/** Loaded into a Firn under test: collects garbage when asked and tells what is left. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.send !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  process.on('message', () => {
    // Twice: what finalisers let go of in the first is free after the second.
    for (let time = 0; time < 2; time++) if (typeof collect === 'function') collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ live: heapUsed + external, resident: rss })
  })
}
