/**
 * Gauges for operators: one table, printed at `/ext/metrics` in the text format of Prometheus.
 *
 * Names are `firn_<part>_<what>_<unit>` in base units. Labels come from closed sets (chain, stage,
 * operation, code), never addresses or ids of users. To add one, add a row.
 */

import { createRequire } from 'node:module'

import type * as PromClient from 'prom-client'

import { CountSums, TimeSums } from './figure-sums.ts'

// The package as a whole loads much more: default metrics, a gateway's client, clusters.
const load = createRequire(import.meta.url)
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what its index has under this name
const Registry = load('prom-client/lib/registry.js') as typeof PromClient.Registry
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what its index has under this name
const Gauge = load('prom-client/lib/gauge.js') as typeof PromClient.Gauge

/** Upper bounds of histograms, 1 ms to 10 s: from a point read to a limit of the server. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Kind = 'gauge' | 'counter' | 'histogram'

type Row<K extends Kind = Kind, L extends string = string> = {
  readonly kind: K
  readonly help: string
  readonly labels: readonly L[]
}

const rowOf =
  <K extends Kind>(kind: K) =>
  <L extends string = never>(help: string, ...labels: readonly L[]): Row<K, L> => ({
    kind,
    help,
    labels,
  })
const [gauge, counter, histogram] = [rowOf('gauge'), rowOf('counter'), rowOf('histogram')] as const

/** Every gauge, counter and histogram of the product. */
export const gaugeTable = {
  firn_index_height: gauge('Last height a stage has committed.', 'chain', 'stage'),
  firn_index_head_height: gauge('Last accepted height the source gave.', 'chain', 'stage'),
  firn_index_stopped: gauge('1 while a chain is stopped and needs someone, else 0.', 'chain'),
  firn_index_unchecked_total: counter(
    'Blocks taken though their header, transactions or bloom could not be checked.',
    'chain',
    'check',
  ),
  firn_events_messages_total: counter(
    'Attempts to deliver messages of webhooks: delivered, failed, or dead after the last one.',
    'outcome',
  ),
  firn_primary_disagreed_blocks: gauge(
    'Blocks that another node proposed than was due by the schedule that Firn computes.',
    'network',
    'chain',
  ),
  firn_subnet_active_validators: gauge(
    'Active validators of a watched L1 (setting l1.watch).',
    'subnet',
  ),
  firn_subnet_balance_navax: gauge(
    'Balances of the validators of a watched L1 together.',
    'subnet',
  ),
  firn_subnet_lasts_seconds: gauge(
    'Time until the first active validator of a watched L1 has used up its balance; 0 without any.',
    'subnet',
  ),
  firn_store_size_bytes: gauge(
    'Bytes of a store: an embedded one with its write-ahead log, one on a server within the last minute.',
    'database',
  ),
  firn_api_requests_total: counter(
    'Requests answered by the data and metrics API.',
    'operation',
    'status',
  ),
  firn_api_thread_requests_total: counter(
    'Requests answered by each thread of the data API (setting api.workers); 1 is the main thread.',
    'thread',
  ),
  firn_api_request_seconds: histogram(
    'Time of a request from its headers to the last byte of the answer.',
    'operation',
  ),
  firn_api_turned_away_total: counter(
    'Requests that got no turn: refused (full), waited too long (late), or left by the caller (gone).',
    'lane',
    'outcome',
  ),
  firn_api_waiting_requests: gauge('Requests that wait for their turn.', 'lane'),
  firn_api_newest_blocks_readers: gauge(
    'Open streams of new blocks, those of the explorer above all.',
  ),
  firn_api_under_way_requests: gauge('Requests whose answer is being made.', 'lane'),
  firn_http_dropped_connections_total: counter(
    'Connections ended: too many of one address (connections), answers not taken (unsent, slow).',
    'listener',
    'reason',
  ),
  firn_http_unsent_bytes: gauge('Bytes of answers that callers have not taken yet.', 'listener'),
  firn_node_requests_total: counter('Requests answered by the node listener.', 'base', 'status'),
  firn_node_request_seconds: histogram('Time of a request on the node listener.', 'base'),
  firn_node_figures_age_seconds: gauge(
    'Age of the figures of this page: over a second when the main thread is busy.',
  ),
  firn_admin_calls_total: counter('Calls of the administration RPC.', 'method', 'outcome'),
  firn_warp_requests_total: counter(
    'Requests to aggregate signatures: signed, aborted by the caller, or the code of the fault.',
    'network',
    'outcome',
  ),
  firn_warp_request_seconds: histogram(
    'Time of a request to aggregate signatures, whatever came of it.',
    'network',
  ),
  firn_warp_answers_total: counter(
    'Outcomes of requests to validators: signed, cached (not sent), wrong, refused or silent.',
    'network',
    'kind',
  ),
  firn_warp_connected_peers: gauge('Validators our peer is connected to.', 'network'),
  firn_bucket_bytes_total: counter(
    'Bytes of files to and from the bucket of history.',
    'direction',
  ),
  firn_bucket_requests_total: counter(
    'Requests to the bucket: answered, sent again after a failure, or failed.',
    'outcome',
  ),
  firn_history_cache_files_total: counter(
    'Files of a bucket that were found on this disk, fetched, could not be had, or removed to make room.',
    'outcome',
  ),
  firn_lock_waits_total: counter('Waits for something inside the process.', 'lock'),
  firn_lock_wait_seconds_total: counter('Time spent in these waits.', 'lock'),
  firn_process_resident_bytes: gauge('Resident memory.'),
  firn_process_heap_used_bytes: gauge('Used heap of the main thread.'),
  firn_process_cpu_seconds_total: counter('User and system CPU time of all threads.'),
  firn_process_loop_delay_seconds: gauge(
    'Delay of the main event loop over the last interval.',
    'quantile',
  ),
}

