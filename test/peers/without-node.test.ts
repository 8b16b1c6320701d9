/** A process whose blocks come from peers: its requests near the head, and what callers see of the peers. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { toHex } from '../../src/core/bytes.ts'
import { startPeers, truthOf } from '../support/nodes/hostile-peers.ts'
import {
  entry,
  follow,
  freshFolder,
  chainStatuses,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'

void test('without a node: a new block is requested by its id, and callers see no address of a peer', async (t) => {
  const truth = truthOf('local-one')
  const top = truth.P.height
  truth.P.height = top - 3
  const requests: string[] = []
  const note = ({ kind, ids }: { readonly kind: string; readonly ids: readonly Uint8Array[] }) =>
    requests.push(...ids.map((id) => `${kind} ${toHex(id)}`))
  const peers = await startPeers(truth, 6, () => 0.5, note)
  t.after(peers.close)
  peers.lies[1] = 'garbage'
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.json')
  const addresses = peers.validators.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`)
  const fuji = { primary: true, source: 'peers', networkId: truth.networkId, peers: addresses }
  await writeFile(config, JSON.stringify({ dataDir: join(folder, 'data'), networks: { fuji } }))
  const words = [entry, 'start', '--config', config, '--port', '0', '--node-port', '0']
  const firn = await follow(t, spawn(process.execPath, words))
  await untilLive(firn, ['primary-fuji'])

  for (let height = top - 2; height <= top; height++) {
    truth.P.height = height
    const isIndexed = async () =>
      (await chainStatuses(firn)).get('primary-fuji')?.indexedHeight === height
    await until(`height ${height}`, isIndexed)
    const id = toHex(truth.P.idAt(height))
    assert.ok(requests.includes(`get ${id}`), `block ${height} was requested by its id`)
    assert.ok(!requests.includes(`get-ancestors ${id}`), `no ancestors of block ${height}`)
  }

  const { chains } = await firn.get('/status')
  assert.match(JSON.stringify(chains), /"votedBy":"(6 bootstrap nodes|the stake of \d+ validators)/)

  const ports = peers.validators.map(({ port }) => `127.0.0.1:${port}`)
  for (const path of [
    '/status',
    '/openapi.json',
    '/v1/networks/fuji',
    '/v1/networks/fuji/validators',
    '/',
  ]) {
    const text = await (await fetch(`${firn.apiUrl}${path}`)).text()
    assert.deepEqual(
      ports.filter((port) => text.includes(port)),
      [],
      path,
    )
  }
  const logs = join(folder, 'data', 'logs')
  const files = await Promise.all(
    (await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')),
  )
  const liar = peers.validators[1]?.nodeId ?? assert.fail('there are six')
  assert.ok(
    files.some((text) => text.includes(liar)),
    'the operator reads who lied in the log',
  )
})
