/** Recorded local networks and their blocks. What each holds: `vectors/primary/README.md`. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import { buildGenesis, localStartTimes } from '../../../src/codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../../../src/codec/primary/genesis-config.ts'
import { readGenesis, type GenesisFacts } from '../../../src/codec/primary/genesis.ts'
import { fromHex, toHex } from '../../../src/core/bytes.ts'
import type { ChainName } from '../../../src/indexing/primary/batch/ledger-rows.ts'
import { rulesOf, type PrimaryRules } from '../../../src/indexing/primary/batch/rules.ts'
import {
  readCBlock,
  readPBlock,
  readXBlock,
  type ReadCBlock,
  type ReadPBlock,
  type ReadXBlock,
} from '../../../src/indexing/primary/replay/read-blocks.ts'
import { openBlock } from '../../../src/source/primary/containers.ts'

/** An object of a node's reply. */
export type Answer = Readonly<Record<string, string>>

/** Blocks of a real network and what its node answered about the state they led to. */
export type Recording = {
  readonly source: { readonly networkId: number }
  /** Where the network has its own: the genesis file, and when upgrades became active. */
  readonly genesis?: string
  readonly upgrades?: Answer
  readonly height: number
  readonly p0: string
  readonly p: readonly string[]
  readonly x0: string
  readonly x: readonly string[]
  readonly c: readonly {
    readonly height: number
    readonly hash: string
    readonly parentHash: string
    readonly time: number
    readonly size: number
    readonly transactions: number
    readonly extraData: string
  }[]
  readonly answers: {
    readonly supplies: Answer
    readonly subnets: Readonly<Record<string, Answer>>
    /** By subnet: what `platform.getCurrentValidators` listed. */
    readonly validators: Readonly<Record<string, readonly Answer[]>>
    /** By subnet: what `platform.getValidatorsAt` answered, for heights 0, 1, … */
    readonly validatorsAt: Readonly<Record<string, readonly Readonly<Record<string, Answer>>[]>>
    readonly rewardUtxos: Readonly<Record<string, readonly string[]>>
    readonly assets: Readonly<Record<string, Answer>>
    readonly chains: readonly Answer[]
    readonly feeState: { readonly excess: number }
    readonly utxos: readonly {
      readonly address: string
      readonly on: ChainName
      readonly from: ChainName
      readonly utxos: readonly string[]
    }[]
  }
}

/** The names of all of them. */
export const networkNames = ['local-one', 'local-two', 'local-five'] as const

const root = new URL('../../../', import.meta.url)

/** The text of a packed file of this repository. */
export function unzipped(path: string): string {
  return gunzipSync(readFileSync(new URL(path, root))).toString('utf8')
}

/** The recording with this name in `vectors/primary`. */
export function recordingNamed(name: string): Recording {
  const recording: Recording = JSON.parse(unzipped(`vectors/primary/${name}.json.gz`))
  return recording
}

/** The P-Chain block of a container in hex, at height `at` + 1. */
export function readPContainer(hex: string, at: number): ReadPBlock {
  const { bytes, proposer } = openBlock('P', at + 1, fromHex(hex)).block
  return readPBlock(bytes, proposer)
}

/** The X-Chain block of a container in hex, at height `at` + 1. */
export function readXContainer(hex: string, at: number): ReadXBlock {
  const { bytes, proposer } = openBlock('X', at + 1, fromHex(hex)).block
  return readXBlock(bytes, proposer)
}

/** A recorded network, its blocks read by our codec. */
export type Network = {
  readonly recording: Recording
  readonly rules: PrimaryRules
  readonly facts: GenesisFacts
  readonly p: readonly ReadPBlock[]
  readonly x: readonly ReadXBlock[]
  readonly c: readonly ReadCBlock[]
}

/** The network of the recording with this name. */
export function networkNamed(name: string): Network {
  const recording = recordingNamed(name)
  const rules = rulesIn(recording)
  return {
    recording,
    rules,
    facts: genesisOf(recording),
    p: recording.p.map(readPContainer),
    x: [readXBlock(fromHex(recording.x0)), ...recording.x.map(readXContainer)],
    c: recording.c.map((block) =>
      readCBlock(
        {
          height: block.height,
          blockId: fromHex(block.hash),
          parentId: fromHex(block.parentHash),
          time: block.time,
          sizeBytes: block.size,
          transactionCount: block.transactions,
          extraData: fromHex(block.extraData),
          proposer: undefined,
        },
        rules.upgrades.apricotPhase5,
      ),
    ),
  }
}

/** Local networks start at a time the first block's parent tells. */
function genesisOf(recording: Recording): GenesisFacts {
  const { genesis } = recording
  if (genesis !== undefined) return readGenesis(buildGenesis(parseGenesisConfig(genesis)))
  const config = parseGenesisConfig(unzipped('data/genesis/local.json.gz'))
  const genesisId = recording.p0.slice(12, 76)
  for (const startTime of localStartTimes(config.startTime, 1_900_000_000n)) {
    const facts = readGenesis(buildGenesis({ ...config, startTime }))
    if (toHex(facts.genesisId) === genesisId) return facts
  }
  throw new assert.AssertionError({ message: 'no genesis has the recorded id' })
}

function rulesIn({ source, upgrades }: Recording): PrimaryRules {
  if (upgrades === undefined) return rulesOf(source.networkId)
  const timeOf = (name: string): number => Date.parse(upgrades[`${name}Time`] ?? '') / 1_000
  return rulesOf(source.networkId, {
    apricotPhase5: timeOf('apricotPhase5'),
    cortina: timeOf('cortina'),
    durango: timeOf('durango'),
    etna: timeOf('etna'),
    helicon: timeOf('helicon'),
  })
}
