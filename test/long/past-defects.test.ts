/** The simulation finds what was wrong once: a seed must show each defect, and nothing without it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { defects } from '../simulation/defects.ts'
import { planOf, planOfKind } from '../simulation/plan.ts'
import { simulate } from '../simulation/simulate.ts'

for (const defect of defects)
  void test(`simulation: finds that ${defect.name}`, async (context) => {
    const { seed, only } = defect
    const plan = only === undefined ? planOf(seed) : planOfKind(seed, only)
    const { wrong } = await simulate(plan, defect)
    assert.notEqual(wrong, undefined, `seed ${seed} does not find it`)
    context.diagnostic(`seed ${seed}: ${wrong?.split('\n')[0]}`)
    assert.equal((await simulate(plan)).wrong, undefined, `seed ${seed} without it`)
  })
