/** Pages of the tokens of an address are full while there are more, whatever is not a token. */

import assert from 'node:assert/strict'

import { newTokens } from '../../src/indexing/evm/write/transfer-rows.ts'
import { balanceCandidates } from '../../src/store/query/evm/balances.ts'
import { balance, token } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const addressId = 9
/** Contracts that never logged a transfer: their deposits are counted, and they are no tokens. */
const without = [2, 3, 4]
const contracts = [1, ...without, 5, 6, 7]

onBothEngines(
  'tokens of an address: contracts that are no tokens do not end a list',
  chainTables,
  async (test) => {
    const store = await test.open('write')
    const tokens = contracts.filter((id) => !without.includes(id))
    await store.transaction(async (writer) => {
      await writer.insert(balance, {
        address_id: contracts.map(() => addressId),
        token_id: contracts,
        height: contracts.map(() => 5),
        value: contracts.map((id) => Uint8Array.of(id)),
        negative: contracts.map(() => 0),
      })
      const shown = tokens.map((id) => ({ id, standard: 20, height: 0 }))
      await writer.insert(token, newTokens(shown))
    })
    const page = async (afterToken: number): Promise<number[]> => {
      const query = { addressId, afterToken, height: 10, limit: 2 }
      return (await balanceCandidates(store, query)).map((row) => row.token.id)
    }
    assert.deepEqual(await page(0), [1, 5])
    assert.deepEqual(await page(5), [6, 7])
    assert.deepEqual(await page(7), [])
    await store.close()
  },
)
