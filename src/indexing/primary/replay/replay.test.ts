import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import {
  networkNamed,
  networkNames,
  unzipped,
} from '../../../../test/support/chains/recorded-network.ts'
import { replay } from '../../../../test/support/chains/replayed-network.ts'
import { seenStakers } from '../../../../test/support/chains/seen-rows.ts'
import { cTransactionNames } from '../../../codec/primary/c-atomic.ts'
import { buildGenesis } from '../../../codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../../codec/primary/genesis-config.ts'
import { readGenesis } from '../../../codec/primary/genesis.ts'
import { pTransactionNames } from '../../../codec/primary/p-transaction.ts'
import { xTransactionNames } from '../../../codec/primary/x-transaction.ts'
import { keyOf } from '../../../core/bytes.ts'
import { parseId, toCb58 } from '../../../core/cb58.ts'
import { newAssetNumbers } from '../batch/asset-numbers.ts'
import { rulesOf } from '../batch/rules.ts'
import { beginPChain } from './p/genesis.ts'

const primaryId = '11111111111111111111111111111111LpoYY'

void test('recordings: together they hold every kind of transaction but an advance of time', () => {
  const seen = new Set<string>()
  for (const name of networkNames) {
    const { rows } = replay(networkNamed(name), { order: 'PXC', batch: 50, cache: 1_000 })
    for (const row of rows.transactions) seen.add(`${row.chain}${row.typeId}`)
  }
  const named = [
    ...Object.keys(pTransactionNames).map((id) => `P${id}`),
    ...Object.keys(xTransactionNames).map((id) => `X${id}`),
    ...Object.keys(cTransactionNames).map((id) => `C${id}`),
  ]
  // Nodes of today make no Apricot blocks, which alone hold those.
  assert.deepEqual(
    named.filter((id) => !seen.has(id)),
    ['P19'],
  )
})

void test('genesis: potential rewards and the supply after it are what upstream computes', () => {
  type Expected = {
    readonly network: string
    readonly networkID: number
    readonly supplyAfterGenesisPotentialRewards: string
    readonly validators: readonly { readonly txID: string; readonly potentialReward: string }[]
  }
  const expectations: readonly Expected[] = JSON.parse(
    readFileSync(new URL('../../../../vectors/primary/genesis.json', import.meta.url), 'utf8'),
  )
  for (const expected of expectations) {
    const config = parseGenesisConfig(unzipped(`data/genesis/${expected.network}.json.gz`))
    const facts = readGenesis(buildGenesis(config))
    const { state, batch } = beginPChain(facts, rulesOf(expected.networkID), {
      utxoLimit: 10,
      assets: newAssetNumbers([]),
    })
    assert.equal(
      String(state.supplies.get(keyOf(parseId(primaryId)))),
      expected.supplyAfterGenesisPotentialRewards,
    )
    const byId = new Map(seenStakers(batch).map((staker) => [toCb58(staker.txId), staker]))
    for (const { txID, potentialReward } of expected.validators) {
      const row = byId.get(txID)
      assert.equal(String(row?.potentialReward), potentialReward, txID)
    }
  }
})
