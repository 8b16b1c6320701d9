/** Activity of tokens in new blocks: which should be looked at, which run other code now, and which are new. */

import { type BlockBatch, eventKinds } from '../../../codec/evm/columns/columns.ts'
import { toHex } from '../../../core/bytes.ts'
import { type Database, type Reader, statement } from '../../../store/engine/database.ts'
import { addressesOfIds, addressIds, tokensOfIds } from '../../../store/query/evm/addresses.ts'
import { mayHold } from '../../../store/query/evm/balances.ts'
import { token } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { newTokens, type ShownToken } from '../write/transfer-rows.ts'

/**
 * Events read at once; of the tokens that share one contract's code this many are read anew at
 * once.
 */
const eventsAtOnce = 100
const lentAtOnce = 4_096

/** Blocks whose transactions and transfers are looked through at once. */
const blocksAtOnce = 256
const mostUnexplained = 4_096

const { proxyUpgraded, beaconUpgraded } = eventKinds

const changes = statement(
  `select k.pos, e.address_id from event_by_kind k join event e on e.pos = k.pos
   where k.kind = ? and k.pos > ? and k.pos <= ? order by k.pos limit ?`,
  { over: 'oldest' },
)
const lent = statement(
  `select id from token where source = ? and id > ? order by id limit ${lentAtOnce}`,
)

/**
 * Marks tokens whose code changed in blocks after position `after` up to `until` as not read: those
 * whose proxy says so, and those whose beacon or implementation does. Returns the position to go on
 * from.
 */
export async function forgetUpgraded(
  { database, commit }: OpenChain,
  after: number,
  until: number,
): Promise<number> {
  let to = until
  const rows = []
  for (const kind of [proxyUpgraded, beaconUpgraded]) {
    const some = await database.all(changes, [kind, after, until, eventsAtOnce])
    const last = some.at(-1)
    if (last !== undefined && some.length === eventsAtOnce) to = Math.min(to, last[0])
    rows.push(...some)
  }
  const changed = [...new Set(rows.map((row) => row[1]))]
  const tokens = await tokensOfIds(database, changed)
  const ids = new Set(tokens.flatMap((each) => each?.id ?? []))
  for (const lender of await addressesOfIds(database, changed))
    for (let from = 0; ;) {
      const some = await database.all(lent, [lender, from])
      for (const [borrower] of some) ids.add(borrower)
      if (some.length < lentAtOnce) break
      from = Number(some.at(-1)?.[0])
    }
  if (ids.size > 0)
    await commit(async (writer) => {
      const all = [...ids].toSorted((a, b) => a - b)
      const never = all.map(() => 0)
      // Where its code lies now is read with the next look, which is due at once.
      const code = all.map(() => null)
      await writer.update(token, { id: all, metadata_height: never, compared_at: never, code })
    })
  return to
}

/** Contracts that logged what no known event explains, in new blocks, until a round takes them. */
export class UnexplainedLogs {
  #contracts = new Map<string, Uint8Array>()

  /** Notes those of a batch at the head; in a backfill there is nothing to be read again. */
  note(
    { until, unexplained }: Pick<BlockBatch, 'until' | 'unexplained'>,
    headHeight: number,
  ): void {
    if (headHeight - until >= blocksAtOnce) return
    for (let at = 0; at < unexplained.length && this.#contracts.size < mostUnexplained; at += 20) {
      const contract = unexplained.slice(at, at + 20)
      this.#contracts.set(toHex(contract), contract)
    }
  }

  get isEmpty(): boolean {
    return this.#contracts.size === 0
  }

