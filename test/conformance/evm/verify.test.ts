/** A store of an EVM chain against the recorded answers of the node it was made from. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'

import { fromHex } from '../../../src/core/bytes.ts'
import { BlockChecks } from '../../../src/indexing/evm/read/block-checks.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { type Database, statement } from '../../../src/store/engine/database.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { type VerifiedChain, verifyChain } from '../../../src/verify/evm/verify-chain.ts'
import { type DemoChain, openDemoChain, rawChain } from '../../support/stores/demo-store.ts'

const chainId = 51_002
const file = readFileSync(join(import.meta.dirname, `../../../demo/chain-${chainId}.firnrec`))
const { signal } = new AbortController()
const everyBlock = 1_000
const vector = JSON.parse(
  readFileSync(join(import.meta.dirname, `../../../vectors/evm/meta-${chainId}.json`), 'utf8'),
) as { readonly tokens: readonly { readonly a: string; readonly k: string }[] }
const differs = statement('update token set inexact_height = 1', { unsummed: true })
const isSound = statement(
  `update token set inexact_height = null
   where id = (select id from address_by_bytes where bytes = ?)`,
  { unsummed: true },
)

/** The chain in a new store, with what the streams beside its blocks find out of tokens. */
async function openChain(): Promise<DemoChain> {
  const chain = await openDemoChain(chainId, {})
  await chain.served.store.transaction(async (writer) => {
    await writer.run(statement('update token set metadata_height = 1', { unsummed: true }))
    await writer.run(differs)
    for (const { a, k } of vector.tokens)
      if (k === 'Token20' || k === 'OldToken20') await writer.run(isSound, [fromHex(a)])
  })
  return chain
}

void test('verify: an EVM store says what its node says', async () => {
  const chain = await openChain()
  try {
    const { height, report } = await verified(chain.served.store)
    assert.deepEqual(report.differences(), [])
    assert.equal(height, 152)
    const counts = Object.fromEntries(report.counts())
    assert.equal(counts['headers'], 153)
    assert.equal(counts['transactions'], 2_729)
    assert.equal(counts['transfers'], 3_070)
    assert.equal(counts['transfer logs by eth_getLogs'], 153)
    assert.equal(counts['internal transactions'], 1_581)
    assert.equal(counts['names of tokens'], 20)
    assert.ok((counts['balances'] ?? 0) > 10, String(counts['balances']))
    assert.deepEqual([...report.skipped()], [])
  } finally {
    await chain.close()
  }
})

for (const [check, sql] of [
  ['headers', 'update evm_block set gas_used = gas_used + 1 where height = 100'],
  [
    'transactions',
    'update evm_transaction set nonce = nonce + 1 where pos = (select max(pos) from evm_transaction)',
  ],
  ['transfers', 'update transfer set to_id = from_id where pos = (select max(pos) from transfer)'],
  [
    'transfer logs by eth_getLogs',
    'delete from transfer where pos = (select max(pos) from transfer where kind = 0)',
  ],
  ['logs', 'delete from event where pos = (select max(pos) from event)'],
  [
    'internal transactions',
    'update internal set gas_used = gas_used + 1 where pos = (select max(pos) from internal)',
  ],
  ['balances', "update balance set value = x'07'"],
  ['names of tokens', "update token set symbol = 'FAKE' where id = (select min(id) from token)"],
] as const)
  void test(`verify: a row that is not the chain's is a difference: ${check}`, async () => {
    const chain = await openChain()
    try {
      await chain.served.store.transaction(async (writer) =>
        writer.run(statement(sql, { unsummed: true })),
      )
      const { report } = await verified(chain.served.store)
      assert.ok(
        report.differences().some((each) => each.check === check),
        check,
      )
    } finally {
      await chain.close()
    }
  })

const raw = rawChain(chainId)

async function verified(store: Database): Promise<VerifiedChain> {
  return verifyChain({
    store,
    source: openRecording(file),
    random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
    checks: new BlockChecks({ log: silentLog, endpoints: () => [], checkEvery: 1 }),
    decompress: (bytes) => zstdDecompressSync(bytes),
    logsOf: async (height) => raw[height]?.receipts.flatMap(({ logs }) => logs) ?? [],
    signal,
    sample: everyBlock,
  })
}
