/** Webhooks of a deployment: who registered them, and what of them is to be collected. */

import { assert } from '../../../core/fault.ts'
import { type Reader, statement, type Writer } from '../../engine/database.ts'
import { webhook as webhookTable, webhookSecret, webhookVersion } from '../../schema/events.ts'
import { flag, integer, mapped, type RowOf, storedRow, text } from '../stored-row.ts'
import { type Watch, type WatchedText, watchedOf, webhookLedgers } from './watch.ts'

/** Kinds of events, as the clients name them. */
const webhookEvents = [
  'address_activity',
  'primary_network_address_activity',
  'validator_activity',
] as const
/** One of {@link webhookEvents}. */
export type WebhookEvent = (typeof webhookEvents)[number]

/** An event as the caller named it, and the topics of its logs in hex; `null`: any. */
export type WatchedEvent = {
  readonly name: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
  readonly topics: readonly (string | null)[]
}

/** Fields of a webhook that no question filters or sorts by. */
export type WebhookBody = {
  readonly eventType: WebhookEvent
  /** Empty: it is only listened to. */
  readonly url: string
  /** Of a chat service that takes no other. */
  readonly format?: 'slack' | 'discord' | 'telegram' | undefined
  readonly name: string
  readonly description: string
  /** As the caller named it: a decimal EVM chain id, or `p-chain` or `x-chain`. */
  readonly chainId: string
  readonly network?: 'mainnet' | 'fuji'
  /** Event signatures, topics of 32 bytes in hex; empty: all transactions. */
  readonly eventSignatures: readonly string[]
  /** Only transactions in which a watched address logged this event. */
  readonly event?: WatchedEvent | undefined
  readonly includeInternalTxs: boolean
  readonly includeLogs: boolean
  /** Sub-events wanted; empty where there are none. */
  readonly subEvents: readonly string[]
  readonly balance?: { readonly type: string; readonly threshold: string } | undefined
  /** The watched addresses, or one node or subnet, as shown; empty on EVM chains. */
  readonly keys: readonly string[]
  /** The nodes or subnets that narrow it, as they are shown. */
  readonly only: readonly string[]
  readonly watched: WatchedText
}

const webhookRow = storedRow({
  number: integer('number'),
  /** A UUID. */
  id: text('id'),
  /** Id of an API key; empty where there are no keys. */
  owner: text('owner'),
  /** Key of the store whose blocks it reports. */
  store: text('store'),
  ledger: mapped(text('ledger'), (text) => {
    const ledger = webhookLedgers.find((one) => one === text)
    assert(ledger !== undefined, 'only ledgers of the list are written')
    return ledger
  }),
  active: flag('active'),
  createdMs: integer('created_ms'),
  /** Grows with each change of the row. */
  changed: integer('changed'),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this file alone
  body: mapped(text('body'), (json) => JSON.parse(json) as WebhookBody),
})
/** One webhook. */
export type Webhook = RowOf<typeof webhookRow>

const byId = webhookRow.statement((columns) => `select ${columns} from webhook where id = ?`)
const ofOwner = webhookRow.statement(
  (columns) => `select ${columns} from webhook
   where owner = ? and number < ? and (? < 0 or active = ?) order by number desc limit ?`,
)
const ofStore = webhookRow.statement(
  (columns) => `select ${columns} from webhook where store = ? and active = 1`,
)
const allActive = webhookRow.statement(
  (columns) =>
    `select ${columns} from webhook where active = 1 and number > ? order by number limit ?`,
)
const countOf = statement('select count(*) from webhook where owner = ?')
const highest = statement('select coalesce(max(number), 0) from webhook')
const versionNow = statement('select version from webhook_version where id = 1')
const replace = statement(
  'update webhook set active = ?, ledger = ?, body = ?, changed = changed + 1 where number = ? and changed = ?',
)
const touch = statement('update webhook set changed = changed where number = ? and changed = ?')
const renumbers = ['webhook', 'webhook_place', 'dead_letter'].map((name) =>
  statement(`update ${name} set number = ? where number = ?`),
)
const oldestInactive = statement(
  'select number from webhook where owner = ? and active = 0 order by number limit 1',
)
const removals = ['webhook', 'webhook_place', 'dead_letter'].map((name) =>
  statement(`delete from ${name} where number = ?`),
)
const secretOf = statement('select secret from webhook_secret where owner = ?')

