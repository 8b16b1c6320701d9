/** Document A, operations 4 and 5, and one transaction. */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'

import { toPrimaryAddress } from '../../../src/core/address.ts'
import { toCb58 } from '../../../src/core/cb58.ts'
import { statement, type Writer } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { everyAddress, everyStaker } from '../../../src/store/query/primary/whole-state.ts'
import { bytesValue } from '../../../src/store/query/stored-row.ts'
import { txBody } from '../../../src/store/schema/primary/bodies.ts'
import { firstBlockPosOf, posOfPlace } from '../../../src/store/schema/primary/position.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { recordedMoment } from '../../support/nodes/recorded-node.ts'
import type { Json } from '../../support/services/evm-service.ts'
import {
  indexedPrimary,
  primaryService,
  recordedAnswers,
  servePrimary,
  startPrimaryService,
} from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService()
const { store, hrp } = service.network
const all = await everyAddress(store, 1_000)
const texts = all.map(({ address }) => toPrimaryAddress(hrp, address))
const base = '/v1/networks/fuji/blockchains'
const chains = ['p-chain', 'x-chain', 'c-chain']

const readAll = (chain: string, query = ''): Promise<Json[]> =>
  service.readAll(`${base}/${chain}/transactions?pageSize=100${query}`, 'transactions')

void test('transactions: committed and aborted as the node files them', async () => {
  const listed = new Map((await readAll('p-chain')).map((one) => [one.txHash, one]))
  let compared = 0
  for (const { method, parameters, reply } of recordedAnswers()) {
    if (method !== 'platform.getTxStatus') continue
    const ours = listed.get((parameters as Json).txID)
    assert.ok(ours !== undefined, (parameters as Json).txID)
    assert.equal(ours.status ?? 'Committed', (reply as Json).status)
    compared++
  }
  assert.ok(compared > 50)
})

void test('transactions: inputs less outputs are the burned amount, by asset', async () => {
  const sum = (list: Json[], sign: bigint, sums: Map<string, bigint>): void => {
    for (const { assetId, amount } of list)
      sums.set(assetId, (sums.get(assetId) ?? 0n) + sign * BigInt(amount))
  }
  for (const chain of chains) {
    for (const one of await readAll(chain)) {
      // What is minted, returned, refunded or in genesis has no input.
      if (one.blockNumber === '0' || /Reward|CreateAsset|Operation|SetL1|Disable/.test(one.txType))
        continue
      const sums = new Map<string, bigint>()
      sum(one.consumedUtxos, 1n, sums)
      sum(one.emittedUtxos, -1n, sums)
      for (const { asset } of one.evmInputs ?? []) sum([asset], 1n, sums)
      for (const { asset } of one.evmOutputs ?? []) sum([asset], -1n, sums)
      sum(one.amountBurned, -1n, sums)
      for (const [assetId, rest] of sums)
        assert.equal(rest, 0n, `${chain} ${one.txType} ${one.txHash} ${assetId}`)
    }
  }
})

void test('transactions: an address has those whose outputs name it, each once', async () => {
  for (const chain of chains) {
    const listed = await readAll(chain)
    for (const address of texts) {
      const mine = await readAll(chain, `&addresses=${address}`)
      assert.equal(new Set(mine.map(({ txHash }) => txHash)).size, mine.length)
      const names = (one: Json): boolean =>
        [...one.consumedUtxos, ...one.emittedUtxos].some((utxo) => utxo.addresses.includes(address))
      const want = listed.filter(names).map(({ txHash }) => txHash)
      const got = new Set(mine.map(({ txHash }) => txHash))
      for (const txHash of want) assert.ok(got.has(txHash), `${chain} ${address} ${txHash}`)
    }
    const together = await readAll(chain, `&addresses=${texts.join(',')}`)
    assert.equal(new Set(together.map(({ txHash }) => txHash)).size, together.length)
  }
})

