/** Random filters of `eth_getLogs`, sent to a node and to Firn: valid ones, and those that nodes refuse. */

import { drawsOf } from '../processes/draws.ts'

/** Any value of JSON: filters are wrong in every way. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

/** Filters of a run: `TEST_FILTERS`, else few. */
export const filterCount = Number(process.env['TEST_FILTERS'] ?? 400)

const atOnce = 40
const hexOf = (value: number): string => `0x${value.toString(16)}`

/** Answers of a server to calls of one batch, as texts. */
async function answersOf(url: string, filters: readonly Json[]): Promise<readonly string[]> {
  const calls = filters.map((filter, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getLogs',
    params: [filter],
  }))
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
    signal: AbortSignal.timeout(60_000),
  })
  const answers: Json = await reply.json()
  return answers.map(({ id, result, error }: Json) => JSON.stringify({ id, result, error }))
}

/** A filter drawn from the logs and blocks of a chain; one in eight is of a kind that is the node's to answer. */
function drawn(below: (limit: number) => number, logs: readonly Json[], head: number): Json {
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const log = (): Json => one(logs)
  const unknown = `0x${'ab'.repeat(32)}`
  const topicAt = (place: number): string => log().topics[place] ?? unknown
  const [from = 0, to = 0] = [below(head + 1), below(head + 1)].toSorted((a, b) => a - b)
  const range = one<Json>([
    { fromBlock: hexOf(from), toBlock: hexOf(to) },
    { fromBlock: hexOf(from), toBlock: hexOf(to) },
    { fromBlock: 'earliest', toBlock: hexOf(to) },
    { fromBlock: hexOf(from), toBlock: 'latest' },
    { fromBlock: hexOf(from) },
  ])
  const contracts = Array.from({ length: below(4) }, () => log().address)
  const address = one<Json>([
    undefined,
    log().address,
    contracts,
    [...contracts, unknown.slice(0, 42)],
  ])
  const topics = Array.from({ length: below(5) }, (_, place) =>
    one<Json>([null, topicAt(place), [topicAt(place), topicAt(place)], [unknown, topicAt(place)]]),
  )
  const odd = one<Json>([
    { fromBlock: hexOf(to + 1), toBlock: hexOf(from) },
    { toBlock: hexOf(head + 1 + below(9)) },
    { fromBlock: hexOf(head + 1 + below(9)) },
    { fromBlock: '0x01' },
    { fromBlock: '17' },
    { fromBlock: 'finalized', toBlock: 'latest' },
    { fromBlock: undefined, toBlock: undefined, blockHash: log().blockHash },
    { fromBlock: undefined, toBlock: undefined, blockHash: unknown },
    { blockHash: log().blockHash },
    { topics: [null, null, null, null] },
    { topics: [unknown, unknown, unknown, unknown, unknown] },
    { topics: ['0x12'] },
    { topics: 'any' },
    { address: '0x12' },
    { address: [] },
    { topics: [[]] },
  ])
  const filter = { ...range, address, topics }
  return below(8) === 0 ? { ...filter, ...odd } : filter
}

/**
 * Asks `count` filters of both addresses of one chain that stands still. Returns those that were answered
 * differently, and how many had logs.
 */
export async function comparedFilters(
  node: string,
  own: string,
  { seed, count = filterCount }: { readonly seed: number; readonly count?: number },
): Promise<{ readonly different: readonly string[]; readonly withLogs: number }> {
  const { below } = drawsOf(seed)
  const [all] = await answersOf(node, [{ fromBlock: 'earliest', toBlock: 'latest' }])
  const logs: Json = JSON.parse(all ?? '').result
  const head = Math.max(...logs.map(({ blockNumber }: Json) => Number(blockNumber)))
  const different: string[] = []
  let withLogs = 0
  for (let left = count; left > 0; left -= atOnce) {
    const filters = Array.from({ length: Math.min(left, atOnce) }, () => drawn(below, logs, head))
    const [theirs, ours] = await Promise.all([answersOf(node, filters), answersOf(own, filters)])
    for (const [at, filter] of filters.entries()) {
      if (theirs[at]?.includes('"blockHash"') === true) withLogs++
      if (theirs[at] !== ours[at])
        different.push(`${JSON.stringify(filter)}\n node: ${theirs[at]}\n firn: ${ours[at]}`)
    }
  }
  return { different, withLogs }
}
