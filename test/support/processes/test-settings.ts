/**
 * Settings of the tests. Those that begin with `FIRN_` are taken out of the environment: a Firn that a
 * test starts inherits it, and refuses such names when they are no setting of its own.
 */

/** Path of a folder with AvalancheGo, as `network/avalanche-tree.ts` describes it. */
export const avalancheTreeName = 'FIRN_AVALANCHE_TREE'
/** Path of a script that starts a Citus. */
export const citusFleetName = 'FIRN_CITUS_FLEET'

const values = new Map([avalancheTreeName, citusFleetName].map((name) => [name, process.env[name]]))
for (const name of values.keys()) delete process.env[name]

export const namedAvalancheTree = values.get(avalancheTreeName)
export const citusFleet = values.get(citusFleetName)
/** Minutes that the life of a real network goes on after the scenario. */
export const networkMinutes = Number(process.env['TEST_NETWORK_MINUTES'] ?? 0)
/** Which of its rounds a soak makes a test run. */
export const soakRound = Number(process.env['TEST_SOAK_ROUND'] ?? 0)

/** The engine that a service of a conformance test reads from, where the test names none. */
export const usualEngine = process.env['TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'
