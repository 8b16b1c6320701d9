import { membersOf } from '../../core/json.ts'
import type { Flags } from '../flags.ts'
import { callNode } from './node-client.ts'

/** Sets levels of a logger, or of all without a name; without levels prints them. */
export async function logLevel(logger: string | undefined, flags: Flags): Promise<void> {
  const named = logger === undefined ? {} : { loggerName: logger }
  const { level, display } = flags
  const change = {
    ...(typeof level === 'string' ? { logLevel: level } : {}),
    ...(typeof display === 'string' ? { displayLevel: display } : {}),
  }
  if (Object.keys(change).length > 0) {
    await callNode(flags, 'admin.setLoggerLevel', { ...named, ...change })
  }
  const { loggerLevels } = await callNode(flags, 'admin.getLoggerLevel', named)
  for (const [name, levels] of Object.entries(membersOf(loggerLevels))) {
    const both = membersOf(levels)
    console.log(`${name.padEnd(16)} file ${both['logLevel']}, display ${both['displayLevel']}`)
  }
}
