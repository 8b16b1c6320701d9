import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Value } from 'typebox/value'

import { getStatus } from '../../../src/api/server/get-status.ts'
import { LeaseWatch } from '../../../src/service/status/lease-watch.ts'
import { statusOf } from '../../../src/service/status/status-view.ts'
import { ChainStatus } from '../../../src/shape/status.ts'
import { rawChain } from '../../demo-store.ts'
import { evmService } from '../../evm-service.ts'
import { systemClock } from '../../system-clock.ts'

const service = await evmService({
  chains: [51002],
  more: ({ chains, clock }) => [
    getStatus(() =>
      statusOf({
        version: '1.2.3',
        role: 'serve',
        nodeId: () => undefined,
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

void test('status: a conversion is told of the chain, in a form that the document of the API has', async () => {
  const converting = { from: 0, height: 255, target: 1_023, share: 0.25 }
  const at = { indexedHeight: 1_100, headHeight: 1_100, blocksPerSecond: 0 }
  const { chains } = await statusOf({
    version: '1.2.3',
    role: 'all',
    nodeId: () => undefined,
    indexed: () => [
      {
        key: 'fuji-demo',
        network: 'fuji',
        name: 'Demo',
        endpoints: [],
        stages: [
          { stage: 'blocks', state: 'live', ...at },
          { stage: 'freeze', state: 'live', ...at, converting },
        ],
      },
    ],
    served: () => [],
    networks: () => [],
    leases: new LeaseWatch(systemClock),
  })
  const [chain] = chains
  assert.deepEqual(chain?.converting, converting)
  assert.equal(chain?.state, 'live')
  assert.ok(Value.Check(ChainStatus, chain), JSON.stringify(chain))
})
