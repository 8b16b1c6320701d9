/** The genesis of a local network, on which made-up chains stand. */

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import { buildGenesis } from '../src/codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../src/codec/primary/genesis-config.ts'
import { type GenesisFacts, readGenesis } from '../src/codec/primary/genesis.ts'

/** What the bundled genesis of local networks says. */
export function localFacts(): GenesisFacts {
  const file = new URL('../data/genesis/local.json.gz', import.meta.url)
  const genesis = parseGenesisConfig(gunzipSync(readFileSync(file)).toString('utf8'))
  return readGenesis(buildGenesis(genesis))
}
