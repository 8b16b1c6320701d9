import { readFileSync } from 'node:fs'

import { installationFolder } from './installation.ts'
/** Version of the product, from package.json. */
export const version: string = readVersion()

function readVersion(): string {
  const text = readFileSync(new URL('package.json', installationFolder), 'utf8')
  const parsed: unknown = JSON.parse(text)
  const named = typeof parsed === 'object' && parsed !== null && 'version' in parsed
  return named && typeof parsed.version === 'string' ? parsed.version : '0.0.0'
}
