/** Makes every row of a primary network's store again from the blocks another store kept. */

import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { World } from '../../../core/world.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { type Database, type Reader, statement } from '../../../store/engine/database.ts'
import { allMeta } from '../../../store/meta.ts'
import type { StoreLocation } from '../../../store/open.ts'
import {
  genesisId,
  rawBlocksFrom,
  type RawBlockBytes,
} from '../../../store/query/primary/blocks.ts'
import { blockIdOf, chainNumbers, heightOfBlock } from '../../../store/schema/primary/position.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import { blockOfRaw, cBlockOfRaw } from '../batch/raw-blocks.ts'
import { dagHeight } from '../replay/x/replay-x.ts'
import { openPrimaryHost, type PrimaryHost } from './host.ts'

/** The store to rebuild, and its place. */
type RebuildOptions = {
  /** The store that keeps the blocks, open for reading. */
  readonly from: Database
  /** Where the new store `key` is made. */
  readonly to: StoreLocation
  readonly key: string
  readonly world: World
  readonly signal: AbortSignal
  /** Called after every batch. */
  readonly progress: (chain: string, height: number, head: number) => void
}

/** Rebuilds. The new store is whole when this returns. Faults are those of replay and stores. */
export async function rebuildPrimary(options: RebuildOptions): Promise<void> {
  const { from, signal } = options
  const source = openStoredSource(from)
  const [genesis] = await rawBlocksFrom(from, genesisId, 1)
  const host = await openPrimaryHost({
    ...options,
    source,
    store: options.to,
    genesis: 'auto',
    genesisBytes: genesis?.bytes,
    owner: 'rebuild',
  })
  try {
    for (const chain of ['P', 'X', 'C'] as const) {
      const head = await source.headHeight(chain, signal)
      await rebuildChain(host, { chain, head }, options)
      await host.settled()
    }
    while (await host.judgeMore()) signal.throwIfAborted()
  } finally {
    await host.close()
  }
}

/** Replays the blocks of one chain up to `head`. */
async function rebuildChain(
  host: PrimaryHost,
  { chain, head }: { readonly chain: ChainName; readonly head: number },
  { signal, progress }: RebuildOptions,
): Promise<void> {
  const replay = await host.replay(chain)
  for (;;) {
    signal.throwIfAborted()
    const range = replay.plan(replay.height() + 1, head)
    if (range === undefined) return
    // A proposal at the end of a range comes again with its option.
    const fetched = await replay.fetch(range, signal)
    if (fetched.length > 0) await host.commit(replay, fetched, signal)
    progress(chain, replay.height(), head)
  }
}

// A store's own kept blocks as a source: every row can be made again without a node.
//
// Facts that no block contains (uptimes) are absent.

const newest = statement(
  'select id from raw_block where id >= ? and id < ? order by id desc limit 1',
)

/** The blocks `reader` keeps. Throws `store-failed` for a store without a network. */
function openStoredSource(reader: Reader): PrimarySource {
  const identity: PrimarySource['identity'] = async () => {
    const facts = await allMeta(reader)
    const fact = (name: string): string => {
      const value = facts.get(name)
      if (value === undefined) throw new Fault('store-failed', `the store does not know: ${name}`)
      return value
    }
    const parsed: unknown = JSON.parse(fact('upgrades'))
    const times: Record<string, number> = {}
    if (typeof parsed === 'object' && parsed !== null)
      for (const [name, time] of Object.entries(parsed)) times[name] = Number(time)
    return {
      networkId: Number(fact('networkId')),
      nodeVersion: fact('nodeVersion'),
      genesisId: fromHex(fact('genesisId')),
      chainIds: { X: fromHex(fact('xChainId')), C: fromHex(fact('cChainId')) },
      upgrades: times,
    }
  }

  const newestBetween = async (from: number, until: number): Promise<number | undefined> => {
    const row = await reader.get(newest, [from, until])
    return row?.[0]
  }

  const some = (chain: number, from: number, until: number): Promise<RawBlockBytes[]> =>
    rawBlocksFrom(reader, blockIdOf(chain, from), until - from)

  return {
    identity,
    headHeight: async (chain) => {
      const first = blockIdOf(chainNumbers[chain], 0)
      const id = await newestBetween(first, first + 2 ** 31)
      return id === undefined ? (chain === 'X' ? -1 : 0) : heightOfBlock(id)
    },
    hasIndex: async () => true,
    blocks: async (chain, { from, until }) =>
      (await some(chainNumbers[chain], from, until)).map(({ id, bytes }) =>
        blockOfRaw(heightOfBlock(id), bytes),
      ),
    cBlocks: async ({ from, until }) =>
      (await some(chainNumbers.C, from, until)).map(({ id, bytes }) =>
        cBlockOfRaw(heightOfBlock(id), bytes),
      ),
    earlyCount: async () => {
      const first = blockIdOf(chainNumbers.X, dagHeight)
      const id = await newestBetween(first, blockIdOf(chainNumbers.X, 0))
      return id === undefined ? 0 : id - first + 1
    },
    earlyTransactions: async ({ from, until }) =>
      (await some(chainNumbers.X, dagHeight + from, dagHeight + until)).map(({ bytes }) => bytes),
    health: async () => [],
  }
}
