/**
 * Nodes that lie in one reply of twenty during a backfill, alone or beside an honest one. What is
 * stored then, on both engines, must be what the recorded node said.
 */

import assert from 'node:assert/strict'

import { type Lie, ran, truth } from '../test/bad-node.ts'
import { lieKinds, type LieKind } from '../test/simulation/lies.ts'
import { drawsOf, type Outcome, triesOf } from './report.ts'
import { type Engines, openEngines } from './stored-rows.ts'

const seedsEach = 25
const lyingShare = 0.05
/** Seeds that happen to tell no lie are passed over, up to so many for each that is wanted. */
const seedsAtMost = 20

/** All kinds, with one endpoint and with two. */
export async function* lyingNodes(share: number): AsyncGenerator<Outcome> {
  const seeds = triesOf(seedsEach, share)
  const engines = await openEngines()
  try {
    const whole = await engines.digests(truth)
    for (const kind of lieKinds)
      for (const honest of [false, true])
        yield await outcomeOf({ kind, honest, seeds }, engines, whole)
  } finally {
    await engines.close()
  }
}

async function outcomeOf(
  of: { readonly kind: LieKind; readonly honest: boolean; readonly seeds: number },
  engines: Engines,
  whole: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { kind, honest, seeds } = of
  const name = `${kind.name}, ${honest ? 'two endpoints' : 'one endpoint'}, both engines`
  let tries = 0
  let wrong = 0
  let first: string | undefined
  for (let seed = 1; tries < seeds && seed <= seeds * seedsAtMost; seed++) {
    const { lie, told } = lieOf(kind, seed)
    const run = await ran({ lie, honest, maySpoil: true })
    if (told() === 0) continue
    tries++
    try {
      const rows = { blocks: run.blocks(), traces: run.traces(0) }
      assert.deepEqual(await engines.digests(rows), whole)
    } catch {
      wrong++
      first ??= `seed ${seed}`
    }
  }
  const counts = kind.isUnseen === true ? { bad: 0, unseen: wrong } : { bad: wrong }
  return { kind: name, tries, ...counts, ...(first === undefined ? {} : { first }) }
}

function lieOf(kind: LieKind, seed: number): { lie: Lie; told: () => number } {
  const draw = drawsOf(seed)
  let told = 0
  const lie: Lie = (call, result) => {
    if (methodOf(call.method, call.params) !== kind.method || result === null) return result
    if (heightOf(call.params[0]) === 0 || draw() > lyingShare) return result
    const before = JSON.stringify(result)
    const changed = kind.change(structuredClone(result), draw)
    if (JSON.stringify(changed) !== before) told++
    return changed
  }
  return { lie, told: () => told }
}

function methodOf(method: string, params: readonly unknown[]): string {
  if (method === 'eth_getBlockByNumber') return params[1] === true ? 'block' : ''
  if (method === 'eth_getBlockReceipts') return 'receipts'
  return method === 'debug_traceBlockByNumber' ? 'traces' : ''
}

function heightOf(param: unknown): number {
  return Number(param)
}
