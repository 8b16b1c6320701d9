/** PostgreSQL answers what SQLite answers, byte for byte. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toPrimaryAddress } from '../../../src/core/address.ts'
import { everyAddress } from '../../../src/store/query/primary/whole-state.ts'
import { verifyPrimary } from '../../../src/verify/verify-primary.ts'
import { recordedMoment, recordedNode } from '../../support/nodes/recorded-node.ts'
import { manualClock } from '../../support/processes/manual-clock.ts'
import { primaryService, recordedAnswers } from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const embedded = await primaryService()
const scaled = await primaryService({}, 'postgres')

const all = await everyAddress(embedded.network.store, 1_000)
const addresses = all
  .map(({ address }) => toPrimaryAddress(embedded.network.hrp, address))
  .join(',')
const base = '/v1/networks/fuji'
const primary = '11111111111111111111111111111111LpoYY'

const ofChains = ['p-chain', 'x-chain', 'c-chain'].flatMap((chain) => {
  const path = `${base}/blockchains/${chain}`
  return [
    `${path}/utxos?addresses=${addresses}`,
    `${path}/utxos?addresses=${addresses}&includeSpent=true&sortBy=amount&sortOrder=asc`,
    `${path}/utxos?addresses=${addresses}&sortBy=amount&minUtxoAmount=1000000&pageSize=30`,
    `${path}/balances?addresses=${addresses}`,
    `${path}/balances?addresses=${addresses}&blockTimestamp=1795263500`,
    `${path}/balances?addresses=${addresses}&blockTimestamp=${Number.MAX_SAFE_INTEGER}`,
    `${path}/transactions?pageSize=30`,
    `${path}/transactions?addresses=${addresses}&txTypes=ImportTx&txTypes=ExportTx`,
    `${path}/transactions?addresses=${addresses}&startTimestamp=1795263000&sortOrder=asc`,
    `${path}/blocks`,
    `${path}/blocks/3`,
    `${path}/nodes/NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg/blocks`,
  ]
})
const paths = [
  ...ofChains,
  `${base}/blockchains/p-chain/transactions:listStaking?addresses=${addresses}`,
  `${base}/validators?pageSize=3`,
  `${base}/validators?sortBy=delegationCapacity&sortOrder=asc&minDelegationCapacity=0`,
  `${base}/validators?sortBy=timeRemaining&validationStatus=active&subnetId=${primary}`,
  `${base}/validators?sortBy=uptimePerformance&minFeePercentage=2`,
  `${base}/validators?nodeIds=Xhw`,
  `${base}/validators?nodeIds=nodeid`,
  `${base}/validators/NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg`,
  `${base}/subnets?pageSize=2`,
  `${base}/blockchains?pageSize=2`,
  `${base}/subnets/${primary}`,
  `${base}/rewards?addresses=${addresses}&pageSize=2`,
  `${base}/rewards:listPending?addresses=${addresses}&pageSize=2`,
  `${base}/l1Validators?includeInactiveL1Validators=true&pageSize=2`,
  `${base}/addresses:listChainIds?addresses=${addresses}`,
]

void test('engines: PostgreSQL gives the bytes SQLite gives, on first and second pages', async () => {
  for (const path of paths) {
    const [own, other] = await Promise.all([embedded.get(path), scaled.get(path)])
    assert.equal(other.status, 200, `${path}: ${JSON.stringify(other.body)}`)
    assert.deepEqual(other.body, own.body, path)
    const token = own.body.nextPageToken
    if (token === undefined) continue
    const next = `${path}${path.includes('?') ? '&' : '?'}pageToken=${token}`
    const [ownNext, otherNext] = await Promise.all([embedded.get(next), scaled.get(next)])
    assert.deepEqual(otherNext.body, ownNext.body, next)
  }
})

void test('engines: a store in PostgreSQL agrees with the recorded node too', async () => {
  const answers = recordedAnswers()
  const moment = recordedMoment(answers) * 1_000
  const { report } = await verifyPrimary({
    network: scaled.network,
    node: recordedNode(answers),
    clock: manualClock(moment),
    signal: AbortSignal.timeout(60_000),
    sample: 64,
  })
  assert.deepEqual(report.differences(), [])
})

provesOperations([embedded], ['listPrimaryNetworkBlocksByNodeId'])
