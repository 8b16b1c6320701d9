/** The limit of open files that a process has, and the connections that fit in it. */

import { readFileSync } from 'node:fs'

import type { Config } from '../../config/settings.ts'
import type { Log } from '../../telemetry/log.ts'

/** Files that this process may open; `undefined` where the system does not report it. */
export function openFilesLimit(): number | undefined {
  try {
    const line = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return line === 'unlimited'
      ? Number.MAX_SAFE_INTEGER
      : line && Number(line)
        ? Number(line)
        : undefined
  } catch {
    // Not Linux: there is no such file.
    return undefined
  }
}

/** `config` with as many connections of callers as half of `limit` allows: stores, segments and nodes take files, too. */
export function withinOpenFiles(config: Config, limit: number | undefined, log: Log): Config {
  const most = Math.max(16, Math.floor((limit ?? Number.MAX_SAFE_INTEGER) / 2))
  const wanted = config['api.maxConnections']
  if (wanted <= most) return config
  log.warn(
    'the limit of open files allows fewer connections than the settings do: raise it, ulimit -n',
    { openFiles: limit, wanted, connections: most },
  )
  return { ...config, 'api.maxConnections': most }
}
