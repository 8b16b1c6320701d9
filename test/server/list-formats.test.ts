/** Lists as files: the same items as in JSON, a page or all of them. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { parquetReadObjects } from 'hyparquet'

import { listShapeOf } from '../../src/api/operation/list-columns.ts'
import { formatOf, listFile } from '../../src/api/operation/list-format.ts'
import { operation, type Operation } from '../../src/api/operation/operation.ts'
import { evmOperations } from '../../src/api/operations.ts'
import { createAdmission } from '../../src/api/server/admission/admission.ts'
import { createKey } from '../../src/api/server/admission/api-keys.ts'
import { createUseCounter } from '../../src/api/server/admission/use-counter.ts'
import { createServer } from '../../src/api/server/server.ts'
import { type Contract, contracts } from '../../src/shape/operations/contract.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import { Type } from '../../src/shape/type.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { partsOf } from '../support/services/evm-context.ts'
import type { Json } from '../support/services/evm-service.ts'
import { readAll } from '../support/services/read-all.ts'
import { openDemoChain, stillClock } from '../support/stores/demo-store.ts'

const demo = await openDemoChain(51001, {})
/** Limits of time that pages of {@link counted} have had. */
const signals: AbortSignal[] = []
const { listCounted } = contracts('Service', {
  listCounted: {
    path: '/v1/counted',
    summary: '',
    query: {
      pageToken: Type.Optional(Type.String()),
      pageSize: Type.Optional(Type.Integer({ maximum: 2 })),
    },
    response: Type.Object({
      items: Type.Array(Type.Object({ at: Type.Integer() })),
      nextPageToken: Type.Optional(Type.String()),
    }),
  },
})
const counted = operation(listCounted, async ({ query: { pageToken = '0' }, signal }) => {
  signals.push(signal)
  const at = Number(pageToken)
  const items = [{ at }, { at: at + 1 }]
  return { body: at < 8 ? { items, nextPageToken: String(at + 2) } : { items } }
})
const bytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => at + 1)
const { stored } = createKey({ bytes, number: () => 0.5 }, 'test', 0)
const server = createServer({
  operations: [
    ...Object.values<Operation>(evmOperations(partsOf([demo.served], stillClock))),
    counted,
  ],
  dialectRules: {},
  dialect: 'documented',
  log: silentLog,
  clock: stillClock,
  limits: { maxConnections: 40, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
  admit: createAdmission({
    keysRequired: false,
    keys: () => [stored],
    limit: undefined,
    uses: createUseCounter({ clock: stillClock, log: silentLog }),
    clock: stillClock,
  }),
})
const url = await server.listen('127.0.0.1', 0)
after(async () => {
  await server.close()
  await demo.close()
})

const ask = async (path: string, accept: string): Promise<Response> =>
  fetch(url + path, { headers: { accept } })
const blocks = '/v1/chains/51001/blocks'

/** Every block, page by page as JSON. */
function allBlocks(): Promise<Json[]> {
  const get = async (path: string): Promise<Json> => (await ask(path, 'application/json')).json()
  return readAll(get, `${blocks}?pageSize=100`, 'blocks')
}

/** Cells of a file without line ends inside cells. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain ?? '',
  )
}

/** Items of lines of JSON. */
async function linesIn(reply: Response): Promise<Json[]> {
  const text = await reply.text()
  assert.equal(reply.headers.get('content-type'), 'application/x-ndjson; charset=utf-8', text)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

void test('lines of JSON: a page where pageSize says so, else everything from the token on', async () => {
  const all = await allBlocks()
  assert.ok(all.length > 200)
  const page = await ask(`${blocks}?pageSize=7`, 'application/x-ndjson')
  const token = page.headers.get('x-next-page-token')
  assert.deepEqual(await linesIn(page), all.slice(0, 7))
  const next = await ask(`${blocks}?pageSize=7&pageToken=${token}`, 'application/x-ndjson')
  assert.deepEqual(await linesIn(next), all.slice(7, 14))
  const whole = await ask(blocks, 'application/x-ndjson')
  assert.equal(whole.headers.get('x-next-page-token'), null)
  assert.deepEqual(await linesIn(whole), all)
  const rest = await ask(`${blocks}?pageToken=${token}`, 'application/x-ndjson')
  assert.deepEqual(await linesIn(rest), all.slice(7))
})

void test('a whole list: each page has the time of a request, HEAD reads none, so many are sent at once', async () => {
  const whole = await ask('/v1/counted', 'application/x-ndjson')
  assert.deepEqual(
    (await linesIn(whole)).map(({ at }) => at),
    Array.from({ length: 10 }, (_, at) => at),
  )
  assert.equal(new Set(signals).size, 5)
  const head = await fetch(`${url}${blocks}?format=csv`, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.match(head.headers.get('content-type') ?? '', /^text\/csv/)
  assert.equal(head.headers.get('content-length'), null)
  assert.equal(await head.text(), '')
})

void test('CSV: a row for each item, its fields as they are, amounts and moments for people too', async () => {
  const all = await allBlocks()
  const whole = await ask(blocks, 'text/csv')
  assert.equal(whole.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  const [head = '', ...rows] = (await whole.text()).trimEnd().split('\r\n')
  const columns = cellsOf(head)
  assert.equal(rows.length, all.length)
  for (const [at, row] of rows.entries()) {
    const cells = new Map(cellsOf(row).map((cell, place) => [columns[place], cell]))
    assert.equal(cells.size, columns.length)
    const { feesSpent, baseFee, blockTimestamp, ...plain } = all[at]
    for (const [name, value] of Object.entries(plain))
      assert.equal(cells.get(name), String(value), `${name} of row ${at}`)
    assert.equal(cells.get('feesSpentWei'), feesSpent)
    assert.equal(cells.get('baseFeeWei'), baseFee)
    assert.equal(weiOf(cells.get('feesSpent') ?? ''), feesSpent)
    assert.equal(cells.get('blockTimestamp'), String(blockTimestamp))
    assert.equal(Date.parse(cells.get('blockDate') ?? ''), blockTimestamp * 1_000)
  }
  const path = '/v1/chains/51001/transactions?pageSize=3'
  const transactions = await ask(path, 'text/csv')
  const [names = '', first = ''] = (await transactions.text()).split('\r\n')
  const json: Json = await (await ask(path, 'application/json')).json()
  const sender = cellsOf(first)[cellsOf(names).indexOf('from.address')]
  assert.equal(sender, json.transactions[0].from.address)
})

/** Whole coins of 18 places as wei. */
function weiOf(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  return String(BigInt(whole + fraction.padEnd(18, '0')))
}

void test('Parquet: the same items, with types, a page or all of them; the parameter goes before Accept', async () => {
  const all = await allBlocks()
  const read = async (reply: Response): Promise<Record<string, unknown>[]> => {
    assert.equal(reply.headers.get('content-type'), 'application/vnd.apache.parquet')
    return parquetReadObjects({ file: await reply.arrayBuffer() })
  }
  const page = await ask(`${blocks}?pageSize=7&format=parquet`, 'text/csv')
  assert.equal((await read(page)).length, 7)
  const rows = await read(await ask(`${blocks}?format=parquet`, '*/*'))
  assert.equal(rows.length, all.length)
  for (const [at, row] of rows.entries()) {
    assert.equal(row['blockNumber'], BigInt(all[at].blockNumber))
    assert.equal(row['blockTimestamp'], BigInt(all[at].blockTimestamp))
    assert.deepEqual(row['blockDate'], new Date(all[at].blockTimestamp * 1_000))
    assert.equal(row['feesSpentWei'], all[at].feesSpent)
    // This reader makes doubles of decimals.
    assert.ok(
      Math.abs(Number(row['feesSpent']) / (Number(all[at].feesSpent) / 1e18 || 1) - 1) < 1e-15 ||
        all[at].feesSpent === '0',
    )
    assert.deepEqual(Object.keys(row), Object.keys(rows[0] ?? {}))
  }
  const json = await ask(`${blocks}?format=json&pageSize=2`, 'text/csv')
  assert.match(json.headers.get('content-type') ?? '', /json/)
  assert.equal((await ask(`${blocks}?format=xml`, '*/*')).status, 400)
  // Where there is no list there is no such parameter.
  assert.match(
    (await ask(`${blocks}/1?format=csv`, '*/*')).headers.get('content-type') ?? '',
    /json/,
  )
})

void test('Parquet: a decimal that does not fit is null, its smallest units are there', async () => {
  const columns = [
    { name: 'valueUnits', path: ['value'], type: 'text' },
    { name: 'value', path: ['value'], type: 'coins', decimals: ['decimals'] },
  ] as const
  const file = await listFile('parquet', columns)
  const items = [
    { value: '1500000', decimals: 6 },
    { value: '5', decimals: 19 },
    { value: String(2n ** 256n - 1n), decimals: 18 },
    { value: '7' },
  ]
  const parts = [await file.rows(items), await file.end()].map((part) => Buffer.from(part))
  const [bytesOf] = [Buffer.concat(parts)]
  const rows = await parquetReadObjects({ file: new Uint8Array(bytesOf).buffer })
  assert.deepEqual(
    rows.map(({ value }) => (value === null ? null : Number(value).toPrecision(9))),
    ['1.50000000', null, null, '7.00000000'],
  )
  assert.deepEqual(
    rows.map(({ valueUnits }) => valueUnits),
    items.map(({ value }) => value),
  )
  const csv = await listFile('csv', columns)
  assert.equal(csv.rows(items.slice(0, 2)), '1500000,1.5\r\n5,0.0000000000000000005\r\n')
})

void test('list formats: every list there is has columns, whatever else its body says', () => {
  const lists = Object.values<Contract>(operations).filter(({ id, method, response }) => {
    const names: string[] = Object.keys(Object(Object(response).properties))
    return method === 'GET' && (names.includes('nextPageToken') || id.startsWith('list'))
  })
  assert.ok(lists.length >= 50, `lists: ${lists.length}`)
  for (const shape of lists) assert.ok(listShapeOf(shape) !== undefined, shape.id)
  const single = Object.values<Contract>(operations).filter(({ id }) => id === 'getSubnetById')
  assert.deepEqual(single.map(listShapeOf), [undefined])
})

void test('list formats: errors keep their status, an answer that is no list stays JSON', async () => {
  assert.equal((await ask(`${blocks}?pageSize=0`, 'text/csv')).status, 400)
  assert.equal((await ask(`${blocks}?rltoken=avk_x`, 'text/csv')).status, 401)
  const single = await ask(`${blocks}/1`, 'text/csv')
  assert.match(single.headers.get('content-type') ?? '', /json/)
})

void test('list formats: Accept decides, the first type that is known', () => {
  for (const [accept, format] of [
    ['text/csv', 'csv'],
    ['text/html, text/csv;q=0.5', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['application/json, text/csv', undefined],
    ['*/*', undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(formatOf(accept), format, String(accept))
  assert.equal(formatOf('text/csv', 'ndjson'), 'ndjson')
  assert.throws(() => formatOf('text/csv', 'xml'), /format must be json, csv, ndjson or parquet/)
})

void test('CSV: cells with commas, quotes and line ends are quoted, formulas are none', async () => {
  const file = await listFile('csv', [
    { name: 'a', path: ['a'], type: 'text' },
    { name: 'b.c', path: ['b', 'c'], type: 'text' },
  ])
  assert.equal(file.begin(), 'a,b.c\r\n')
  const items = [
    { a: '=1+1', b: { c: 'x,"y"' } },
    { a: '-5', b: { c: ['z'] } },
    { a: '@SUM(A1)', b: {} },
    { b: { c: 'two\nlines' } },
  ]
  assert.equal(
    file.rows(items),
    `'=1+1,"x,""y"""\r\n-5,"[""z""]"\r\n'@SUM(A1),\r\n,"two\nlines"\r\n`,
  )
})
