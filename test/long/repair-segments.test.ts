/** `firn verify --store --repair` puts segments back, byte for byte, from copies and from the node. */

import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { segmentsToMerge } from '../../src/store/history/merge-segments.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { freshFolder, runFirn, startFirn, untilLive } from '../support/processes/firn-process.ts'
import { freezeAt, mergeAll, segmentsOf } from '../support/stores/freeze-store.ts'

const name = 'fuji-demo-l1'

void test('verify --store --repair: damaged and missing segments come back', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  const firn = await startFirn(t, places)
  await untilLive(firn, [name])
  assert.equal(await firn.end(), 0)
  const location = { store: 'embedded', dataDir: folder, freeze: {} }
  const store = await openStore(location, name, chainTables, 'write')
  await freezeAt(store, [10, 20, 30, 40, 50, 60, 70, 80, 100, 120])
  // The first eight become one.
  await mergeAll(store, (listed) => segmentsToMerge(listed).slice(0, 8))
  const segments = await segmentsOf(store)
  const mergedTraces = await segmentsOf(store, 'traces')
  await store.close()
  assert.deepEqual(
    segments.map(({ from, until, tier }) => [from, until, tier]),
    [
      [0, 80, 1],
      [80, 100, 0],
      [100, 120, 0],
    ],
  )
  const own = join(folder, 'segments', name)
  const [merged = '', second = '', third = ''] = segments.map((each) => `${each.name}.sqlite`)
  const [traces = ''] = mergedTraces.map((each) => `${each.name}.sqlite`)
  const named = new Set([
    'identity',
    ...[...segments, ...mergedTraces].map((each) => `${each.name}.sqlite`),
  ])
  const filesIn = (): Map<string, string> =>
    new Map(
      readdirSync(own)
        .filter((file) => named.has(file))
        .map((file) => [file, readFileSync(join(own, file)).toString('hex')]),
    )
  const whole = filesIn()
  const repair = (...more: string[]): ReturnType<typeof runFirn> =>
    runFirn('verify', '--store', '--repair', ...places, ...more)

  // From the node: one is gone, one has another byte, one is cut short.
  rmSync(join(own, merged))
  rmSync(join(own, traces))
  flip(join(own, second))
  writeFileSync(join(own, third), readFileSync(join(own, third)).subarray(0, -5))
  const found = await runFirn('verify', '--store', ...places)
  assert.equal(found.code, 1, found.stderr)
  for (const file of [merged, second, third, traces])
    assert.match(found.stdout, new RegExp(`^DAMAGED ${name}: segment ${file.slice(0, -7)}`, 'm'))
  assert.match(found.stdout, /of blocks 0 to 79: segment is missing: /)
  assert.match(found.stdout, /of traces 0 to 79: segment is missing: /)
  const remade = await repair()
  assert.equal(remade.code, 0, remade.stdout + remade.stderr)
  assert.equal(remade.stdout.match(/: made again from the node$/gm)?.length, 4)
  assert.deepEqual(filesIn(), whole)

  // From copies: the one that is damaged, too, comes from the node.
  const copies = join(folder, 'copies')
  mkdirSync(join(copies, name), { recursive: true })
  for (const file of [merged, second]) copyFileSync(join(own, file), join(copies, name, file))
  flip(join(copies, name, second))
  for (const file of [merged, second]) rmSync(join(own, file))
  const copied = await repair('--copies', copies)
  assert.equal(copied.code, 0, copied.stdout + copied.stderr)
  assert.match(copied.stdout, new RegExp(`segment ${merged.slice(0, -7)}: copied from `))
  assert.match(
    copied.stdout,
    new RegExp(`segment ${second.slice(0, -7)}: made again from the node`),
  )
  assert.deepEqual(filesIn(), whole)
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.startsWith('repair-')),
    [],
  )

  // The whole folder is lost: all of it comes from the node.
  rmSync(own, { recursive: true })
  const lost = await repair()
  assert.equal(lost.code, 0, lost.stdout + lost.stderr)
  assert.deepEqual(filesIn(), whole)
})

/** Changes a byte of a file's rows. */
function flip(path: string): void {
  const bytes = readFileSync(path)
  bytes[10] = (bytes[10] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
