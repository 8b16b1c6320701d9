/** A recorded chain with logs of an ERC-721 contract that gives ranges away, which no recording has. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../../../src/codec/evm/raw.ts'
import { EvmIngest } from '../../../src/indexing/evm/run/evm-ingest.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { drawsOf } from '../processes/draws.ts'
import { systemClock } from '../processes/system-clock.ts'

const file = readFileSync(join(import.meta.dirname, '../../../demo/chain-51002.firnrec'))
/** The contract whose logs are put in, addresses that own its tokens, and the highest token id. */
export const contract = `0x${'c0'.repeat(20)}`
export const zero = `0x${'0'.repeat(40)}`
export const owners = ['a1', 'a2', 'a3'].map((byte) => `0x${byte.repeat(20)}`)
export const highest = 2n ** 256n - 1n

export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
export const rangeTopic = '0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d'
/** 32 bytes, hex digits. */
export const word = (value: bigint): string => value.toString(16).padStart(64, '0')
export const party = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

/** A log of the contract, `0x` hex. */
export type Log = { readonly topics: readonly string[]; readonly data: string }

/** Logs of one contract, and the owner of every id they name below 400. */
export function history(seed: number, count: number): { logs: Log[]; owned: Map<bigint, string> } {
  const next = drawsOf(seed).below
  const owned = new Map<bigint, string>()
  const logs: Log[] = []
  for (let at = 0; at < count; at++) {
    const to = next(5) === 0 ? zero : owners[next(owners.length)]!
    const first = BigInt(next(300))
    if (next(3) === 0) {
      const last = first + BigInt(next(80)) - 3n
      logs.push({
        topics: [rangeTopic, `0x${word(first)}`, party(zero), party(to)],
        data: `0x${word(last < 0n ? 0n : last)}`,
      })
      for (let id = first; id <= last; id++) owned.set(id, to)
    } else {
      logs.push({ topics: [transferTopic, party(zero), party(to), `0x${word(first)}`], data: '0x' })
      owned.set(first, to)
    }
  }
  // They only resemble ranges.
  logs.push({ topics: [rangeTopic, `0x${word(1n)}`, party(zero)], data: `0x${word(9n)}` })
  logs.push({ topics: [rangeTopic, `0x${word(1n)}`, party(zero), party(zero)], data: '0x01' })
  return { logs, owned }
}

/** The recorded chain with `logs` put behind those of its transactions, a few per block. */
export async function ingest(
  database: Database,
  logs: readonly Log[],
  step: number,
): Promise<void> {
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const writer = new EvmIngest({ database, lease, clock: systemClock })
  for (const { from, units } of await rangedUnits(logs, step))
    await writer.blocks(decodeBlocks(from, units, zstdCompressSync))
}

/** Its first 60 blocks as a node would tell them, so many at a time. */
export async function rangedUnits(
  logs: readonly Log[],
  step: number,
): Promise<{ readonly from: number; readonly units: readonly RawUnit[] }[]> {
  const recording = openRecording(file)
  const { signal } = new AbortController()
  const left = [...logs]
  const all = []
  for (let from = 0; from < 60; from += step) {
    const range = { from, until: Math.min(from + step, 60) }
    const units = await recording.blocks(range, (raw) => raw, signal)
    all.push({ from, units: units.map((unit) => withLogs(unit, left)) })
  }
  assert.equal(left.length, 0)
  return all
}

function withLogs(unit: RawUnit, left: Log[]): RawUnit {
  if (unit.receipts.length === 0) return unit
  // oxlint-disable-next-line typescript/no-explicit-any -- recorded JSON, changed in place
  const receipts: any[] = structuredClone([...unit.receipts])
  const last = receipts.at(-1)
  let logIndex = receipts.reduce((count, { logs }) => count + logs.length, 0)
  for (const log of left.splice(0, 7))
    last.logs.push({ ...log, address: contract, logIndex: `0x${(logIndex++).toString(16)}` })
  return { ...unit, receipts }
}
