/**
 * A store's own kept blocks as a source: every row can be made again without a node.
 *
 * Facts that no block contains (uptimes) are absent.
 */

import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { type Reader, statement } from '../../../store/engine/database.ts'
import { type RawBlockBytes, rawBlocksFrom } from '../../../store/query/primary/blocks.ts'
import { blockIdOf, chainNumbers, heightOfBlock } from '../../../store/schema/primary/position.ts'
import { blockOfRaw, cBlockOfRaw } from '../batch/raw-blocks.ts'
import { dagHeight } from '../replay/x/replay-x.ts'

const everyMeta = statement('select name, value from meta')
const newest = statement(
  'select id from raw_block where id >= ? and id < ? order by id desc limit 1',
)

/** The blocks `reader` keeps. Throws `store-failed` for a store without a network. */
export function openStoredSource(reader: Reader): PrimarySource {
  const identity: PrimarySource['identity'] = async () => {
    const rows = await reader.all(everyMeta)
    const facts = new Map(rows.map(([name, value]) => [String(name), String(value)]))
    const fact = (name: string): string => {
      const value = facts.get(name)
      if (value === undefined) throw new Fault('store-failed', `the store does not know: ${name}`)
      return value
    }
    return {
      networkId: Number(fact('networkId')),
      nodeVersion: fact('nodeVersion'),
      genesisId: fromHex(fact('genesisId')),
      chainIds: { X: fromHex(fact('xChainId')), C: fromHex(fact('cChainId')) },
      upgrades: upgradesIn(fact('upgrades')),
    }
  }

  const newestBetween = async (from: number, until: number): Promise<number | undefined> => {
    const row = await reader.get(newest, [from, until])
    return row === undefined ? undefined : Number(row[0])
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

function upgradesIn(text: string): Record<string, number> {
  const parsed: unknown = JSON.parse(text)
  const times: Record<string, number> = {}
  if (typeof parsed === 'object' && parsed !== null)
    for (const [name, time] of Object.entries(parsed)) times[name] = Number(time)
  return times
}
