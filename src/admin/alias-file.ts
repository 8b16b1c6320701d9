/** Aliases in a file of the data folder, so that they outlive the process. */

import { Fault } from '../core/fault.ts'
import { jsonOf, membersOf } from '../core/json.ts'
import type { Files } from '../core/world.ts'
import type { Alias, Aliases } from './alias-rules.ts'
import type { AliasStore } from './alias-table.ts'

/** The store in the file at `path`. A file that cannot be read as aliases is `bad-config`. */
export function aliasFile(path: string, files: Files): AliasStore {
  return {
    load: async () => {
      const bytes = await files.read(path)
      return aliasesIn(bytes, path)
    },
    save: async (aliases) => {
      await files.write(path, new TextEncoder().encode(aliasText(aliases)))
    },
  }
}

/** Keeps nothing: aliases end with the process, as the original's do. */
export const noAliasStore: AliasStore = {
  load: async () => ({ chains: [], routes: [] }),
  save: async () => undefined,
}

/** Aliases as they are kept. */
export function aliasText(aliases: Aliases): string {
  return `${JSON.stringify({ version: 1, ...aliases }, undefined, 1)}\n`
}

/** The aliases in `bytes`, none without any; `place` says where they lie. Throws `bad-config`. */
export function aliasesIn(bytes: Uint8Array | undefined, place: string): Aliases {
  if (bytes === undefined) return { chains: [], routes: [] }
  const { version, chains, routes } = membersOf(jsonOf(bytes))
  if (version !== 1 || !isAliases(chains) || !isAliases(routes)) {
    throw new Fault('bad-config', `not a file of aliases: ${place}`)
  }
  return { chains, routes }
}

function isAliases(value: unknown): value is Alias[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => {
      const { alias, target } = membersOf(entry)
      return typeof alias === 'string' && typeof target === 'string'
    })
  )
}
