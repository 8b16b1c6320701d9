/**
 * The logs of a chain, as a stage of its own behind its blocks, in a store of its own.
 *
 * It reads blocks that are stored from the node again: every one must have the hash that the chain
 * has at its height, and receipts that its header commits to. Where headers commit to receipts
 * later, it stays behind what is proven. Turned on late it begins at the chain's first block.
 */

import type { LogBatch } from '../../../codec/evm/columns/columns.ts'
import { decodeAllLogs } from '../../../codec/evm/decode-blocks.ts'
import type { RawUnit } from '../../../codec/evm/raw.ts'
import { equalBytes, to0x } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import {
  type Checkpoint,
  getCheckpoint,
  moveCheckpoint,
  blockStage,
} from '../../../store/checkpoint.ts'
import { type Database, statement } from '../../../store/engine/database.ts'
import { thawFrom } from '../../../store/history/freeze.ts'
import { type Lease, renewLease, underLease } from '../../../store/lease.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { firstHeight, storedProofs } from '../../../store/query/evm/heights.ts'
import { logMark, logStage } from '../../../store/schema/logs.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { type Round, roundStream } from '../../stream/round-stream.ts'
import type { StageStatus, Stream } from '../../stream/stage.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { Interner } from '../write/intern.ts'
import { cutLogs, writeLogs } from './log-rows.ts'

/** A store of logs to write, the proof that it is this process's, and work on it beside the stage. */
export type LogStore = {
  readonly store: Database
  readonly lease: Lease
  readonly beside?: {
    /** Its part of the status of the stage. */
    readonly report: () => Partial<StageStatus>
    readonly end: () => Promise<void>
  }
}

/** Heights read at once at most. */
const mostBlocks = 256

/** Heights between two marks. */
const heightsPerMark = 256

/**
 * The stream; its store is opened when it runs and closed when it ends. `openLogs` opens the store of logs
 * and waits for its lease.
 */
export function logStream(
  chain: OpenChain,
  checks: BlockChecks,
  openLogs: () => Promise<LogStore>,
): Stream {
  let target: (LogStore & { interner: Interner }) | undefined
  const close = async (): Promise<void> => {
    const closing = target
    target = undefined
    await closing?.beside?.end()
    await closing?.store.close()
  }
  const round = async (signal: AbortSignal): Promise<Round> => {
    target ??= { ...(await openLogs()), interner: new Interner() }
    try {
      return await oneRound(chain, { ...target, checks }, signal)
    } catch (error) {
      // Numbers given in a failed transaction do not exist.
      target.interner = new Interner()
      // Opened again it waits for the process that writes it now.
      if (faultOf(error)?.code === 'lease-lost') await close()
      throw error
    }
  }
  const rounds = roundStream(logStage, chain, round, close)
  return { ...rounds, status: () => ({ ...rounds.status(), ...target?.beside?.report() }) }
}

type Target = LogStore & { readonly interner: Interner }

async function oneRound(
  chain: OpenChain,
  target: Target & { readonly checks: BlockChecks },
  signal: AbortSignal,
): Promise<Round> {
  const { database, source, clock } = chain
  await renewLease(target.store, target.lease, clock)
  const done = await getCheckpoint(target.store, logStage)
  if (done !== undefined && !(await isOfChain(database, done))) {
    return { height: await takeBack(chain, target, done), isBusy: true, isLive: false }
  }
  const { from, last, stored } = await toRead(database, done)
  if (from > last) {
    const isLive = stored >= (await source.headHeight(signal))
    return { height: done?.height ?? -1, isBusy: false, isLive }
  }
  const range = { from, until: Math.min(last + 1, from + mostBlocks) }
  const batch = await readLogs(chain, target.checks, range, signal)
  await store(target, batch, { done, clock, hash: await blockHashAt(database, batch.until - 1) })
  return { height: batch.until - 1, isBusy: true, isLive: false }
}

