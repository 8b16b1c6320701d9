/**
 * A node that cannot tell the id of its chain at first: Firn asks again, and the chain is then
 * served under its id. Interchain messages wait for it.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { readConfig } from '../../src/config/read-config.ts'
import { to0x } from '../../src/core/bytes.ts'
import type { World } from '../../src/core/world.ts'
import { blockchainIdStream } from '../../src/indexing/evm/tokens/blockchain-id-stream.ts'
import { chainSpecs, sourceLimits } from '../../src/service/chain-specs.ts'
import { serveChains } from '../../src/service/served/served-chains.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { openStore } from '../../src/store/open.ts'
import { meta } from '../../src/store/schema/control.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { openWorld } from '../../src/world/world.ts'
import { type Exchange, openReplayNode, replayTransport } from '../support/nodes/replay-node.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'

const recording = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const url = 'http://node/'

/** Answers of a node while its chain starts, and before the upgrade that brings the precompile. */
const refused = { error: { code: -32000, message: 'header not found' } }
const absent = { result: '0x' }

/** Answers calls of contracts with `answers` first, one in a request. */
function refusing(answers: readonly object[]): (exchange: Exchange) => void {
  const left = [...answers]
  return (exchange) => {
    if (!exchange.calls.some(({ method }) => method === 'eth_call')) return
    const answer = left.shift()
    if (answer === undefined) return
    const elements = exchange.calls.map(({ id }) => ({ jsonrpc: '2.0', id, ...answer }))
    exchange.reply.text = JSON.stringify(exchange.batch ? elements : elements[0])
  }
}

void test("a chain's id that a node could not tell at first is learned and served", async (t) => {
  const node = await openReplayNode(recording)
  node.script = refusing([refused, absent, refused])
  const clock = virtualClock()
  const outside = openWorld()
  t.after(() => outside.close())
  const world: World = { ...outside, clock, transport: replayTransport({ node }, clock) }
  const place = { store: 'embedded', dataDir: await freshFolder(t) } as const
  const wanted = { chains: [{ network: 'fuji', name: 'Late', rpcUrls: [url] }] }
  const settings = { path: 'firn.yaml', text: JSON.stringify(wanted) }
  const { config } = readConfig({ flags: {}, environment: {}, file: settings })
  const chains = chainSpecs(config)
  const database = await openStore(place, 'fuji-late', chainTables, 'write')
  t.after(() => database.close())
  await database.transaction((writer) =>
    writer.upsert(meta, { name: ['chainId'], value: ['51002'] }),
  )
  const over = new AbortController()
  const served = await serveChains({
    chains,
    store: place,
    limits: sourceLimits(config),
    world,
    log: silentLog,
    signal: over.signal,
    isFollowed: () => true,
  })
  const idServed = (): Uint8Array | undefined => served.list()[0]?.facts.blockchainId
  assert.equal(idServed(), undefined)
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: [url],
    expected: { chainId: 51002 },
    ...sourceLimits(config),
  })
  const about = { key: 'chain', clock, log: silentLog, commit: database.transaction }
  const stream = blockchainIdStream({ database, source, ...about })
  await stream.run(over.signal)
  while (idServed() === undefined) await clock.sleep(1_000)
  const { blockchainId } = node.recording.header
  assert.equal(to0x(idServed() ?? new Uint8Array(0)), blockchainId)
  assert.ok(clock.elapsedMs() < 20_000, `learned after: ${clock.elapsedMs()} ms`)
  over.abort()
  await served.close()
})
