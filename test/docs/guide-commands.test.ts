/** Every command that README and guide print is one that Firn has, with options that it has. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { commands } from '../../src/cli/commands.ts'

const root = join(import.meta.dirname, '../..')
const pages = ['README.md', ...globSync('docs/guide/*.md', { cwd: root })]

void test('guide: every printed command is known, with its options', () => {
  let count = 0
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8')
    // In a block, or within a line.
    const printed = text.matchAll(/^ *firn ([a-z][^\n]*)$|`firn ([a-z][^`]*)`/gm)
    for (const [, block, inline] of printed) {
      const [line = ''] = (block ?? inline ?? '').split(/ {2,}#| \| /)
      const words = line.split(/\s+/)
      const row = commands.find(({ words: own }) =>
        own
          .split(' ')
          .filter((word) => /^[a-z]/.test(word))
          .every((word, at) => words[at] === word),
      )
      assert.ok(row !== undefined, `${page}: firn ${line}`)
      const known = [...(row.required ?? []), ...row.options].map(
        ([option]) => option.split(' ')[0],
      )
      for (const [option] of line.matchAll(/--[a-z][\w-]*/g))
        assert.ok(known.includes(option) || option === '--help', `${page}: firn ${line}: ${option}`)
      count++
    }
  }
  assert.ok(count > 60, `${count} commands`)
})
