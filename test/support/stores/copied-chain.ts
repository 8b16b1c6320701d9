/** Bundled chains as copies that nobody has looked at, and their check against the recorded node. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { CopiedHistoryCheck } from '../../../src/indexing/evm/copied/check-copied.ts'
import { BlockChecks } from '../../../src/indexing/evm/read/block-checks.ts'
import type { EvmSource } from '../../../src/source/evm-source.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { confirmedShare, copiedHistory, markCopied } from '../../../src/store/copied-history.ts'
import { type Database, statement } from '../../../src/store/engine/database.ts'
import { columnNames, type Table } from '../../../src/store/schema/table.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { type DemoChainId, openDemoChain, stillClock } from './demo-store.ts'

const nodes = new Map<DemoChainId, EvmSource>()

/** The node of a bundled chain. */
export function nodeOf(chainId: DemoChainId): EvmSource {
  const file = new URL(`../../../demo/chain-${chainId}.firnrec`, import.meta.url)
  const node = nodes.get(chainId) ?? openRecording(readFileSync(file))
  nodes.set(chainId, node)
  return node
}

const blocksOf = { 51001: 403, 51002: 153 } as const

/** A bundled chain as a copy that nobody has looked at, all of it in segments that end before `frozen`. */
export async function copyOf(
  t: TestContext,
  chainId: DemoChainId,
  frozen: readonly number[],
  engine: 'sqlite' | 'postgres' = 'sqlite',
): Promise<Database> {
  const ends = [...frozen, blocksOf[chainId]]
  const { served, close } = await openDemoChain(chainId, { frozen: ends, engine })
  t.after(close)
  await served.store.transaction(markCopied)
  return served.store
}

/** The end of a check, as `/status` tells it. */
export type Checked = {
  readonly state: string
  readonly reason: string | undefined
  /** Absent once nothing is called copied any more. */
  readonly share: number | undefined
}

/** Reason of the refusal of a copy whose rows of a table are other ones. */
export function otherRowsOf(table: string): RegExp {
  const segment = /segment [0-9a-f]{32} of (?:blocks|traces) \d+ to \d+/.source
  return new RegExp(`not that of the chain: ${segment}: rows of ${table} are not those`)
}

/** Compares the copy to its end, with the segments that `seed` draws. */
export async function check(
  store: Database,
  chainId: DemoChainId,
  of: {
    readonly percent: number
    readonly seed?: number
    readonly startHeight?: number
    readonly source?: EvmSource
    /** Pauses after which the process ends; absent: at its end. */
    readonly steps?: number
  },
): Promise<Checked> {
  const copied = await copiedHistory(store)
  assert.ok(copied !== undefined)
  const source = of.source ?? nodeOf(chainId)
  const ending = new AbortController()
  let left = of.steps ?? Number.POSITIVE_INFINITY
  const sleep = async (): Promise<void> => {
    if (left-- <= 0) ending.abort()
  }
  const clock = { ...stillClock, sleep }
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-copied-'))
  const parts = {
    database: store,
    source,
    checks: new BlockChecks({
      log: silentLog,
      endpoints: () => source.endpoints(),
      checkEvery: 1,
    }),
    world: {
      clock,
      random: { bytes: (size: number) => new Uint8Array(size).fill(of.seed ?? 0), number: () => 0 },
    },
    log: silentLog,
    percent: of.percent,
    startHeight: of.startHeight ?? 0,
    dataDir,
    commit: store.transaction,
  }
  const checking = new CopiedHistoryCheck(parts, copied)
  await checking.stream.run(ending.signal)
  rmSync(dataDir, { recursive: true })
  const { state, reason } = checking.stream.status()
  const after = await copiedHistory(store)
  if (after?.refused === undefined) checking.checkUsable()
  else assert.throws(() => checking.checkUsable(), { code: 'source-mismatch' })
  return {
    state,
    reason,
    share: after && confirmedShare(after),
  }
}

/** Changes a column of one row as its writer would: sums and checksums fit. */
export async function changed(
  store: Database,
  table: Table,
  of: { readonly by: string; readonly column: string; readonly value?: Uint8Array },
): Promise<void> {
  const names = columnNames(table)
  const [row] = await store.all(statement(`select ${names.join(', ')} from ${table.name} ${of.by}`))
  assert.ok(row !== undefined)
  const old = row[names.indexOf(of.column)]
  const other = of.value ?? (typeof old === 'number' ? old + 1 : Uint8Array.of(9, 9))
  const key = table.key.map((name) => [name, [row[names.indexOf(name)] ?? null]])
  await store.transaction((writer) =>
    writer.update(table, { ...Object.fromEntries(key), [of.column]: [other] }),
  )
}
