import assert from 'node:assert/strict'
import { test } from 'node:test'

import { getStatus } from '../../../src/api/server/get-status.ts'
import { LeaseWatch } from '../../../src/service/status/lease-watch.ts'
import { statusOf } from '../../../src/service/status/status-view.ts'
import { evmService } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const service = await evmService({
  chains: [51002],
  more: ({ chains, clock }) => [
    getStatus(() =>
      statusOf({
        version: '1.2.3',
        role: 'serve',
        nodeId: () => undefined,
        recording: undefined,
        indexed: undefined,
        served: chains.all,
        networks: () => [],
        leases: new LeaseWatch(clock),
      }),
    ),
  ],
})

void test('status: a process that only serves tells the height that is stored', async () => {
  const { status, body } = await service.get('/status')
  assert.equal(status, 200)
  assert.deepEqual([body.version, body.role], ['1.2.3', 'serve'])
  const [chain] = body.chains
  assert.equal(chain.evmChainId, 51002)
  assert.equal(chain.indexedHeight, rawChain(51002).length - 1)
})
