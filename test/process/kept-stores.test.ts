/**
 * Stores that released versions wrote (`scripts/keep-release.ts`), brought to the layout of now: they are whole, are
 * indexed on to the end of the demo, and answer as the guides print it.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import {
  entry,
  follow,
  freshFolder,
  run,
  startDemo,
  type RunningFirn,
  until,
  untilDemoServed,
  wholeDemo,
} from '../support/processes/firn-process.ts'
import { shortenedAnswer } from '../support/services/shortened-answer.ts'
import { keptReleases, printedRequests, unpacked } from '../support/stores/kept-stores.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

for (const version of readdirSync(keptReleases)) {
  void test(`kept stores: SQLite of ${version}`, async (t) => {
    const dataDir = unpacked(join(keptReleases, version, 'embedded'), await freshFolder(t))
    const planned = await succeeds('upgrade', '--check', '--data-dir', dataDir)
    // The first change since 1.0.0 is one of the primary network.
    if (version === '1.0.0')
      assert.match(planned, /^store primary-fuji: to layout 5: .* \(\d+ rows of .*: about 1 s\)$/m)
    await answersAll(await startDemo(t, dataDir))
    const done = await succeeds('upgrade', '--check', '--data-dir', dataDir)
    assert.doesNotMatch(done, /to layout/)
    await succeeds('verify', '--store', '--data-dir', dataDir)
    assert.match(await succeeds('keys', 'list', '--data-dir', dataDir), /kept/)
  })

  void test(`kept stores: a snapshot of ${version}`, async (t) => {
    const folder = unpacked(join(keptReleases, version, 'snapshot'), await freshFolder(t))
    const dataDir = join(await freshFolder(t), 'restored')
    await succeeds('snapshot', 'verify', folder)
    await succeeds('snapshot', 'restore', folder, '--data-dir', dataDir)
    await answersAll(await startDemo(t, dataDir))
    await succeeds('verify', '--store', '--data-dir', dataDir)
  })

  void test(`kept stores: PostgreSQL of ${version}`, async (t) => {
    const dataDir = unpacked(join(keptReleases, version, 'postgres'), await freshFolder(t))
    const store = await newDatabase()
    const client = new pg.Client(store)
    await client.connect()
    await client.query(readFileSync(join(dataDir, 'dump.sql'), 'utf8'))
    await client.end()
    const settings = { FIRN_STORE: store, FIRN_INDEX_STORE: join(dataDir, 'segments') }
    const env = { ...wholeDemo(), ...settings }
    const words = ['start', '--port', '0', '--node-port', '0', '--data-dir', dataDir]
    await answersAll(await follow(t, spawn(process.execPath, [entry, ...words], { env })))
    const verified = await run(
      process.execPath,
      [entry, 'verify', '--store', '--data-dir', dataDir],
      env,
    )
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  })
}

async function answersAll(firn: RunningFirn): Promise<void> {
  await untilDemoServed(firn)
  // Whoever serves opens a store a moment after its writer has brought it to its layout.
  const isServed = (): Promise<boolean> =>
    firn.get('/v1/networks/fuji/subnets?pageSize=1').then(
      () => true,
      () => false,
    )
  await until('the primary network', isServed)
  const wrong: string[] = []
  for (const { id, path, answer } of printedRequests()) {
    const shown = shortenedAnswer(await firn.get(path), [])
    if (shown !== answer) wrong.push(`${id}: answers ${shown}\nis printed ${answer}`)
  }
  assert.deepEqual(wrong, [])
  assert.equal(await firn.end(), 0)
}

async function succeeds(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(process.execPath, [entry, ...words])
  assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
