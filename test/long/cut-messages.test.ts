/**
 * Messages from logs that were never on a chain are taken back when the chain
 * takes its end away, on both engines: the store ends as one that never heard of them.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { to0x } from '../../src/core/bytes.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { messageStream } from '../../src/indexing/icm/message-stream.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { icmTables } from '../../src/store/schema/icm.ts'
import { chainTables, messageTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { openWorld } from '../../src/world/world.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chains = [51_001, 51_002] as const
const messenger = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const { signal } = new AbortController()

onBothEngines(
  'cut: messages of logs that were never on the chain are taken back',
  [],
  async ({ location }) => {
    await follow(location, 'undisturbed')
    const undisturbed = await digestOf(location, 'undisturbed')
    assert.match(undisturbed['icm_send'] ?? '', /^[1-9]\d+ rows/)
    for (const chain of chains) {
      const key = `messages-${chain}`
      const database = await openStore(location, `evm-${chain}`, chainTables, 'write')
      const lease = await takeLease(database, 'second', systemClock)
      assert.ok(lease !== undefined)
      const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup })
      const { until } = openDemo(chain).heights
      const from = Math.floor(until / 3)
      await ingest.cut(from)
      const lie = await blocksOf(chain, from, until)
      alter(lie)
      await ingest.blocks(lie)
      await follow(location, key)
      const wrong = await digestOf(location, key)
      for (const table of ['icm_send', 'icm_receive', 'icm_list', 'icm_hour'])
        assert.notEqual(wrong[table], undisturbed[table], `${table} of ${chain}`)
      await ingest.cut(from)
      // The stream may look before the end is read again, or after.
      if (chain === 51_001) await follow(location, key)
      await ingest.blocks(await blocksOf(chain, from, until))
      await follow(location, key)
      assert.deepEqual(await digestOf(location, key), undisturbed, String(chain))
      await database.close()
    }
  },
  demoFilling(50, ...chains),
)

/** Other ids for every second message, and later times: a liar's logs. */
function alter({ events, arena, blocks }: BlockBatch): void {
  for (let row = 0; row < events.count; row += 2) {
    const at = events.topics.offset[row] ?? 0
    if (events.topics.length[row] !== 0) arena[at] = (arena[at] ?? 0) ^ 1
  }
  for (let row = 0; row < blocks.count; row++)
    blocks.timestamp[row] = (blocks.timestamp[row] ?? 0) + 7_200
}

/** Runs the stream of messages until it has read everything. */
async function follow(location: StoreLocation, key: string): Promise<void> {
  const over = new AbortController()
  const world = openWorld()
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => {
      if (ms > 0) over.abort()
    },
  }
  const stream = messageStream(
    {
      kind: 'icm',
      key,
      network: 'fuji',
      name: 'messages',
      chains: chains.map((chain) => ({
        key: `evm-${chain}`,
        network: 'fuji',
        blockchainId: blockchainIdOf(chain),
        contracts: [messenger],
      })),
    },
    {
      world: { ...world, clock },
      log: silentLog,
      store: location,
      owner: 'test',
      signal: over.signal,
    },
  )
  await stream.run(over.signal)
  await world.close()
  assert.equal(stream.status().reason, undefined)
}

async function digestOf(location: StoreLocation, key: string): Promise<Record<string, string>> {
  const store = await openStore(location, key, messageTables, 'read')
  try {
    return await storeDigest(store, icmTables)
  } finally {
    await store.close()
  }
}

function openDemo(chain: (typeof chains)[number]) {
  return openRecording(readFileSync(join(import.meta.dirname, `../../demo/chain-${chain}.firnrec`)))
}

function blockchainIdOf(chain: (typeof chains)[number]): string {
  const { blockchainId } = openDemo(chain).header
  assert.ok(blockchainId !== undefined)
  return typeof blockchainId === 'string' ? blockchainId : to0x(blockchainId)
}

async function blocksOf(
  chain: (typeof chains)[number],
  from: number,
  until: number,
): Promise<BlockBatch> {
  return openDemo(chain).blocks(
    { from, until },
    (raw) => decodeBlocks(from, raw, zstdCompressSync),
    signal,
  )
}
