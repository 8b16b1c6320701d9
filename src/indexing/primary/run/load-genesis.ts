/**
 * Finds the genesis of a network: the bundled file of a known one, or the operator's.
 *
 * The genesis found must hash to the one the node names; a local network's start moves with the
 * time its node was first started, so its file is tried with every possible start.
 */

import { gunzipSync } from 'node:zlib'

import { buildGenesis, localStartTimes } from '../../../codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../../codec/primary/genesis-config.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { Fault } from '../../../core/fault.ts'
import { sha256 } from '../../../core/hash.ts'
import { installationFolder } from '../../../core/installation.ts'
import type { Clock, Files } from '../../../core/world.ts'

/** The network that a genesis must belong to. */
export type GenesisWanted = { readonly networkId: number; readonly genesisId: Uint8Array }

const bundled: Readonly<Record<number, string>> = { 1: 'mainnet', 5: 'fuji' }

/**
 * Genesis bytes. `setting` is `auto` or a path. Throws `bad-config` when the file is missing,
 * `source-mismatch` when it is of another network than the node.
 */
export async function loadGenesis(
  setting: string,
  wanted: GenesisWanted,
  outside: { readonly files: Files; readonly clock: Clock },
): Promise<Uint8Array> {
  const all = await possibleGenesis(setting, wanted.networkId, outside)
  const found = all.find((bytes) => equalBytes(sha256(bytes), wanted.genesisId))
  if (found !== undefined) return found
  throw new Fault(
    'source-mismatch',
    `the genesis (${setting}) is not that of the node's network ${wanted.networkId}, name its file in networks.<name>.genesis: ${toCb58(wanted.genesisId)}`,
    { detail: { networkId: wanted.networkId } },
  )
}

/**
 * Genesis bytes that a network of this id may have, the likeliest first: one, except that of local
 * networks. Throws `bad-config` when the file is missing.
 */
export async function possibleGenesis(
  setting: string,
  networkId: number,
  outside: { readonly files: Files; readonly clock: Clock },
): Promise<readonly Uint8Array[]> {
  const file = `data/genesis/${bundled[networkId] ?? 'local'}.json.gz`
  const path = setting === 'auto' ? decodeURI(new URL(file, installationFolder).pathname) : setting
  const bytes = await outside.files.read(path)
  if (bytes === undefined) throw new Fault('bad-config', `there is no genesis file: ${setting}`)
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
  const text = new TextDecoder().decode(plain)
  const config = parseGenesisConfig(text)
  const now = BigInt(Math.floor(outside.clock.now() / 1_000))
  const isLocal = bundled[networkId] === undefined
  const starts = isLocal ? localStartTimes(config.startTime, now) : [config.startTime]
  return starts.map((startTime) => buildGenesis({ ...config, networkId, startTime }))
}
