/**
 * Nodes that lie in one reply of twenty during a backfill, alone or beside an honest one. What is
 * stored then, on both engines, must be what the recorded node said.
 */

import { isDeepStrictEqual } from 'node:util'

import { lieKinds, type LieKind } from '../test/simulation/lies.ts'
import { type Lie, ran, truth } from '../test/support/nodes/bad-node.ts'
import { drawsOf, type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'
import { type Engines, openEngines } from './stored-rows.ts'

const seedsEach = 25
const lyingShare = 0.05
/** Seeds that happen to tell no lie are passed over, up to so many for each that is wanted. */
const seedsAtMost = 20

/** All kinds, with one endpoint and with two. */
export async function* lyingNodes({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const seeds = triesOf(seedsEach, share)
  const engines = await openEngines()
  try {
    const whole = await engines.digests(truth)
    for (const kind of lieKinds)
      for (const honest of [false, true]) {
        const name = `lying node, ${kind.name}, ${honest ? 'two endpoints' : 'one endpoint'}`
        let { tries, next = 1 } = soFar(name)
        for (; tries < seeds && next <= seeds * seedsAtMost; next++) {
          const isRight = await stored({ kind, honest, seed: next }, engines, whole)
          if (isRight === undefined) continue
          tries++
          yield [outcomeOf(name, { isRight, isUnseen: kind.isUnseen === true, seed: next })]
        }
      }
  } finally {
    await engines.close()
  }
}

/** Whether what is stored is what the recorded node said; undefined where no lie was told. */
async function stored(
  of: { readonly kind: LieKind; readonly honest: boolean; readonly seed: number },
  engines: Engines,
  whole: Readonly<Record<string, unknown>>,
): Promise<boolean | undefined> {
  const { lie, told } = lieOf(of.kind, of.seed)
  const run = await ran({ lie, honest: of.honest, maySpoil: true })
  if (told() === 0) return undefined
  try {
    const rows = { blocks: run.blocks(), traces: run.traces(0) }
    return isDeepStrictEqual(await engines.digests(rows), whole)
  } catch (error) {
    // Rows that do not even fit each other, or a server that is away.
    console.error(`${of.kind.name}, seed ${of.seed}:`, error)
    return false
  }
}

function outcomeOf(
  kind: string,
  of: { readonly isRight: boolean; readonly isUnseen: boolean; readonly seed: number },
): Outcome {
  const { isRight, isUnseen, seed } = of
  const next = { kind, tries: 1, next: seed + 1 }
  const wrong = isRight ? 0 : 1
  if (isUnseen) return { ...next, bad: 0, unseen: wrong }
  return isRight ? { ...next, bad: 0 } : { ...next, bad: 1, first: `seed ${seed}` }
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