  async take(database: Reader): Promise<number[]> {
    const contracts = [...this.#contracts.values()]
    this.#contracts.clear()
    const ids = (await addressIds(database, contracts)).flatMap((id) => id ?? [])
    return (await tokensOfIds(database, ids)).flatMap((token) => token?.id ?? [])
  }
}

/** Tokens that something happened to. */
export type TokenActivity = {
  /** Transfers were logged. */
  readonly moved: ReadonlySet<number>
  /** Something that transfers do not explain: a call of another method, or another log. */
  readonly touched: ReadonlySet<number>
}

/**
 * Methods whose calls are explained by the logs that they must leave. Source: ERC-20, ERC-721, ERC-1155,
 * ERC-2612, WAVAX.
 */
const explained = [
  0xa9059cbb, 0x23b872dd, 0x095ea7b3, 0x39509351, 0xa457c2d7, 0xd505accf, 0xa22cb465, 0x42842e0e,
  0xb88d4fde, 0xf242432a, 0x2eb2c2d6, 0xd0e30db0, 0x2e1a7d4d,
]

// New blocks are in tables.
const movedTokens = statement('select distinct token_id from transfer where pos > ? and pos <= ?', {
  over: 'tables',
})
const calledTokens = statement(
  `select distinct t.to_id from evm_transaction t join token k on k.id = t.to_id
   where t.pos > ? and t.pos <= ? and t.selector not in (${explained.join(', ')})`,
  { over: 'tables' },
)

/** Activity in blocks after height `after` up to `until`; where these are many, in the newest. */
export async function activityOfTokens(
  database: Reader,
  unexplained: UnexplainedLogs,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<TokenActivity> {
  const range = [endOf(Math.max(after, until - blocksAtOnce)), endOf(until)]
  const moved = await database.all(movedTokens, range)
  const called = await database.all(calledTokens, range)
  const touched = new Set(called.flatMap(([id]) => id ?? []))
  for (const id of await unexplained.take(database)) touched.add(id)
  return { moved: new Set(moved.map(([id]) => id)), touched }
}

/** Last position of a block. */
export function endOf(height: number): number {
  return (height + 1) * placesPerBlock - 1
}

/**
 * Adds coins that were wrapped and never moved: their Deposit and Withdrawal logs alone make no token of
 * other contracts. `wrapped` are their addresses, 20 bytes each. Returns how many are new.
 */
export async function addWrapped(
  { database, commit }: OpenChain,
  wrapped: readonly Uint8Array[],
): Promise<number> {
  if (wrapped.length === 0) return 0
  const ids = (await addressIds(database, wrapped)).flatMap((id) => id ?? [])
  const known = await tokensOfIds(database, ids)
  const found: ShownToken[] = []
  for (const id of ids.filter((_, at) => known[at] === undefined)) {
    const query = { tokenId: id, after: 0, at: Number.MAX_SAFE_INTEGER, limit: 1 }
    const [holder] = await mayHold(database, query)
    if (holder !== undefined) found.push({ id, standard: 20, height: 0 })
  }
  if (found.length > 0) await commit(async (writer) => writer.insertNew(token, newTokens(found)))
  return found.length
}

/** A doubt by the numbers of token and holder; a holder whom no block named has none. */
export type NumberedDoubt = { readonly id: number; readonly holder: number | undefined }

/** Doubts read at once, and how old those are that a start still reads, milliseconds. */
const doubtsAtOnce = 10
const oldestMs = 60_000

const doubtsAfter = statement(
  `select contract, holder, requested_at from token_doubt
   where chain = ? and requested_at > ? order by requested_at limit ${doubtsAtOnce}`,
)

const newestDoubt = statement('select max(requested_at) from token_doubt where chain = ?', {
  together: true,
})

/**
 * Reads the doubts of one chain in order. One that comes late by another clock is reported again.
 */
export class Doubts {
  readonly #chain: OpenChain
  readonly #requests: () => Promise<Database | undefined>
  #after: number

  /** `requests` gives the store in which the API notes doubts, `undefined` while there are none. */
  constructor(chain: OpenChain, requests: () => Promise<Database | undefined>) {
    this.#chain = chain
    this.#requests = requests
    this.#after = chain.clock.now() - oldestMs
  }

  async areMore(): Promise<boolean> {
    const [newest] = (await (await this.#requests())?.get(newestDoubt, [this.#chain.key])) ?? []
    return (newest ?? 0) > this.#after
  }

  async next(): Promise<NumberedDoubt[]> {
    const { key, database } = this.#chain
    const rows = (await (await this.#requests())?.all(doubtsAfter, [key, this.#after])) ?? []
    const tokens = await addressIds(
      database,
      rows.map((row) => row[0]),
    )
    const holders = await addressIds(
      database,
      rows.map((row) => row[1]),
    )
    const doubts: NumberedDoubt[] = []
    for (const [at, row] of rows.entries()) {
      this.#after = Math.max(this.#after, row[2])
      const id = tokens[at]
      if (id !== undefined) doubts.push({ id, holder: holders[at] })
    }
    return doubts
  }
}
