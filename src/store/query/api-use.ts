/** Use of the API by callers, summed over the processes of a deployment. */

import { type Database, type Reader, statement } from '../engine/database.ts'
import { apiKeyUse } from '../schema/deployment.ts'

/** Units used in one minute and one day, by the numbers of these windows. */
export type Use = {
  readonly minute: number
  readonly minuteUsed: number
  readonly day: number
  readonly dayUsed: number
}

/** Use that one process adds. */
export type AddedUse = Use & { readonly caller: string }

// A window that is over here counts no more there; one that is older adds nothing.
const add = statement(
  `insert into api_use (caller, minute, minute_used, day, day_used) values (?, ?, ?, ?, ?)
   on conflict (caller) do update set
     minute_used = case when excluded.minute = api_use.minute
       then api_use.minute_used + excluded.minute_used
       when excluded.minute > api_use.minute then excluded.minute_used
       else api_use.minute_used end,
     minute = case when excluded.minute > api_use.minute
       then excluded.minute else api_use.minute end,
     day_used = case when excluded.day = api_use.day then api_use.day_used + excluded.day_used
       when excluded.day > api_use.day then excluded.day_used else api_use.day_used end,
     day = case when excluded.day > api_use.day then excluded.day else api_use.day end`,
)
const read = statement('select minute, minute_used, day, day_used from api_use where caller = ?')
const forget = statement('delete from api_use where day < ?')
const lastUses = statement('select id, used_at from api_key_use')

/**
 * Adds what was used and gives, for each in its order, what all processes used together. Rows of
 * days before `today` are removed. Cost: two statements per caller.
 */
export function addUse(
  store: Database,
  added: readonly AddedUse[],
  today: number,
): Promise<readonly Use[]> {
  return store.transaction(async (writer) => {
    const sums: Use[] = []
    // In one order, so that two processes never wait for each other's rows.
    for (const { caller, minute, minuteUsed, day, dayUsed } of added) {
      await writer.run(add, [caller, minute, minuteUsed, day, dayUsed])
      const row = (await writer.get(read, [caller])) ?? []
      const [m, mu, d, du] = row.map(Number)
      sums.push({
        minute: m ?? minute,
        minuteUsed: mu ?? minuteUsed,
        day: d ?? day,
        dayUsed: du ?? dayUsed,
      })
    }
    await writer.run(forget, [today])
    return sums
  })
}

/** Keeps when keys were used: Unix seconds by key id. */
export function storeKeyUses(store: Database, uses: ReadonlyMap<string, number>): Promise<void> {
  return store.transaction(async (writer) => {
    await writer.upsert(apiKeyUse, { id: [...uses.keys()], used_at: [...uses.values()] })
  })
}

/** When each key was last used, Unix seconds by key id. */
export async function keyUses(store: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(lastUses)
  return new Map(rows.map(([id, usedAt]) => [String(id), Number(usedAt)]))
}
