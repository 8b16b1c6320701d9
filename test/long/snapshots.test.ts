/** `firn snapshot`: what is restored has the rows that were there, or nothing is restored. */

import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { test, type TestContext } from 'node:test'

import { openStore } from '../../src/store/open.ts'
import { chainTables, messageTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { problemsOf, restoreSnapshot } from '../../src/store/snapshot/restore-snapshot.ts'
import { SnapshotFolder } from '../../src/store/snapshot/snapshot-folder.ts'
import { manifestText } from '../../src/store/snapshot/snapshot-manifest.ts'
import { takeSnapshot } from '../../src/store/snapshot/take-snapshot.ts'
import {
  entry,
  freshFolder,
  indexedFolder,
  run,
  runFirn,
  startFirn,
  twoChains,
  untilLive,
} from '../support/processes/firn-process.ts'
import { freezeAt, mergeAll, removeUnnamed } from '../support/stores/freeze-store.ts'
import { startStorage } from '../support/stores/object-storage.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const frozen = 'fuji-demo-l1'
const stores: readonly (readonly [string, readonly Table[]])[] = [
  ['fuji-demo-chain', chainTables],
  [frozen, chainTables],
  ['primary-fuji', primaryStoreTables],
  ['messages', messageTables],
]

/** A data folder with the demo chains, one of them with three segments. */
async function frozenFolder(t: TestContext): Promise<string> {
  const folder = await indexedFolder(t)
  const store = await openStore(freezing(folder), frozen, chainTables, 'write')
  await freezeAt(store, [40, 80, 120])
  await store.close()
  return folder
}

const freezing = (dataDir: string) => ({ store: 'embedded', dataDir, freeze: {} })

async function digestsAt(dataDir: string): Promise<Record<string, unknown>> {
  const digests: Record<string, unknown> = {}
  for (const [name, tables] of stores) {
    const store = await openStore({ store: 'embedded', dataDir }, name, tables, 'read')
    // Who writes and until when is of the running process.
    const kept = tables.filter((each) => !['lease'].includes(each.name))
    digests[name] = await storeDigest(store, kept)
    await store.close()
  }
  return digests
}

/** Contents of all files below a folder, by path. */
function filesBelow(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map()
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path).toString('latin1')]),
  )
}

