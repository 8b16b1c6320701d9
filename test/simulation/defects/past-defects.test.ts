/**
 * The simulation finds what was wrong once: each past defect is put back, and a seed must show it.
 */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { pastDefects } from './past-defects.ts'
import { putBack, switchOn } from './put-back.ts'

putBack()
// What is loaded from here on has the switches.
const { planOf, planOfKind } = await import('../plan.ts')
const { simulate } = await import('../simulate.ts')

/** Seeds that are tried for one defect. */
const mostSeeds = 200

after(() => switchOn(undefined))

for (const { name, seed: first, only } of pastDefects)
  void test(`simulation: finds that ${name}`, async (context) => {
    switchOn(name)
    const others = Array.from({ length: mostSeeds }, (_, at) => at + 1)
    for (const seed of [first, ...others]) {
      const plan = only === undefined ? planOf(seed) : planOfKind(seed, only)
      const { wrong } = await simulate(plan)
      if (wrong === undefined) continue
      context.diagnostic(`seed ${seed}: ${wrong.split('\n')[0]}`)
      switchOn(undefined)
      assert.equal((await simulate(plan)).wrong, undefined, `seed ${seed} without it`)
      return
    }
    assert.fail(`no seed up to ${mostSeeds} finds it`)
  })
