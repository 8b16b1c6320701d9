/**
 * The EVM decoder against totals that an independent program computed from the same chains.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import {
  type BlockBatch,
  type TraceBatch,
  eventKinds,
  frameKinds,
  transferKinds,
} from '../../src/codec/evm/columns/columns.ts'
import { mergeBlocks, mergeTraces } from '../../src/codec/evm/columns/merge-batches.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import { objectOf } from '../../src/codec/evm/raw.ts'
import { to0x, toBigint } from '../../src/core/bytes.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'

const signal = new AbortController().signal
const root = new URL('../../', import.meta.url)

for (const chain of [51001, 51002]) {
  const recording = openRecording(await readFile(new URL(`demo/chain-${chain}.firnrec`, root)))
  const facts = await vector(`facts-${chain}.json`)
  const meta = await vector(`meta-${chain}.json`)
  const total = objectOf(facts['total'], 'total')

  void test(`chain ${chain}: columns hold the totals of the facts file`, async () => {
    const blocks = await recording.blocks(
      recording.heights,
      (units) => decodeBlocks(0, units, zstdCompressSync),
      signal,
    )
    const traces = await recording.traces(recording.heights, (all) => decodeTraces(0, all), signal)
    check(blocks, traces, total, String(meta['icmContract']))
  })

  void test(`chain ${chain}: batches of any size join to the same columns`, async () => {
    const parts: BlockBatch[] = []
    const traced: TraceBatch[] = []
    for (let from = 0, size = 1; from < recording.heights.until; from += size, size += 3) {
      const range = { from, until: Math.min(from + size, recording.heights.until) }
      parts.push(
        await recording.blocks(
          range,
          (units) => decodeBlocks(from, units, zstdCompressSync),
          signal,
        ),
      )
      traced.push(await recording.traces(range, (all) => decodeTraces(from, all), signal))
    }
    check(mergeBlocks(parts), mergeTraces(traced), total, String(meta['icmContract']))
    const whole = await recording.blocks(
      recording.heights,
      (units) => decodeBlocks(0, units, zstdCompressSync),
      signal,
    )
    const merged = mergeBlocks(parts)
    assert.deepEqual(merged.addresses, whole.addresses)
    assert.deepEqual(merged.txs.from, whole.txs.from)
    assert.deepEqual(merged.txs.to, whole.txs.to)
    assert.deepEqual(merged.transfers.to, whole.transfers.to)
    for (let row = 0; row < whole.transfers.count; row++)
      assert.deepEqual(
        slice(merged, merged.transfers.value, row),
        slice(whole, whole.transfers.value, row),
      )
  })

  void test(`chain ${chain}: every transaction says what the node said`, async () => {
    await recording.blocks(
      recording.heights,
      (units) => {
        const batch = decodeBlocks(0, units, zstdCompressSync)
        let tx = 0
        for (const [row, unit] of units.entries()) {
          const list = unit.block.transactions
          assert.ok(Array.isArray(list))
          const inputs = zstdInputs(batch, row)
          let at = 0
          for (const [index, each] of list.entries()) {
            const raw = objectOf(each, 'tx')
            const receipt = objectOf(unit.receipts[index], 'receipt')
            const { txs } = batch
            assert.equal(to0x(txs.hash.subarray(tx * 32, tx * 32 + 32)), raw['hash'])
            assert.equal(addressAt(batch, txs.from[tx] ?? 0), raw['from'])
            assert.equal(addressAt(batch, txs.to[tx] ?? 0), raw['to'] ?? undefined)
            assert.equal(
              addressAt(batch, txs.created[tx] ?? 0),
              receipt['contractAddress'] ?? undefined,
            )
            assert.equal(quantity(batch, txs.value, tx), raw['value'])
            assert.equal(quantity(batch, txs.gasPrice, tx), receipt['effectiveGasPrice'])
            assert.equal(`0x${txs.gasUsed[tx]?.toString(16)}`, receipt['gasUsed'])
            const length = txs.inputLength[tx] ?? 0
            assert.equal(to0x(inputs.subarray(at, at + length)), raw['input'])
            at += length
            tx++
          }
        }
        assert.equal(tx, batch.txs.count)
      },
      signal,
    )
  })
}

function check(
  blocks: BlockBatch,
  traces: TraceBatch,
  total: Readonly<Record<string, unknown>>,
  icmContract: string,
): void {
  const { transfers, txs, events } = blocks
  const { frames } = traces
  const ofKind = (kind: number): number =>
    count(transfers.count, (at) => transfers.kind[at] === kind)
  const ofEvent = (kind: number): number =>
    count(
      events.count,
      (at) =>
        events.kind[at] === kind && addressAt(blocks, events.address[at] ?? 0) === icmContract,
    )
  const ofFrame = (...kinds: number[]): number =>
    count(frames.count, (at) => kinds.includes(frames.kind[at] ?? 0))
  assert.deepEqual(
    {
      blocks: blocks.blocks.count,
      txs: txs.count,
      failedTxs: count(txs.count, (at) => txs.status[at] === 0),
      erc20: ofKind(transferKinds.erc20),
      erc721: ofKind(transferKinds.erc721),
      erc721OneTopic: ofKind(transferKinds.erc721OneTopic),
      erc1155Single: ofKind(transferKinds.erc1155Single),
      erc1155BatchRows: ofKind(transferKinds.erc1155Batch),
      listedInternals: count(frames.count, (at) => (frames.position[at] ?? 0) > 0),
      revertedListed: count(
        frames.count,
        (at) => (frames.position[at] ?? 0) > 0 && frames.reverted[at] === 1,
      ),
      creates: ofFrame(frameKinds.create, frameKinds.create2, frameKinds.create3),
      create3Pairs: ofFrame(frameKinds.create3),
      icm: {
        sent: ofEvent(eventKinds.icmSend),
        receipts: ofEvent(eventKinds.icmReceipt),
        received: ofEvent(eventKinds.icmReceive),
        executed: ofEvent(eventKinds.icmExecuted),
        failed: ofEvent(eventKinds.icmExecutionFailed),
      },
    },
    {
      blocks: total['blocks'],
      txs: total['txs'],
      failedTxs: total['failedTxs'],
      erc20: total['erc20'],
      erc721: total['erc721'],
      erc721OneTopic: total['erc721OneTopic'],
      erc1155Single: total['erc1155Single'],
      erc1155BatchRows: total['erc1155BatchRows'],
      listedInternals: total['listedInternals'],
      revertedListed: total['revertedListed'],
      creates: total['creates'],
      create3Pairs: total['create3Pairs'],
      icm: total['icm'],
    },
  )
}

function count(rows: number, holds: (at: number) => boolean): number {
  let found = 0
  for (let at = 0; at < rows; at++) if (holds(at)) found++
  return found
}

type WithArena = { readonly arena: Uint8Array }
type Slices = { readonly offset: Uint32Array; readonly length: Uint32Array }

function slice(batch: WithArena, slices: Slices, at: number): Uint8Array {
  const offset = slices.offset[at] ?? 0
  return batch.arena.subarray(offset, offset + (slices.length[at] ?? 0))
}

function quantity(batch: WithArena, slices: Slices, at: number): string {
  return `0x${toBigint(slice(batch, slices, at)).toString(16)}`
}

function zstdInputs(batch: BlockBatch, row: number): Uint8Array {
  const packed = slice(batch, batch.blocks.inputs, row)
  return packed.length === 0 ? packed : zstdDecompressSync(packed)
}

function addressAt(batch: BlockBatch, id: number): string | undefined {
  return id === 0xffff_ffff ? undefined : to0x(batch.addresses.subarray(id * 20, id * 20 + 20))
}

async function vector(name: string): Promise<Readonly<Record<string, unknown>>> {
  return objectOf(JSON.parse(await readFile(new URL(`vectors/evm/${name}`, root), 'utf8')), name)
}
