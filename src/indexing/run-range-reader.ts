/**
 * The work of a thread that reads ranges of EVM chains for the decoder, from the same nodes.
 *
 * It stores nothing and knows no past: whatever depends on earlier blocks is the writer's. What it tells
 * is what `firn read` tells another machine.
 */

import { zstdCompressSync } from 'node:zlib'

import { assert, Fault } from '../core/fault.ts'
import { buffersOf } from '../core/growing.ts'
import type { ChainIdentity, EvmSource } from '../source/evm-source.ts'
import { RangeReader } from './evm/ranges/range-reader.ts'
import type { Blame, RangeQuestion, RangeReply } from './evm/ranges/thread-reader.ts'
import { openEvmSource } from './evm/read/open-source.ts'
import { limitsOfThread } from './thread/limits-of-thread.ts'
import { serveCalls } from './thread/port-call.ts'
import type { WorkerThread } from './thread/worker-thread.ts'

type Opened = {
  readonly source: EvmSource
  readonly reader: RangeReader
  /** Asked once for all reads: the question is not counted among the requests to a node. */
  identity: Promise<ChainIdentity> | undefined
}

/** Works until the thread is told to stop, or its port is closed. */
export async function runRangeReader(thread: WorkerThread): Promise<void> {
  const { data, world, log } = thread
  const limits = limitsOfThread(data)
  const closed = Promise.withResolvers<void>()
  const ending = new AbortController()
  const signal = AbortSignal.any([thread.signal, ending.signal])
  const chains = new Map<string, Promise<Opened>>()
  const open = async (key: string): Promise<Opened> => {
    const spec = data.chains.find((chain) => chain.key === key)
    assert(spec !== undefined, 'the decoder reads chains of the same list')
    const parts = { world, log: log.child(key) }
    const source = await openEvmSource(spec, limits, parts)
    const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes)
    const reader = new RangeReader({ source, compress, log: parts.log })
    return { source, reader, identity: undefined }
  }
  const chainOf = async (key: string): Promise<Opened> => {
    const opening = chains.get(key) ?? open(key)
    chains.set(key, opening)
    try {
      return await opening
    } catch (error) {
      chains.delete(key)
      throw error
    }
  }
  const answers = {
    read: async (argument: unknown): Promise<RangeReply> => {
      const { key, chain, range } = questionOf(argument)
      const opened = await chainOf(key)
      const { source, reader } = opened
      const { chainId, genesisHash } = await identityOf(opened, signal)
      if (chainId !== chain.chainId || genesisHash !== chain.genesisHash)
        throw new Fault('node-answer', `nodes tell another chain to this thread: ${chainId}`)
      const piece = await reader.read(range, signal)
      return { piece, window: source.window('blocks') }
    },
    blame: async (argument: unknown): Promise<void> => {
      const { key, origin, reason, how } = blameOf(argument)
      const { source } = await chainOf(key)
      source[how](origin, reason)
    },
  }
  serveCalls(data.port, answers, columnsOf)
  data.port.once('close', () => closed.resolve())
  await Promise.race([thread.stopped, closed.promise])
  ending.abort(new Fault('node-unreachable', 'the thread ends'))
  for (const { source } of await openedOf(chains)) await source.close()
}

async function identityOf(of: Opened, signal: AbortSignal): Promise<ChainIdentity> {
  const asked = (of.identity ??= of.reader.identity(signal))
  try {
    return await asked
  } catch (error) {
    if (of.identity === asked) of.identity = undefined
    throw error
  }
}

/** Memory of the columns of an answer. */
function columnsOf(answer: unknown): ArrayBuffer[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of `runRangeReader`
  const told = answer as RangeReply | undefined
  return buffersOf(told?.piece?.batch)
}

async function openedOf(chains: ReadonlyMap<string, Promise<Opened>>): Promise<readonly Opened[]> {
  const all = await Promise.allSettled(chains.values())
  return all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

function questionOf(argument: unknown): RangeQuestion {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by thread-reader.ts
  return argument as RangeQuestion
}

function blameOf(argument: unknown): Blame {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by thread-reader.ts
  return argument as Blame
}
