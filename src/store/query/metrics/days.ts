import { statement, type Reader, type Row, type Value } from '../../engine/database.ts'

/**
 * What only days have. Sums in wei are big-endian bytes, since most series do not look at them;
 * `top…Ms` is 0 where no block could be measured.
 */
export type Day = {
  readonly start: number
  readonly lastMs: number
  readonly priceSum: Uint8Array
  readonly priceMax: Uint8Array
  readonly fees: Uint8Array
  readonly topTx: number
  readonly topTxMs: number
  readonly topGas: number
  readonly topGasMs: number
  readonly newAddresses: number
  readonly txCount: number
  readonly gasUsed: number
}

const allDays = statement(
  `select d.start, d.last_ms, d.price_sum, d.price_max, d.fees, d.top_tx, d.top_tx_ms, d.top_gas,
     d.top_gas_ms, d.new_addresses, r.tx_count, r.gas_used
   from rollup_day d join rollup r on r.unit = 1 and r.start = d.start
   order by d.start`,
)
const state = statement("select value from meta where name = 'rollup'")

/** Every day with blocks, oldest first. Cost: the whole table, 365 rows a year. */
export async function days(reader: Reader): Promise<Day[]> {
  return (await reader.all(allDays)).map(dayOf)
}

/** Time of the chain's first block in milliseconds, or `undefined` before there is one. */
export async function firstBlockMs(reader: Reader): Promise<number | undefined> {
  const [value] = (await reader.get(state)) ?? []
  if (typeof value !== 'string') return undefined
  const parsed: unknown = JSON.parse(value)
  const isState = typeof parsed === 'object' && parsed !== null && 'firstMs' in parsed
  return isState && typeof parsed.firstMs === 'number' && parsed.firstMs >= 0
    ? parsed.firstMs
    : undefined
}

function dayOf(row: Row): Day {
  const at = (place: number): number => Number(row[place] ?? 0)
  return {
    start: at(0),
    lastMs: at(1),
    priceSum: wide(row[2]),
    priceMax: wide(row[3]),
    fees: wide(row[4]),
    topTx: at(5),
    topTxMs: at(6),
    topGas: at(7),
    topGasMs: at(8),
    newAddresses: at(9),
    txCount: at(10),
    gasUsed: at(11),
  }
}

function wide(value: Value | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : nothing
}

const nothing = new Uint8Array(0)
