import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networkNamed } from '../../../../../test/support/chains/recorded-network.ts'
import { batchOfP, Rows } from '../../../../../test/support/chains/replayed-network.ts'
import { keyOf } from '../../../../core/bytes.ts'
import { posAfter, posOf } from '../../../../store/schema/primary/position.ts'
import { afterTransactions } from '../../batch/subnet-rows.ts'
import { beginPChain } from './genesis.ts'

// A price at which nobody can pay a second: avalanchego vms/platformvm/block/executor/verifier.go
// deactivateLowBalanceL1Validators looks at it after the transactions of a block.
const unaffordable = { target: 10_000n, minPrice: 10n ** 18n, excessConversionConstant: 865_617n }

void test('replay: who cannot pay the next second is inactive after the transactions of the block', () => {
  const network = networkNamed('local-five')
  const rules = { ...network.rules, l1Fee: unaffordable }
  const at = network.p.findIndex(({ transactions }) =>
    transactions.some(({ unsigned }) => unsigned.typeId === 35),
  )
  const rows = new Rows()
  const kept = { utxoLimit: 1_000_000, assets: rows.numbers }
  const { state, batch } = beginPChain(network.facts, rules, kept)
  rows.write(batch)
  const { l1Changes } = batchOfP(state, network.p.slice(0, at + 1), rows)
  const byValidation = Map.groupBy(l1Changes, ({ validationId }) => keyOf(validationId))
  assert.ok(byValidation.size > 0)
  for (const changes of byValidation.values()) {
    assert.deepEqual(
      changes.map(({ position, active }) => ({ isLast: position === afterTransactions, active })),
      [
        { isLast: false, active: true },
        { isLast: true, active: false },
      ],
    )
  }
})

void test('places: what comes after the transactions of a block is between it and the next', () => {
  const most = 2 ** 20 - 3
  assert.ok(posAfter(0, 7) > posOf(0, 7, most))
  assert.ok(posAfter(0, 7) < posOf(0, 8, -1))
})
