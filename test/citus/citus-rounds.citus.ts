/** One round of what breaks in a Citus; `soak/fleet.ts` makes more. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { citusDatabase, fleetScript, startCitus } from './citus-server.ts'
import { citusDisasters } from './disasters.ts'
import { round } from './rounds.ts'

const script = fleetScript()
const skip = script === undefined && process.env['CI'] !== 'true' && 'no Citus: FIRN_CITUS_FLEET'

void test(
  'fleet: a worker that crashes and a store that moves cost no row',
  { skip },
  async (t) => {
    assert.ok(script !== undefined, 'a script that starts a Citus')
    const citus = await startCitus(script, 2)
    t.after(() => citus.stop())
    const struck = await round(t, await citusDatabase(citus.nodes, 'rounds'), citusDisasters(citus))
    assert.deepEqual(
      struck.flatMap(({ kind, wrong }) => wrong.map((each) => `${kind}: ${each}`)),
      [],
    )
  },
)
