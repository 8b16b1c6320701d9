/** The help of every command, run as people run it: a process for each. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { runFirn } from '../support/processes/firn-process.ts'

void test('help: every command has examples, and their flags are its own', async () => {
  const commands = [...(await runFirn('--help')).stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(
    ([, name = '']) => name,
  )
  const leaves: string[][] = []
  for (const name of commands.filter((one) => one !== 'help')) {
    const { stdout } = await runFirn(name, '--help')
    const [, inner = ''] = /^Commands:\n([^]*)/m.exec(stdout) ?? []
    const names = [...inner.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, one = '']) => one)
    const below = names.filter((one) => one !== 'help')
    if (below.length === 0) leaves.push([name])
    else leaves.push(...below.map((one) => [name, one]))
  }
  assert.ok(leaves.length >= 20, `${leaves.length} commands`)
  for (const words of leaves) {
    const path = words.join(' ')
    const { stdout } = await runFirn(...words, '--help')
    const [options = '', shown = ''] = stdout.split(/^Examples?:$/m)
    const lines = shown.split('\n').filter((one) => one.includes('firn '))
    assert.ok(lines.length > 0, path)
    for (const line of lines) {
      assert.ok(line.includes(`firn ${path}`), line)
      for (const [flag] of line.matchAll(/--[a-z-]+/g)) assert.ok(options.includes(flag), line)
    }
  }
})
