/** Balances of the validators of watched L1s as gauges. */

import { watchedL1 } from '../../api/primary/l1/list-l1-funds.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { Config } from '../../config/settings.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'

type L1WatchOptions = {
  readonly config: Config
  readonly networks: () => readonly ServedNetwork[]
  readonly gauges: Gauges
  readonly logs: LogRegistry
  readonly world: World
}

// Balances last for days; a look costs a pass over the validations of all L1s.
const lookEveryMs = 30_000

/**
 * Looks every half minute until the signal is aborted, at what the setting `l1.watch` names. Throws
 * `bad-config` for anything but an id.
 */
export function watchL1s(options: L1WatchOptions, signal: AbortSignal): void {
  const subnetIds = watchedIds(options.config['l1.watch'])
  if (subnetIds.length > 0) void look(options, subnetIds, signal)
}

/** Ids of the setting, 32 bytes each. Throws `bad-config`. */
export function watchedIds(texts: readonly string[]): Uint8Array[] {
  return texts.map((text) => {
    try {
      return parseId(text)
    } catch (cause) {
      throw new Fault('bad-config', `l1.watch must be subnet ids, cb58 or hex: ${text}`, { cause })
    }
  })
}

async function look(
  options: L1WatchOptions,
  subnetIds: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<void> {
  const log = options.logs.log.child('l1')
  while (!signal.aborted) {
    try {
      await reportL1s(options.networks(), options.gauges, subnetIds)
      await options.world.clock.sleep(lookEveryMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn('L1 balances could not be read', { error })
      await options.world.clock.sleep(lookEveryMs, signal).catch(() => undefined)
    }
  }
}

/** Sets the gauges once. */
export async function reportL1s(
  networks: readonly ServedNetwork[],
  gauges: Gauges,
  subnetIds: readonly Uint8Array[],
): Promise<void> {
  for (const subnetId of subnetIds) {
    const subnet = toCb58(subnetId)
    for (const network of networks) {
      const watched = await watchedL1(network, subnetId)
      if (watched === undefined) continue
      gauges.set('firn_subnet_active_validators', watched.activeValidatorCount, { subnet })
      gauges.set('firn_subnet_balance_navax', Number(watched.balanceNavax), { subnet })
      gauges.set('firn_subnet_lasts_seconds', (watched.daysLeft ?? 0) * 86_400, { subnet })
    }
  }
}
