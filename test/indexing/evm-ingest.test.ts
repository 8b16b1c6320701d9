/**
 * Rows that ingest stores of the bundled chains, against totals that an independent program
 * computed and balances that the node itself answered.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import { fromBigint, fromHex, to0x, toBigint } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { createStateReader } from '../../src/service/stores/state-reader.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { getCheckpoint } from '../../src/store/checkpoint.ts'
import { statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling, readDemoChain } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import type { DemoChainId } from '../support/stores/demo-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

const { signal } = new AbortController()
const file = (chain: DemoChainId) =>
  readFileSync(join(import.meta.dirname, `../../demo/chain-${chain}.firnrec`))

for (const chain of [51_001, 51_002] as const) {
  onBothEngines(
    `ingest ${chain}: stored rows have the totals of the facts file`,
    [],
    async (store) => {
      const database = await openStore(store.location, `evm-${chain}`, chainTables, 'read')
      const { total } = vector(`facts-${chain}.json`)
      const count = async (from: string) =>
        Number((await database.get(statement(`select count(*) from ${from}`)))?.[0])
      const kinds = async (...kind: number[]) =>
        count(`transfer where kind in (${kind.join(', ')})`)
      assert.deepEqual(
        {
          blocks: await count('evm_block'),
          txs: await count('evm_transaction'),
          hashes: await count('evm_transaction_by_hash'),
          failedTxs: await count('evm_transaction_failed'),
          listedInternals: await count('internal'),
          revertedListed: await count('internal where reverted = 1'),
          erc20: await kinds(0),
          erc721: await kinds(1),
          erc721OneTopic: await kinds(2),
          erc1155Single: await kinds(3),
          erc1155BatchRows: await kinds(4),
          received: await count('event where kind = 6'),
          sent: await count('event where kind = 2'),
        },
        expected(total),
      )
      assert.equal(await count('event_by_kind'), await count('event'))
      await database.close()
    },
    demoFilling(50, 51_001, 51_002),
  )

  onBothEngines(
    `ingest ${chain}: balances of plain tokens are what balanceOf answers`,
    [],
    async (store) => {
      const database = await openStore(store.location, `evm-${chain}`, chainTables, 'read')
      const state = createStateReader(openRecording(file(chain)))
      const { tokens, wrapped } = vector(`meta-${chain}.json`)
      const exact = [
        ...tokens.filter(({ k }) => k === 'Token20' || k === 'OldToken20').map(({ a }) => a),
        wrapped,
      ]
      let checked = 0
      for (const address of exact) {
        const target = fromHex(address)
        const rows = await database.all(newestBalances, [target])
        for (const [holder, value, negative] of rows) {
          assert.ok(holder instanceof Uint8Array && value instanceof Uint8Array)
          const data = fromHex(`0x70a08231${to0x(holder).slice(2).padStart(64, '0')}`)
          const answer = await state.call(target, data, undefined, signal)
          assert.equal(
            toBigint(value),
            toBigint(answer ?? new Uint8Array()),
            `${address} of ${to0x(holder)}`,
          )
          assert.equal(negative, 0)
          checked++
        }
      }
      assert.ok(checked > 300, `only ${checked} balances`)
      await database.close()
    },
    demoFilling(50, 51_001, 51_002),
  )
}

onBothEngines('ingest: the same rows whatever the size of batches', [], async (store) => {
  const digests = []
  for (const step of [403, 64, 7]) {
    const database = await filled(store, 51_002, step)
    digests.push(await storeDigest(database, [...evmTables, ...metricsTables]))
    await database.close()
  }
  assert.deepEqual(digests[1], digests[0])
  assert.deepEqual(digests[2], digests[0])
})

onBothEngines(
  'ingest: a block of another history is refused and changes nothing',
  [],
  async (store) => {
    const recording = openRecording(file(51_002))
    const database = await openStore(store.location, 'mismatch', chainTables, 'write')
    const lease = await takeLease(database, 'test', systemClock)
    assert.ok(lease !== undefined)
    const ingest = new EvmIngest({ database, lease, clock: systemClock })
    const batch = (from: number, until: number) =>
      recording.blocks({ from, until }, (raw) => decodeBlocks(from, raw, zstdCompressSync), signal)
    await ingest.blocks(await batch(0, 10))
    const before = await storeDigest(database, evmTables)
    const wrong = await batch(10, 20)
    wrong.blocks.parentHash.set(fromBigint(7n, 32), 0)
    const mismatch = (error: unknown) => error instanceof Fault && error.code === 'source-mismatch'
    await assert.rejects(ingest.blocks(wrong), mismatch)
    assert.deepEqual(await storeDigest(database, evmTables), before)
    await ingest.blocks(await batch(10, 20))
    assert.equal((await getCheckpoint(database, 'blocks'))?.height, 19)
    const traces = await recording.traces(
      { from: 0, until: 30 },
      (raw) => decodeTraces(0, raw),
      signal,
    )
    await assert.rejects(ingest.traces(traces), /traces come after blocks/)
    await assert.rejects(ingest.blocks(await batch(25, 30)), /follows the checkpoint/)
    await database.close()
  },
)

/** The chain in a store of its own, open for reading. */
async function filled(store: TestStore, chain: DemoChainId, step: number) {
  const name = `evm-${chain}-${step}`
  await readDemoChain(store.location, { name, chain, step, owner: 'test' })
  return openStore(store.location, name, chainTables, 'read')
}

const newestBalances = statement(
  `select a.bytes, b.value, b.negative from balance b
   join address a on a.id = b.address_id
   join address c on c.id = b.token_id
   where c.bytes = ? and b.height = (
     select max(n.height) from balance n
     where n.address_id = b.address_id and n.token_id = b.token_id)`,
  { over: 'tables' },
)

/** Totals of the facts file under the names of the counts above. */
function expected({ icm, ...total }: Totals) {
  const names =
    'blocks txs failedTxs listedInternals revertedListed erc20 erc721 erc721OneTopic ' +
    'erc1155Single erc1155BatchRows'
  return {
    ...Object.fromEntries(names.split(' ').map((name) => [name, total[name]])),
    hashes: total['txs'],
    received: icm['received'],
    sent: icm['sent'],
  }
}

type Totals = { readonly icm: Record<string, number> } & Record<string, unknown>

function vector(name: string) {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, `../../vectors/evm/${name}`), 'utf8'),
  ) as {
    readonly total: Totals
    readonly tokens: { readonly a: string; readonly k: string }[]
    readonly wrapped: string
  }
}
