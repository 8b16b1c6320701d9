/** Document A, operation 6, against the balances the recorded node summed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parsePrimaryAddress } from '../../../src/core/address.ts'
import { recordedMoment } from '../../support/nodes/recorded-node.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { primaryService, recordedAnswers } from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService()
const answers = recordedAnswers()
const base = '/v1/networks/fuji/blockchains'
const avax = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

function amountOf(list: Json[]): bigint {
  return list
    .filter(({ assetId }) => assetId === avax)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

async function balances(chain: string, address: string, query = ''): Promise<Json> {
  const { status, body } = await service.get(
    `${base}/${chain}/balances?addresses=${address}${query}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  return body.balances
}

void test('balances: an address that shares nothing has what the node says', async () => {
  let compared = 0
  for (const { method, parameters, reply } of answers) {
    if (method !== 'platform.getBalance') continue
    const [address] = (parameters as Json).addresses
    const ours = await balances('p-chain', address)
    const theirs = reply as Json
    const shared = await sharesOutputs(address)
    if (shared) continue
    assert.equal(amountOf(ours.unlockedUnstaked), BigInt(theirs.unlockeds[avax] ?? 0), address)
    assert.equal(amountOf(ours.lockedStakeable), BigInt(theirs.lockedStakeables[avax] ?? 0))
    assert.equal(amountOf(ours.lockedPlatform), BigInt(theirs.lockedNotStakeables[avax] ?? 0))
    compared++
  }
  assert.ok(compared > 4)
})

/** Nodes count what an address owns a part of; answers here only what it can spend. */
async function sharesOutputs(address: string): Promise<boolean> {
  const bytes = parsePrimaryAddress(address, service.network.hrp)
  const hex = Buffer.from(bytes).toString('hex')
  return answers
    .filter(({ method }) => method === 'platform.getUTXOs')
    .flatMap(({ reply }) => (reply as Json).utxos as string[])
    .some((utxo) => utxo.includes(hex) && utxo.length > 2 * (2 + 32 + 4 + 32 + 4 + 12 + 8 + 8 + 48))
}

void test('balances: stakes are what the node says they are', async () => {
  let staked = 0n
  for (const { method, parameters, reply } of answers) {
    if (method !== 'platform.getStake') continue
    const [address] = (parameters as Json).addresses
    const ours = await balances('p-chain', address)
    const sum = [ours.unlockedStaked, ours.lockedStaked, ours.pendingStaked]
      .map(amountOf)
      .reduce((a, b) => a + b)
    assert.equal(sum, BigInt((reply as Json).stakeds[avax] ?? 0), address)
    staked += sum
  }
  assert.ok(staked > 0n)
})

void test('balances: the X-Chain has its assets by category, the C-Chain only what is on its way', async () => {
  let compared = 0
  for (const { method, parameters, reply } of answers) {
    if (method !== 'avm.getAllBalances') continue
    const { address } = parameters as Json
    const ours = await balances('x-chain', address)
    const theirs = (reply as Json).balances as Json[]
    const sums = new Map(
      theirs.map(({ asset, balance }) => [asset === 'AVAX' ? avax : asset, balance]),
    )
    for (const { assetId, amount } of ours.unlockedUnstaked)
      assert.equal(amount, sums.get(assetId), `${address} ${assetId}`)
    assert.equal(ours.unlockedUnstaked.length, sums.size, address)
    compared += sums.size
    const c = await balances('c-chain', address)
    assert.deepEqual(Object.keys(c).toSorted(), ['atomicMemoryLocked', 'atomicMemoryUnlocked'])
  }
  assert.ok(compared > 0)
})

void test('balances: at the moment after everything they are those of now', async () => {
  const later = recordedMoment(answers)
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    for (const { method, parameters } of answers) {
      if (method !== 'platform.getBalance') continue
      const [address] = (parameters as Json).addresses
      // Of restaked rewards only what they are now is known.
      const sorted = ({ restakedRewards: _now, ...value }: Json): Json =>
        Object.fromEntries(
          Object.entries(value).map(([name, list]) => [
            name,
            (list as Json[]).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
          ]),
        )
      assert.deepEqual(
        sorted(await balances(chain, address, `&blockTimestamp=${later}`)),
        sorted(await balances(chain, address)),
      )
    }
  }
})

void test('balances: a moment sees what was made before it and not spent by then', async () => {
  const { body } = await service.get(`${base}/p-chain/transactions?pageSize=100&sortOrder=asc`)
  const [address] = body.transactions.at(-1).emittedUtxos[0].addresses
  const spent = await service.readAll(
    `${base}/p-chain/utxos?addresses=${address}&includeSpent=true&pageSize=100`,
    'utxos',
  )
  const simple = spent.filter(
    (utxo) => utxo.threshold === 1 && utxo.addresses.length === 1 && utxo.utxoType === 'TRANSFER',
  )
  const moments = [...new Set(simple.map(({ blockTimestamp }) => blockTimestamp))]
  for (const moment of [...moments.slice(0, 10), ...moments.slice(-10)]) {
    const want = simple
      .filter(
        (utxo) =>
          utxo.createdOnChainId === utxo.consumedOnChainId &&
          utxo.platformLocktime <= moment &&
          utxo.blockTimestamp < moment &&
          (utxo.consumingBlockTimestamp ?? Infinity) > moment,
      )
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    const ours = await balances('p-chain', address, `&blockTimestamp=${moment}`)
    // Stakes that came back are unlocked too; they are not in the list of plain outputs.
    assert.ok(amountOf(ours.unlockedUnstaked) >= want, `${address} at ${moment}`)
  }
})

void test('balances: an EVM address on the P- or X-Chain is 400, and says what was meant', async () => {
  for (const [chain, form] of [
    ['p-chain', 'P-'],
    ['x-chain', 'X-'],
  ] as const) {
    const { status, body } = await service.get(
      `${base}/${chain}/balances?addresses=0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc`,
    )
    assert.equal(status, 400)
    assert.match(body.message, new RegExp(`${form}(fuji|local|avax)1.*/v1/chains/.*: 0x8db9`))
  }
})

void test('balances: without addresses there is a 400', async () => {
  for (const query of ['', '?addresses=', '?blockTimestamp=5']) {
    const { status, body } = await service.get(`${base}/p-chain/balances${query}`)
    assert.equal(status, 400)
    assert.match(body.message, /addresses/)
  }
})

void test('balance series: every point is the balance of its moment, the last one that of now', async () => {
  const moment = recordedMoment(answers)
  const start = moment - 20 * 3_600
  const recorded = answers.find(({ method }) => method === 'platform.getStake')!
  const [address] = (recorded.parameters as Json).addresses
  const path =
    `${base}/p-chain/balances:listSeries?addresses=${address}` +
    `&timeInterval=hour&startTimestamp=${start}&endTimestamp=${moment}`
  const { status, body } = await service.get(path)
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(body.series.length >= 20)
  for (const { timestamp, balances: point } of body.series)
    assert.deepEqual(point, await balances('p-chain', address, `&blockTimestamp=${timestamp}`))
  assert.ok(body.series.every(({ timestamp }: Json) => timestamp >= start && timestamp <= moment))
  assert.deepEqual(body.series.at(-1).timestamp, moment)
})

provesOperations([service], ['listBalanceSeries'])
