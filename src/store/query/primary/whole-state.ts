/**
 * Everything of one kind, for comparing a store with a node. Not for answers: each reads a whole
 * table, in slices of the key.
 */

import { proposalTypes } from '../../../core/type-ids.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { l1ChangeBody, txStart } from '../../schema/primary/bodies.ts'
import { utxosOfRow } from '../../schema/primary/utxo-row.ts'
import { body, bytes, integer, type RowOf, storedRow, text } from '../stored-row.ts'
import { stakerRow, type StoredStaker } from './stakers.ts'
import { type StoredUtxo, utxosByNumber } from './utxos.ts'

const slice = 10_000

const utxoRows = statement('select id, body from utxo where id > ? order by id limit ?')

/**
 * Unspent UTXOs of all chains.
 *
 * @yields Each, by number.
 */
export async function* unspentUtxos(reader: Reader): AsyncGenerator<StoredUtxo> {
  for (let after = 0; ;) {
    const rows = await reader.all(utxoRows, [after, slice])
    const made = rows.flatMap(([last, body]) => utxosOfRow(last, body))
    const numbers = made.map(({ number }) => number)
    const utxos = await utxosByNumber(reader, numbers)
    yield* utxos.filter(({ spentPos }) => spentPos === undefined)
    const last = numbers.at(-1)
    if (last === undefined || rows.length < slice) return
    after = last
  }
}

const addressRows = statement(
  'select id, bytes from address where id > ? and length(bytes) = 20 order by id limit ?',
)

/** Owners ever seen, 20 bytes each, in order of first sight, at most `limit`. */
export async function everyAddress(
  reader: Reader,
  limit: number,
): Promise<{ readonly id: number; readonly address: Uint8Array }[]> {
  const rows = await reader.all(addressRows, [0, limit])
  return rows.map((row) => ({ id: row[0], address: row[1] }))
}

const stakerRows = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where s.pos > ? order by s.pos limit ?`,
)

/**
 * Staking periods of all states.
 *
 * @yields Each, oldest first.
 */
export async function* everyStaker(reader: Reader): AsyncGenerator<StoredStaker> {
  for (let after = -1; ;) {
    const stakers = await stakerRow.all(reader, stakerRows, [after, slice])
    yield* stakers
    const last = stakers.at(-1)
    if (last === undefined || stakers.length < slice) return
    after = last.pos
  }
}

/** A change of an L1 validation. */
const changeRow = storedRow(
  {
    l1Id: integer('c.l1_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    /**
     * The height from which sets of validators show it: what a proposal decides is shown with its
     * option, one height later.
     */
    height: integer(`c.height + case when b.type in (${proposalTypes.join()}) then 1 else 0 end`),
  },
  body('c.body', l1ChangeBody),
)
/** Such a change. */
export type ListedL1Change = RowOf<typeof changeRow>

const changeRows = changeRow.statement(
  (columns) => `select ${columns}
   from l1_change c join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   join primary_block b on b.id = c.height
   order by c.l1_id, c.height, c.pos`,
  { over: 'tables' },
)

/** Changes of all L1 validations, each validation's in order. */
export async function everyL1Change(reader: Reader): Promise<ListedL1Change[]> {
  return changeRow.all(reader, changeRows)
}

const cycleHeights = statement('select distinct height from cycle order by height')

/**
 * Heights from which sets of validators show what the end of a cycle did to a weight, ascending.
 */
export async function settledHeights(reader: Reader): Promise<number[]> {
  return (await reader.all(cycleHeights)).map(([height]) => height)
}

const assetRow = storedRow({
  assetId: bytes('asset_id'),
  name: text('name'),
  symbol: text('symbol'),
  denomination: integer('denomination'),
})
const assetRows = assetRow.statement(
  (columns) => `select ${columns} from asset where name is not null order by id`,
)

/** Assets whose creation is indexed. */
export async function everyAsset(reader: Reader): Promise<RowOf<typeof assetRow>[]> {
  return assetRow.all(reader, assetRows)
}

const supplyRows = statement('select subnet_id, amount from supply order by subnet_id')

/** Supplies by subnet, eight bytes each. */
export async function everySupply(
  reader: Reader,
): Promise<{ readonly subnetId: Uint8Array; readonly supply: Uint8Array }[]> {
  const rows = await reader.all(supplyRows)
  return rows.map(([subnetId, supply]) => ({
    subnetId,
    supply,
  }))
}

const progressRow = statement("select body from progress where chain = 'P'")

/** Fee state of L1 validators after the newest block, as it is stored. */
export async function feeState(reader: Reader): Promise<Uint8Array | undefined> {
  return (await reader.get(progressRow))?.[0]
}

const transactionRows = statement(
  'select pos, tx_id, body from primary_transaction where pos >= ? and pos < ? order by pos limit ?',
  { over: 'tables' },
)

/** Ids of transactions within places, oldest first. */
export async function transactionIds(
  reader: Reader,
  range: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<{ readonly pos: number; readonly txId: Uint8Array; readonly committed: boolean }[]> {
  const rows = await reader.all(transactionRows, [range.from, range.until, range.limit])
  return rows.map(([pos, txId, body]) => ({
    pos,
    txId,
    committed: txStart.fromStart(body).committed,
  }))
}
