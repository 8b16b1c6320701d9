/** Lists as CSV and as lines of JSON: the same items as in JSON, whole with a key. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { parquetReadObjects } from 'hyparquet'

import {
  formatOf,
  headLine,
  linesOf,
  listColumn,
  type ListShape,
  listShapeOf,
} from '../src/api/operation/list-format.ts'
import { evmOperations } from '../src/api/operations.ts'
import { createAdmission, hasKey } from '../src/api/server/admission.ts'
import { createKey } from '../src/api/server/api-keys.ts'
import { createServer } from '../src/api/server/server.ts'
import { createUseCounter } from '../src/api/server/use-counter.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openDemoChain, stillClock } from './demo-store.ts'
import { type Json, partsOf } from './evm-service.ts'
import { operationShapes } from './operation-shapes.ts'

const demo = await openDemoChain(51001, {})
const bytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => at + 1)
const { key, stored } = createKey({ bytes, number: () => 0.5 }, 'test', 0)
const server = createServer({
  operations: evmOperations(partsOf([demo.served], stillClock)),
  dialectRules: {},
  dialect: 'documented',
  log: silentLog,
  clock: stillClock,
  limits: { maxConnections: 10, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
  admit: createAdmission({
    keysRequired: false,
    keys: () => [stored],
    limit: undefined,
    uses: createUseCounter({ clock: stillClock, log: silentLog }),
    clock: stillClock,
  }),
  hasKey: (request) => hasKey(request, [stored]),
})
const url = await server.listen('127.0.0.1', 0)
after(async () => {
  await server.close()
  await demo.close()
})

const ask = async (
  path: string,
  accept: string,
  more: Record<string, string> = {},
): Promise<Response> => fetch(url + path, { headers: { accept, ...more } })
const blocks = '/v1/chains/51001/blocks'

/** Every block, page by page as JSON. */
async function allBlocks(): Promise<Json[]> {
  const items: Json[] = []
  for (let token: string | undefined = ''; token !== undefined;) {
    const { blocks: page, nextPageToken }: Json = await (
      await ask(`${blocks}?pageSize=100&pageToken=${token}`, 'application/json')
    ).json()
    items.push(...page)
    token = nextPageToken
  }
  return items
}

/** Cells of a file without line ends inside cells. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain ?? '',
  )
}

void test('lines of JSON: a page without a key, with a token in a header; everything with one', async () => {
  const all = await allBlocks()
  assert.ok(all.length > 200)
  const page = await ask(`${blocks}?pageSize=7`, 'application/x-ndjson')
  assert.equal(page.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  const lines = (await page.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(lines, all.slice(0, 7))
  const token = page.headers.get('x-next-page-token')
  const next = await ask(`${blocks}?pageSize=7&pageToken=${token}`, 'application/x-ndjson')
  const following = (await next.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(following, all.slice(7, 14))
  const whole = await ask(blocks, 'application/x-ndjson', { 'x-service-api-key': key })
  assert.equal(whole.headers.get('x-next-page-token'), null)
  const everything = (await whole.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(everything, all)
})

void test('CSV: a row for each item, a column for each field, inner fields too', async () => {
  const all = await allBlocks()
  const whole = await ask(blocks, 'text/csv', { 'x-service-api-key': key })
  assert.equal(whole.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  const [head = '', ...rows] = (await whole.text()).trimEnd().split('\r\n')
  const columns = cellsOf(head)
  assert.equal(rows.length, all.length)
  for (const [at, row] of rows.entries()) {
    const cells = cellsOf(row)
    assert.equal(cells.length, columns.length)
    for (const [place, name] of columns.entries())
      assert.equal(cells[place], String(all[at][name] ?? ''), `${name} of row ${at}`)
  }
  const path = '/v1/chains/51001/transactions?pageSize=3'
  const transactions = await ask(path, 'text/csv')
  const [names = '', first = ''] = (await transactions.text()).split('\r\n')
  const json: Json = await (await ask(path, 'application/json')).json()
  const sender = cellsOf(first)[cellsOf(names).indexOf('from.address')]
  assert.equal(sender, json.transactions[0].from.address)
})

void test('Parquet: the same items, with types, a page or all of them; the parameter goes before Accept', async () => {
  const all = await allBlocks()
  const read = async (reply: Response): Promise<Record<string, unknown>[]> => {
    assert.equal(reply.headers.get('content-type'), 'application/vnd.apache.parquet')
    return parquetReadObjects({ file: await reply.arrayBuffer() })
  }
  const page = await ask(`${blocks}?pageSize=7&format=parquet`, 'text/csv')
  assert.equal((await read(page)).length, 7)
  const rows = await read(
    await ask(`${blocks}?format=parquet`, '*/*', { 'x-service-api-key': key }),
  )
  assert.equal(rows.length, all.length)
  for (const [at, row] of rows.entries()) {
    assert.equal(row['blockNumber'], BigInt(all[at].blockNumber))
    assert.deepEqual(row['blockTimestamp'], new Date(all[at].blockTimestamp * 1_000))
    assert.equal(row['feesSpent'], all[at].feesSpent)
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

void test('list formats: every list there is has columns, whatever else its body says', () => {
  const lists = operationShapes().filter(({ id, method, response }) => {
    const names: string[] = Object.keys(Object(Object(response).properties))
    return method === 'GET' && (names.includes('nextPageToken') || id.startsWith('list'))
  })
  assert.ok(lists.length >= 50, `lists: ${lists.length}`)
  for (const shape of lists) assert.ok(listShapeOf(shape) !== undefined, shape.id)
  const single = operationShapes().filter(({ id }) => id === 'getSubnetById')
  assert.deepEqual(single.map(listShapeOf), [undefined])
})

void test('list formats: what is wrong is told as ever, what is no list stays JSON', async () => {
  const wrong = await ask(`${blocks}?pageSize=0`, 'text/csv', { 'x-service-api-key': key })
  assert.equal(wrong.status, 400)
  assert.equal((await ask(blocks, 'text/csv', { 'x-service-api-key': 'avk_x' })).status, 401)
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

void test('CSV: cells with commas, quotes and line ends are quoted, formulas are none', () => {
  const shape: ListShape = {
    name: 'items',
    columns: [listColumn(['a'], 'string'), listColumn(['b', 'c'], 'string')],
    mostItems: undefined,
  }
  assert.equal(headLine('csv', shape), 'a,b.c\r\n')
  const items = [
    { a: '=1+1', b: { c: 'x,"y"' } },
    { a: '-5', b: { c: ['z'] } },
    { a: '@SUM(A1)', b: {} },
    { b: { c: 'two\nlines' } },
  ]
  assert.equal(
    linesOf('csv', shape, items),
    `'=1+1,"x,""y"""\r\n-5,"[""z""]"\r\n'@SUM(A1),\r\n,"two\nlines"\r\n`,
  )
})
