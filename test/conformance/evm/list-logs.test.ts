/** Logs of a recorded chain, kept by their stage, against the receipts as the node gave them. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'

import { decodeEventLog, erc20Abi } from 'viem'

import { createAbiBook, noAbis } from '../../../src/api/evm/abi/abi-book.ts'
import { movedBy } from '../../../src/api/evm/abi/moved.ts'
import { OwnLogs } from '../../../src/api/evm/chains/own-logs.ts'
import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import {
  createChainDirectory,
  type ServedChain,
} from '../../../src/api/operation/chain-directory.ts'
import { noTokenNotes } from '../../../src/api/prices/token-lists.ts'
import { readAbi } from '../../../src/codec/evm/abi/abi.ts'
import type { RawUnit } from '../../../src/codec/evm/raw.ts'
import { Fault } from '../../../src/core/fault.ts'
import { EvmIngest } from '../../../src/indexing/evm/run/evm-ingest.ts'
import type { EvmSource } from '../../../src/source/evm-source.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { getCheckpoint } from '../../../src/store/checkpoint.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { internalsOfTransaction } from '../../../src/store/query/evm/internals.ts'
import { transfersOfTransaction } from '../../../src/store/query/evm/transfers.ts'
import { logStage, logStoreTables, logTables } from '../../../src/store/schema/logs.ts'
import { placesPerBlock } from '../../../src/store/schema/sums.ts'
import { checkStore } from '../../../src/store/sums/check-store.ts'
import { isLive, runStage } from '../../support/chains/log-stage.ts'
import { systemClock } from '../../support/processes/system-clock.ts'
import { abisAlone } from '../../support/services/abis-alone.ts'
import { type EvmService, type Json, startEvmService } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import {
  type DemoChain,
  frozenByEnvironment,
  openDemoChain,
  rawChain,
} from '../../support/stores/demo-store.ts'
import { freezeLogsAt, segmentsOf, withSegments } from '../../support/stores/freeze-store.ts'
import { storeDigest } from '../../support/stores/store-digest.ts'
import { onBothEngines } from '../../support/stores/stores.ts'

const chainId = 51002
const file = new URL('../../../demo/chain-51002.firnrec', import.meta.url)
const recording = openRecording(readFileSync(file))
const path = `/v1/chains/${chainId}/logs`

/** Every log as the node told it, oldest first. */
const told: Json[] = rawChain(chainId).flatMap(({ block, receipts }) =>
  receipts.flatMap(({ logs, transactionHash }, transactionIndex) =>
    logs.map(({ address, topics, data, logIndex }) => ({
      blockNumber: String(Number(block.number)),
      blockHash: block.hash,
      blockTimestamp: Number(block.timestamp),
      txHash: transactionHash,
      transactionIndex,
      logIndex: Number(logIndex),
      address: address.toLowerCase(),
      topics,
      data,
    })),
  ),
)

/** A log of the API in the form of {@link told}. */
function plain(log: Json): Json {
  const {
    topic0,
    topic1,
    topic2,
    topic3,
    removed,
    decoded: _decoded,
    label: _label,
    address,
    ...rest
  } = log
  assert.equal(removed, false)
  const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== undefined)
  const { data, ...place } = rest
  return { ...place, address: address.toLowerCase(), topics, data }
}

const blocks = recording.heights.until
const twelve = Array.from({ length: 12 }, (_, at) => Math.floor((blocks * (at + 1)) / 12))
/** Heights at which segments of logs end; where chains are read over segments, in two forms. */
const forms: Readonly<Record<string, readonly number[]>> =
  frozenByEnvironment.length === 0
    ? { 'in tables': [] }
    : { 'in twelve segments': twelve, 'in segments and tables': twelve.slice(2, 8) }

