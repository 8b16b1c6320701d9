import { readFileSync } from 'node:fs'

import { installationFolder } from './installation.ts'
import { isObject, jsonOf, ownValue } from './json.ts'

const named = jsonOf(readFileSync(new URL('package.json', installationFolder), 'utf8'))

/** Version of the product, from package.json. */
export const version: string = textOf('version')

/** Commit that a published package was made of; empty in a clone. */
export const commit: string = textOf('gitHead')

function textOf(name: string): string {
  const value = isObject(named) ? ownValue(named, name) : undefined
  return typeof value === 'string' ? value : ''
}