void test('snapshot: taken beside a running Firn, copied once, restored with equal rows', async (t) => {
  const folder = await frozenFolder(t)
  const copies = join(await freshFolder(t), 'copies')
  const made = await runFirn('keys', 'create', 'shop', '--data-dir', folder)
  assert.equal(made.code, 0, made.stderr)
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilLive(firn, [frozen])
  const first = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(first.code, 0, first.stderr)
  assert.equal(await firn.end(), 0)
  const segments = [...filesBelow(copies).keys()].filter((name) => name.endsWith('.sqlite'))
  assert.equal(segments.length, 6)
  const times = segments.map((name) => statSync(join(copies, name)).mtimeMs)

  // More is frozen: what lies there already is not copied again.
  const store = await openStore(freezing(folder), frozen, chainTables, 'write')
  await freezeAt(store, [140])
  await store.close()
  const before = await digestsAt(folder)
  const second = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(second.code, 0, second.stderr)
  assert.deepEqual(
    segments.map((name) => statSync(join(copies, name)).mtimeMs),
    times,
  )
  const listed = await runFirn('snapshot', 'list', copies)
  assert.equal(listed.stdout.match(/^\d{4}-\d\d-\S+Z {2}taken .+ by Firn .+, .+ MiB$/gm)?.length, 2)
  assert.match(listed.stdout, /^ {2}fuji-demo-l1: chain 51002, blocks 152, .*8 segments, .+iB$/m)
  const verified = await runFirn('snapshot', 'verify', copies)
  assert.equal(verified.code, 0, verified.stdout)

  const home = join(await freshFolder(t), 'home')
  const words = ['snapshot', 'restore', copies, '--trust', '--data-dir', home]
  const restored = await runFirn(...words)
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual(await digestsAt(home), before)
  for (const name of ['api-keys.json', 'page-token.key'])
    assert.deepEqual(readFileSync(join(home, name)), readFileSync(join(folder, name)))
  const [id = ''] = new SnapshotFolder(copies).list().map((each) => each.id)
  const older = join(await freshFolder(t), 'older')
  const chosen = ['--snapshot', id, '--data-dir', older]
  assert.equal((await runFirn('snapshot', 'restore', copies, ...chosen)).code, 0)
  for (const place of [home, older]) {
    const whole = await runFirn('verify', '--store', '--data-dir', place)
    assert.equal(whole.code, 0, whole.stdout)
  }
  const again = await startFirn(t, ['--data-dir', home])
  await untilLive(again, [frozen])
  assert.equal(await again.end(), 0)
  const refused = await runFirn(...words)
  assert.equal(refused.code, 4)
  assert.match(refused.stderr, /^firn: a snapshot is restored into an empty folder only: .+\n$/)

  // What no snapshot names any more is taken away by the next.
  for (const name of readdirSync(join(copies, 'snapshots'))) rmSync(join(copies, 'snapshots', name))
  const merging = await openStore(freezing(folder), frozen, chainTables, 'write')
  await mergeAll(merging, (listed) => (listed.length > 1 ? listed : []))
  await merging.close()
  const third = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(third.code, 0, third.stderr)
  const left = [...filesBelow(copies).keys()].filter((name) => name.endsWith('.sqlite'))
  assert.equal(left.length, 2)
  assert.ok(left.every((name) => !segments.includes(name)))
})

void test('snapshot: a store whose segments are merged while they are copied is copied again', async (t) => {
  const folder = await frozenFolder(t)
  const base = await freshFolder(t)
  // The store as it was, with one more segment, and with all of them merged.
  const state = (name: string): string => join(base, name)
  const keep = (name: string): void => cpSync(folder, state(name), { recursive: true })
  keep('three')
  const store = await openStore(freezing(folder), frozen, chainTables, 'write')
  const digest = await storeDigest(store, chainTables)
  await freezeAt(store, [140])
  await store.close()
  keep('four')
  const merging = await openStore(freezing(folder), frozen, chainTables, 'write')
  await mergeAll(merging, (listed) => (listed.length > 1 ? listed : []))
  await removeUnnamed(merging)
  await merging.close()
  keep('merged')
  const become = (name: string): void => {
    rmSync(folder, { recursive: true })
    cpSync(state(name), folder, { recursive: true })
  }
  become('three')

  const copies = SnapshotFolder.make(join(base, 'copies'))
  let listings = 0
  await takeSnapshot({
    location: { store: 'embedded', dataDir: folder },
    stores: [{ name: frozen, tables: chainTables }],
    documents: new Map(),
    folder: copies,
    firn: 'test',
    takenAt: new Date(1_700_000_000_000),
    report: () => {
      listings++
      // Before the tables are copied, and before the segment that came with them is.
      if (listings === 3) become('four')
      if (listings === 4) become('merged')
    },
  })
  const manifest = copies.snapshot(undefined)
  assert.deepEqual(
    manifest.stores[0]?.segments.map(({ stage, from, until }) => [stage, from, until]),
    [
      ['blocks', 0, 140],
      ['traces', 0, 140],
    ],
  )
  assert.deepEqual(await problemsOf(copies, manifest), [])
  assert.equal(readdirSync(join(copies.path, 'segments', frozen)).length, 2)
  assert.equal(readdirSync(join(copies.path, 'files')).length, 1)
  const home = join(base, 'home')
  const quiet = { isTrusted: true, into: undefined, report: () => undefined }
  await restoreSnapshot({ folder: copies, manifest, dataDir: home, ...quiet })
  const restored = await openStore(
    { store: 'embedded', dataDir: home },
    frozen,
    chainTables,
    'read',
  )
  const { meta, range_sum, ...rows } = await storeDigest(restored, chainTables)
  await restored.close()
  for (const [table, written] of Object.entries(rows)) assert.equal(written, digest[table], table)
  assert.ok(meta !== undefined && range_sum !== undefined)
})