void test('transactions: types and times filter, orders reverse', async () => {
  const of = `&addresses=${texts.join(',')}`
  for (const chain of chains) {
    const whole = await readAll(chain, of)
    assert.deepEqual((await readAll(chain, `${of}&sortOrder=asc`)).toReversed(), whole)
    const types = [...new Set(whole.map(({ txType }) => txType))]
    for (const type of types) {
      const some = await readAll(chain, `${of}&txTypes=${type}`)
      assert.deepEqual(
        some,
        whole.filter(({ txType }) => txType === type),
      )
    }
    const two = types.slice(0, 2)
    const both = whole.filter(({ txType }) => two.includes(txType))
    assert.deepEqual(await readAll(chain, `${of}&txTypes=${two.join(',')}`), both)
    assert.deepEqual(
      await readAll(chain, `${of}${two.map((type) => `&txTypes=${type}`).join('')}`),
      both,
    )
    const times = [...new Set(whole.map(({ blockTimestamp }) => blockTimestamp))]
    const [late, early] = [times[Math.floor(times.length / 4)], times[times.length - 2]]
    assert.deepEqual(
      await readAll(chain, `${of}&startTimestamp=${early}&endTimestamp=${late}`),
      whole.filter((one) => one.blockTimestamp > early && one.blockTimestamp < late),
    )
    // Any integer from 0 on is a moment, also one that no chain will live to see.
    const never = Number.MAX_SAFE_INTEGER
    assert.deepEqual(await readAll(chain, `${of}&startTimestamp=0&endTimestamp=${never}`), whole)
    assert.deepEqual(await readAll(chain, `${of}&startTimestamp=${never}`), [])
  }
})

const oldest = statement(
  'select pos, body from primary_transaction where pos >= ? order by pos limit 4',
  {
    over: 'tables',
  },
)
const moved = [
  'primary_transaction_by_id',
  'primary_transaction_by_address',
  'primary_transaction',
].map((table) => statement(`update ${table} set pos = ? where pos = ?`, { unsummed: true }))
const setBody = statement('update primary_transaction set body = ? where pos = ?', {
  unsummed: true,
})

/** Makes the first transactions of X-Chain blocks ones from before, with times in no order. */
async function moveBeforeBlocks(writer: Writer): Promise<void> {
  const rows = await writer.all(oldest, [firstBlockPosOf('X')])
  for (const [at, [pos, body]] of rows.entries()) {
    const place = posOfPlace({ chain: 'X', height: -4_294_967_296 + at, position: 0 })
    const time = 1_600_000_000 + 1_000 * ((at * 3) % 4)
    await writer.run(setBody, [
      txBody.toBytes({ ...txBody.fromBytes(bytesValue(body)), time }),
      Number(pos),
    ])
    for (const each of moved) await writer.run(each, [place, Number(pos)])
  }
}

