import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { virtualClock, type VirtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { Fault } from '../../core/fault.ts'
import { openStore } from '../../store/open.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import { type Log, silentLog } from '../../telemetry/log.ts'
import { sharedAliases } from '../answering/aliases.ts'
import { documentNames, type Documents } from './documents.ts'
import { storedDocuments } from './stored-documents.ts'

type Scene = {
  readonly folder: string
  readonly clock: VirtualClock
  readonly warnings: string[]
  /** The documents as a process with the data folder `name` opens them. */
  readonly open: (name: string) => Promise<Documents>
}

function scene(t: TestContext): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'firn-documents-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const clock = virtualClock()
  const warnings: string[] = []
  const log: Log = { ...silentLog, warn: (event) => warnings.push(event) }
  const location = { store: 'embedded', dataDir: folder }
  return {
    folder,
    clock,
    warnings,
    open: async (name) => {
      const store = await openStore(location, deploymentStore, deploymentTables, 'write')
      const parts = { clock, log, dataDir: join(folder, name), names: documentNames }
      return storedDocuments(store, parts)
    },
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const parse = (bytes: Uint8Array | undefined): string => {
  if (bytes === undefined) return 'none'
  const text = Buffer.from(bytes).toString()
  if (text === 'damaged') throw new Fault('bad-config', 'damaged')
  return text
}

void test('documents: a change of one process is read by another a second later', async (t) => {
  const { open, clock } = scene(t)
  const [one, other] = [await open('one'), await open('other')]
  const faults: unknown[] = []
  const value = other.watch({
    name: 'api-keys.json',
    parse,
    damaged: (error) => faults.push(error),
  })
  assert.equal(value(), 'none')
  await one.change('api-keys.json', () => 'first')
  const since = clock.elapsedMs()
  while (value() !== 'first') await turn()
  assert.ok(clock.elapsedMs() - since <= 1_000, `${clock.elapsedMs() - since} ms`)
  await one.change('api-keys.json', () => 'damaged')
  while (faults.length === 0) {
    assert.equal(value(), 'first', 'what was read before stays in force')
    await turn()
  }
  await one.change('api-keys.json', (bytes) => `${Buffer.from(bytes ?? []).toString()}?`)
  while (value() !== 'damaged?') await turn()
  assert.equal(faults.length, 1)
  await one.close()
  await other.close()
})

void test('documents: files of a data folder become those of the deployment, unless it has some', async (t) => {
  const { folder, open, warnings } = scene(t)
  const file = (name: string): string => join(folder, name)
  // The folder of a process is the one its files lie in.
  writeFileSync(file('api-keys.json'), 'from a file')
  const first = await open('.')
  assert.equal(parse(await first.read('api-keys.json')), 'from a file')
  assert.equal(existsSync(file('api-keys.json')), false)
  assert.equal(readFileSync(file('api-keys.json.moved'), 'utf8'), 'from a file')
  assert.equal(await first.read('page-token.key'), undefined)
  await first.close()

  writeFileSync(file('api-keys.json'), 'from another host')
  const second = await open('.')
  assert.equal(parse(await second.read('api-keys.json')), 'from a file')
  assert.equal(readFileSync(file('api-keys.json'), 'utf8'), 'from another host', 'it stays')
  assert.deepEqual(warnings, ['a file of the data folder is not read: the deployment has its own'])
  await second.close()
})

void test('documents: aliases saved over those of another process are refused', async (t) => {
  const { open } = scene(t)
  const [one, other] = [await open('one'), await open('other')]
  const [here, there] = [sharedAliases(one, silentLog), sharedAliases(other, silentLog)]
  const first = { chains: [{ alias: 'shop', target: '1' }], routes: [] }
  await here.save(first)
  await assert.rejects(there.save({ chains: [], routes: [] }), /another process changed the alias/)
  await there.shared?.refresh()
  assert.deepEqual(there.shared?.latest(), first)
  assert.equal(there.shared?.latest(), there.shared?.latest(), 'the same object until it changes')
  const second = { ...first, routes: [{ alias: 'r', target: 'health' }] }
  await there.save(second)
  await here.shared?.refresh()
  assert.deepEqual(await here.load(), second)
  await one.close()
  await other.close()
})
