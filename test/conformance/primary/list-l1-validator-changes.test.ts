/** Changes of L1 validations: they add up to the fees that were paid and to the present balance, and name their transactions. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Json } from '../../support/services/evm-service.ts'
import { primaryService } from '../../support/services/primary-service.ts'

const service = await primaryService()
const base = '/v1/networks/fuji'
const list = `${base}/l1Validators?includeInactiveL1Validators=true&pageSize=100`
const changesOf = (id: string, size = 100): Promise<Json[]> =>
  service.readAll(`${base}/l1Validators/${id}/changes?pageSize=${size}`, 'changes')

/** Fees until now, of the series of fees, which another test holds to the node. */
async function feesOf(validationId: string): Promise<bigint> {
  const path = `/v2/validation/${validationId}/metrics/validationCumulativeFeesDaily`
  const { body } = await service.get(path)
  return BigInt(body.results[0]?.value ?? 0)
}

void test('changes of an L1 validation: paid in is what is left, was paid out and went into fees', async () => {
  const { body } = await service.get(list)
  let seen = 0
  for (const one of body.validators) {
    const changes = await changesOf(one.validationId)
    assert.deepEqual(await changesOf(one.validationIdHex, 1), changes)
    assert.deepEqual(
      changes.map(({ timestamp }) => timestamp),
      changes.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
    )
    const sum = (name: string): bigint =>
      changes.reduce((all, each) => all + BigInt(each[name]), 0n)
    const fees = sum('balanceAdded') - sum('balanceReturned') - BigInt(one.remainingBalance)
    assert.equal(fees, await feesOf(one.validationId), one.validationId)
    assert.equal(changes[0].weight, one.weight)
    assert.equal(changes[0].isActive, one.remainingBalance > 0)
    assert.equal(changes.at(-1).timestamp, one.creationTimestamp)
    // Between two changes a balance pays, it never grows.
    for (const [at, { remainingBalance, balanceAdded, balanceReturned }] of changes.entries()) {
      const before = BigInt(remainingBalance) - BigInt(balanceAdded) + BigInt(balanceReturned)
      const last = changes[at + 1]?.remainingBalance ?? '0'
      assert.ok(before >= 0n && before <= BigInt(last), `${one.validationId} ${at}`)
    }
    seen += changes.length
  }
  assert.ok(seen > body.validators.length, String(seen))
})

void test('changes of an L1 validation: each of its transactions is listed, with its weight and balance', async () => {
  const { body } = await service.get(list)
  let compared = 0
  for (const { validationId } of body.validators) {
    const path = `${base}/blockchains/p-chain/transactions?pageSize=100&l1ValidationId=${validationId}`
    const detailsByTx = new Map(
      (await service.readAll(path, 'transactions')).map((tx) => [
        tx.txHash,
        tx.l1ValidatorDetails.find((each: Json) => each.validationId === validationId),
      ]),
    )
    const changes = await changesOf(validationId)
    const named = changes.filter(({ txHash }) => txHash !== undefined)
    assert.deepEqual(new Set(named.map(({ txHash }) => txHash)), new Set(detailsByTx.keys()))
    for (const { txHash, weight, remainingBalance } of named) {
      const details = detailsByTx.get(txHash)
      assert.equal(weight, details.weight)
      assert.equal(remainingBalance, String(details.remainingBalance))
      compared++
    }
  }
  assert.ok(compared > 5, String(compared))
})

void test('changes of an L1 validation: an unknown id is 404, a malformed one 400', async () => {
  const nothing = '11111111111111111111111111111111LpoYY'
  assert.equal((await service.get(`${base}/l1Validators/${nothing}/changes`)).status, 404)
  assert.equal((await service.get(`${base}/l1Validators/abc/changes`)).status, 400)
})
