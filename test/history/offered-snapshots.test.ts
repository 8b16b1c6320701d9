/** Snapshots that one Firn offers over HTTP, and another becomes: whole, resumed, or not at all. */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { offeredSnapshot, remoteSource } from '../../src/service/stores/fetch-snapshot.ts'
import { copiedHistory } from '../../src/store/copied-history.ts'
import { type Reader, statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { restoreSnapshot } from '../../src/store/snapshot/restore-snapshot.ts'
import { SnapshotFolder } from '../../src/store/snapshot/snapshot-folder.ts'
import { manifestText } from '../../src/store/snapshot/snapshot-manifest.ts'
import { openWorld } from '../../src/world/world.ts'
import {
  freshFolder,
  indexedFolder,
  runFirn,
  startFirn,
  untilLive,
} from '../support/processes/firn-process.ts'
import { freezeAt } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const frozen = 'fuji-demo-l1'
const chains = ['fuji-demo-chain', frozen]

type Taken = {
  readonly copies: string
  readonly folder: string
  /** What is in the copies, by name of the store. */
  readonly rows: ReadonlyMap<string, unknown>
}

/** A folder with a snapshot of the demo chains, one of them with segments, and where they were. */
async function snapshotFolder(t: TestContext): Promise<Taken> {
  const folder = await indexedFolder(t)
  const location = { store: 'embedded', dataDir: folder, freeze: { firn: 'test' } }
  const store = await openStore(location, frozen, chainTables, 'write')
  await freezeAt(store, [40, 80, 120])
  await store.close()
  const made = await runFirn('keys', 'create', 'shop', '--data-dir', folder)
  assert.equal(made.code, 0, made.stderr)
  const copies = join(await freshFolder(t), 'copies')
  const taken = await runFirn('snapshot', 'create', copies, '--data-dir', folder)
  assert.equal(taken.code, 0, taken.stderr)
  const rows = new Map<string, unknown>()
  for (const name of chains) rows.set(name, await rowsAt(folder, name))
  return { copies, folder, rows }
}

function setFor(t: TestContext, name: string, value: string): void {
  process.env[name] = value
  t.after(() => delete process.env[name])
}

const otherMeta = statement("select name, value from meta where name <> 'copied' order by name")

/** Rows of a chain's store, but who writes it and that it was copied. */
async function rowsOf(store: Reader): Promise<unknown> {
  const own = ['lease', 'meta', 'range_sum', 'outbox', 'outbox_webhook', 'outbox_ledger']
  const kept = chainTables.filter(({ name }) => !own.includes(name))
  return [await storeDigest(store, kept), await store.all(otherMeta)]
}

async function rowsAt(dataDir: string, name: string): Promise<unknown> {
  const store = await openStore({ store: 'embedded', dataDir }, name, chainTables, 'read')
  try {
    return await rowsOf(store)
  } finally {
    await store.close()
  }
}

/** A server before the Firn at `url` that may answer by itself. */
async function before(
  t: TestContext,
  url: string,
  answer: (path: string, sent: Buffer, response: ServerResponse) => Buffer | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? ''
      const reply = await fetch(url + path)
      const sent = answer(path, Buffer.from(await reply.arrayBuffer()), response)
      if (sent !== undefined) response.writeHead(reply.status).end(sent)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`
}

void test('offered snapshots: histories of chains and no secret, taken whole, named copied', async (t) => {
  const { copies, folder, rows } = await snapshotFolder(t)
  const silent = await startFirn(t, ['--data-dir', folder])
  assert.equal((await fetch(`${silent.apiUrl}/v1/snapshots`)).status, 404, 'off by default')
  assert.equal(await silent.end(), 0)

  setFor(t, 'FIRN_API_SNAPSHOTS', folder)
  const mistaken = await runFirn('start', '--data-dir', folder)
  assert.equal(mistaken.code, 4)
  assert.match(mistaken.stderr, /^firn: setting api\.snapshots: folder is not one of snapshots: /)
  setFor(t, 'FIRN_API_SNAPSHOTS', copies)
  const firn = await startFirn(t, ['--data-dir', folder])
  const url = `${firn.apiUrl}/v1/snapshots`
  const listed = await fetch(url)
  const [offered] = objectOf(await listed.json(), 'list')['snapshots'] as Record<string, unknown>[]
  const { id, ...whole } = new SnapshotFolder(copies).snapshot(undefined)
  assert.equal(offered?.['id'], id)
  const held = { 'if-none-match': listed.headers.get('etag') ?? '' }
  assert.equal((await fetch(url, { headers: held })).status, 304)
  const text = await (await fetch(`${url}/${id}`)).text()
  const shown = whole.stores.filter(({ name }) => chains.includes(name))
  assert.equal(shown.length, 2)
  assert.equal(text, manifestText({ ...whole, stores: shown, documents: [] }))

  // Keys, identity, webhooks and all other files of the same snapshot are refused by their names.
  assert.ok(whole.documents.some(({ path }) => path === 'api-keys.json'))
  assert.ok(whole.documents.some(({ path }) => path === 'page-token.key'))
  const hidden = [
    ...whole.documents.map(({ sha256 }) => sha256),
    ...whole.stores.filter((each) => !shown.includes(each)).map(({ tables }) => tables.sha256),
  ]
  assert.ok(hidden.length >= 5)
  for (const name of [...hidden, 'ab'.repeat(32), encodeURIComponent('../firn-snapshots.json')])
    assert.equal((await fetch(`${url}/files/${name}`)).status, 404, name)
  const l1 = shown.find(({ name }) => name === frozen)
  const [segment] = l1?.segments ?? []
  assert.ok(l1 !== undefined && segment !== undefined)
  for (const path of [
    `segments/fuji-demo-chain/${segment.name}`,
    `segments/${frozen}/${encodeURIComponent('../../firn-snapshots')}`,
    '2020-01-01',
  ])
    assert.equal((await fetch(`${url}/${path}`)).status, 404, path)
  for (const [path, name] of [
    [`files/${l1.tables.sha256}`, l1.tables.sha256],
    [`segments/${frozen}/${segment.name}`, segment.name],
  ] as const) {
    const reply = await fetch(`${url}/${path}`)
    assert.match(reply.headers.get('cache-control') ?? '', /^public, max-age=\d+, immutable$/)
    assert.equal(reply.headers.get('etag'), `"${name}"`)
    await reply.arrayBuffer()
    const again = await fetch(`${url}/${path}`, { headers: { 'if-none-match': `"${name}"` } })
    assert.equal(again.status, 304)
  }

  const home = join(await freshFolder(t), 'home')
  const restored = await runFirn('snapshot', 'restore', firn.apiUrl, '--data-dir', home)
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(
    restored.stdout,
    /^Called copied until a node has confirmed it, .+: fuji-demo-chain,/m,
  )
  assert.deepEqual(readdirSync(home).toSorted(), [...chains.map((n) => `${n}.sqlite`), 'segments'])
  for (const name of chains) assert.deepEqual(await rowsAt(home, name), rows.get(name), name)
  const store = await openStore({ store: 'embedded', dataDir: home }, frozen, chainTables, 'read')
  assert.deepEqual(await copiedHistory(store), {
    from: 0,
    until: 153,
    confirmed: 0,
    check: undefined,
    without: undefined,
    refused: undefined,
  })
  await store.close()
  const trusted = ['snapshot', 'restore', firn.apiUrl, '--trust', '--data-dir', `${home}-2`]
  const refused = await runFirn(...trusted)
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /^firn: --trust is for own folders, not for an address: http:/)
  assert.equal(await firn.end(), 0)

  setFor(t, 'FIRN_API_KEYS_REQUIRED', 'true')
  const closed = await startFirn(t, ['--data-dir', folder])
  for (const path of ['', `/${id}`, `/files/${l1.tables.sha256}`])
    assert.equal((await fetch(`${closed.apiUrl}/v1/snapshots${path}`)).status, 401)
  assert.equal(await closed.end(), 0)
})

void test('a restore that is cut off keeps what is whole; one that is lied to takes nothing', async (t) => {
  const { copies, folder, rows } = await snapshotFolder(t)
  setFor(t, 'FIRN_API_SNAPSHOTS', copies)
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilLive(firn, [frozen])
  const home = join(await freshFolder(t), 'home')
  const world = openWorld()
  t.after(() => world.close())
  const restored: string[] = []
  const from = async (url: string): Promise<void> => {
    const place = { ...world, url, key: '' }
    await restoreSnapshot({
      source: remoteSource(place),
      manifest: await offeredSnapshot(place, undefined),
      dataDir: home,
      isTrusted: false,
      into: undefined,
      told: (file) => restored.push(file),
    })
  }

  // Whole at first; then one answer ends half-way, and from then on nobody is there.
  let files = 0
  const asked: string[] = []
  const breaking = await before(t, firn.apiUrl, (path, sent, response) => {
    const isFile = /\/(?:files|segments)\//.test(path)
    if (isFile) asked.push(path)
    if (!isFile || files++ < 3) return sent
    response.writeHead(200, { 'content-length': String(sent.length) })
    response.write(sent.subarray(0, sent.length / 2), () => response.destroy())
    return undefined
  })
  await assert.rejects(from(breaking), { code: 'node-unreachable' })
  const early = await runFirn('start', '--data-dir', home, '--port', '0', '--node-port', '0')
  assert.match(early.stderr, /^firn: a snapshot is not restored whole; run the same .+\n$/)
  const kept = new Set(asked.slice(0, 3))

  // Every byte that is changed is seen, as is what is too long, too short or another file.
  const lies: readonly ((sent: Buffer) => Buffer)[] = [
    (sent) => changed(sent, 20),
    (sent) => changed(sent, sent.length >> 1),
    (sent) => changed(sent, sent.length - 10),
    (sent) => sent.subarray(0, sent.length - 1),
    (sent) => Buffer.concat([sent, Buffer.from('x')]),
    () => Buffer.from('<html>'),
  ]
  for (const lie of lies) {
    const liar = await before(t, firn.apiUrl, (path, sent) =>
      /\/(?:files|segments)\//.test(path) ? lie(sent) : sent,
    )
    await assert.rejects(from(liar), (error: { readonly code: string }) =>
      /^(?:store-failed|store-version|node-too-large)$/.test(error.code),
    )
  }
  const forged = await before(t, firn.apiUrl, (path, sent) =>
    /\/v1\/snapshots\/\d/.test(path) ? changed(sent, 30) : sent,
  )
  await assert.rejects(from(forged), { code: 'store-failed' })
  assert.equal(existsSync(join(home, `${frozen}.sqlite`)), false)

  const later: string[] = []
  const whole = await before(t, firn.apiUrl, (path, sent) => {
    later.push(path)
    return sent
  })
  await from(whole)
  assert.ok(later.every((path) => !kept.has(path)))
  for (const name of chains) assert.deepEqual(await rowsAt(home, name), rows.get(name), name)
  const [own, theirs] = [folder, home].map((at) => segmentsBelow(join(at, 'segments', frozen)))
  assert.deepEqual(theirs, own)
  assert.equal(await firn.end(), 0)
})

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

function segmentsBelow(folder: string): unknown {
  return readdirSync(folder).map((name) => [
    name,
    statSync(join(folder, name)).size,
    readFileSync(join(folder, name)).toString('latin1'),
  ])
}
