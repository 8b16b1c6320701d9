/** Loaded into a Firn under test: collects garbage when asked and tells what is left. */

import { isMainThread } from 'node:worker_threads'

import { liveBytes } from '../test/support/chains/live-bytes.ts'

if (isMainThread && process.send !== undefined)
  process.on('message', () => {
    const live = liveBytes()
    process.send?.({ live, resident: process.memoryUsage.rss() })
  })
