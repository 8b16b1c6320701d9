/** Checks of the configuration at start, beyond the form of each setting. */

import { checkAdminHost } from '../admin/node-api.ts'
import { readRateLimit, readTiers } from '../api/server/admission/rate-limit.ts'
import { addressReader } from '../api/server/front/proxy-address.ts'
import type { Config } from '../config/settings.ts'
import { Fault, faultOf } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { chainSpecs } from './chain-specs.ts'
import { bucketSettings } from './stores/bucket-settings.ts'
import { checkRecordings } from './stores/data-folder.ts'
import { checkPostgresUrl, checkStorePatterns } from './stores/store-location.ts'
import { checkTokenKnowledge } from './tokens/token-knowledge.ts'
import { readBrand } from './web/read-brand.ts'
import { webRules } from './web/web-rules.ts'

/**
 * Checks settings against each other, structured settings and files that are named. Calls nobody on
 * the network and writes nothing. Throws `bad-config` naming every problem.
 */
export async function checkConfig(
  config: Config,
  parts: { readonly world: World; readonly log: Log },
): Promise<void> {
  const checks: readonly (() => unknown)[] = [
    () => checkPorts(config),
    () => checkServers(config),
    () => checkRecordings(config),
    () => chainSpecs(config),
    () => checkLogos(config),
    () => checkNameRegistries(config),
    () => checkStorePatterns(config),
    () => bucketSettings(config),
    () => readRateLimit(config['api.rateLimit']),
    () => readTiers(config['api.tiers']),
    () => addressReader(config['api.trustProxy']),
    () => webRules(config),
    () =>
      checkAdminHost({
        host: config['node.host'],
        apiAdminEnabled: config['node.apiAdminEnabled'],
        adminAllowRemote: config['node.adminAllowRemote'],
      }),
    () => checkTokenKnowledge(config, parts.world, parts.log),
    async () => void (await readBrand(config, parts.world)),
  ]
  const problems: string[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code !== 'bad-config') throw error
      problems.push(fault.message)
    }
  }
  if (problems.length > 0) throw new Fault('bad-config', problems.join('; '))
}

/** A process that only indexes serves no API. */
function checkPorts({ role, ...config }: Config): void {
  const port = config['api.port']
  const isSame = port === config['node.port'] && config['api.host'] === config['node.host']
  if (role !== 'index' && port !== 0 && isSame)
    throw new Fault('bad-config', `api.port and node.port are the same: ${port}`)
}

/** Logos are for callers too, who have no files of this machine. */
function checkLogos({ chains }: Config): void {
  const wrong = chains.findIndex(({ logoUri }) => !/^((https?|ipfs|ar|data):|$)/i.test(logoUri))
  if (wrong >= 0)
    throw new Fault(
      'bad-config',
      `chains[${wrong}].logoUri must be an address, https: or data:, not a file: ${chains[wrong]?.logoUri}`,
    )
}

function checkNameRegistries({ chains }: Config): void {
  const wrong = chains.findIndex(({ nameRegistry }) => !/^(0x[0-9a-f]{40})?$/i.test(nameRegistry))
  if (wrong >= 0)
    throw new Fault(
      'bad-config',
      `chains[${wrong}].nameRegistry must be an address, 0x and 40 hex digits: ${chains[wrong]?.nameRegistry}`,
    )
}

function checkServers({ store, 'postgres.replicas': replicas }: Config): void {
  if (store !== 'embedded' && !/^postgres(ql)?:\/\//.test(store))
    throw new Fault('bad-config', 'setting store is neither embedded nor a postgres:// address')
  if (store !== 'embedded') checkPostgresUrl('store', store)
  for (const url of replicas) checkPostgresUrl('postgres.replicas', url)
}