/** A test of logs in each of these forms. Its stores are opened with segments in a folder of their own. */
function inEveryForm(
  title: string,
  check: (kept: {
    readonly logs: Database
    readonly demo: DemoChain
    readonly heights: readonly number[]
  }) => Promise<void>,
): void {
  for (const [form, heights] of Object.entries(forms))
    onBothEngines(`${title}, ${form}`, logStoreTables, async (store) => {
      await withSegments(store.location, async ({ freeze = {}, segments = '' }) => {
        const demo = await openDemoChain(chainId)
        const logs = await store.open('write', { freeze, segments })
        await runStage({ logs, chain: demo.served.store }, recording, isLive)
        await freezeLogsAt(logs, heights)
        assert.equal((await segmentsOf(logs, logStage)).length, heights.length)
        await check({ logs, demo, heights })
        await demo.close()
      })
    })
}

const services: EvmService[] = []
after(async () => {
  for (const service of services) await service.close()
})

const erc20 = createAbiBook([{ entries: readAbi(erc20Abi) }])

async function serve(
  logs: Database | undefined,
  rpc?: ServedChain['rpc'],
  abis = erc20,
): Promise<EvmService> {
  const own: { service?: EvmService } = {}
  const service = await startEvmService({
    chains: [chainId],
    parts: {
      chains: createChainDirectory(() =>
        (own.service?.chains ?? []).map((chain) => ({ ...chain, logs: async () => logs, rpc })),
      ),
      contracts: abisAlone(abis),
    },
  })
  own.service = service
  services.push(service)
  return service
}

async function checkLists(service: EvmService): Promise<void> {
  const { get, readAll } = service
  assert.ok(told.length > 100)
  const all = await readAll(`${path}?pageSize=100&sortOrder=asc`, 'logs')
  assert.deepEqual(all.map(plain), told)
  const down = await readAll(`${path}?pageSize=50`, 'logs')
  assert.deepEqual(down.map(plain), told.toReversed())
  const busiest = told[Math.floor(told.length / 2)]
  const filters: [string, (log: Json) => boolean][] = [
    [`address=${busiest.address}`, ({ address }) => address === busiest.address],
    [`topic0=${busiest.topics[0]}`, ({ topics }) => topics[0] === busiest.topics[0]],
    [
      'event=Transfer(address,address,uint256)',
      // As ERC-20 has it.
      ({ topics }) =>
        topics[0]?.startsWith(
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
        ) === true,
    ],
    [
      'event=Transfer(address,address,uint)',
      ({ topics }) =>
        topics[0] === '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    ],
    ['startBlock=20&endBlock=60', ({ blockNumber: at }) => Number(at) >= 20 && Number(at) < 60],
    [`topic0=0x${'ab'.repeat(32)}`, () => false],
    [`address=0x${'ab'.repeat(20)}`, () => false],
  ]
  for (const place of [1, 2, 3]) {
    const one = told.find(({ topics }) => topics.length > place)
    if (one === undefined) continue
    const wanted = one.topics[place]
    filters.push([
      `topic${place}=${wanted}&address=${one.address}`,
      ({ topics, address }) => topics[place] === wanted && address === one.address,
    ])
  }
  for (const query of [
    `event=Transfer(address,address,uint256)&topic0=0x${'ab'.repeat(32)}`,
    'event=Transfer(address,address,coin)',
  ])
    assert.equal((await get(`${path}?${query}`)).status, 400, query)
  for (const [query, passes] of filters) {
    const found = await readAll(`${path}?${query}&pageSize=40&sortOrder=asc`, 'logs')
    assert.deepEqual(found.map(plain), told.filter(passes), query)
  }
  const { headers } = await get(path)
  assert.equal(headers.get('x-logs-indexed-height'), String(recording.heights.until - 1))
  for (const bad of ['address=0x12', 'topic0=1', 'topic2=0xzz', 'pageSize=0'])
    assert.equal((await get(`${path}?${bad}`)).status, 400, bad)
  checkDecoded(all)
}

/** Transfers and approvals are decoded as another library decodes them. */
function checkDecoded(all: readonly Json[]): void {
  let decodedCount = 0
  for (const { decoded, topic0, topic1, topic2, topic3, data } of all) {
    const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== undefined)
    const theirs = otherReading(topics, data)
    assert.equal(decoded?.name, theirs?.eventName)
    if (decoded === undefined) continue
    decodedCount++
    assert.deepEqual(
      decoded.parameters.map(({ value }: Json) => value),
      Object.values(theirs.args).map(String),
    )
  }
  assert.ok(decodedCount > 20)
}