void test('snapshot: killed at every file, the next attempt has all of it and nothing else', async (t) => {
  const folder = await frozenFolder(t)
  const base = await freshFolder(t)
  const script = new URL('../support/processes/snapshot-process.ts', import.meta.url).pathname
  const attempt = async (what: string, to: string, from: string, files: number): Promise<boolean> =>
    (await run(process.execPath, [script, what, to, from, String(files)])).code === 0
  const namesIn = (copies: string): string[] =>
    [...filesBelow(copies).keys()].filter((name) => !/^(snapshots|files)/.test(name)).toSorted()

  const whole = join(base, 'whole')
  assert.ok(await attempt('take', folder, whole, 99))
  const expected = namesIn(whole)
  assert.equal(expected.length, 7, 'the mark and six segments')
  const killed = join(base, 'killed')
  let kills = 0
  while (!(await attempt('take', folder, killed, kills))) {
    assert.deepEqual(new SnapshotFolder(killed).list(), [])
    kills++
  }
  // Six segments twice, the tables, a document.
  assert.equal(kills, 14)
  assert.deepEqual(namesIn(killed), expected)
  assert.equal(readdirSync(join(killed, 'files')).length, 2)
  const copies = new SnapshotFolder(killed)
  assert.deepEqual(await problemsOf(copies, copies.snapshot(undefined)), [])

  const home = join(base, 'home')
  let restores = 0
  while (!(await attempt('restore', home, killed, restores))) {
    const early = await runFirn('start', '--data-dir', home, '--port', '0', '--node-port', '0')
    assert.equal(early.code, 3, early.stderr)
    assert.match(early.stderr, /^firn: a snapshot is not restored whole; run the same .+\n$/)
    restores++
  }
  assert.ok(restores >= 5, `${restores} kills`)
  assert.deepEqual(readdirSync(home).toSorted(), ['aliases.json', `${frozen}.sqlite`, 'segments'])
  const [own, theirs] = [folder, home].map((at) => filesBelow(join(at, 'segments', frozen)))
  assert.deepEqual(theirs, own)
})

