/** A network and its AVAX, its subnets and chains, and where in its history a moment falls. */

import { fromHex, keyOf, toHex } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { allMeta } from '../../meta.ts'
import {
  l1ChangeBody,
  l1ValidatorBody,
  progressBody,
  subnetBody,
} from '../../schema/primary/bodies.ts'
import {
  type PrimaryChain,
  blockOfPos,
  firstBlockPosOf,
  firstPosOf,
  posRangeOf,
} from '../../schema/primary/position.ts'
import {
  body,
  bytes,
  integer,
  type RowOf,
  storedRow,
  maybe,
  text,
  bothOrders,
} from '../stored-row.ts'

/** Ids of a network, 32 bytes each, and when it began (Unix seconds). */
type NetworkFacts = {
  readonly networkId: number
  readonly xChainId: Uint8Array
  readonly cChainId: Uint8Array
  readonly avaxAssetId: Uint8Array
  readonly genesisTime: number
}

/** The network of a store; `undefined` before its genesis is stored. */
export async function networkFacts(reader: Reader): Promise<NetworkFacts | undefined> {
  const facts = await allMeta(reader)
  if (!facts.has('genesisTime')) return undefined
  const text = (name: string): string => {
    const value = facts.get(name)
    assert(value !== undefined, 'the facts of a genesis are stored together')
    return value
  }
  const id = (name: string): Uint8Array => fromHex(text(name))
  return {
    networkId: Number(text('networkId')),
    xChainId: id('xChainId'),
    cChainId: id('cChainId'),
    avaxAssetId: id('avaxAssetId'),
    genesisTime: Number(text('genesisTime')),
  }
}

/** Result of {@link avaxFlows}, nAVAX. */
export type AvaxFlows = {
  /**
   * Inputs less outputs of a chain's transactions, deposits of L1 validators included;
   * absent for a chain without blocks, `undefined` where it was not counted from the start.
   */
  readonly burned: ReadonlyMap<PrimaryChain, bigint | undefined>
  /** Amount paid into balances of L1 validators, less the amount returned. */
  readonly l1Deposits: bigint
  /** Sum of these balances now. */
  readonly l1Balances: bigint
}

const everyProgress = statement('select chain, body from progress')
const everyChange = statement('select body from l1_change')
const everyActive = statement('select body from l1_validator where active = 1')

/** Reads every change of an L1 validation: some thousands, so callers keep the answer. */
export async function avaxFlows(reader: Reader): Promise<AvaxFlows> {
  const burned = new Map<PrimaryChain, bigint | undefined>()
  let accrued = 0n
  for (const [name, body] of await reader.all(everyProgress)) {
    const progress = progressBody.fromBytes(body)
    const chain = chainNamed(name)
    burned.set(chain, progress.burned)
    if (chain === 'P') accrued = progress.l1AccruedFees
  }
  let l1Deposits = 0n
  for (const [body] of await reader.all(everyChange))
    l1Deposits += l1ChangeBody.fromBytes(body).balanceChange
  let l1Balances = 0n
  for (const [body] of await reader.all(everyActive))
    l1Balances += l1ValidatorBody.fromBytes(body).endAccumulatedFee - accrued
  return { burned, l1Deposits, l1Balances }
}

function chainNamed(name: string): PrimaryChain {
  assert(name === 'P' || name === 'X' || name === 'C', 'progress is of one of three chains')
  return name
}

const nextBlock = statement(
  'select id, timestamp from primary_block where id >= ? and id < ? order by id limit 1',
  { over: 'tables' },
)

/**
 * First block of `chain` with a time after `moment` (or at it, when `inclusive`), as a `pos`; the
 * end of the chain's places when there is none. Times never fall within a chain. Cost: a binary
 * search, some 30 seeks of the key.
 */
async function firstPosAfter(
  reader: Reader,
  chain: PrimaryChain,
  moment: number,
  inclusive: boolean,
): Promise<number> {
  const range = posRangeOf(chain)
  let low = blockOfPos(range.from)
  let high = blockOfPos(range.until)
  const end = high
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = await reader.get(nextBlock, [middle, end])
    const time = row === undefined ? undefined : row[1]
    if (time === undefined || (inclusive ? time >= moment : time > moment)) high = middle
    else low = Number(row?.[0]) + 1
  }
  return firstPosOf(low)
}

