/** Aliases in a file of the data folder, so that they outlive the process. */

import { Fault } from '../core/fault.ts'
import type { Files } from '../core/world.ts'
import type { Alias, Aliases } from './alias-rules.ts'
import type { AliasStore } from './alias-table.ts'

/** The store in the file at `path`. A file that cannot be read as aliases is `bad-config`. */
export function aliasFile(path: string, files: Files): AliasStore {
  return {
    load: async () => {
      const bytes = await files.read(path)
      return bytes === undefined ? { chains: [], routes: [] } : readAliases(bytes, path)
    },
    save: async (aliases) => {
      const text = `${JSON.stringify({ version: 1, ...aliases }, undefined, 1)}\n`
      await files.write(path, new TextEncoder().encode(text))
    },
  }
}

/** Keeps nothing: aliases end with the process, as the original's do. */
export const noAliasStore: AliasStore = {
  load: async () => ({ chains: [], routes: [] }),
  save: async () => undefined,
}

function readAliases(bytes: Uint8Array, path: string): Aliases {
  const { version, chains, routes } = membersOf(parsed(bytes, path))
  if (version !== 1 || !isAliases(chains) || !isAliases(routes)) {
    throw new Fault('bad-config', `not a file of aliases: ${path}`)
  }
  return { chains, routes }
}

function parsed(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new Fault('bad-config', `not a file of aliases: ${path}`, { cause: error })
  }
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

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}