/** Transfers of the busiest token as a table, against the other library's reading. */
async function checkEvents({ get, readAll, url }: EvmService): Promise<void> {
  const transfers = told.flatMap((log) => {
    const read = otherReading(log.topics, log.data)
    return read?.eventName === 'Transfer' ? [{ ...log, args: read.args }] : []
  })
  const byToken = Map.groupBy(transfers, ({ address }) => String(address))
  const [token, own] = [...byToken].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  assert.ok(token !== undefined && own !== undefined && own.length > 20)
  const list = `/v1/chains/${chainId}/contracts/${token}/events/Transfer`
  const listed = async (query: string): Promise<Json[]> =>
    readAll(`${list}?pageSize=20&sortOrder=asc${query}`, 'events')
  const plainEvent = ({ blockNumber, blockTimestamp, txHash, logIndex, args }: Json): Json => {
    const { from, to, value } = args
    return {
      blockNumber,
      blockTimestamp,
      txHash,
      logIndex,
      arguments: { from, to, value: String(value) },
    }
  }
  assert.deepEqual(await listed(''), own.map(plainEvent))
  const { from, to } = own[0].args
  for (const [query, passes] of [
    [`&from=${from}`, (one: Json) => one.args.from === from],
    [`&to=${to.toLowerCase()}`, (one: Json) => one.args.to === to],
    [`&from=${from}&to=${to}`, (one: Json) => one.args.from === from && one.args.to === to],
    [
      '&startBlock=30&endBlock=70',
      ({ blockNumber: at }: Json) => Number(at) >= 30 && Number(at) < 70,
    ],
    [`&from=0x${'ab'.repeat(20)}`, () => false],
  ] as const)
    assert.deepEqual(await listed(query), own.filter(passes).map(plainEvent), query)
  const bySignature = list.replace('Transfer', 'Transfer(address,address,uint256)')
  assert.deepEqual((await get(bySignature)).body, (await get(list)).body)

  const csv = await (await fetch(`${url}${list}?format=csv&sortOrder=asc`)).text()
  const [head, ...lines] = csv.trimEnd().split(/\r?\n/)
  assert.equal(head, 'blockNumber,blockTimestamp,blockDate,txHash,logIndex,from,to,value')
  assert.deepEqual(
    lines.map((line) => line.split(',').slice(-3)),
    own.map(({ args }) => [args.from, args.to, String(args.value)]),
  )

  for (const [wrong, status, words] of [
    [`${list}?value=5`, 400, /value is neither .* nor an indexed argument .*from, to/],
    [`${list}?from=5`, 400, /from is no address/],
    [`${list}?from=${from}&from=${to}`, 400, /from must be one text/],
    [`${list}?pageSize=0`, 400, /pageSize/],
    [`${list}s`, 404, /no ABI known here has this event of the contract: Transfers/],
  ] as const) {
    const { status: told, body } = await get(wrong)
    assert.equal(told, status, wrong)
    assert.match(body.message, words)
  }
  // A token goes on with the same conditions alone.
  const { nextPageToken } = (await get(`${list}?pageSize=1`)).body
  assert.equal(
    (await get(`${list}?pageSize=1&from=${from}&pageToken=${nextPageToken}`)).status,
    400,
  )
}

function otherReading(topics: Json, data: Json): Json {
  try {
    return decodeEventLog({ abi: erc20Abi, topics, data })
  } catch {
    return undefined
  }
}

inEveryForm('logs: every one of the chain, by contract, topic and block', async ({ logs }) => {
  const service = await serve(logs)
  await checkLists(service)
  await checkEvents(service)
})

onBothEngines(
  'logs: events are told by what a token is, without an ABI',
  logStoreTables,
  async (store) => {
    const demo = await openDemoChain(chainId)
    const logs = await store.open('write')
    await runStage({ logs, chain: demo.served.store }, recording, isLive)
    await checkEvents(await serve(logs, undefined, noAbis))
    await demo.close()
  },
)

