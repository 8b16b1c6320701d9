/** A chain that is renamed in the configuration keeps its store, and has it under its old name again. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { readConfig } from '../src/config/read-config.ts'
import type { Config } from '../src/config/settings.ts'
import { Fault } from '../src/core/fault.ts'
import { withKeptNames } from '../src/service/kept-names.ts'
import { openStore } from '../src/store/open.ts'
import { controlTables, meta } from '../src/store/schema/control.ts'
import { openWorld } from '../src/world/world.ts'
import {
  freshFolder,
  indexedFolder,
  runFirn,
  startFirn,
  toldChains,
  until,
} from './firn-process.ts'
import { newDatabase } from './shared-postgres.ts'

const recording = (id: number): string =>
  new URL(`../demo/chain-${id}.firnrec`, import.meta.url).pathname

void test('renamed chain: it goes on in its store, and so it does when it is renamed back', async (t) => {
  const folder = await indexedFolder(t)
  const before = readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite'))
    .toSorted()
  const config = join(await freshFolder(t), 'firn.yaml')
  for (const name of ['Another Name', 'Demo Chain']) {
    await writeFile(config, `chains: [{ name: ${name}, recording: '${recording(51_001)}' }]`)
    const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
    await until(name, async () => {
      const told = (await toldChains(firn)).get('fuji-demo-chain')
      return told?.state === 'live' && told.indexedHeight === 402
    })
    const { chainName } = await firn.get('/v1/chains/51001')
    assert.equal(chainName, name)
    assert.equal(await firn.end(), 0)
    const verified = await runFirn('verify', '--store', '--config', config, '--data-dir', folder)
    assert.match(verified.stdout, /fuji-demo-chain/, verified.stderr)
  }
  const after = readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite'))
    .toSorted()
  assert.deepEqual(after, before)
})

void test('renamed chain: on PostgreSQL it is found by what its node or the configuration says', async () => {
  const store = await newDatabase()
  for (const [name, told] of [
    ['fuji-old', { chainId: '51001', genesisHash: '0x01' }],
    ['fuji-known', { chainId: '9', genesisHash: '0x02', blockchainId: `0x${'ab'.repeat(32)}` }],
  ] as const) {
    const database = await openStore({ store, dataDir: '' }, name, controlTables, 'write')
    const entries = Object.entries(told)
    await database.transaction((writer) =>
      writer.upsert(meta, {
        name: entries.map(([key]) => key),
        value: entries.map(([, value]) => value),
      }),
    )
    await database.close()
  }
  const world = openWorld()
  const names = async (chain: string): Promise<readonly string[]> => {
    const kept = await withKeptNames(configOf(`store: '${store}'\nchains: [${chain}]`), world)
    return kept.chains.map((each) => each.store)
  }
  const away = "rpcUrls: ['http://127.0.0.1:1']"
  assert.deepEqual(await names(`{ name: New, blockchainId: '0x${'ab'.repeat(32)}', ${away} }`), [
    'fuji-known',
  ])
  // Another genesis under the same number is another chain.
  assert.deepEqual(await names(`{ name: New, recording: '${recording(51_001)}' }`), [''])
  assert.deepEqual(await names(`{ name: Old, ${away} }`), [''])
  assert.deepEqual(await names(`{ name: New, network: mainnet, ${away} }`), [''])
  assert.deepEqual(await names(`{ name: New, store: fuji-new, ${away} }`), ['fuji-new'])
  await assert.rejects(names(`{ name: New, ${away} }`), (error) => {
    assert.ok(error instanceof Fault && error.code === 'bad-config')
    assert.match(
      error.message,
      /^chain New has no store of its name, .* `store: fuji-new` .*: fuji-known, fuji-old$/,
    )
    return true
  })
  await world.close()
})

function configOf(text: string): Config {
  return readConfig({ flags: {}, environment: {}, file: { path: 'firn.yaml', text } }).config
}
