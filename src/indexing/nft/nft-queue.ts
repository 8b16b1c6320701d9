/** Tokens whose URIs are to be read, and the outcomes. */

import { fromBigint, toBigint } from '../../core/bytes.ts'
import { type NftFields, type NftStatus, placeOfStatus } from '../../core/nft-status.ts'
import {
  type Reader,
  type AnswerRow,
  statement,
  type Value,
  type Writer,
} from '../../store/engine/database.ts'
import { nameIn, nameKey } from '../../store/query/search/nfts-named.ts'
import { nftMetadata, nftRange, nftToken } from '../../store/schema/nft.ts'

/** A token whose URI is to be read. */
export type NftItem = {
  readonly contractId: number
  /** 20 bytes. */
  readonly contract: Uint8Array
  readonly standard: 721 | 1155
  readonly item: bigint
  /** Failures in a row before this attempt. */
  readonly attempts: number
}

/** Result of one attempt. */
export type NftResult = {
  readonly of: NftItem
  readonly uri: string
  readonly status: NftStatus
  readonly fields: NftFields
  /** Unix seconds of the next attempt; absent for never. */
  readonly due?: number
  readonly attempts: number
}

/** Tokens of one range whose URIs are read: most collections are smaller. */
const maxReadOfRange = 10_000

const dueNow = statement(
  `select m.contract_id, a.bytes, m.standard, m.item, m.attempts
   from nft_metadata m join address a on a.id = m.contract_id
   where m.due is not null and m.due <= ? order by m.due limit ?`,
)
const unread = statement(
  `select t.contract_id, a.bytes, t.standard, t.item, 0
   from nft_token t join address a on a.id = t.contract_id
   where t.uris_read = 0 order by t.contract_id, t.standard, t.item limit ?`,
)
const unreadRange = statement(
  `select r.contract_id, a.bytes, r.first_item, r.last_item, r.uris_read
   from nft_range r join address a on a.id = r.contract_id
   where r.uris_read >= 0 order by r.contract_id, r.first_item limit 1`,
)

/** Tokens to read in one round, and how to note that they were. */
export type NftRound = {
  readonly items: readonly NftItem[]
  readonly done: (writer: Writer) => Promise<void>
}

/** The next tokens: those due again, else new ones, else those of ranges. */
export async function nextRound(
  store: Reader,
  nowSeconds: number,
  limit: number,
): Promise<NftRound> {
  const again = await store.all(dueNow, [nowSeconds, limit])
  if (again.length > 0) return { items: again.map(itemOfRow), done: async () => {} }
  const fresh = (await store.all(unread, [limit])).map(itemOfRow)
  if (fresh.length > 0) return { items: fresh, done: (writer) => markRead(writer, fresh) }
  const range = await store.get(unreadRange)
  return range === undefined ? { items: [], done: async () => {} } : roundOfRange(range, limit)
}

/** Writes what attempts found out. `nowSeconds` becomes the time of the last attempt. */
export async function writeResults(
  writer: Writer,
  results: readonly NftResult[],
  nowSeconds: number,
): Promise<void> {
  const column = (value: (result: NftResult) => Value): Value[] => results.map(value)
  await writer.upsert(nftMetadata, {
    contract_id: column(({ of }) => of.contractId),
    standard: column(({ of }) => of.standard),
    item: column(({ of }) => itemBytes(of.item)),
    uri: column(({ uri }) => uri),
    status: column(({ status }) => placeOfStatus(status)),
    updated: column(() => nowSeconds),
    attempts: column(({ attempts }) => attempts),
    due: column(({ due }) => due ?? null),
    fields: column(({ fields }) => JSON.stringify(fields)),
    name: column(({ fields: { name = '' } }) => nameKey(name)),
  })
}

const unnamed = statement(
  'select contract_id, standard, item, fields from nft_metadata where name is null limit ?',
)

/** Fills the names of up to `limit` rows of before there were any; returns how many it filled. */
export async function nameOlder(
  store: Reader,
  commit: (work: (writer: Writer) => Promise<void>) => Promise<void>,
  limit: number,
): Promise<number> {
  const rows = await store.all(unnamed, [limit])
  if (rows.length > 0)
    await commit(async (writer) =>
      writer.update(nftMetadata, {
        contract_id: rows.map(([contractId]) => contractId),
        standard: rows.map(([, standard]) => standard),
        item: rows.map(([, , item]) => item),
        name: rows.map(([, , , fields]) => nameKey(nameIn(fields) ?? '')),
      }),
    )
  return rows.length
}

/** A token id as the tables have it. */
export function itemBytes(item: bigint): Uint8Array {
  return fromBigint(item, 32)
}

async function markRead(writer: Writer, items: readonly NftItem[]): Promise<void> {
  await writer.update(nftToken, {
    contract_id: items.map(({ contractId }) => contractId),
    standard: items.map(({ standard }) => standard),
    item: items.map(({ item }) => itemBytes(item)),
    uris_read: items.map(() => 1),
  })
}

function roundOfRange(row: AnswerRow<typeof unreadRange>, limit: number): NftRound {
  const [contractId, contract, first, last, urisRead] = row
  const begin = toBigint(first)
  const end = toBigint(last)
  const items: NftItem[] = []
  for (let item = begin + BigInt(urisRead); item <= end && items.length < limit; item++)
    items.push({ contractId, contract, standard: 721, item, attempts: 0 })
  const next = urisRead + items.length
  const isOver = begin + BigInt(next) > end || next >= maxReadOfRange
  return {
    items,
    done: async (writer) => {
      await writer.update(nftRange, {
        contract_id: [contractId],
        first_item: [first],
        uris_read: [isOver ? -1 : next],
      })
    },
  }
}

function itemOfRow(row: AnswerRow<typeof unread>): NftItem {
  const [contractId, contract, standard, item, attempts] = row
  return {
    contractId,
    contract,
    standard: standard === 1155 ? 1155 : 721,
    item: toBigint(item),
    attempts,
  }
}
