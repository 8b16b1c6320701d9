/**
 * Everything of one kind, for comparing a store with a node. Not for answers: each reads a whole
 * table, in slices of the key.
 */

import { type Reader, statement } from '../../engine/database.ts'
import { l1ChangeBody, type L1ChangeBody, txStart } from '../../schema/primary-bodies.ts'
import { utxosOfRow } from '../../schema/primary-utxo.ts'
import { stakerColumns, stakerOf, type StoredStaker } from './staker-rows.ts'
import { bytes, type StoredUtxo, utxosByNumber } from './utxo-rows.ts'

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
    const made = rows.flatMap(([last, body]) => utxosOfRow(Number(last), bytes(body)))
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
  return rows.map(([id, address]) => ({ id: Number(id), address: bytes(address) }))
}

const stakerRows = statement(
  `select ${stakerColumns} from staker s join node n on n.id = s.node
   where s.pos > ? order by s.pos limit ?`,
)

/**
 * Staking periods of all states.
 *
 * @yields Each, oldest first.
 */
export async function* everyStaker(reader: Reader): AsyncGenerator<StoredStaker> {
  for (let after = -1; ;) {
    const stakers = (await reader.all(stakerRows, [after, slice])).map(stakerOf)
    yield* stakers
    const last = stakers.at(-1)
    if (last === undefined || stakers.length < slice) return
    after = last.pos
  }
}

/** A change of an L1 validation; `height`: from which sets of validators show it. */
export type ListedL1Change = L1ChangeBody & {
  readonly l1Id: number
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly height: number
}

// What a proposal decides is shown with its option, one height later (types: Apricot's, Banff's).
const changeRows = statement(
  `select c.l1_id, c.height + case when b.type in (0, 29) then 1 else 0 end,
     l.subnet_id, n.bytes, c.body
   from l1_change c join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   join block b on b.id = c.height
   order by c.l1_id, c.height, c.pos`,
)

/** Changes of all L1 validations, each validation's in order. */
export async function everyL1Change(reader: Reader): Promise<ListedL1Change[]> {
  const rows = await reader.all(changeRows)
  return rows.map(([l1Id, height, subnetId, nodeId, body]) => ({
    ...l1ChangeBody.fromBytes(bytes(body)),
    l1Id: Number(l1Id),
    height: Number(height),
    subnetId: bytes(subnetId),
    nodeId: bytes(nodeId),
  }))
}

const cycleHeights = statement('select distinct height from cycle order by height')

/** Heights from which sets of validators show what the end of a cycle did to a weight, ascending. */
export async function settledHeights(reader: Reader): Promise<number[]> {
  return (await reader.all(cycleHeights)).map(([height]) => Number(height))
}

const assetRows = statement(
  'select asset_id, name, symbol, denomination from asset where name is not null order by id',
)

/** Assets whose creation is indexed. */
export async function everyAsset(reader: Reader): Promise<
  {
    readonly assetId: Uint8Array
    readonly name: string
    readonly symbol: string
    readonly denomination: number
  }[]
> {
  const rows = await reader.all(assetRows)
  return rows.map(([assetId, name, symbol, denomination]) => ({
    assetId: bytes(assetId),
    name: String(name),
    symbol: String(symbol),
    denomination: Number(denomination),
  }))
}

const supplyRows = statement('select subnet_id, amount from supply order by subnet_id')

/** Supplies by subnet, eight bytes each. */
export async function everySupply(
  reader: Reader,
): Promise<{ readonly subnetId: Uint8Array; readonly supply: Uint8Array }[]> {
  const rows = await reader.all(supplyRows)
  return rows.map(([subnetId, supply]) => ({ subnetId: bytes(subnetId), supply: bytes(supply) }))
}

const progressRow = statement("select body from progress where chain = 'P'")

/** Fee state of L1 validators after the newest block, as it is stored. */
export async function feeState(reader: Reader): Promise<Uint8Array | undefined> {
  const row = await reader.get(progressRow)
  return row === undefined ? undefined : bytes(row[0])
}

const transactionRows = statement(
  'select pos, tx_id, body from tx where pos >= ? and pos < ? order by pos limit ?',
)

/** Ids of transactions within places, oldest first. */
export async function transactionIds(
  reader: Reader,
  range: { readonly from: number; readonly until: number; readonly limit: number },
): Promise<{ readonly pos: number; readonly txId: Uint8Array; readonly committed: boolean }[]> {
  const rows = await reader.all(transactionRows, [range.from, range.until, range.limit])
  return rows.map(([pos, txId, body]) => ({
    pos: Number(pos),
    txId: bytes(txId),
    committed: txStart.fromStart(bytes(body)).committed,
  }))
}
