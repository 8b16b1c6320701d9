import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { createRegistryNames, nodeOf } from './registry-names.ts'

void test('names of a registry: nodes are those of ERC-137', () => {
  assert.equal(
    to0x(nodeOf('eth')),
    '0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae',
  )
  assert.equal(
    to0x(nodeOf('foo.eth')),
    '0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f',
  )
})

void test('names of a registry: a node that does not answer is left alone for a minute, and no page waits for it', async () => {
  let monotonic = 0
  let calls = 0
  const clock = { now: () => 0, monotonic: () => monotonic, sleep: () => Promise.resolve() }
  const chain = {
    store: {},
    facts: { nameRegistry: new Uint8Array(20).fill(1) },
    state: {
      calls: async () => {
        calls++
        throw new Fault('not-served', 'the node is away')
      },
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is read of a chain
  } as unknown as ServedChain
  const names = createRegistryNames(clock)
  const ask = async (): Promise<void> => {
    assert.deepEqual(names.of(chain, [new Uint8Array(20).fill(7)]), [undefined])
    await setImmediate()
  }
  await ask()
  await ask()
  assert.equal(calls, 1)
  monotonic = 60_001
  await ask()
  assert.equal(calls, 2)
  // Of a chain without a registry nothing is asked.
  assert.deepEqual(
    names.of({ ...chain, facts: { ...chain.facts, nameRegistry: undefined } }, []),
    [],
  )
  const { signal } = new AbortController()
  for (const name of ['eth', 'Alice.eth', 'аlice.eth', 'a..eth', `${'a'.repeat(64)}.eth`])
    assert.equal(await names.addressOf(chain, name, signal), undefined)
  assert.equal(calls, 2)
})
