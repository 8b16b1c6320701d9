/**
 * The whole conformance suite on each engine that is no file: services of the tests that read SQLite
 * elsewhere read PostgreSQL then, or a Citus of two workers with a database for each test.
 */

import { readdirSync } from 'node:fs'

import { startCitus } from '../test/fleet/citus-server.ts'
import { citusFleet, citusFleetName } from '../test/support/processes/test-settings.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import type { SoakPlan, Step } from './report.ts'
import { ran } from './rounds.ts'

const suite = 'test/conformance'
const settings = { TEST_ENGINE: 'postgres' }

/** One step for each file of the suite on each engine, a kind for each folder; a try is a test. */
export async function* engines(plan: SoakPlan): AsyncGenerator<Step> {
  const server = await startPostgres()
  try {
    yield* onEngine(plan, 'PostgreSQL', { ...settings, TEST_POSTGRES: server.url })
  } finally {
    await server.stop()
  }
  if (citusFleet === undefined) {
    console.error(`Citus is skipped: no script that starts one: ${citusFleetName}`)
    return
  }
  const citus = await startCitus(citusFleet, 2)
  try {
    yield* onEngine(plan, 'Citus', { ...settings, TEST_CITUS: JSON.stringify(citus.nodes) })
  } finally {
    citus.stop()
  }
}

async function* onEngine(
  { soFar }: SoakPlan,
  engine: string,
  environment: Readonly<Record<string, string>>,
): AsyncGenerator<Step> {
  for (const folder of readdirSync(suite)) {
    const kind = `conformance suite on ${engine}, ${folder}`
    const names = readdirSync(`${suite}/${folder}`).filter((name) => name.endsWith('.test.ts'))
    for (const [at, name] of names.toSorted().entries()) {
      if (at < (soFar(kind).next ?? 0)) continue
      const file = `${suite}/${folder}/${name}`
      const { passed, failed } = await ran(file, environment)
      const found = { kind, tries: passed + failed, bad: failed, next: at + 1 }
      yield [failed === 0 ? found : { ...found, first: file }]
    }
  }
}
