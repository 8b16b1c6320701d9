/** Chains that a node begins to serve while Firn runs: taken up, or reported. */

import type { World } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { findChains, nodeAccessOf } from './found-config.ts'
import type { Located } from './load-config.ts'

/** Between two looks: soon while a node is bootstrapping, else as seldom as a look is dear. */
const soonMs = 10_000
const usualMs = 60_000

/**
 * Resolves with a configuration that has more chains, where they are taken up (`chains: auto`); else each
 * is logged once. Ends with `signal`, without an answer.
 */
export async function newChains(
  now: Located,
  {
    world,
    log,
    signal,
  }: { readonly world: World; readonly log: Log; readonly signal: AbortSignal },
): Promise<Located> {
  const { config, target } = now
  const hasNode = Object.values(config.networks).some((network) => network?.nodeUrl)
  const wanted = target ?? ({ kind: 'auto' } as const)
  const known = new Set(config.chains.flatMap(idsOf))
  const { promise: never } = Promise.withResolvers<Located>()
  let { isPartial } = now
  while (hasNode && wanted.kind !== 'rpc') {
    try {
      await world.clock.sleep(isPartial ? soonMs : usualMs, signal)
      const found = await findChains(
        config,
        wanted,
        nodeAccessOf(config, world.transport),
        target !== undefined,
      )
      const fresh = found.config.chains.filter((chain) => !idsOf(chain).some((id) => known.has(id)))
      if (target !== undefined && fresh.length > 0) return { ...now, ...found }
      isPartial = found.isPartial
      for (const chain of fresh) {
        idsOf(chain).forEach((id) => known.add(id))
        const what = 'a new chain: restart with it in the configuration, or set `chains: auto`'
        log.warn(what, { name: chain.name, blockchainId: chain.blockchainId })
      }
    } catch (error) {
      if (signal.aborted) break
      log.debug('node not surveyed', { error })
    }
  }
  return never
}

/** Distinguishes a chain from others: its id on the P-Chain, and its endpoints. */
function idsOf(chain: {
  readonly blockchainId: string
  readonly rpcUrls: readonly string[]
}): string[] {
  return [chain.blockchainId, ...chain.rpcUrls].filter((id) => id !== '')
}
