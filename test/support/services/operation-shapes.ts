/** Shapes of every operation, for tests that need no answer. */

import type { OperationShape } from '../../../src/api/operation/operation.ts'
import { allOperations } from '../../../src/api/operations.ts'
import { createNetworkDirectory } from '../../../src/api/primary/network/networks.ts'
import type { Clock } from '../../../src/core/world.ts'
import { OutboxWatch } from '../../../src/events/outbox-watch.ts'
import { AddressUnion } from '../../../src/rollup/address-union.ts'
import { partsOf } from './evm-context.ts'

const stillClock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined }

/** In the order of the OpenAPI document, the status operation last. */
export function operationShapes(): OperationShape[] {
  const evm = partsOf([], stillClock)
  const networks = createNetworkDirectory(() => [])
  const limits = { maxAddresses: 64, maxBodyAddresses: 1_024, transactionPageUtxos: 4_000 }
  return allOperations({
    evm,
    nft: { ...evm, requests: { add: async () => undefined } },
    metrics: { ...evm, union: new AddressUnion() },
    primary: { ...evm, networks, limits },
    warp: { aggregators: {} },
    icm: { ...evm, messages: () => undefined },
    search: { ...evm, networks },
    events: {
      ...evm,
      networks,
      networkKey: (network) => `primary-${network}`,
      headOf: () => undefined,
      random: { bytes: (size) => new Uint8Array(size), number: () => 0 },
      problemOf: () => undefined,
      isLive: () => true,
      webhooks: () => Promise.reject(new Error('no store')),
      reader: { storeOf: () => undefined, describe: async () => [] },
      outboxes: new OutboxWatch(stillClock, () => new Map()),
      listeners: new Map(),
      limits: { webhooks: 1, addresses: 1, listeners: 1 },
    },
    usage: {
      ...evm,
      store: () => Promise.reject(new Error('no store')),
      flush: async () => undefined,
      nameOf: () => '',
    },
    stores: () => [],
    status: async () => ({ version: '', role: 'serve', chains: [] }),
  }).map(({ shape }) => shape)
}
