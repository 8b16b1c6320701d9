/**
 * Segments that a process which only serves takes from others over HTTP: whoever lies, is away, sends
 * half of a file or hangs is found out before a row is read, and another one is asked.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { Fault, type FaultCode } from '../../src/core/fault.ts'
import type { Clock } from '../../src/core/world.ts'
import { fetchSegment } from '../../src/service/stores/fetch-segment.ts'
import { FetchedSegments, type FetchOutcome } from '../../src/store/history/fetched-segments.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { stageOf } from '../../src/store/schema/table.ts'
import { download } from '../../src/world/download.ts'
import { freshFolder, startFirn, untilLive } from '../support/processes/firn-process.ts'
import { openDemoChain, stillClock } from '../support/stores/demo-store.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const chain = await openDemoChain(51002, { frozen: [50, 100] })
const listed = await segmentsOf(chain.served.store)
const [first, second] = listed.map((each) => ({ ...each, bytes: bytesOf(each.name) }))
const tables = chainTables.filter((table) => stageOf(table) === 'blocks')
assert.ok(first !== undefined && second !== undefined)
await chain.close()

const store = 'fuji-51002'
const key = 'the key of a tier'

void test('fetched: whole, with its key, once for all who need it', async (t) => {
  const whole = await source(t, () => first.bytes)
  const { segments, told } = await fetching(t, [whole.url])
  assert.equal(segments.find(first.name), undefined)
  await Promise.all([segments.need(first, tables), segments.need(first, tables)])
  assert.equal(whole.asked.length, 1)
  assert.equal(whole.asked[0], `/v1/segments/${store}/${first.name} ${key}`)
  assert.equal(segments.find(first.name), segments.pathOf(first.name))
  assert.deepEqual(told, ['fetched'])
})

const lies: Readonly<Record<string, () => Uint8Array>> = {
  'a byte of a row': () => changed(first.bytes, 40),
  'a byte of the schema': () => changed(first.bytes, first.bytes.length - 100),
  'half of it': () => first.bytes.subarray(0, first.bytes.length / 2),
  'another segment': () => second.bytes,
  'no segment': () => new TextEncoder().encode('<html>'),
  nothing: () => new Uint8Array(),
}
for (const [name, lie] of Object.entries(lies))
  void test(`a source that sends ${name}: another one is asked, and nothing of it stays`, async (t) => {
    const liar = await source(t, lie)
    const whole = await source(t, () => first.bytes)
    const alone = await fetching(t, [liar.url])
    await assert.rejects(alone.segments.need(first, tables), isFault('not-ready'))
    assert.deepEqual(readdirSync(join(alone.folder, store)), [])
    const both = await fetching(t, [liar.url, whole.url])
    await both.segments.need(first, tables)
    assert.deepEqual(readdirSync(join(both.folder, store)), [`${first.name}.sqlite`])
    assert.deepEqual(both.told, ['fetched'])
    // Who sent the last one is asked first.
    const before = liar.asked.length
    await both.segments.need(second, tables).catch(() => undefined)
    assert.equal(whole.asked.length, 2)
    assert.ok(liar.asked.length >= before)
  })

void test('one that is larger than all that is kept: taken, and kept alone', async (t) => {
  const whole = await source(t, () => first.bytes)
  const last = await source(t, () => second.bytes)
  const { segments, folder } = await fetching(t, [whole.url, last.url], { maxBytes: 1_024 })
  await segments.need(first, tables)
  assert.equal(segments.find(first.name), segments.pathOf(first.name))
  await segments.need(second, tables)
  assert.deepEqual(readdirSync(join(folder, store)), [`${second.name}.sqlite`])
})

void test('a source that breaks off, is away or lacks it: another one is asked', async (t) => {
  const whole = await source(t, () => first.bytes)
  const lacking = await source(t, () => undefined)
  const broken = await source(t, () => 'break off')
  const { segments } = await fetching(t, ['http://127.0.0.1:1', broken.url, lacking.url, whole.url])
  await segments.need(first, tables)
  assert.equal(segments.find(first.name), segments.pathOf(first.name))
})

void test('nobody offers it: a merge may have replaced it, which the question finds out', async (t) => {
  const lacking = await source(t, () => undefined)
  const { segments } = await fetching(t, [lacking.url])
  await assert.rejects(segments.need(first, tables), isFault('not-ready'))
})

void test('nobody can be reached: refused at once until a pause is over, which grows', async (t) => {
  const clock = steppedClock()
  const late = await source(t, () => undefined, 500)
  const { segments, told } = await fetching(t, [late.url], { clock })
  await assert.rejects(segments.need(first, tables), isFault('not-ready'))
  await assert.rejects(segments.need(first, tables), isFault('not-ready'))
  assert.equal(late.asked.length, 1)
  clock.pass(1_000)
  await assert.rejects(segments.need(first, tables), isFault('not-ready'))
  assert.equal(late.asked.length, 2)
  clock.pass(1_000)
  await assert.rejects(segments.need(first, tables), isFault('not-ready'))
  assert.equal(late.asked.length, 2)
  assert.deepEqual(told, ['failed', 'failed'])
})

void test('a source that hangs: the question ends in time, the fetching goes on', async (t) => {
  const clock = steppedClock()
  const going = Promise.withResolvers<Uint8Array>()
  const slow = await source(t, () => going.promise)
  const { segments } = await fetching(t, [slow.url], { clock })
  const needed = assert.rejects(segments.need(first, tables), isFault('not-ready'))
  clock.pass(7_000)
  await needed
  going.resolve(first.bytes)
  await segments.need(first, tables)
  assert.equal(slow.asked.length, 1)
})

void test('what a killed process left: goes at the next fetching, what is being written stays', async (t) => {
  const whole = await source(t, () => first.bytes)
  const { segments, folder } = await fetching(t, [whole.url])
  await segments.need(first, tables)
  segments.remove(first.name)
  const own = join(folder, store)
  writeFileSync(join(own, 'old.part'), 'half')
  writeFileSync(join(own, 'young.part'), 'half')
  const [hours, now] = [stillClock.now() / 1_000 - 7_200, stillClock.now() / 1_000]
  utimesSync(join(own, 'old.part'), hours, hours)
  utimesSync(join(own, 'young.part'), now, now)
  await segments.need(first, tables)
  assert.deepEqual(readdirSync(own).toSorted(), [`${first.name}.sqlite`, 'young.part'].toSorted())
})

void test('a host that serves without the folder: answers as the one that indexes, damage mended', async (t) => {
  const [own, other] = [await freshFolder(t), await freshFolder(t)]
  for (const [name, value] of Object.entries({
    FIRN_STORE: await newDatabase(),
    FIRN_INDEX_FOLDER: join(own, 'segments'),
    FIRN_API_SEGMENTS: 'true',
    FIRN_POSTGRES_CONNECTIONS: '10',
  })) {
    process.env[name] = value
    t.after(() => delete process.env[name])
  }
  const l1 = 'fuji-demo-l1'
  const filling = await startFirn(t, ['--data-dir', own])
  await untilLive(filling, [l1])
  assert.equal(await filling.end(), 0)
  const location = {
    store: process.env['FIRN_STORE'] ?? '',
    dataDir: own,
    freeze: { firn: 'test' },
  }
  const database = await openStore(location, l1, chainTables, 'write')
  await freezeAt(database, [40, 80])
  await database.close()

  const all = await startFirn(t, ['--data-dir', own])
  await untilLive(all, [l1])
  // The host that serves is not given the folder.
  delete process.env['FIRN_INDEX_FOLDER']
  process.env['FIRN_SEGMENTS_FROM'] = all.apiUrl
  t.after(() => delete process.env['FIRN_SEGMENTS_FROM'])
  const paths = [0, 39, 79].map((height) => `/v1/chains/51002/blocks/${height}`)
  const ask = async ({ get }: typeof all): Promise<unknown[]> =>
    Promise.all([
      ...paths.map(get),
      get('/v1/chains/51002/transactions?pageSize=100').then(({ transactions }) => transactions),
    ])
  const serving = await startFirn(t, ['--data-dir', other, '--role', 'serve'])
  assert.deepEqual(await ask(serving), await ask(all))
  const files = readdirSync(join(other, 'segments-fetched', l1))
  assert.equal(files.length, 2)
  const metrics = await (await fetch(`${serving.nodeUrl}/ext/metrics`)).text()
  assert.match(metrics, /firn_segment_fetches_total\{outcome="fetched"\} 2/)
  assert.equal(await serving.end(), 0)

  for (const file of files) {
    const path = join(other, 'segments-fetched', l1, file)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(7, 100, Math.floor(bytes.length * 0.9)))
  }
  const again = await startFirn(t, ['--data-dir', other, '--role', 'serve'])
  assert.deepEqual(await ask(again), await ask(all))
  assert.equal(await again.end(), 0)
  assert.equal(await all.end(), 0)
})

type Sent = Uint8Array | 'break off' | undefined

/** A clock that stands still until the test lets time pass. */
function steppedClock(): Clock & { readonly pass: (ms: number) => void } {
  let time = 0
  const sleepers: { readonly until: number; readonly wake: () => void }[] = []
  return {
    now: () => stillClock.now() + time,
    monotonic: () => time,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: time + ms, wake })),
    pass: (ms) => {
      time += ms
      for (const { until, wake } of sleepers) if (until <= time) wake()
    },
  }
}

