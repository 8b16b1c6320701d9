/** UTXOs are found by the transactions they are named for, whatever else begins alike. */

import assert from 'node:assert/strict'

import { concatBytes } from '../../../src/core/bytes.ts'
import type { Writer } from '../../../src/store/engine/database.ts'
import { transactionById } from '../../../src/store/query/primary/transactions.ts'
import { utxosAt } from '../../../src/store/query/primary/utxos.ts'
import { txBody } from '../../../src/store/schema/primary/bodies.ts'
import { strayUtxo, tx, txById, utxo } from '../../../src/store/schema/primary/ledger.ts'
import { prefixOf } from '../../../src/store/schema/primary/position.ts'
import { primaryTables } from '../../../src/store/schema/primary/tables.ts'
import { utxoOutput, utxoRowHead } from '../../../src/store/schema/primary/utxo-row.ts'
import { onBothEngines } from '../../support/stores/stores.ts'

/** An id that begins like all others here. */
function idOf(last: number): Uint8Array {
  return new Uint8Array(32).fill(0xf0).fill(last, 31)
}

async function add(writer: Writer, pos: number, firstUtxo: number, utxoCount: number) {
  const lists = { spent: [], consumed: [], value: [], burned: [], staked: [] }
  const sides = { evmInputs: [], evmOutputs: [], rewardAddresses: [] }
  const body = txBody.toBytes({
    typeId: 34,
    time: 1,
    committed: true,
    firstUtxo,
    utxoCount,
    ...lists,
    ...sides,
    memo: undefined,
    sourceChain: undefined,
    destinationChain: undefined,
    nodeId: undefined,
    subnetId: undefined,
    stakingTxId: undefined,
    startTime: undefined,
    endTime: undefined,
    delegationShares: undefined,
    publicKey: undefined,
    proofOfPossession: undefined,
    l1BalanceBurned: undefined,
    subnetOwner: undefined,
    managerChainId: undefined,
    managerAddress: undefined,
    period: undefined,
    autoCompoundRewardShares: undefined,
    validatorAuthority: undefined,
  })
  await writer.insert(tx, { pos: [pos], tx_id: [idOf(pos)], body: [body] })
  await writer.insert(txById, { prefix: [prefixOf(idOf(pos))], pos: [pos] })
}

/** A row of UTXOs of one transaction; `last` is the number of the last of them. */
async function make(writer: Writer, last: number, row: Row) {
  const { txId, firstIndex, count } = row
  const none = { consumableOn: undefined, stakeStart: undefined, stakeEnd: undefined }
  const one = { asset: 1, kind: 0, output: new Uint8Array(4), ...none, reward: undefined }
  const head = utxoRowHead.toBytes({ txId, firstIndex, createdPos: 1, createdAt: 1 })
  const utxos = Array.from({ length: count }, () => utxoOutput.toBytes(one))
  await writer.insert(utxo, { id: [last], body: [concatBytes(head, ...utxos)] })
}

type Row = { readonly txId: Uint8Array; readonly firstIndex: number; readonly count: number }

onBothEngines(
  'UTXOs by name: ids with the same beginning are distinguished',
  primaryTables,
  async (store) => {
    const database = await store.open('write')
    await database.transaction(async (writer) => {
      await add(writer, 1, 10, 2)
      await add(writer, 2, 12, 1)
      await make(writer, 11, { txId: idOf(1), firstIndex: 0, count: 2 })
      // The second transaction made what is named for the first: a reward.
      await make(writer, 12, { txId: idOf(1), firstIndex: 2, count: 1 })
      await writer.insert(strayUtxo, { prefix: [prefixOf(idOf(1))], utxo: [12] })
    })
    const places = [
      { txId: idOf(1), outputIndex: 2 },
      { txId: idOf(2), outputIndex: 0 },
      { txId: idOf(1), outputIndex: 0 },
      { txId: idOf(3), outputIndex: 0 },
      { txId: idOf(1), outputIndex: 1 },
      { txId: idOf(1), outputIndex: 3 },
    ]
    const found = await utxosAt(database, places)
    assert.deepEqual(
      found.map((row) => row?.id),
      [12, undefined, 10, undefined, 11, undefined],
    )
    assert.equal((await transactionById(database, 'P', idOf(2)))?.pos, 2)
    assert.equal(await transactionById(database, 'P', idOf(3)), undefined)
  },
)
