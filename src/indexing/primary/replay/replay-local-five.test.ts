import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networkNamed } from '../../../../test/support/chains/recorded-network.ts'
import {
  checkAnswers,
  checkManners,
  checkViolations,
} from '../../../../test/support/chains/replay-checks.ts'
import { replay } from '../../../../test/support/chains/replayed-network.ts'
import { fromHex, toHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { readPBlock } from './read-blocks.ts'

const network = networkNamed('local-five')

void test('replay of local-five: UTXOs, validators, rewards, supply and fees are what its node says', () =>
  checkAnswers(network))

void test('replay of local-five: order of chains, size of batches, cache and restarts change nothing', () =>
  checkManners(network))

void test('replay of local-five: a block left out, repeated or changed stops the chain', () =>
  checkViolations(network))

void test('replay of local-five: blocks have the proposers their containers name', () => {
  const { rows } = replay(network, { order: 'P', batch: 7, cache: 100 })
  const ours = new Map(rows.blocks.map(({ height, proposer }) => [height, proposer]))
  for (const { height, proposer } of network.p) {
    const nodeId = proposer?.nodeId === undefined ? undefined : Uint8Array.from(proposer.nodeId)
    assert.deepEqual(ours.get(height), proposer === undefined ? undefined : { ...proposer, nodeId })
  }
})

void test('read blocks: an inner block read alone equals the one inside its container', () => {
  const { recording, p } = network
  const container = p.find(({ proposer }) => proposer?.nodeId !== undefined)
  assert.ok(container !== undefined, 'some block is signed')
  const hex = recording.p[p.indexOf(container)] ?? ''
  const size = container.sizeBytes * 2
  // The inner block lies between the header with its certificate and the signature.
  const at = hex.indexOf(hex.slice(0, 4), 8)
  assert.ok(at > 0 && size < hex.length)
  const inner = [...hex.matchAll(/0000000000(?:1d|1e|1f|20)/g)]
    .map(({ index }) => hex.slice(index, index + size))
    .find((text) => text.length === size && toHex(readPBlockId(text)) === toHex(container.blockId))
  assert.ok(inner !== undefined)
  const alone = readPBlock(fromHex(inner), container.proposer)
  assert.deepEqual(alone, container)
})

function readPBlockId(hex: string): Uint8Array {
  try {
    return readPBlock(fromHex(hex)).blockId
  } catch (error) {
    if (error instanceof Fault) return new Uint8Array(0)
    throw error
  }
}
