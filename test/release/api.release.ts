/**
 * The API's document against those of released versions, by oasdiff of `go.mod`, which Go builds once, in a minute of a
 * processor: what a client of them relies on is there.
 */

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'

import { ownDocument } from '../../scripts/promised-names.ts'
import { version } from '../../src/core/version.ts'

const program = fileURLToPath(new URL('../../node_modules/.cache/oasdiff', import.meta.url))
const released = new URL('../../vectors/stores/', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'firn-release-'))
/** Kinds of things grow: a client must not fail at a word that it does not know. */
const severities = fileURLToPath(new URL('severities.txt', import.meta.url))
const major = (of: string): string => of.slice(0, of.indexOf('.'))
const versions = readdirSync(released).filter((each) => major(each) === major(version))

before(() => {
  const build = ['build', '-o', program, 'github.com/oasdiff/oasdiff']
  execFileSync('go', build, { cwd: import.meta.dirname, stdio: 'inherit' })
})
after(() => rmSync(folder, { recursive: true }))

/** What breaks clients of an older document; empty where nothing does. */
function broken(older: string, now: string): string {
  const files = ['older.json', 'now.json'].map((name) => join(folder, name))
  for (const [at, text] of [older, now].entries()) writeFileSync(files[at] ?? '', text)
  const { status, stdout, stderr } = spawnSync(
    program,
    ['breaking', ...files, '--fail-on', 'ERR', '--severity-levels', severities],
    {
      encoding: 'utf8',
    },
  )
  assert.ok(status === 0 || stdout !== '', stderr)
  return status === 0 ? '' : stdout
}

const kept = (each: string): string =>
  zstdDecompressSync(readFileSync(new URL(`${each}/openapi.json.zst`, released))).toString()

void test('release: no client of an older version of this major version is broken', () => {
  for (const each of versions) assert.equal(broken(kept(each), JSON.stringify(ownDocument())), '')
})

void test('release: a removed member of an answer, a newly required parameter and a removed path count as breaking', () => {
  const text = kept(versions[0] ?? '')
  const changes: readonly [from: RegExp, to: string, reported: RegExp][] = [
    [/"\/v1\/chains\/\{chainId\}\/blocks"/, '"/v1/chains/{chainId}/blocksOfNow"', /removed/],
    [
      /"name":"pageSize","in":"query","required":false/,
      '"name":"pageSize","in":"query","required":true',
      /required/,
    ],
    [
      /"required":\["chains"\],"properties":\{"chains":/,
      '"required":[],"properties":{"chainList":',
      /chains/,
    ],
  ]
  for (const [from, to, reported] of changes) {
    const changed = text.replace(from, to)
    assert.notEqual(changed, text)
    assert.match(broken(text, changed), reported)
  }
})