inEveryForm('logs: a chain that was cut reads its end again', async ({ logs, demo, heights }) => {
  const chain = demo.served.store
  const whole = await storeDigest(logs, logTables)
  const lease = await takeLease(chain, 'another', { ...systemClock, now: () => 4e12 })
  assert.ok(lease !== undefined)
  const ingest = new EvmIngest({
    database: chain,
    lease,
    clock: { ...systemClock, now: () => 4e12 },
  })
  const cut = recording.heights.until - 10
  await ingest.cut(cut)
  await runStage({ logs, chain }, recording, (_state, _reason, height) => height === cut - 1)
  assert.equal((await getCheckpoint(logs, logStage))?.height, cut - 1)
  // Segments of blocks that the chain has are there, and none beyond the mark from which logs were read again.
  const left = (await segmentsOf(logs, logStage)).map(({ until }) => until)
  assert.deepEqual(left, heights.slice(0, left.length))
  assert.ok(heights.length === 0 || (left.length > 0 && left.length < heights.length), `${left}`)
  const again = await openDemoChain(chainId)
  await runStage({ logs, chain: again.served.store }, recording, isLive)
  assert.deepEqual(await storeDigest(logs, logTables), whole)
  assert.deepEqual(await damageOf(logs), [])
  await again.close()
})

async function damageOf(logs: Database): Promise<readonly unknown[]> {
  const { signal } = new AbortController()
  return checkStore(logs, logStoreTables, { signal })
}

/** A node that answers with `change` made to its units. */
function lying(change: (unit: RawUnit) => RawUnit): EvmSource {
  return {
    ...recording,
    blocks: (range, decode, signal) =>
      recording.blocks(range, (units, origin) => decode(units.map(change), origin), signal),
  }
}

onBothEngines('logs: what a node made up is not stored', logStoreTables, async (store) => {
  const demo = await openDemoChain(chainId)
  const kept = { logs: await store.open('write'), chain: demo.served.store }
  const liars: [RegExp, (unit: RawUnit) => RawUnit][] = [
    [/receipts are not those of the header/, withoutLogs],
    [
      /not the stored one/,
      (unit) => ({ ...unit, block: { ...unit.block, hash: `0x${'00'.repeat(32)}` } }),
    ],
  ]
  for (const [why, change] of liars)
    await runStage(kept, lying(change), (_state, reason) => why.test(reason ?? ''))
  const held = await getCheckpoint(kept.logs, logStage)
  const firstLog = Number(told[0].blockNumber)
  assert.ok((held?.height ?? -1) < firstLog)
  await demo.close()
})

/** Logs as the node wrote them into the receipts, which is how it writes them by `eth_getLogs`. */
const written: Json[] = rawChain(chainId).flatMap(({ receipts }) =>
  receipts.flatMap(({ logs }) => logs),
)

/** A node that gives logs only of whole blocks, of which it is asked so few; `edit` changes its texts. */
function nodeOfBlocks(asked: string[], edit = (text: string): string => text): ServedChain['rpc'] {
  const last = rawChain(chainId).at(-1)?.block
  return {
    logBytes: 8 * 1_048_576,
    allows: () => true,
    call: async (calls) =>
      calls.map(({ method, params: [first, ...others] }) => {
        asked.push(method)
        if (method === 'eth_blockNumber') return { kind: 'result', result: last?.number }
        if (method === 'eth_getBlockByNumber') return { kind: 'result', result: last }
        const { fromBlock, toBlock, ...rest } = (first ?? {}) as Json
        const isPlain =
          fromBlock !== undefined && fromBlock === toBlock && Object.keys(rest).length === 0
        if (!isPlain || others.length > 0)
          return { kind: 'error', error: { code: -32_602, message: 'as the node says it' } }
        const all = written.filter(({ blockNumber }) => blockNumber === fromBlock)
        return { kind: 'result', result: JSON.parse(edit(JSON.stringify(all))) }
      }),
  }
}

