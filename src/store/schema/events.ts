/**
 * Tables of events: the outbox in the store of each chain, written in the commit of its
 * blocks, and the store of webhooks, which every process of a deployment reads and writes.
 *
 * The outbox holds places only: what happened there is in the facts, which never change, and is read
 * when it is sent. Everything in it can be made again from the facts, so nothing sums it.
 */

import { table } from './table.ts'

/** Places in history that a webhook is notified of. `pos` as in the chain's other tables. */
export const outbox = table(
  'outbox',
  { webhook: 'integer', pos: 'integer' },
  { key: ['webhook', 'pos'], layout: 'keyed' },
)

/** Webhooks with rows in {@link outbox}, which are complete from place `since` on. */
export const outboxWebhook = table(
  'outbox_webhook',
  { webhook: 'integer', since: 'integer' },
  { key: ['webhook'], layout: 'rows' },
)

/**
 * Extent of the outbox, by ledger: all places before `until` are in it. `changes` counts the
 * commits that brought something, for those who wait for new events.
 */
export const outboxLedger = table(
  'outbox_ledger',
  { ledger: 'text', until: 'integer', changes: 'integer' },
  { key: ['ledger'], layout: 'keyed' },
)

/** The outbox of a chain. */
export const outboxTables = [outbox, outboxWebhook, outboxLedger] as const

/**
 * Webhooks. `number` names one in the outbox; `owner` is an API key's id, or empty where there are no
 * keys. `ledger`: see `webhookLedgers`. `active` 0: nothing is collected for it. `changed` grows with
 * each change of the row.
 */
export const webhook = table(
  'webhook',
  {
    number: 'integer',
    id: 'text',
    owner: 'text',
    store: 'text',
    ledger: 'text',
    active: 'integer',
    created_ms: 'integer',
    changed: 'integer',
    body: 'text',
  },
  {
    key: ['number'],
    layout: 'rows',
    indexes: [
      { name: 'webhook_by_id', columns: ['id'], unique: true },
      { name: 'webhook_by_owner', columns: ['owner', 'number'] },
    ],
  },
)

/**
 * Last delivery to each webhook. All places before `pos` are done, and `message_index` messages of `pos`
 * itself; the next one was tried `attempts` times and is due at `due_ms`. Messages before
 * `replay_until` were requested again. `dead`: messages given up in a row.
 */
export const webhookPlace = table(
  'webhook_place',
  {
    number: 'integer',
    pos: 'integer',
    message_index: 'integer',
    attempts: 'integer',
    due_ms: 'integer',
    replay_until: 'integer',
    dead: 'integer',
    problem: 'text?',
  },
  { key: ['number'], layout: 'rows' },
)

/** Messages that were given up. */
export const deadLetter = table(
  'dead_letter',
  {
    number: 'integer',
    pos: 'integer',
    message_index: 'integer',
    message_id: 'text',
    attempts: 'integer',
    failed_ms: 'integer',
    problem: 'text',
  },
  { key: ['number', 'pos', 'message_index'], layout: 'keyed' },
)

/** The secret that signs the messages of an owner: 64 hex digits. */
export const webhookSecret = table(
  'webhook_secret',
  { owner: 'text', secret: 'text' },
  { key: ['owner'], layout: 'keyed' },
)

/** One row, whose number grows with each change of what is to be collected. */
export const webhookVersion = table(
  'webhook_version',
  { id: 'integer', version: 'integer' },
  { key: ['id'], layout: 'rows' },
)

/** Name of the store of webhooks. */
export const webhookStore = 'webhooks'

/**
 * Exports of transactions that callers requested: `request` is the body they sent, `created` Unix
 * seconds. The rows themselves are read when the file is fetched.
 */
export const exportJob = table(
  'export_job',
  { id: 'text', owner: 'text', created: 'integer', request: 'text' },
  {
    key: ['id'],
    layout: 'keyed',
    indexes: [{ name: 'export_job_by_owner', columns: ['owner', 'created'] }],
  },
)

/** Its tables, beside those every store has. */
export const webhookTables = [
  webhook,
  webhookPlace,
  deadLetter,
  webhookSecret,
  webhookVersion,
  exportJob,
] as const
