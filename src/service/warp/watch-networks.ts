/** Primary networks as gauges: balances of watched L1s, and blocks that disagree with the schedule of proposers. */

import { watchedL1 } from '../../api/primary/l1/list-l1-funds.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { Config } from '../../config/settings.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { disagreedBlocks } from '../../store/query/primary/proposer-slots.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'

type WatchOptions = {
  readonly config: Config
  readonly networks: () => readonly ServedNetwork[]
  readonly gauges: Gauges
  readonly logs: LogRegistry
  readonly world: World
}

// Balances last for days; a look costs a pass over the validations of all L1s.
const lookEveryMs = 30_000

/**
 * Looks every half minute until the signal is aborted, at networks and the L1s that the setting `l1.watch` names.
 * Throws `bad-config` for anything but an id.
 */
export function watchNetworks(options: WatchOptions, signal: AbortSignal): void {
  const subnetIds = watchedIds(options.config['l1.watch'])
  void look(options, subnetIds, signal)
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
  options: WatchOptions,
  subnetIds: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<void> {
  const log = options.logs.log.child('networks')
  while (!signal.aborted) {
    try {
      await reportL1s(options.networks(), options.gauges, subnetIds)
      await reportSlots(options.networks(), options.gauges)
      await options.world.clock.sleep(lookEveryMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.warn('networks could not be read', { error })
      await options.world.clock.sleep(lookEveryMs, signal).catch(() => undefined)
    }
  }
}

/** Sets the gauges of blocks that disagree with the schedule once. */
export async function reportSlots(
  networks: readonly ServedNetwork[],
  gauges: Gauges,
): Promise<void> {
  for (const { store, network } of networks)
    for (const [chain, blocks] of await disagreedBlocks(store))
      gauges.set('firn_primary_disagreed_blocks', blocks, { network, chain })
}

/** Sets the gauges of L1s once. */
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
