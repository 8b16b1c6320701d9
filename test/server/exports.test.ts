/** Exports of transactions: their files against the raw blocks, and who may have them. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'

import {
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
} from '../conformance/evm/replay.ts'
import {
  indexedFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  untilAllServed,
} from '../support/processes/firn-process.ts'
import type { Json } from '../support/services/evm-service.ts'
import { provesOperations } from '../support/services/proven-operations.ts'
import { readAll } from '../support/services/read-all.ts'

const chain = 51_002
const transactions = expectedTransactions(chain)
const transfers = expectedTransfers(chain)
const internals = expectedInternals(chain)
/** It deployed the contracts of the demo and takes part in most of what happens there. */
const address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Types of the demo that begin a stake. */
const stakes = new Set([
  'AddSubnetValidatorTx',
  'AddPermissionlessValidatorTx',
  'AddPermissionlessDelegatorTx',
])

/** Transactions in which an address shows in the raw blocks, oldest first. */
function hashesOf(holder: string): string[] {
  const involved = [...transactions, ...transfers, ...internals].flatMap((row) =>
    [row.from, row.to].includes(holder) ? [row.txHash] : [],
  )
  const created = transactions.flatMap((row) => (row.created === holder ? [row.txHash] : []))
  const hashes = new Set([...involved, ...created])
  return transactions.flatMap(({ txHash }) => (hashes.has(txHash) ? [txHash] : []))
}

/** Operations answered with success. */
const answered = new Set<string>()

type Reply = { readonly status: number; readonly body: Json }

