/** Finds and reads the configuration of a command: flags, environment, file. */

import { readFileSync } from 'node:fs'

import { readConfig, type ReadConfig } from '../config/read-config.ts'
import type { Setting } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import { Fault } from '../core/fault.ts'
import { ownValue } from '../core/own-value.ts'
import type { Flags } from './flags.ts'

/** The configuration, and whether a file was named. Throws `bad-config`. */
export function loadConfig(flags: Flags): ReadConfig & { readonly isDemo: boolean } {
  const path = typeof flags['config'] === 'string' ? flags['config'] : process.env['FIRN_CONFIG']
  const given = new Map<string, string>()
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const option = setting.flag?.match(/--([\w-]+)/)?.[1]
    const value = option === undefined ? undefined : ownValue(flags, camelCase(option))
    if (value !== undefined) given.set(name, String(value))
  }
  const read = readConfig({
    flags: Object.fromEntries(given),
    environment: process.env,
    ...(path === undefined ? {} : { file: { path, text: readFile(path) } }),
  })
  return { ...read, isDemo: path === undefined }
}

function camelCase(option: string): string {
  return option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Fault('bad-config', `cannot read the configuration file: ${path}`, { cause: error })
  }
}