/**
 * Places `[from, until)` of `chain` with times strictly after `start` and strictly before `end`.
 *
 * Outputs of the X-Chain from before its blocks come first in place, but not in the order of times:
 * all of them are included when `start` is before the first block, whatever `end` says.
 */
export async function placesBetween(
  reader: Reader,
  chain: PrimaryChain,
  start: number | undefined,
  end: number | undefined,
): Promise<{ readonly from: number; readonly until: number }> {
  const whole = posRangeOf(chain)
  const from = start === undefined ? whole.from : await firstPosAfter(reader, chain, start, false)
  const until = end === undefined ? whole.until : await firstPosAfter(reader, chain, end, true)
  return { from, until: Math.max(until, firstBlockPosOf(chain)) }
}

/** A subnet as it is stored. */
export const subnetRow = storedRow(
  { pos: integer('pos'), subnetId: bytes('subnet_id') },
  body('body', subnetBody),
)
/** One stored subnet. */
export type StoredSubnet = RowOf<typeof subnetRow>

const list = bothOrders((order, sign) =>
  subnetRow.statement(
    (columns) => `select ${columns} from subnet where pos ${sign} ? order by pos ${order} limit ?`,
  ),
)

/** A page of a list in order of creation, strictly after a place. */
type CreatedPage = {
  readonly order: 'asc' | 'desc'
  readonly after: number | undefined
  readonly limit: number
}

/** Subnets strictly after place `after`. One range of the key. */
export function listSubnets(reader: Reader, query: CreatedPage): Promise<StoredSubnet[]> {
  const start = query.after ?? (query.order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  return subnetRow.all(reader, list[query.order], [start, query.limit])
}

const byId = subnetRow.statement((columns) => `select ${columns} from subnet where subnet_id = ?`)

/** The subnet with this id. One seek. */
export async function subnetById(
  reader: Reader,
  subnetId: Uint8Array,
): Promise<StoredSubnet | undefined> {
  return subnetRow.first(reader, byId, [subnetId])
}

/** A chain `c`. */
const chainRow = storedRow({
  pos: integer('c.pos'),
  blockchainId: bytes('c.blockchain_id'),
  subnetId: bytes('c.subnet_id'),
  vmId: bytes('c.vm_id'),
  name: text('c.name'),
  evmChainId: maybe(integer('c.evm_chain_id')),
  /** Unix seconds. */
  createdAt: integer('c.timestamp'),
  genesis: bytes('c.genesis'),
})
/** One stored chain. */
export type StoredChain = RowOf<typeof chainRow>

/** Chains by `keyOf` their id. */
export type Chains = ReadonlyMap<string, StoredChain>

const blockchainsById = chainRow.statement(
  (columns, { list: ids, bytes: id, by }) => `select ${columns} from ${ids}
   cross join blockchain c ${by('blockchain_by_id')} where c.blockchain_id = ${id}`,
)

/** Chains by id; unknown ids are left out. One seek each. */
export async function chainsById(reader: Reader, ids: readonly Uint8Array[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const chains = await chainRow.all(reader, blockchainsById, [JSON.stringify(ids.map(toHex))])
  return new Map(chains.map((chain) => [keyOf(chain.blockchainId), chain]))
}

const ofSubnets = chainRow.statement(
  (columns, { list: ids, bytes: id, by }) => `select ${columns} from ${ids}
   cross join blockchain c ${by('blockchain_by_subnet')} where c.subnet_id = ${id} order by c.pos`,
)

/** Chains of subnets in order of creation. One range of `blockchain_by_subnet` each. */
export async function chainsOfSubnets(
  reader: Reader,
  subnetIds: readonly Uint8Array[],
): Promise<StoredChain[]> {
  if (subnetIds.length === 0) return []
  return chainRow.all(reader, ofSubnets, [JSON.stringify(subnetIds.map(toHex))])
}

const blockchainsList = bothOrders((order, sign) =>
  chainRow.statement(
    (columns) =>
      `select ${columns} from blockchain c where c.pos ${sign} ? order by c.pos ${order} limit ?`,
  ),
)

/** Chains in order of creation, strictly after `after`. One range of the key. */
export function listBlockchains(reader: Reader, query: CreatedPage): Promise<StoredChain[]> {
  const start = query.after ?? (query.order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  return chainRow.all(reader, blockchainsList[query.order], [start, query.limit])
}
