/**
 * A recorded primary network as a source.
 *
 * The file is a recording (`recording-file.ts`) whose header names the network. Its parts hold,
 * one line each: what the network is, blocks of the three chains, signatures of Warp messages, each
 * validator's own, and what the node answered to questions about its state at the recorded heights,
 * which tests compare with.
 */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { releasedBlocks } from '../../core/recorded-time.ts'
import type { Clock } from '../../core/world.ts'
import { linesOf, listParts, type Part, valueOfLine } from '../recorded/recording-file.ts'
import type { CBlock, PrimaryChain, PrimarySource, Proposer } from './primary-source.ts'

/** Kinds of parts of a primary recording. */
export const primaryPartKinds = {
  identity: 10,
  P: 11,
  X: 12,
  C: 13,
  answers: 14,
  signatures: 15,
} as const

/** A Warp message and who signed it: hex without `0x`, signatures by node id. */
export type RecordedSignatures = {
  readonly message: string
  readonly justification: string
  readonly signatures: Readonly<Record<string, string>>
}

/** A source that also gives what validators signed. */
export type RecordedPrimary = PrimarySource & {
  /** Times of blocks of all three chains, Unix seconds, in no order. */
  readonly times: () => readonly number[]
  readonly signatures: () => readonly RecordedSignatures[]
}

/**
 * Opens the recording in `file`; with `clock` blocks are held back until that has reached their times.
 * Throws `bad-bytes`.
 */
export function openRecordedPrimary(file: Uint8Array, clock?: Clock): RecordedPrimary {
  const parts = listParts(file)
  const linesOfKind = (kind: number): unknown[] =>
    parts
      .filter((part) => part.kind === kind)
      .flatMap((part: Part) => linesOf(file, part))
      .map(valueOfLine)
  const value = recordOf(linesOfKind(primaryPartKinds.identity)[0])
  const upgrades: Record<string, number> = {}
  for (const [name, time] of Object.entries(recordOf(value['upgrades'])))
    upgrades[name] = Number(time)
  const identity = {
    networkId: Number(value['networkId']),
    nodeVersion: String(value['nodeVersion']),
    genesisId: fromHex(String(value['genesisId'])),
    chainIds: { X: fromHex(String(value['x'])), C: fromHex(String(value['c'])) },
    upgrades,
  }
  const blocks = { P: linesOfKind(primaryPartKinds.P), X: linesOfKind(primaryPartKinds.X) }
  const cBlocks = linesOfKind(primaryPartKinds.C)
  // P and C begin with block 1, X with block 0.
  const first = { P: 1, X: 0, C: 1 } as const
  const times = { P: timesOf(blocks.P, 5), X: timesOf(blocks.X, 5), C: timesOf(cBlocks, 2) }
  const head = (chain: PrimaryChain): number => {
    const all = times[chain]
    return first[chain] - 1 + (clock === undefined ? all.length : releasedBlocks(all, clock))
  }
  const cut = <T>(chain: PrimaryChain, lines: readonly T[], from: number, until: number): T[] =>
    lines.slice(from - first[chain], until - first[chain])
  return {
    identity: async () => identity,
    times: () => [...times.P, ...times.X, ...times.C].filter((time) => time !== undefined),
    headHeight: async (chain) => head(chain),
    hasIndex: async () => true,
    blocks: async (chain, { from, until }) =>
      cut(chain, blocks[chain], from, until).map((line, at) => {
        const height = from + at
        const [bytes, ...proposer] = listOf(line)
        return { height, bytes: bytesOf(bytes), proposer: proposerOf(proposer) }
      }),
    cBlocks: async ({ from, until }) =>
      cut('C', cBlocks, from, until).map((line, at) => cBlockOf(line, from + at)),
    earlyCount: async () => 0,
    earlyTransactions: async () => [],
    health: async () => [],
    signatures: () => linesOfKind(primaryPartKinds.signatures).map(signaturesOf),
  }
}

/** Times of blocks, Unix seconds, which stand at a place of each line; some blocks of P and X have none. */
function timesOf(lines: readonly unknown[], place: number): (number | undefined)[] {
  return lines.map((line) => {
    const time = Number(listOf(line)[place] ?? -1)
    return time < 0 ? undefined : time
  })
}

function cBlockOf(line: unknown, height: number): CBlock {
  const [blockId, parentId, time, sizeBytes, transactionCount, extraData, ...proposer] =
    listOf(line)
  return {
    height,
    blockId: bytesOf(blockId),
    parentId: bytesOf(parentId),
    time: Number(time),
    sizeBytes: Number(sizeBytes),
    transactionCount: Number(transactionCount),
    extraData: bytesOf(extraData),
    proposer: proposerOf(proposer),
  }
}

function proposerOf(list: readonly unknown[]): Proposer | undefined {
  const [outerId, outerParentId, nodeId, pChainHeight, timestamp] = list
  if (outerId === undefined) return undefined
  const optional = (value: unknown): number | undefined =>
    Number(value) < 0 ? undefined : Number(value)
  return {
    outerId: bytesOf(outerId),
    outerParentId: bytesOf(outerParentId),
    nodeId: nodeId === '' ? undefined : bytesOf(nodeId),
    pChainHeight: optional(pChainHeight),
    timestamp: optional(timestamp),
  }
}

function signaturesOf(line: unknown): RecordedSignatures {
  const { message, justification, signatures } = recordOf(line)
  const byNode = Object.entries(recordOf(signatures)).map(([nodeId, one]) => [nodeId, String(one)])
  return {
    message: String(message),
    justification: String(justification),
    signatures: Object.fromEntries(byNode),
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw damaged()
  return new Uint8Array(Buffer.from(value, 'base64'))
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged()
  return value
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw damaged()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object
  return value as Readonly<Record<string, unknown>>
}

function damaged(): Fault {
  return new Fault('bad-bytes', 'a line of the primary recording has another form')
}