function logsBy(service: EvmService, ...params: Json[]): Promise<Json> {
  return rpcOf(service, { jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params })
}

async function rpcOf({ url }: EvmService, calls: Json): Promise<Json> {
  const reply = await fetch(`${url}/v1/chains/${chainId}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  return reply.json()
}

inEveryForm(
  'eth_getLogs: rows answer as the node would, and what is not plainly good is its own',
  async ({ logs }) => {
    const asked: string[] = []
    const counted = countedLogs(logs)
    const service = await serve(counted.logs, nodeOfBlocks(asked))
    // The form of logs is seen in those of one block.
    await logsBy(service, { fromBlock: '0x0', toBlock: '0x0' })
    const draw = seeded(7)
    const pick = (): Json => written[draw() % written.length]
    const heights = (): { fromBlock: string; toBlock: Json } => {
      const [from = 0, to = 0] = [draw() % 153, draw() % 153].toSorted((a, b) => a - b)
      return { fromBlock: hexOf(from), toBlock: draw() % 4 === 0 ? 'latest' : hexOf(to) }
    }
    for (let round = 0; round < 60; round++) {
      const address = [undefined, pick().address, [pick().address, pick().address]][draw() % 3]
      const most = draw() % 4
      const topics = Array.from({ length: most }, (_, place) => {
        const some = pick().topics[place] ?? `0x${'ab'.repeat(32)}`
        const kinds = [some, [some, pick().topics[place] ?? some], null]
        return kinds[draw() % (place === most - 1 ? 2 : 3)]
      })
      const filter = { ...heights(), address, topics }
      const wanted = written.filter((log) => passes(log, filter))
      const before = counted.read()
      const { result, ...other } = await logsBy(service, filter)
      const words = JSON.stringify([filter, other])
      assert.equal(JSON.stringify(result), JSON.stringify(wanted), words)
      const read = counted.read() - before
      // Beyond a mebibyte logs are counted, and read again as they are sent.
      const times = JSON.stringify(wanted).length > 1_048_576 ? 2 : 1
      assert.ok(read <= wanted.length * 1.1 * times, `${read} rows for ${wanted.length}: ${words}`)
    }
    // The form of one block's logs, and the newest block where it was asked for.
    assert.deepEqual([...new Set(asked)].toSorted(), [
      'eth_blockNumber',
      'eth_getBlockByNumber',
      'eth_getLogs',
    ])
    assert.equal(asked.filter((method) => method === 'eth_getLogs').length, 1)
    for (const filter of [
      { fromBlock: '0x10', toBlock: '0x1' },
      { fromBlock: '0x0', toBlock: '0xffff' },
      { fromBlock: '0x01', toBlock: '0x2' },
      { fromBlock: '1', toBlock: '0x2' },
      { fromBlock: '0x0', toBlock: 'safe' },
      { fromBlock: '0x0', toBlock: '0x9', topics: [null] },
      { fromBlock: '0x0', toBlock: '0x9', topics: [[null, written[0].topics[0]]] },
      { fromBlock: '0x0', toBlock: '0x9', topics: 'x' },
      { fromBlock: '0x0', toBlock: '0x9', address: ['0x12'] },
      { fromBlock: '0x0', toBlock: '0x9', other: 1 },
      { blockHash: rawChain(chainId)[3]?.block.hash },
      null,
    ])
      assert.equal(
        (await logsBy(service, filter)).error?.message,
        'as the node says it',
        JSON.stringify(filter),
      )
  },
)

onBothEngines(
  'eth_getLogs: a long answer names the range that fits, an unknown form is the node’s',
  logStoreTables,
  async (store) => {
    const demo = await openDemoChain(chainId)
    const logs = await store.open('write')
    await runStage({ logs, chain: demo.served.store }, recording, isLive)
    const small = await serve(logs, { ...nodeOfBlocks([])!, logBytes: 20_000 })
    const { error } = await logsBy(small, everything)
    assert.equal(error.code, -32_005, error.message)
    const [, from, to] = /this block range should work: \[(0x0), (0x[0-9a-f]+)\]/.exec(
      error.message,
    )!
    const fits = await logsBy(small, { fromBlock: from, toBlock: to })
    assert.ok(JSON.stringify(fits.result).length <= 20_000 + 2)
    const more = { fromBlock: from, toBlock: hexOf(Number(to) + 1) }
    assert.equal((await logsBy(small, more)).error.code, -32_005)
    const wide = await serve(logs, {
      ...nodeOfBlocks([])!,
      logBytes: JSON.stringify(written).length + 100,
    })
    const call = { jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [everything] }
    const [one, other] = await rpcOf(wide, [call, call])
    assert.equal(one.result.length, written.length)
    assert.equal(other.error.code, -32_005, 'the calls of a batch have one limit')
    // As a source tells of a node's reply beyond `source.maxReplyBytes`.
    const tooLong = { kind: 'error', error: { code: -32_003, message: '' } } as const
    const full = await serve(logs, {
      ...nodeOfBlocks([])!,
      call: async (calls) => calls.map(() => tooLong),
    })
    const refused = await logsBy(full, everything)
    assert.deepEqual([refused.error.code, refused.error.message !== ''], [-32_005, true])
    for (const [find, instead] of [
      ['"removed":false', '"removed":false,"blockTimestamp":"0x1"'],
      ['"logIndex"', '"index"'],
    ] as const) {
      const other = await serve(
        logs,
        nodeOfBlocks([], (text) => text.replaceAll(find, instead)),
      )
      assert.equal((await logsBy(other, everything)).error?.message, 'as the node says it')
    }
    await demo.close()
  },
)

/** A store that counts the logs that are read of it; `fail` is called before each time. */
function countedLogs(
  logs: Database,
  fail = (_read: number): void => undefined,
): { readonly logs: Database; readonly read: () => number } {
  let read = 0
  const all: Database['all'] = async (question, parameters) => {
    if (!question.sqlite.includes('log_entry')) return logs.all(question, parameters)
    fail(read)
    const rows = await logs.all(question, parameters)
    read += rows.length
    return rows
  }
  return { logs: { ...logs, all }, read: () => read }
}

const everything = { fromBlock: '0x0', toBlock: hexOf(recording.heights.until - 1) }

/** The parts of a long answer, and what it was made from. */
async function longAnswer(
  chain: ServedChain,
  logs: Database,
): Promise<{ readonly parts: AsyncIterator<string>; readonly read: () => number }> {
  const counted = countedLogs(logs)
  const served = { ...chain, logs: async () => counted.logs, rpc: nodeOfBlocks([]) }
  const { signal } = new AbortController()
  const answer = await new OwnLogs().answer(served, [everything], {
    most: 8 * 1_048_576,
    mostHeld: 10_000,
    signal,
  })
  assert.ok(answer?.kind === 'text' && typeof answer.text !== 'string')
  assert.equal(answer.length, JSON.stringify(written).length + 1)
  return { parts: answer.text[Symbol.asyncIterator](), read: counted.read }
}

onBothEngines(
  'eth_getLogs: a long answer is read as it is taken, and has no end once its chain was cut',
  logStoreTables,
  async (store) => {
    const demo = await openDemoChain(chainId)
    const chain = demo.served.store
    const logs = await store.open('write')
    await runStage({ logs, chain }, recording, isLive)
    const { parts, read } = await longAnswer(demo.served, logs)
    const counted = read()
    let text = (await parts.next()).value ?? ''
    assert.ok(text.length < 10_000 && read() === counted, 'what is held, and no row read for it')
    for (let part = await parts.next(); part.done !== true; part = await parts.next())
      text += part.value
    assert.equal(text, JSON.stringify(written))

    const cut = await longAnswer(demo.served, logs)
    await cut.parts.next()
    const clock = { ...systemClock, now: () => 4e12 }
    const lease = await takeLease(chain, 'another', clock)
    assert.ok(lease !== undefined)
    const until = recording.heights.until - 10
    await new EvmIngest({ database: chain, lease, clock }).cut(until)
    await assert.rejects(async () => {
      while ((await cut.parts.next()).done !== true);
    }, /cut while its logs were sent/)
    await demo.close()
  },
)

onBothEngines(
  'eth_getLogs: a store that fails while an answer is sent leaves an answer without an end',
  logStoreTables,
  async (store) => {
    const demo = await openDemoChain(chainId)
    const logs = await store.open('write')
    await runStage({ logs, chain: demo.served.store }, recording, isLive)
    const call = { jsonrpc: '2.0', id: 7, method: 'eth_getLogs', params: [everything] }
    // Each of several calls holds less.
    const calls = Array.from({ length: 4 }, () => call)
    let isFailing = false
    let whole = 0
    const { logs: failing, read } = countedLogs(logs, (rows) => {
      if (isFailing && rows > whole) throw new Fault('store-failed', 'as a disk fails')
    })
    const service = await serve(failing, { ...nodeOfBlocks([])!, logBytes: 100 * 1_048_576 })
    const all = await rpcOf(service, calls)
    assert.deepEqual(
      all.map(({ result }: Json) => result),
      calls.map(() => written),
    )
    // They are counted, then the second one is half sent.
    whole = read() + 5.5 * written.length
    isFailing = true
    await assert.rejects(rpcOf(service, calls), /terminated/)
    await demo.close()
  },
)

function hexOf(value: number): string {
  return `0x${value.toString(16)}`
}

/** Numbers that are the same in every run. Source: Park and Miller. */
function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647)
}

/** The conditions of a filter, by the words of the JSON-RPC documents of Ethereum. */
function passes(log: Json, { fromBlock, toBlock, address, topics }: Json): boolean {
  const height = Number(log.blockNumber)
  const isOne = (wanted: Json, value: Json): boolean =>
    wanted === undefined || wanted === null || [wanted].flat().includes(value)
  return (
    height >= Number(fromBlock) &&
    (toBlock === 'latest' || height <= Number(toBlock)) &&
    isOne(address, log.address) &&
    topics.every((wanted: Json, place: number) =>
      wanted === null ? log.topics.length > place : isOne(wanted, log.topics[place]),
    )
  )
}

function withoutLogs(unit: RawUnit): RawUnit {
  const receipts = unit.receipts.map((receipt) => ({ ...(receipt as object), logs: [] }))
  return { ...unit, receipts }
}

void test('logs: where they are not kept, or not yet, the answer says so', async () => {
  const off = await startEvmService({ chains: [chainId] })
  services.push(off)
  const { status, body } = await off.get(path)
  assert.equal(status, 404)
  assert.match(body.message, /logs of this chain are not kept \(setting logs: on of the chain\)/)
  const later = await (await serve(undefined)).get(path)
  assert.equal(later.status, 503)
})

provesOperations(services, ['listContractEvents'])

void test('logs: what a transaction moved is looked at up to a number of transfers and of internal transactions', async () => {
  const demo = await openDemoChain(51_002)
  const { store, facts } = demo.served
  const book = createRichAddressBooks(systemClock, noTokenNotes)(demo.served)
  const counted = new Set<number>()
  const heights = rawChain(51_002)
  for (const [height, { receipts }] of heights.entries())
    for (const [index] of receipts.entries()) {
      const pos = height * placesPerBlock + index
      const rows = [
        await transfersOfTransaction(store, pos),
        await internalsOfTransaction(store, pos),
      ]
      const count = Math.max(...rows.map(({ length }) => length))
      if (count === 0 || counted.has(count)) continue
      counted.add(count)
      const moved = { pos, value: '0x0' }
      const whole = await movedBy({ store, facts }, book, moved)
      assert.ok(whole.size > 0)
      assert.deepEqual(await movedBy({ store, facts }, book, { ...moved, most: count }), whole)
      assert.equal((await movedBy({ store, facts }, book, { ...moved, most: count - 1 })).size, 0)
    }
  assert.ok(counted.size > 1, [...counted].join())
  await demo.close()
})