void test('snapshot: cut off, altered, foreign, newer or missing files are one sentence', async (t) => {
  const folder = await frozenFolder(t)
  const base = await freshFolder(t)
  const copies = join(base, 'copies')
  const taken = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(taken.code, 0, taken.stderr)
  const home = join(base, 'home')
  const refusal = async (): Promise<{ readonly code: string; readonly message: string }> => {
    try {
      const at = new SnapshotFolder(copies)
      const { id: _newest, ...manifest } = at.snapshot(undefined)
      const quiet = { isTrusted: true, into: undefined, report: () => undefined }
      await restoreSnapshot({ folder: at, manifest, dataDir: home, ...quiet })
    } catch (error) {
      assert.equal(existsSync(home), false, 'nothing is left')
      return error as { code: string; message: string }
    }
    throw new Error('it was restored')
  }
  const names = [...filesBelow(copies).keys()]
  assert.ok(names.length >= 9, names.join())
  for (const name of names) {
    const path = join(copies, name)
    const bytes = readFileSync(path)
    const places = [0, 10, ...[1, 2, 3].map((part) => Math.floor((bytes.length * part) / 4))]
    for (const at of [...places, bytes.length - 2].filter((place) => place < bytes.length)) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ 1
      writeFileSync(path, altered)
      const { code } = await refusal()
      assert.match(code, /^store-(failed|version)$/, `${name} altered at ${at}`)
    }
    writeFileSync(path, bytes.subarray(0, bytes.length >> 1))
    assert.match((await refusal()).code, /^store-(failed|version)$/, `${name} cut off`)
    renameSync(path, `${path}.gone`)
    assert.match((await refusal()).code, /^(store-failed|store-version|not-found)$/, name)
    renameSync(`${path}.gone`, path)
    writeFileSync(path, bytes)
  }

  // As commands say it.
  const sentence = async (code: number, pattern: RegExp, ...words: string[]): Promise<void> => {
    const ended = await runFirn('snapshot', ...words)
    assert.equal(ended.code, code, ended.stdout + ended.stderr)
    assert.match(ended.stderr + ended.stdout, pattern)
    assert.doesNotMatch(ended.stderr, /\n {4}at /)
  }
  const segment = names.find((name) => name.endsWith('.sqlite')) ?? ''
  const whole = readFileSync(join(copies, segment))
  writeFileSync(join(copies, segment), whole.subarray(0, 100))
  await sentence(
    1,
    /^DAMAGED segment has other bytes than were written: \S+sqlite$/m,
    'verify',
    copies,
  )
  writeFileSync(join(copies, segment), whole)
  const restore = ['restore', copies, '--data-dir', home]
  const [file = ''] = readdirSync(join(copies, 'snapshots'))
  const path = join(copies, 'snapshots', file)
  const text = readFileSync(path, 'utf8')
  const { id: _, ...manifest } = new SnapshotFolder(copies).snapshot(undefined)
  writeFileSync(path, manifestText({ ...manifest, format: 2 }))
  await sentence(5, /^firn: snapshot is of a newer Firn \(form 2, known 1\): \S+\n$/, ...restore)
  await sentence(0, /snapshot is of a newer Firn/, 'list', copies)
  writeFileSync(path, '{"other":"product"}\n')
  await sentence(5, /^firn: file is no snapshot of Firn: \S+\n$/, ...restore)
  writeFileSync(path, text)
  await sentence(1, /^firn: there is no such snapshot in \S+: x\n$/, ...restore, '--snapshot', 'x')
  await sentence(1, /^firn: there are no snapshots: \S+\n$/, 'list', join(base, 'absent'))
  await sentence(5, /^firn: folder is not one of snapshots: \S+\n$/, 'list', folder)
  const create = (to: string): string[] => ['create', to, '--data-dir', folder]
  await sentence(4, /^firn: snapshots need a folder of their own, .+\n$/, ...create(base))
  const link = join(base, 'link')
  symlinkSync(folder, link)
  for (const within of [folder, join(folder, 'x'), join(link, 'x'), join(folder, '..x')])
    await sentence(2, /^firn: snapshots lie outside of the data folder/, ...create(within))
  await sentence(1, /^firn: nothing is indexed here: \S+\n$/, 'create', home, '--data-dir', base)
  mkdirSync(home)
  writeFileSync(join(home, 'x'), '')
  await sentence(4, /^firn: a snapshot is restored into an empty folder only/, ...restore)
  assert.deepEqual(readdirSync(home), ['x'])
  rmSync(home, { recursive: true })

  // A disk that takes no more: nothing is left, and what was there is as it was.
  const kept = filesBelow(copies)
  const words = ['snapshot', 'create', copies, '--data-dir', folder].join(' ')
  const limited = `ulimit -f 600; exec ${process.execPath} ${entry} ${words}`
  const cut = await run('/bin/bash', ['-c', limited], twoChains())
  assert.equal(cut.code, 1, cut.stderr)
  assert.match(cut.stderr, /^firn: store \S+: [^\n]+; it was being copied to \S+\n$/)
  assert.deepEqual(filesBelow(copies), kept)

  const full = `ulimit -f 600; exec ${process.execPath} ${entry} snapshot ${restore.join(' ')}`
  const stopped = await run('/bin/bash', ['-c', full], twoChains())
  assert.equal(stopped.code, 1, stopped.stderr)
  assert.match(stopped.stderr, /^firn: E[^\n]+ -> '\S+\/firn-restoring\/files\/\S+'\n$/)
  assert.equal(existsSync(home), false, 'nothing is left')

  // What lies there cut off is no copy, nor are tables that were altered.
  const again = (): ReturnType<typeof runFirn> =>
    runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal((await again()).code, 0)
  const tables = new SnapshotFolder(copies).snapshot(undefined).stores[0]?.tables.sha256 ?? ''
  const altered = readFileSync(join(copies, 'files', tables))
  altered[5_000] = (altered[5_000] ?? 0) ^ 1
  writeFileSync(join(copies, 'files', tables), altered)
  writeFileSync(join(copies, segment), whole.subarray(0, 100))
  assert.equal((await again()).code, 0)
  await sentence(0, /are as they were written/, 'verify', copies)

  // A damaged segment is not copied, and the attempt leaves nothing.
  const before = filesBelow(copies)
  const store = join(base, 'store')
  cpSync(folder, store, { recursive: true })
  const other = join(base, 'other')
  const own = join(store, 'segments', frozen)
  const [one = ''] = readdirSync(own)
  writeFileSync(join(own, one), readFileSync(join(own, one)).subarray(0, 1_000))
  const failed = await runFirn('snapshot', 'create', other, '--data-dir', store)
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /^firn: [^\n]+\n$/)
  assert.deepEqual([...filesBelow(other).keys()], ['firn-snapshots.json'])
  assert.deepEqual(filesBelow(copies), before)
})