const hashesOf = statement(
  'select height, hash from evm_block where height >= ? and height < ? order by height',
  { over: 'oldest', within: { height: [0, 1] } },
)

/** Returns whether the chain still has the block where the logs end. */
async function isOfChain(database: Database, { height, hash }: Checkpoint): Promise<boolean> {
  if (hash === undefined) return true
  const stored = await blockHashAt(database, height)
  return stored !== undefined && equalBytes(stored, hash)
}

type ToRead = { readonly from: number; readonly last: number; readonly stored: number }

/**
 * The next height, the last one whose receipts are as proven as they will be, and the last one of
 * the chain's own store.
 */
async function toRead(database: Database, done: Checkpoint | undefined): Promise<ToRead> {
  const stored = (await getCheckpoint(database, blockStage))?.height ?? -1
  const { settlement } = await storedProofs(database)
  const last = Math.min(stored, settlement?.proven ?? stored)
  if (done !== undefined) return { from: done.height + 1, last, stored }
  const first = stored < 0 ? 0 : ((await firstHeight(database)) ?? 0)
  return { from: first, last, stored }
}

/** Logs of the first blocks of `range`, at least one. Faults are those of the source. */
async function readLogs(
  { database, source }: OpenChain,
  checks: BlockChecks,
  range: HeightRange,
  signal: AbortSignal,
): Promise<LogBatch> {
  const { from } = range
  const until = Math.min(range.until, from + source.unitBlocks())
  const rows = await database.all(hashesOf, [from, until])
  const hashes = rows.map(([, hash]) => to0x(hash))
  return source.blocks(
    { from, until },
    (units, origin) => {
      for (const [at, unit] of units.entries()) checkHash(unit, from + at, hashes[at])
      const good = checks.checkAll(units, { from, origin, wants: () => true })
      return decodeAllLogs(from, good)
    },
    signal,
  )
}

function checkHash({ block }: RawUnit, height: number, stored: string | undefined): void {
  if (typeof block.hash === 'string' && block.hash.toLowerCase() === stored) return
  throw new Fault('node-answer', `the block for its logs is not the stored one: ${height}`, {
    detail: { height },
  })
}

async function store(
  { store: database, lease, interner }: Target,
  batch: LogBatch,
  at: {
    readonly done: Checkpoint | undefined
    readonly clock: Clock
    readonly hash: Uint8Array | undefined
  },
): Promise<void> {
  await underLease(database, { lease, clock: at.clock }, async (writer) => {
    await writeLogs(writer, batch, interner)
    const end = batch.until - 1
    if (at.hash !== undefined && markOf(end) !== markOf(batch.from - 1))
      await writer.insert(logMark, { height: [end], hash: [at.hash] })
    await moveCheckpoint(writer, logStage, {
      before: at.done?.height,
      after: { height: batch.until - 1, hash: at.hash },
      epoch: lease.epoch,
    })
  })
}

function markOf(height: number): number {
  return Math.floor(height / heightsPerMark)
}

const marksDown = statement('select height, hash from log_mark order by height desc')

/** Takes back what follows the newest mark that the chain still has; gives its height. */
async function takeBack(
  { database, clock }: OpenChain,
  { store: logs, lease }: Target,
  done: Checkpoint,
): Promise<number> {
  const first = (await firstHeight(database)) ?? 0
  const gone: number[] = []
  let end: Checkpoint = { height: first - 1, hash: undefined }
  for (const [height, hash] of await logs.all(marksDown)) {
    const mark = { height, hash }
    if (await isOfChain(database, mark)) {
      end = mark
      break
    }
    gone.push(mark.height)
  }
  await underLease(logs, { lease, clock }, async (writer) => {
    const { history } = logs
    const from = end.height + 1
    if (history !== undefined) await thawFrom({ writer, history }, from)
    await cutLogs(writer, from)
    await writer.remove(logMark, { height: gone })
    await moveCheckpoint(writer, logStage, {
      before: done.height,
      after: end,
      epoch: lease.epoch,
    })
  })
  return end.height
}
