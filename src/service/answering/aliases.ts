/** Aliases of chains, as the configuration has them kept: in a file, with the documents of the deployment, or not. */

import type { NodeChain } from '../../admin/aliases/alias-rules.ts'
import {
  aliasesIn,
  aliasFile,
  aliasText,
  noAliasStore,
  type AliasStore,
  type AliasTable,
  createAliasTable,
} from '../../admin/aliases/alias-table.ts'
import { nodeBases } from '../../admin/node-api.ts'
import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'
import type { Waits } from '../../telemetry/threads/waits.ts'
import type { Documents } from '../documents/documents.ts'

const name = 'aliases.json'

/** The alias table, kept with the documents of the deployment unless that is switched off. */
export function openAliases(
  config: Config,
  {
    world,
    waits,
    logs,
    chains,
    documents,
  }: {
    readonly world: World
    readonly waits: Waits
    readonly logs: LogRegistry
    readonly chains: () => readonly NodeChain[]
    readonly documents: Documents
  },
): Promise<AliasTable> {
  const kept = (): AliasStore =>
    config.store === 'embedded'
      ? aliasFile(`${config.dataDir}/${name}`, world.files)
      : sharedAliases(documents, logs.log)
  const store = config['node.persistAliases'] ? kept() : noAliasStore
  return createAliasTable({ chains, bases: nodeBases, waits, log: logs.log, store })
}

/** The aliases that every process of the deployment knows. Throws `bad-config` for a damaged one. */
export function sharedAliases(documents: Documents, log: Log): AliasStore {
  const latest = documents.watch({
    name,
    parse: (bytes) => aliasesIn(bytes, documents.place(name)),
    damaged: (error) => log.error('aliases not read again, those of before hold', { error }),
  })
  return {
    load: async () => latest(),
    save: async (aliases) => {
      const before = aliasText(latest())
      await documents.change(name, (bytes) => {
        if (aliasText(aliasesIn(bytes, documents.place(name))) !== before)
          throw new Fault('store-failed', 'another process changed the aliases; try again')
        return aliasText(aliases)
      })
    },
    shared: { latest, refresh: documents.refresh },
  }
}
