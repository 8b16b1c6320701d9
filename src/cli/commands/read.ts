import { openRangeService } from '../../service/range-service.ts'
import { createLogs } from '../../telemetry/log-registry.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'

/** Reads blocks for other Firns and returns when it has been told to stop. */
export async function read(flags: Flags): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  process.once('SIGINT', () => stop())
  process.once('SIGTERM', () => stop())
  const { config } = loadConfig(flags)
  const world = openWorld()
  const logs = createLogs({
    now: world.clock.now,
    display: (line) => process.stderr.write(line.endsWith('\n') ? line : `${line}\n`),
    format: 'json',
    directory: undefined,
    logLevel: 'OFF',
    displayLevel: config['log.displayLevel'],
  })
  try {
    const service = await openRangeService(config, { world, log: logs.log })
    console.log(`reading blocks of ${service.chains} chains for others: ${service.url}`)
    await stopped
    await service.stop()
  } finally {
    await world.close()
    logs.close()
  }
}
