/** What `firn start` says when it cannot start. */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { entry, freshFolder, run, runFirn } from './firn-process.ts'

void test('start: every mistake is one sentence and an exit code, never a stack', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const busy = createServer()
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  t.after(() => busy.close())
  const address = busy.address()
  assert.ok(typeof address === 'object' && address !== null)
  const { port }: AddressInfo = address
  const data = ['--data-dir', join(folder, 'data')]
  const cases: readonly [string, readonly string[], string, number, RegExp][] = [
    [
      'port taken',
      [...data, '--port', String(port), '--node-port', '0'],
      '',
      1,
      /^firn: api\.port is taken or not allowed: 127\.0\.0\.1:\d+$/m,
    ],
    [
      'node port taken',
      [...data, '--port', '0', '--node-port', String(port)],
      '',
      1,
      /^firn: node\.port is taken or not allowed: /m,
    ],
    ['unknown flag', ['--prot', '1'], '', 2, /unknown option '--prot'/],
    [
      'port is no number',
      ['--port', 'x'],
      '',
      4,
      /^firn: api\.port must be an integer from 0 to 65535: "x"$/m,
    ],
    ['unknown role', ['--role', 'idle'], '', 4, /role must be one of all, index, serve/],
    [
      'missing file',
      ['--config', join(folder, 'none.yaml')],
      '',
      4,
      /cannot read the configuration file: /,
    ],
    [
      'unknown setting',
      ['--config', config],
      'api: { prot: 1 }',
      4,
      /unknown setting api\.prot, did you mean api\.port\?/,
    ],
    ['bad YAML', ['--config', config], 'api:\n  port: [1\nx: 2', 4, /firn\.yaml:3:1: \w/],
    [
      'missing recording',
      ['--config', config, ...data],
      'chains: [{ recording: none.firnrec }]',
      4,
      /chains\[0\]\.recording does not exist: none\.firnrec/,
    ],
    [
      'two chains of one name',
      ['--config', config, ...data],
      'chains: [{ name: a, rpcUrls: ["http://127.0.0.1:1"] }, { name: A, rpcUrls: ["http://127.0.0.1:2"] }]',
      4,
      /two chains have one name: A/,
    ],
    [
      'data folder is a file',
      ['--data-dir', join(config, 'data')],
      '',
      4,
      /data folder cannot be made or written: /,
    ],
    [
      'store is no address',
      ['--config', config, ...data],
      'store: mysql://x',
      4,
      /setting store is neither embedded nor a postgres/,
    ],
  ]
  for (const [name, args, text, code, sentence] of cases) {
    await writeFile(config, text)
    const ended = await runFirn('start', ...args)
    assert.match(ended.stderr, sentence, name)
    assert.equal(ended.code, code, `${name}: ${ended.stderr}`)
    assert.doesNotMatch(ended.stderr, /\n {4}at /, name)
  }
  const unknown = await runFirn('strat')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^error: unknown command: strat$/m)
})

void test('old Node: one sentence says what is missing', async (t) => {
  const versions = await Promise.all(
    ['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync).map(async (program) => {
      const { stdout } = await run(program, ['--version'])
      return { program, major: Number(/^v(\d+)/.exec(stdout)?.[1]) }
    }),
  )
  const old = versions.find(({ major }) => major < 24)
  if (old === undefined) return t.skip('no old Node on this machine')
  const { code, stderr } = await run(old.program, [entry, 'start'])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^Firn needs Node 24 or newer, this is \d+\.\d+\.\d+: run it by npm[^\n]*\n$/,
  )

  // A package brings none.
  const folder = await freshFolder(t)
  await cp(entry, join(folder, 'bin/firn.js'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const installed = await run(old.program, [join(folder, 'bin/firn.js'), 'start'])
  assert.equal(installed.code, 1)
  assert.match(installed.stderr, /^Firn needs Node 24 or newer, this is \d+\.\d+\.\d+\.\n$/)
})
