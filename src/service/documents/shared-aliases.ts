/** Aliases of a deployment whose processes have a data folder each: a document of its store. */

import { aliasesIn, aliasText } from '../../admin/alias-file.ts'
import type { AliasStore } from '../../admin/alias-table.ts'
import { Fault } from '../../core/fault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Documents } from './documents.ts'

const name = 'aliases.json'

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
    shared: {
      latest,
      refresh: documents.refresh,
    },
  }
}
