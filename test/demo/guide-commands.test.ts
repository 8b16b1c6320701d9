/** Every command that README and guide print in a block runs as it stands there, beside a Firn that serves the demo. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  atEnd,
  entry,
  follow,
  freePort,
  freshFolder,
  indexedFolder,
  run,
  twoChains,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import { startStorage, storageKeys } from '../support/stores/object-storage.ts'

const root = join(import.meta.dirname, '../..')
const pages = ['README.md', ...globSync('docs/guide/*.md', { cwd: root })]
const printed = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^ *(firn [a-z][^\n]*)$/gm)].map(
    ([, line = '']) => line.replace(/ {2,}#.*/, ''),
  ),
)

/** Commands that need Firn to be at rest. */
const atRest = /--repair|snapshot restore/
/** It compares all of a node's own state, which no recording has: the test of a real network runs it. */
const comparesNode = 'firn verify --node http://127.0.0.1:9650 --data-dir ./firn-data'

void test('guide: every printed command runs', { timeout: 600_000 }, async (t) => {
  const dataDir = await indexedFolder(t)
  const work = await freshFolder(t)
  const node = await serveReplayNode(
    await openReplayNode(readFileSync(join(root, 'demo/chain-51001.firnrec'))),
  )
  atEnd(t, node.close)
  const settings = readFileSync(twoChains()['FIRN_CONFIG'] ?? '', 'utf8').replaceAll(
    '../../../demo/',
    join(root, 'demo/'),
  )
  const apiPort = await freePort()
  const own = `api: { port: ${apiPort}, tiers: { pro: { perMinute: 6000 } } }
node: { port: ${await freePort(apiPort + 1)}, apiAdminEnabled: true }
dataDir: ${dataDir}
${settings}`
  writeFileSync(join(work, 'firn.yaml'), own)
  writeFileSync(join(work, 'new.yaml'), own.replace(dataDir, join(work, 'new-data')))
  const storage = await startStorage()
  atEnd(t, async () => storage.close())
  const env = {
    ...process.env,
    FIRN_CONFIG: join(work, 'firn.yaml'),
    ...storageKeys,
  }
  const firn = await follow(t, spawn(process.execPath, [entry, 'start'], { env, cwd: work }))
  await untilAllServed(firn)

  const ran = async (line: string, made: ReadonlyMap<string, string>): Promise<string> => {
    let words = line
    for (const [from, to] of made) words = words.replaceAll(from, to)
    const script = words.replace(/^firn/, `"${process.execPath}" "${entry}"`)
    const { code, stdout, stderr } = await run('/bin/sh', ['-c', `cd "${work}" && ${script}`], env)
    assert.equal(code, 0, `${words}: ${stdout.slice(-600)}${stderr.slice(-600)}`)
    return stdout
  }
  const staking = await firn.get('/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=50')
  const [address = ''] = /\b[a-z]+1[a-z0-9]{38}\b/.exec(JSON.stringify(staking)) ?? []
  const known = await firn.get('/v1/chains/51001')
  const chainId = String(known['platformChainId'])
  // What the guide's examples name, as it is here.
  const examples = new Map([
    [
      's3://backup/firn?endpoint=https://s3.example.org',
      `s3://history/firn?endpoint=${new URL(storage.address.url).origin}`,
    ],
    ['http://127.0.0.1:8080', firn.apiUrl],
    ['https://another.example/ext/bc/C/rpc', node.url],
    ['fuji-c-chain', 'fuji-demo-chain'],
    ['/v1/chains/43113/', '/v1/chains/51001/'],
    ['mainnet', 'fuji'],
    ['avax1…', address],
    ['2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5', chainId],
    ['--seconds 30', '--seconds 1'],
  ])
  const lines = printed.filter((line) => line !== comparesNode)
  assert.equal(lines.length, printed.length - 1)
  const backups = join(work, 'backup')
  for (const line of lines.filter((one) => !atRest.test(one))) {
    // Each makes its own backup; those that read one take the newest.
    if (line.startsWith('firn snapshot create'))
      examples.set('/backup/firn', mkdtempSync(`${backups}-`))
    const local = new Map([...examples, ['./firn-data', dataDir]])
    const said = await ran(line, local)
    if (line.includes('--chain fuji-c-chain --node'))
      assert.match(said, /eth_getLogs: not compared: .*not available/)
    if (line.startsWith('firn keys create')) {
      const [, id] = /^(\S+) .*shop$/m.exec(await ran('firn keys list', new Map())) ?? []
      assert.ok(id !== undefined)
      examples.set('<id>', id)
    }
  }
  assert.equal(await firn.end(), 0)
  for (const [at, line] of lines.filter((one) => atRest.test(one)).entries()) {
    const folder = line.includes('restore') ? join(work, `restored-${at}`) : dataDir
    await ran(line, new Map([...examples, ['./firn-data', folder]]))
  }
})