void test('snapshot: in a bucket, each file once, read whole and restored from there', async (t) => {
  const storage = await startStorage()
  t.after(storage.close)
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    process.env[name] = 'somebody'
    t.after(() => delete process.env[name])
  }
  const { origin } = new URL(storage.address.url)
  const place = `s3://history/copies?endpoint=${origin}`
  const keys = (): readonly string[] => [...storage.files.keys()].toSorted()
  const put = (): readonly string[] =>
    storage.requests
      .filter((request) => request.startsWith('PUT'))
      .map((request) => request.slice(4))
  const folder = await frozenFolder(t)

  const first = await runFirn('snapshot', 'create', place, '--data-dir', folder)
  assert.equal(first.code, 0, first.stderr)
  const segments = keys().filter((key) => key.startsWith(`copies/segments/${frozen}/`))
  assert.equal(segments.length, 6)
  assert.equal(put().at(-1)?.startsWith('copies/snapshots/'), true, 'the manifest is put last')
  const before = keys()

  storage.requests.length = 0
  const second = await runFirn('snapshot', 'create', place, '--data-dir', folder)
  assert.equal(second.code, 0, second.stderr)
  assert.deepEqual(
    put().filter((key) => key.startsWith('copies/segments/')),
    [],
    'segments are there',
  )
  const listed = await runFirn('snapshot', 'list', place, '--json')
  const ids = JSON.parse(listed.stdout).snapshots.map(({ id }: { id: string }) => id)
  assert.equal(ids.length, 2)

  // What no snapshot names goes, unless another process put it within a day.
  const [old, fresh] = [`copies/files/${'a'.repeat(64)}`, `copies/files/${'b'.repeat(64)}`]
  const bytes = new Uint8Array(10)
  storage.files.set(old, { bytes, storedMs: Date.now() - 90_000_000 })
  storage.files.set(fresh, { bytes, storedMs: Date.now() })
  for (const key of before) {
    const kept = storage.files.get(key)
    if (kept !== undefined) storage.files.set(key, { ...kept, storedMs: 0 })
  }
  const third = await runFirn('snapshot', 'create', place, '--data-dir', folder)
  assert.equal(third.code, 0, third.stderr)
  assert.deepEqual(
    [old, fresh, ...before].filter((key) => !storage.files.has(key)),
    [old],
  )

  // A bucket may have any key, and its files any length.
  storage.files.set('copies/snapshots/../../../outside.json', { bytes, storedMs: 0 })
  storage.files.set('copies/snapshots/note.txt', { bytes, storedMs: 0 })
  const verified = await runFirn('snapshot', 'verify', place)
  assert.match(verified.stdout, /are as they were written/)
  const restored = join(await freshFolder(t), 'data')
  const done = await runFirn('snapshot', 'restore', place, '--data-dir', restored, '--trust')
  assert.equal(done.code, 0, done.stderr)
  assert.deepEqual(await digestsAt(restored), await digestsAt(folder))

  // All that is wrong is named, each by its address.
  const sound = new Map(storage.files)
  const bytesAt = (key: string): Uint8Array => sound.get(key)?.bytes ?? new Uint8Array()
  // Files of tables differ from snapshot to snapshot, and the newest one is verified.
  const newest = Buffer.from(bytesAt(put().at(-1) ?? '')).toString()
  const [cutOff = '', changed = '', absent = ''] = keys().filter(
    (key) => newest.includes(basename(key, '.sqlite')) && bytesAt(key).length > 5_000,
  )
  assert.ok(absent.startsWith('copies/'))
  const alter = (byte: number, at: number): number => (at === 5_000 ? byte ^ 1 : byte)
  storage.files.set(cutOff, { bytes: bytesAt(cutOff).subarray(0, 100), storedMs: 0 })
  storage.files.set(changed, { bytes: bytesAt(changed).map(alter), storedMs: 0 })
  storage.files.delete(absent)
  const spoilt = await runFirn('snapshot', 'verify', place)
  assert.equal(spoilt.code, 1)
  const lines = spoilt.stdout.split('\n').filter((line) => line.startsWith('DAMAGED'))
  assert.deepEqual(lines.map((line) => line.replace(/^.* history\//, '')).toSorted(), [
    cutOff,
    changed,
    absent,
  ])
  // A bucket that refuses is no damage.
  storage.fault = (request) => (/^(?:GET|HEAD) \S+\/files\//.test(request) ? 'denied' : undefined)
  const unknown = await runFirn('snapshot', 'verify', place)
  storage.fault = () => undefined
  assert.equal(unknown.code, 1)
  assert.equal(unknown.stdout, '')
  assert.match(unknown.stderr, /^firn: object storage refuses with 403 [^\n]+\n$/m)
  // What is missing or cut off is put again by the next one.
  storage.files.set(changed, sound.get(changed) ?? { bytes, storedMs: 0 })
  const fourth = await runFirn('snapshot', 'create', place, '--data-dir', folder)
  assert.equal(fourth.code, 0, fourth.stderr)
  const mended = await runFirn('snapshot', 'verify', place)
  assert.match(mended.stdout, /are as they were written/)

  const [damaged = ''] = segments
  const whole = storage.files.get(damaged)?.bytes ?? bytes
  const altered = whole.map((byte, at) => (at === 5_000 ? byte ^ 1 : byte))
  storage.files.set(damaged, { bytes: altered, storedMs: 0 })
  const long = join(await freshFolder(t), 'data')
  const longer = new Uint8Array(whole.length + 1)
  storage.files.set(damaged, { bytes: longer, storedMs: 0 })
  const tooLong = await runFirn('snapshot', 'restore', place, '--data-dir', long)
  assert.match(tooLong.stderr, /bytes where at most/)
  storage.files.set(damaged, { bytes: altered, storedMs: 0 })
  const into = join(await freshFolder(t), 'data')
  const refused = await runFirn('snapshot', 'restore', place, '--data-dir', into)
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /other bytes/)
  assert.ok(refused.stderr.endsWith(`: history/${damaged}\n`), refused.stderr)
  const elsewhere = `s3://history/none?endpoint=${origin}`
  for (const words of [
    ['list', elsewhere],
    ['verify', elsewhere],
  ]) {
    const none = await runFirn('snapshot', ...words)
    assert.equal(none.code, 1)
    assert.equal(none.stderr, `firn: there are no snapshots: ${elsewhere}\n`)
  }
})
