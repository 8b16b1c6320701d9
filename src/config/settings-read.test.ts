import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { chainSettings, networkSettings } from './chain-settings.ts'
import { settings } from './settings.ts'

const root = join(import.meta.dirname, '..')

/** Sources but those that declare settings, hand them on under their own name, or only test. */
const lines = globSync('**/*.ts', { cwd: root })
  .filter((file) => !file.startsWith('config/') && !file.endsWith('.test.ts'))
  .flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n'))

void test('settings: none exists that nothing reads', () => {
  const unread = [
    ...Object.keys(settings).filter((name) => !isReadOfProcess(name)),
    ...Object.keys({ ...networkSettings, ...chainSettings }).filter((name) => !isReadOfEntry(name)),
  ]
  assert.deepEqual(unread, [], 'settings that nothing reads; src/service is where they are read')
})

function isReadOfProcess(name: string): boolean {
  const reads = name.includes('.') ? [`'${name}'`] : [`config.${name}`, `{ ${name} }`]
  return lines.some((line) => reads.some((each) => line.includes(each)))
}

/** Of an entry of `networks` or `chains`. */
function isReadOfEntry(name: string): boolean {
  const handedOn = new RegExp(`^\\s*(readonly )?${name}\\??: (readonly |\\w+\\.${name}\\b)`)
  return lines.some((line) => new RegExp(`\\b${name}\\b`).test(line) && !handedOn.test(line))
}