void test('transactions: those of the X-Chain before its blocks have their own times', async () => {
  const folder = await indexedPrimary()
  const place = { store: 'embedded', dataDir: folder } as const
  const store = await openStore(place, 'primary-fuji', primaryStoreTables, 'read')
  const early = await servePrimary(store, recordedMoment(recordedAnswers()) * 1_000)
  const writer = await openStore(place, 'primary-fuji', primaryStoreTables, 'write')
  await writer.transaction(moveBeforeBlocks)
  await writer.close()
  const list = (query: string, pageSize = 25): Promise<Json[]> =>
    early.readAll(
      `${base}/x-chain/transactions?pageSize=${pageSize}&addresses=${texts.join(',')}${query}`,
      'transactions',
    )
  try {
    const whole = await list('')
    const times = [...new Set(whole.map(({ blockTimestamp }) => blockTimestamp))].toSorted(
      (a, b) => a - b,
    )
    assert.equal(whole.filter(({ chainFormat }) => chainFormat === 'non-linear').length, 4)
    // Pages that end between two of one time, and between the two kinds.
    assert.deepEqual(await list('', 2), whole)
    assert.deepEqual(await list('&sortOrder=asc', 3), whole.toReversed())
    for (const time of times.slice(0, 6).flatMap((one) => [one, one + 1])) {
      assert.deepEqual(
        await list(`&endTimestamp=${time}`),
        whole.filter((one) => one.blockTimestamp < time),
      )
      assert.deepEqual(
        await list(`&startTimestamp=${time}&sortOrder=asc`),
        whole.filter((one) => one.blockTimestamp > time).toReversed(),
      )
    }
  } finally {
    await early.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

void test('transactions: an EVM account finds its imports and exports', async () => {
  const listed = await readAll('c-chain')
  const account = listed.flatMap((one) => one.evmInputs ?? [])[0].fromAddress
  const mine = await readAll('c-chain', `&addresses=${account}`)
  const names = (one: Json): boolean =>
    JSON.stringify([one.evmInputs, one.evmOutputs]).includes(account)
  assert.ok(mine.length > 0)
  assert.deepEqual(mine, listed.filter(names))
})

void test('transactions: those of an L1 validation tell its balance step by step', async () => {
  const { body } = await service.get(
    '/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true&pageSize=100',
  )
  assert.ok(body.validators.length > 2)
  for (const { validationId, validationIdHex } of body.validators) {
    const mine = await readAll('p-chain', `&l1ValidationId=${validationId}`)
    assert.ok(mine.length > 0)
    assert.deepEqual(await readAll('p-chain', `&l1ValidationId=${validationIdHex}`), mine)
    assert.match(mine.at(-1).txType, /ConvertSubnetToL1Tx|RegisterL1ValidatorTx/)
    for (const one of mine)
      assert.ok(one.l1ValidatorDetails.some((change: Json) => change.validationId === validationId))
    const type = mine[0].txType
    const some = await readAll('p-chain', `&l1ValidationId=${validationId}&txTypes=${type}`)
    assert.ok(some.every(({ txType }) => txType === type) && some.length > 0)
  }
})

void test('transactions: of an L1 validation and of addresses are those of both', async () => {
  const { body } = await service.get('/v1/networks/fuji/l1Validators?pageSize=2')
  const ofAddress = new Map<string, Json[]>()
  for (const address of texts)
    ofAddress.set(address, await readAll('p-chain', `&addresses=${address}`))
  let found = 0
  for (const { validationId } of body.validators) {
    const mine = await readAll('p-chain', `&l1ValidationId=${validationId}`)
    const ids = new Set(mine.map(({ txHash }) => txHash))
    for (const [address, theirs] of ofAddress) {
      const both = theirs.filter(({ txHash }) => ids.has(txHash))
      const query = `&l1ValidationId=${validationId}&addresses=${address}`
      assert.deepEqual(await readAll('p-chain', query), both)
      const path = `${base}/p-chain/transactions?pageSize=1&sortOrder=asc${query}`
      assert.deepEqual(await service.readAll(path, 'transactions'), both.toReversed())
      found += both.length
    }
  }
  assert.ok(found > 0)
})

void test('transactions: a page ends early when its UTXOs pass the setting, and goes on', async () => {
  const short = await startPrimaryService({
    limits: { maxAddresses: 64, maxBodyAddresses: 1_024, transactionPageUtxos: 20 },
  })
  try {
    const path = `${base}/p-chain/transactions?pageSize=100`
    const { body } = await short.get(path)
    const carried = body.transactions
      .map((one: Json) => one.consumedUtxos.length + one.emittedUtxos.length)
      .reduce((a: number, b: number) => a + b)
    assert.ok(body.transactions.length < 100 && carried <= 20)
    assert.ok(body.nextPageToken !== undefined)
    assert.deepEqual(await short.readAll(path, 'transactions'), await readAll('p-chain'))
  } finally {
    await short.close()
  }
})

void test('staking transactions: exactly those whose stake is active', async () => {
  const open = new Set<string>()
  for await (const staker of everyStaker(store))
    if (staker.status === 'active' || staker.status === 'pending') open.add(toCb58(staker.txId))
  const path = `${base}/p-chain/transactions:listStaking?pageSize=100&addresses=${texts.join(',')}`
  const listed = await service.readAll(path, 'transactions')
  assert.ok(listed.length > 0)
  for (const { txHash } of listed) assert.ok(open.has(txHash))
  assert.equal(listed.length, open.size)
  const wrong = await service.get(`${base}/x-chain/transactions:listStaking?addresses=${texts[0]}`)
  assert.equal(wrong.status, 400)
  assert.match(wrong.body.message, /blockchainId/)
})

void test('transactions: filters need addresses; unknown ones are 404, malformed ones 400', async () => {
  for (const query of ['txTypes=ImportTx', 'startTimestamp=1', 'endTimestamp=1']) {
    const { status, body } = await service.get(`${base}/p-chain/transactions?${query}`)
    assert.equal(status, 400)
    assert.match(body.message, /addresses/)
  }
  const unknown = toCb58(new Uint8Array(32).fill(3))
  assert.equal((await service.get(`${base}/p-chain/transactions/${unknown}`)).status, 404)
  assert.equal((await service.get(`${base}/p-chain/transactions/0xzz`)).status, 400)
  const type = await service.get(`${base}/p-chain/transactions?addresses=${texts[0]}&txTypes=Odd`)
  assert.match(type.body.message, /txTypes/)
})

void test('transactions: the whole chain has as many as its blocks say', async () => {
  for (const chain of chains) {
    const listed = await readAll(chain)
    const blocks = await service.readAll(`${base}/${chain}/blocks?pageSize=100`, 'blocks')
    const ids = blocks.flatMap((block) => block.transactions.toReversed())
    const beyondGenesis = listed.filter((one) => ids.includes(one.txHash))
    assert.deepEqual(
      beyondGenesis.map(({ txHash }) => txHash),
      ids,
      chain,
    )
  }
})

provesOperations([service], ['listActivePrimaryNetworkStakingTransactions'])