/** A Firn that offers what `send` gives; 404 for nothing. */
async function source(
  t: TestContext,
  send: () => Sent | Promise<Sent>,
  missing = 404,
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server: Server = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['x-glacier-api-key'])}`)
    void (async () => {
      const sent = await send()
      if (sent === undefined) response.writeHead(missing).end()
      else if (sent === 'break off') {
        response.writeHead(200, { 'content-length': first?.bytes.length ?? 0 })
        response.write(first?.bytes.subarray(0, 1_000), () => response.destroy())
      } else response.end(sent)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function fetching(
  t: TestContext,
  urls: readonly string[],
  {
    clock = steppedClock(),
    maxBytes = 2 ** 30,
  }: { readonly clock?: Clock; readonly maxBytes?: number } = {},
): Promise<{
  readonly segments: FetchedSegments
  readonly folder: string
  readonly told: FetchOutcome[]
}> {
  const folder = await freshFolder(t)
  const told: FetchOutcome[] = []
  const segments = new FetchedSegments(
    {
      folder,
      maxBytes,
      urls,
      fetch: (segment) => fetchSegment(download, { ...segment, key }),
      waitMs: 7_000,
      clock,
      report: (outcome) => told.push(outcome),
    },
    store,
  )
  return { segments, folder, told }
}

function isFault(code: FaultCode): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code
}

function changed(bytes: Uint8Array, at: number): Uint8Array {
  const other = Uint8Array.from(bytes)
  other[at] = 1 ^ Number(other[at])
  return other
}

function bytesOf(name: string): Uint8Array {
  return readFileSync(chain.served.store.history?.folder.pathOf(name) ?? '')
}
