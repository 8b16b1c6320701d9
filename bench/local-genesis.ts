/** The genesis of a local network, on which made-up chains stand. */

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import { buildGenesis } from '../src/codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../src/codec/primary/genesis-config.ts'
import { type GenesisFacts, readGenesis } from '../src/codec/primary/genesis.ts'

/** The bundled genesis of local networks. */
export function localGenesis(): Uint8Array {
  const file = new URL('../data/genesis/local.json.gz', import.meta.url)
  return buildGenesis(parseGenesisConfig(gunzipSync(readFileSync(file)).toString('utf8')))
}

/** Contents of the genesis. */
export function localFacts(): GenesisFacts {
  return readGenesis(localGenesis())
}
