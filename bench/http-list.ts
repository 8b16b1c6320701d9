/**
 * Lists by address over HTTP from the embedded store: requests a second, latency, processor.
 *
 *     node bench/http-list.ts [blocks] [folder] [rounds] [cases]
 *
 * One server thread as in the product; another thread keeps eight connections busy. The made-up
 * chain is ingested first, into `folder` when one is given, where the next run finds it.
 * `cases` is a pattern of the names of those that are measured. `cpu` is the server thread's processor time per request: it stays true on a busy machine. The
 * lists are divided by a bare `node:http` server that sends the same bytes, in the same round.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createBareServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { StateReader } from '../src/api/operation/chain-directory.ts'
import { Fault } from '../src/core/fault.ts'
import type { Database } from '../src/store/engine/database.ts'
import { holders, type Load, listServer, loaded, openBenchChain } from './list-server.ts'

const blocks = Number(process.argv[2] ?? 4_000)
const given = process.argv[3]
const rounds = Number(process.argv[4] ?? 1)
const only = new RegExp(process.argv[5] ?? '')
const folder = given ?? mkdtempSync(join(tmpdir(), 'firn-bench-'))
const seconds = 3

/** A case: its name, where it is asked and what it is divided by. */
type Case = { readonly name: string; readonly urls: readonly URL[]; readonly by?: string }

const none = async (): Promise<never> => {
  throw new Fault('not-served', 'no node here')
}
const bareName = 'bare node:http, same bytes'
const warmName = 'erc20, busiest address'

/** A node that answers at once: what is measured is ours. */
const state: StateReader = {
  balance: async () => 10n ** 18n,
  code: none,
  call: none,
  storage: none,
  tried: none,
  calls: async (asked) => asked.map(() => new Uint8Array(32).fill(1, 31)),
}

try {
  const store = await openBenchChain(folder, blocks)
  await measure(store)
  await store.close()
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
}

async function measure(store: Database): Promise<void> {
  const warm = listServer({ store, state })
  const cold = listServer({ store, state, cold: true })
  const url = await warm.listen('127.0.0.1', 0)
  const coldUrl = await cold.listen('127.0.0.1', 0)
  const bare = await bareServer(url)
  const micros = new Map<string, number[]>()
  const cases = await casesOf(store, { url, coldUrl, bareUrl: bare.url })
  for (let round = 0; round < rounds; round++) {
    for (const { name, urls, by } of cases) {
      if (!only.test(name)) continue
      const { load, spent } = await loaded(urls, seconds)
      const cost = (spent.user + spent.system) / load.requests
      micros.set(name, [...(micros.get(name) ?? []), cost])
      report(name, load, cost)
      const base = by === undefined ? undefined : micros.get(by)?.at(-1)
      if (base !== undefined) console.log(`    ${(cost / base).toFixed(2)} x ${by}`)
    }
  }
  await bare.close()
  await cold.close()
  await warm.close()
}

async function casesOf(
  store: Database,
  at: { readonly url: string; readonly coldUrl: string; readonly bareUrl: string },
): Promise<Case[]> {
  const erc20 = (address: string): string =>
    `/v1/chains/1/addresses/${address}/transactions:listErc20`
  const [first = ''] = await holders(store, 'desc')
  const spread = await holders(store, 'spread')
  const list = new URL(erc20(first), at.url)
  const held = await heldContracts(list)
  const balances = `/v1/chains/1/addresses/${first}/balances:listErc20?contractAddresses=${held}`
  const spreadName = 'erc20, 2,000 addresses'
  return [
    { name: bareName, urls: [new URL(erc20(first), at.bareUrl)] },
    { name: warmName, urls: [list], by: bareName },
    { name: 'balances, one contract', urls: [new URL(balances, at.url)], by: warmName },
    { name: spreadName, urls: spread.map((each) => new URL(erc20(each), at.url)) },
    {
      name: 'the same, each page cold',
      urls: spread.map((each) => new URL(erc20(each), at.coldUrl)),
      by: spreadName,
    },
    {
      name: 'native, 2,000 addresses',
      urls: spread.map(
        (each) => new URL(`/v1/chains/1/addresses/${each}/transactions:listNative`, at.url),
      ),
    },
    { name: 'latest transactions', urls: [new URL('/v1/chains/1/transactions', at.url)] },
    { name: 'live-check', urls: [new URL('/v1/live-check', at.url)] },
    { name: 'erc20, page 1', urls: [new URL(`${list.href}?pageSize=1`)] },
    { name: 'erc20, page 4,000', urls: [await deepPage(list, 4_000)] },
  ]
}

/** Sends what `url` sends for a path, made once. */
async function bareServer(
  url: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const bodies = new Map<string, Buffer>()
  const server = createBareServer((request, response) => {
    const path = request.url ?? ''
    const known = bodies.get(path)
    const send = (body: Buffer): void => {
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      response.end(body)
    }
    if (known !== undefined) return send(known)
    void fetch(url + path)
      .then((reply) => reply.arrayBuffer())
      .then((bytes) => {
        const body = Buffer.from(bytes)
        bodies.set(path, body)
        send(body)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function report(name: string, { requests, bytes, latencies }: Load, cpuMicros: number): void {
  const sorted = latencies.toSorted()
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  console.log(
    `${name.padEnd(26)} ${String(Math.round(requests / seconds)).padStart(7)} requests/s  ` +
      `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  cpu ${cpuMicros.toFixed(1)} us  ` +
      `${Math.round(bytes / requests)} B`,
  )
}

/** The token of the newest transfer of a list. */
async function heldContracts(list: URL): Promise<string> {
  const body: { transactions: { erc20Token: { address: string } }[] } = JSON.parse(
    await (await fetch(list)).text(),
  )
  return body.transactions[0]?.erc20Token.address ?? ''
}

/** Walks to a page of one item. */
async function deepPage(list: URL, page: number): Promise<URL> {
  let at = new URL(`${list.href}?pageSize=1`)
  for (let seen = 1; seen < page; seen++) {
    const { nextPageToken }: { nextPageToken?: string } = JSON.parse(await (await fetch(at)).text())
    if (nextPageToken === undefined) throw new Error(`the list ends at page ${seen}`)
    at = new URL(`${list.href}?pageSize=1&pageToken=${nextPageToken}`)
  }
  return at
}