type Table = typeof gaugeTable

/** Names of one kind. */
export type NameOf<K extends Kind> = {
  [Name in keyof Table]: Table[Name]['kind'] extends K ? Name : never
}[keyof Table]

/** The labels a row demands. */
export type LabelsOf<Name extends keyof Table> = Record<Table[Name]['labels'][number], string>

/** Where the product writes its numbers. */
export type Gauges = {
  readonly set: <Name extends NameOf<'gauge'>>(
    name: Name,
    value: number,
    labels: LabelsOf<Name>,
  ) => void
  /** Adds to a counter; `amount` is never negative. */
  readonly add: <Name extends NameOf<'counter'>>(
    name: Name,
    amount: number,
    labels: LabelsOf<Name>,
  ) => void
  readonly observe: <Name extends NameOf<'histogram'>>(
    name: Name,
    value: number,
    labels: LabelsOf<Name>,
  ) => void
  /** Called before each reading: for what is cheaper to read on request than to follow. */
  readonly onRead: (refresh: () => void) => void
  /** All of it as Prometheus text. */
  readonly text: () => Promise<string>
  /** Content type of {@link Gauges.text}. */
  readonly contentType: string
}

/** Fresh gauges, all at zero. */
export function createGauges(): Gauges {
  const registry = new Registry()
  const gauges = new Map<string, PromClient.Gauge>()
  const counters = new Map<string, CountSums>()
  const histograms = new Map<string, TimeSums>()
  const refreshes: (() => void)[] = []
  for (const [name, row] of Object.entries<Row>(gaugeTable)) {
    const options = { name, help: row.help, labelNames: [...row.labels], registers: [registry] }
    if (row.kind === 'gauge') gauges.set(name, new Gauge(options))
    else if (row.kind === 'counter') counters.set(name, new CountSums(row.labels))
    else histograms.set(name, new TimeSums(row.labels, requestSeconds))
  }
  return {
    set: (name, value, labels) => gauges.get(name)?.set(labels, value),
    add: (name, amount, labels) => counters.get(name)?.add(labels, amount),
    observe: (name, value, labels) => histograms.get(name)?.observe(labels, value),
    onRead: (refresh) => {
      refreshes.push(refresh)
    },
    text: async () => {
      for (const refresh of refreshes) refresh()
      const sums = Object.entries<Row>(gaugeTable).flatMap(
        ([name, { help }]) => (counters.get(name) ?? histograms.get(name))?.text(name, help) ?? [],
      )
      return `${await registry.metrics()}\n${sums.join('\n')}`
    },
    contentType: registry.contentType,
  }
}

// Figures of several threads as one page: what two of them counted under the same name and labels is
// added up.
//
// Source of the form: Prometheus, exposition formats, text format 0.0.4.

/** `own` with the pages of other threads, as `others` gives them, added when it is read. */
export function joinedGauges(own: Gauges, others: () => Promise<readonly string[]>): Gauges {
  return { ...own, text: async () => sumOfTexts([await own.text(), ...(await others())]) }
}

/** The sums of all samples, in the order in which they were met first. */
function sumOfTexts(texts: readonly string[]): string {
  const [first = ''] = texts
  if (texts.length < 2) return first
  const families = new Map<string, Map<string, number>>()
  for (const text of texts) {
    let samples = new Map<string, number>()
    for (const line of text.split('\n')) {
      if (line === '') continue
      if (line.startsWith('# HELP ')) {
        samples = families.get(line) ?? new Map()
        families.set(line, samples)
      } else if (line.startsWith('#')) {
        // The type of a family: it has no samples under its name, and is printed as it is.
        samples.set(line, Number.NaN)
      } else {
        const cut = line.lastIndexOf(' ')
        const sample = line.slice(0, cut)
        samples.set(sample, (samples.get(sample) ?? 0) + Number(line.slice(cut + 1)))
      }
    }
  }
  const lines = [...families].flatMap(([help, samples]) => [
    help,
    ...[...samples].map(([sample, sum]) => (sample.startsWith('#') ? sample : `${sample} ${sum}`)),
  ])
  return `${lines.join('\n')}\n`
}