async function ask(firn: RunningFirn, path: string, key?: string, body?: object): Promise<Reply> {
  const reply = await fetch(`${firn.apiUrl}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'x-service-api-key': key }),
    },
  })
  if (reply.ok) answered.add(body === undefined ? 'getOperationResult' : 'postTransactionExportJob')
  return { status: reply.status, body: await reply.json() }
}

async function start(t: TestContext, keys: readonly string[]): Promise<[RunningFirn, ...string[]]> {
  const folder = await indexedFolder(t)
  const made: string[] = []
  for (const name of keys)
    made.push((await runFirn('keys', 'create', name, '--data-dir', folder)).stdout.trim())
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilAllServed(firn)
  return [firn, ...made]
}

/** Rows of a file by column; cells with commas are quoted. */
function rowsOf(text: string): Map<string, string>[] {
  const [head = '', ...lines] = text.trimEnd().split('\r\n')
  const cells = (line: string): string[] =>
    [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)]
      .slice(0, head.split(',').length)
      .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '')
  const names = cells(head)
  return lines.map((line) => new Map(cells(line).map((cell, at) => [names[at] ?? '', cell])))
}

const wanted = { addresses: [address], includeChains: [String(chain)] }

void test('exports: the file has every transaction of the addresses, oldest first', async (t) => {
  const [firn] = await start(t, [])
  const type = 'TRANSACTION_EXPORT_EVM'
  const made = await ask(firn, '/v1/operations/transactions:export', undefined, {
    type,
    options: wanted,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { operationId, operationStatus, operationType, metadata } = made.body
  assert.deepEqual([operationStatus, operationType], ['COMPLETED', type])
  const again = await ask(firn, `/v1/operations/${operationId}`)
  assert.deepEqual(again, { status: 200, body: made.body })
  const file = await fetch(metadata.downloadUrl)
  assert.match(file.headers.get('content-type') ?? '', /^text\/csv/)
  const rows = rowsOf(await file.text())
  const shown = rows.map((row) => row.get('nativeTransaction.txHash'))
  assert.deepEqual(shown, hashesOf(address))
  assert.ok(shown.length > 100, 'more than a page')
  assert.ok(rows.every((row) => row.get('chainId') === String(chain)))

  const days = new Set(
    transactions.map(({ blockTimestamp }) =>
      new Date(blockTimestamp * 1_000).toISOString().slice(0, 10),
    ),
  )
  const [day = '', next] = [...days]
  assert.notEqual(next, undefined, 'the chain lasts for days')
  const some = await ask(firn, '/v1/operations/transactions:export', undefined, {
    type,
    firstDate: day,
    lastDate: day,
    options: wanted,
  })
  const ofDay = rowsOf(await (await fetch(some.body.metadata.downloadUrl)).text())
  const hashes = new Set(
    transactions.flatMap(({ blockTimestamp, txHash }) =>
      new Date(blockTimestamp * 1_000).toISOString().startsWith(day) ? [txHash] : [],
    ),
  )
  assert.deepEqual(
    ofDay.map((row) => row.get('nativeTransaction.txHash')),
    hashesOf(address).filter((hash) => hashes.has(hash)),
  )

  const { validators }: Json = await firn.get('/v1/networks/fuji/validators?pageSize=100')
  const paid = validators.flatMap((one: Json) => one.potentialRewards?.rewardAddresses ?? [])
  const [owner] = paid
  const path = `/v1/networks/fuji/blockchains/p-chain/transactions?addresses=${owner}&pageSize=100`
  const listed = await readAll(firn.get, `${path}&sortOrder=asc`, 'transactions')
  for (const detail of ['', '_SIMPLE', '_STAKING']) {
    const primary = await ask(firn, '/v1/operations/transactions:export', undefined, {
      type: `TRANSACTION_EXPORT_PRIMARY_NETWORK${detail}`,
      options: { addresses: [owner], includeChains: ['p-chain'] },
    })
    assert.equal(primary.status, 201, JSON.stringify(primary.body))
    const lines = rowsOf(await (await fetch(primary.body.metadata.downloadUrl)).text())
    const expected = listed.filter(
      ({ txType }: Json) => detail !== '_STAKING' || stakes.has(txType),
    )
    assert.deepEqual(
      lines.map((row) => [row.get('txHash'), row.get('txType')]),
      expected.map(({ txHash, txType }: Json) => [txHash, txType]),
      detail,
    )
    assert.ok(lines.length > 0, detail)
  }

  for (const [body, words] of [
    [{ type, options: { ...wanted, addresses: ['0x12'] } }, /addresses/],
    [{ type, options: { ...wanted, addresses: [] } }, /addresses/],
    [{ type, options: { ...wanted, includeChains: [] } }, /includeChains/],
    [{ type, options: wanted, firstDate: '2026-02-30' }, /no such day/],
    [{ type, options: wanted, firstDate: 'soon' }, /firstDate/],
    [{ type, options: wanted, firstDate: '2026-02-02', lastDate: '2026-02-01' }, /lastDate/],
    [{ type: 'TRANSACTION_EXPORT', options: wanted }, /type/],
  ] as const) {
    const refused = await ask(firn, '/v1/operations/transactions:export', undefined, body)
    assert.equal(refused.status, 400, JSON.stringify(body))
    assert.match(refused.body.message, words)
  }
  const other = { type, options: { ...wanted, includeChains: ['999'] } }
  assert.equal(
    (await ask(firn, '/v1/operations/transactions:export', undefined, other)).status,
    404,
  )
  assert.equal((await ask(firn, '/v1/operations/none/file')).status, 404)
})

void test('exports: an export is its key’s own, and its file whoever’s that knows the address', async (t) => {
  const [firn, mine, another] = await start(t, ['mine', 'another'])
  const body = { type: 'TRANSACTION_EXPORT_EVM', options: wanted }
  const path = '/v1/operations/transactions:export'
  assert.equal((await ask(firn, path, undefined, body)).status, 401)
  const made = await ask(firn, path, mine, body)
  assert.equal(made.status, 201)
  const own = `/v1/operations/${made.body.operationId}`
  assert.equal((await ask(firn, own, mine)).status, 200)
  assert.equal((await ask(firn, own, another)).status, 404)
  assert.equal((await ask(firn, own)).status, 401)
  const file = await fetch(made.body.metadata.downloadUrl)
  assert.equal(file.status, 200)
  await file.body?.cancel()
})

provesOperations([{ answered }], ['postTransactionExportJob', 'getOperationResult'])
