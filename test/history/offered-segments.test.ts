/** Segments that one Firn offers over HTTP, and another takes where its own are damaged. */

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { runCommand } from '../support/processes/firn-command.ts'
import {
  freshFolder,
  indexedFolder,
  startFirn,
  untilLive,
} from '../support/processes/firn-process.ts'
import { freezeAt } from '../support/stores/freeze-store.ts'

const chain = 'fuji-demo-l1'

void test('offered segments: whole, immutable, refused without a key; taken by a repair', async (t) => {
  const folder = await indexedFolder(t)
  const location = { store: 'embedded', dataDir: folder, freeze: { firn: 'test' } }
  const store = await openStore(location, chain, chainTables, 'write')
  await freezeAt(store, [40, 80])
  await store.close()
  const damaged = join(await freshFolder(t), 'damaged')
  cpSync(folder, damaged, { recursive: true })
  const files = readdirSync(join(folder, 'segments', chain)).filter((name) => name !== 'identity')
  assert.equal(files.length, 4, 'two of blocks, two of traces')

  const silent = await startFirn(t, ['--data-dir', folder])
  assert.equal((await fetch(`${silent.apiUrl}/v1/segments`)).status, 404, 'off by default')
  assert.equal(await silent.end(), 0)

  process.env['FIRN_API_SEGMENTS'] = 'true'
  t.after(() => delete process.env['FIRN_API_SEGMENTS'])
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilLive(firn, [chain])
  const listed = await fetch(`${firn.apiUrl}/v1/segments`)
  const list = objectOf(await listed.json(), 'list')
  const chains = list['chains']
  assert.ok(Array.isArray(chains))
  const own = chains
    .map((each: unknown) => objectOf(each, 'chain'))
    .find((each) => each['store'] === chain)
  assert.equal(own?.['evmChainId'], '51002')
  const segments = own['segments']
  assert.ok(Array.isArray(segments))
  assert.deepEqual(
    segments.map((each: unknown) => {
      const { stage, until } = objectOf(each, 'segment')
      return [stage, until]
    }),
    [
      ['blocks', 40],
      ['blocks', 80],
      ['traces', 40],
      ['traces', 80],
    ],
  )
  const names = segments.map((each: unknown) => String(objectOf(each, 'segment')['name']))
  assert.deepEqual(names.map((name) => `${name}.sqlite`).toSorted(), files.toSorted())
  const held = { 'if-none-match': listed.headers.get('etag') ?? '' }
  assert.equal((await fetch(`${firn.apiUrl}/v1/segments`, { headers: held })).status, 304)

  for (const name of names) {
    const url = `${firn.apiUrl}/v1/segments/${chain}/${name}`
    const reply = await fetch(url)
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('cache-control') ?? '', /^public, max-age=\d+, immutable$/)
    assert.equal(reply.headers.get('etag'), `"${name}"`)
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.deepEqual(bytes, readFileSync(join(folder, 'segments', chain, `${name}.sqlite`)))
    assert.equal((await fetch(url, { headers: { 'if-none-match': `"${name}"` } })).status, 304)
    const head = await fetch(url, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
  }
  const [first = ''] = names
  for (const path of [
    `${chain}/${'ab'.repeat(16)}`,
    `fuji-demo-chain/${first}`,
    `${chain}/${encodeURIComponent(`../../../${chain}.sqlite`)}`,
    `absent/${first}`,
  ])
    assert.equal((await fetch(`${firn.apiUrl}/v1/segments/${path}`)).status, 404, path)
  assert.equal((await fetch(`${firn.apiUrl}/v1/segments`, { method: 'POST' })).status, 405)

  // Another Firn without its files takes them from here, and from nobody who sends something else.
  const home = join(damaged, 'segments', chain)
  for (const file of files) rmSync(join(home, file))
  const liar = createServer((_request, response) => void response.end('no segment'))
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve))
  t.after(() => liar.close())
  const { port } = liar.address() as { readonly port: number }
  const repair = ['verify', '--store', '--repair', '--data-dir', damaged, '--copies']
  const copied = await runCommand(...repair, firn.apiUrl)
  assert.equal(copied.code, 0, copied.stdout + copied.stderr)
  assert.equal(copied.stdout.match(/: copied from http:/g)?.length, 4)
  for (const file of files)
    assert.deepEqual(
      readFileSync(join(home, file)),
      readFileSync(join(folder, 'segments', chain, file)),
    )
  writeFileSync(join(home, `${first}.sqlite`), 'damaged')
  const lied = await runCommand(...repair, `http://127.0.0.1:${port}`)
  assert.match(lied.stdout, new RegExp(`segment ${first}: the copy is damaged, too: http:`))
  writeFileSync(join(home, `${first}.sqlite`), 'damaged')
  const away = await runCommand(...repair, 'http://127.0.0.1:1')
  assert.match(away.stdout, /: it was not fetched \(.+\): http:/)
  for (const ended of [lied, away]) {
    assert.match(
      ended.stdout,
      new RegExp(`segment ${first}: (?:made again from the node|NOT mended)`),
    )
  }
  const left = readdirSync(home).filter((name) => name !== 'identity')
  assert.deepEqual(left.toSorted(), files.toSorted())
  assert.equal(await firn.end(), 0)

  process.env['FIRN_API_KEYS_REQUIRED'] = 'true'
  t.after(() => delete process.env['FIRN_API_KEYS_REQUIRED'])
  const closed = await startFirn(t, ['--data-dir', folder])
  for (const path of ['/v1/segments', `/v1/segments/${chain}/${first}`])
    assert.equal((await fetch(`${closed.apiUrl}${path}`)).status, 401)
  assert.equal(await closed.end(), 0)
})
