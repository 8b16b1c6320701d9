/** The operator's names of addresses stand wherever a transaction is described in words. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { wellKnown } from '../../../src/api/evm/abi/known-abis.ts'
import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import { to0x } from '../../../src/core/bytes.ts'
import { itemAt } from '../../../src/core/item-at.ts'
import { abisAlone } from '../../support/services/abis-alone.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain, stillClock } from '../../support/stores/demo-store.ts'
import { expectedTransfers } from './replay.ts'

const chain = 51002
const labelOf = (address: string): string => `label of ${address.toLowerCase()}`
const service = await evmService({
  chains: [chain],
  parts: {
    contracts: abisAlone(wellKnown),
    addressBooks: createRichAddressBooks(stillClock, (_facts, address) => ({
      label: labelOf(to0x(address)),
    })),
  },
})

const heights = rawChain(chain)
// A node that tells receipts and traces, which are not stored.
Object.assign(itemAt(service.chains, 0), {
  wantsTraces: true,
  block: async (height: number) => heights[height],
  traces: async (height: number) => heights[height]?.traces,
})

/** Holds the label of each address of decoded values against the address. Returns how many there are. */
function labelled(decoded: Json): number {
  const addresses = decoded.parameters.filter(({ type }: Json) => type === 'address')
  for (const { value, label } of addresses) assert.equal(label, labelOf(value))
  for (const { type, label } of decoded.parameters)
    if (type !== 'address') assert.equal(label, undefined)
  return addresses.length
}

void test('labels: of emitters, callees, and addresses in arguments of calls and events', async () => {
  const hashes = new Set(expectedTransfers(chain).map(({ txHash }) => txHash))
  const met = { events: 0, inputs: 0, calls: 0 }
  for (const hash of [...hashes].slice(0, 20)) {
    const path = `/v1/chains/${chain}/transactions/${hash}`
    const { logs } = (await service.get(`${path}/logs`)).body
    for (const { address, label, decoded } of logs) {
      assert.equal(label, labelOf(address))
      if (decoded !== undefined) met.events += labelled(decoded)
    }
    const { decodedInput } = (await service.get(path)).body.nativeTransaction
    if (decodedInput !== undefined) met.inputs += labelled(decodedInput)
    const { calls } = (await service.get(`${path}/calls`)).body
    for (const call of calls) {
      if (call.to !== undefined) assert.equal(call.toLabel, labelOf(call.to))
      if (call.decodedInput !== undefined) met.calls += labelled(call.decodedInput)
    }
  }
  assert.ok(met.events > 0 && met.inputs > 0 && met.calls > 0, JSON.stringify(met))
})
