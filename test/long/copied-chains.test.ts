/**
 * A Firn that starts from another one's snapshot: what it copied it calls so until its own node
 * has confirmed it, and what is not that of the chain it refuses, also after a restart.
 */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { copiedHistory } from '../../src/store/copied-history.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import {
  freshFolder,
  indexedFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { forgeSegment } from '../support/stores/forged-segment.ts'
import { freezeAt } from '../support/stores/freeze-store.ts'

const l1 = 'fuji-demo-l1'
const other = 'fuji-demo-chain'
/** First heights after the segments of that chain: too few to be merged. */
const otherEnds = [130, 260, 403]

/** A data folder that was restored from the snapshot of a Firn; `alter` is done to what that one copied. */
async function copiedFolder(
  t: TestContext,
  alter: (store: Database) => Promise<void> = async () => undefined,
): Promise<string> {
  const folder = await indexedFolder(t)
  const location = { store: 'embedded', dataDir: folder, freeze: {} }
  for (const [name, ends] of [
    [l1, [60, 120]],
    [other, otherEnds],
  ] as const) {
    const store = await openStore(location, name, chainTables, 'write')
    await freezeAt(store, ends)
    if (name === l1) await alter(store)
    await store.close()
  }
  const base = await freshFolder(t)
  const copies = join(base, 'copies')
  const taken = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(taken.code, 0, taken.stderr)
  const home = join(base, 'home')
  const restored = await runFirn('snapshot', 'restore', copies, '--data-dir', home)
  assert.equal(restored.code, 0, restored.stderr)
  return home
}

function setFor(t: TestContext, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
}

async function statusOf(
  firn: RunningFirn,
  key: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { chains } = await firn.get('/status')
  assert.ok(Array.isArray(chains))
  return (
    chains.map((each: unknown) => objectOf(each, 'chain')).find((each) => each['chain'] === key) ??
    {}
  )
}

void test('copied: called copied with its share, then as any other chain', async (t) => {
  const home = await copiedFolder(t)
  setFor(t, { FIRN_INDEX_CHECK_COPIED: '0' })
  const unchecked = await startFirn(t, ['--data-dir', home])
  await untilLive(unchecked, [l1, other])
  const copied = objectOf((await statusOf(unchecked, other))['copied'], 'copied')
  assert.deepEqual(copied, { from: 0, height: 402, share: 0 })
  const lines = await runFirn('status', '--url', unchecked.apiUrl)
  assert.match(lines.stdout, /\(fuji-demo-chain, fuji\).*, copied to 402, 0 % checked/)
  assert.equal(await unchecked.end(), 0)

  setFor(t, { FIRN_INDEX_CHECK_COPIED: '1' })
  const sampling = await startFirn(t, ['--data-dir', home])
  await until('the sample', async () => {
    const { state, copied: some } = await statusOf(sampling, other)
    const share = objectOf(some, 'copied')['share']
    return state === 'live' && [130, 143].some((blocks) => share === blocks / 403)
  })
  assert.equal(await sampling.end(), 0)

  // Killed again and again it goes on, and ends as an ordinary chain.
  setFor(t, { FIRN_INDEX_CHECK_COPIED: '100' })
  let kills = 0
  for (let isDone = false; !isDone; kills++) {
    const checking = await startFirn(t, ['--data-dir', home])
    const before = await comparedAt(home)
    await until('progress', async () => {
      isDone = (await statusOf(checking, other))['copied'] === undefined
      return isDone || (await comparedAt(home)) > before
    })
    if (isDone) await untilLive(checking, [other])
    assert.equal(await checking.end(isDone ? 'SIGINT' : 'SIGKILL'), isDone ? 0 : 'SIGKILL')
  }
  assert.ok(kills > 1, `${kills} starts`)
  const whole = await runFirn('verify', '--store', '--data-dir', home)
  assert.equal(whole.code, 0, whole.stdout)
})

/** Blocks that a check of all has compared by now. */
async function comparedAt(dataDir: string): Promise<number> {
  const store = await openStore({ store: 'embedded', dataDir }, other, chainTables, 'read')
  try {
    const check = (await copiedHistory(store))?.check
    return check?.percent === 100 ? check.compared : 0
  } finally {
    await store.close()
  }
}

void test('copied with one transfer altered: stopped with the segment and table, not ready', async (t) => {
  const home = await copiedFolder(t, (store) =>
    forgeSegment(store, {
      transfer: (rows) =>
        rows.map((row, at) => (at === rows.length >> 1 ? row.with(8, Uint8Array.of(9)) : row)),
    }),
  )
  setFor(t, { FIRN_INDEX_CHECK_COPIED: '100' })
  for (const start of ['the first', 'another']) {
    const firn = await startFirn(t, ['--data-dir', home])
    await until('refusal', async () => (await statusOf(firn, l1))['state'] === 'stopped')
    const { reason, stages } = await statusOf(firn, l1)
    assert.doesNotMatch(JSON.stringify(stages), /"(?:blocks|traces|copied)","state":"live"/)
    assert.match(
      String(reason),
      /^the copied history is not that of the chain: segment \w+ of blocks 0 to 59: rows of transfer are not/,
      start,
    )
    await until('not ready', async () => {
      const ready = await fetch(`${firn.nodeUrl}/ext/health/readiness`)
      const text = await ready.text()
      return ready.status === 503 && /fuji-demo-l1 \w+ stopped: the copied history/.test(text)
    })
    assert.equal(await firn.end(), 0)
  }
  // A process that only serves says it, too.
  const serving = await startFirn(t, ['--data-dir', home, '--role', 'serve'])
  const { state, reason, stages } = await statusOf(serving, l1)
  assert.doesNotMatch(JSON.stringify(stages), /"live"/)
  assert.equal(state, 'stopped')
  assert.match(String(reason), /^the copied history is not that of the chain: segment \w+/)
  assert.equal(await serving.end(), 0)
})