/** The webhook with an id. */
export async function webhookById(reader: Reader, id: string): Promise<Webhook | undefined> {
  return webhookRow.first(reader, byId, [id])
}

/** Webhooks of an owner, newest first. `active` undefined: all. One range of an index. */
export async function webhooksOf(
  reader: Reader,
  query: {
    readonly owner: string
    readonly active?: boolean | undefined
    readonly after: number | undefined
    readonly limit: number
  },
): Promise<Webhook[]> {
  const active = query.active === undefined ? -1 : Number(query.active)
  const before = query.after ?? Number.MAX_SAFE_INTEGER
  return webhookRow.all(reader, ofOwner, [query.owner, before, active, active, query.limit])
}

/** Returns the number of an owner's webhooks, inactive ones included. */
export async function countWebhooks(reader: Reader, owner: string): Promise<number> {
  return Number((await reader.get(countOf, [owner]))?.[0])
}

/** Removes the oldest inactive webhook of an owner. Returns false where there is none. */
export async function removeOldestInactive(writer: Writer, owner: string): Promise<boolean> {
  const [number] = (await writer.get(oldestInactive, [owner])) ?? []
  if (number === undefined) return false
  for (const removal of removals) await writer.run(removal, [number])
  await nextVersion(writer)
  return true
}

/** Active webhooks after number `after`, in their order. */
export async function activeWebhooks(
  reader: Reader,
  after: number,
  limit: number,
): Promise<Webhook[]> {
  return webhookRow.all(reader, allActive, [after, limit])
}

/** Watches on the blocks of a store. */
export async function watchesOf(reader: Reader, store: string): Promise<Watch[]> {
  return (await webhookRow.all(reader, ofStore, [store])).map(watchOf)
}

/** A webhook as the indexing threads see it. */
export function watchOf({ number, ledger, body }: Webhook): Watch {
  return { number, ledger, watched: watchedOf(body.watched) }
}

/** A number that grows whenever what is to be collected changed. One seek. */
export async function webhooksVersion(reader: Reader): Promise<number> {
  return (await reader.get(versionNow))?.[0] ?? 0
}

/** Adds a webhook and gives its number. */
export async function addWebhook(
  writer: Writer,
  added: Omit<Webhook, 'number' | 'changed'>,
): Promise<number> {
  const number = Number((await writer.get(highest))?.[0]) + 1
  await writer.insert(webhookTable, {
    number: [number],
    id: [added.id],
    owner: [added.owner],
    store: [added.store],
    ledger: [added.ledger],
    active: [added.active ? 1 : 0],
    created_ms: [added.createdMs],
    changed: [1],
    body: [JSON.stringify(added.body)],
  })
  await nextVersion(writer)
  return number
}

/** Changes a webhook. Returns false when it was changed since it was read. */
export async function changeWebhook(writer: Writer, now: Webhook): Promise<boolean> {
  const { number, active, ledger, changed, body } = now
  const values = [active ? 1 : 0, ledger, JSON.stringify(body), number, changed]
  if ((await writer.run(replace, values)) !== 1) return false
  await nextVersion(writer)
  return true
}

/** Returns whether a webhook is unchanged since it was read; it stays so in this transaction. */
export async function isUnchanged(
  writer: Writer,
  { number, changed }: Pick<Webhook, 'number' | 'changed'>,
): Promise<boolean> {
  return (await writer.run(touch, [number, changed])) === 1
}

/** Gives a webhook another number, so that its events are collected anew. Returns the number. */
export async function renumberWebhook(writer: Writer, number: number): Promise<number> {
  const next = Number((await writer.get(highest))?.[0]) + 1
  for (const renumber of renumbers) await writer.run(renumber, [next, number])
  await nextVersion(writer)
  return next
}

/** Secret of an owner, 64 hex digits. */
export async function secretOfOwner(reader: Reader, owner: string): Promise<string | undefined> {
  return (await reader.get(secretOf, [owner]))?.[0]
}

/** Sets the secret of an owner; the one before is forgotten. */
export async function setSecret(writer: Writer, owner: string, secret: string): Promise<void> {
  await writer.upsert(webhookSecret, { owner: [owner], secret: [secret] })
}

async function nextVersion(writer: Writer): Promise<void> {
  const version = (await webhooksVersion(writer)) + 1
  await writer.upsert(webhookVersion, { id: [1], version: [version] })
}
