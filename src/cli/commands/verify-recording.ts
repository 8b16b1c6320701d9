import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'

import { openNetwork } from '../../api/primary/network/networks.ts'
import type { Config } from '../../config/settings.ts'
import { assert, Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { Network } from '../../core/network.ts'
import type { World } from '../../core/world.ts'
import { checksOfEvery } from '../../indexing/evm/read/block-checks.ts'
import { type SpecifiedChain, sourceLimits } from '../../service/chain-specs.ts'
import { openNodeSource } from '../../source/evm/node-source.ts'
import { clockMethod, openRecordedPrimary } from '../../source/primary/recorded-source.ts'
import { answeringTransport, recordedAnswers } from '../../source/recorded/recorded-answers.ts'
import type { Database } from '../../store/engine/database.ts'
import { silentLog } from '../../telemetry/log.ts'
import { type VerifiedChain, verifyChain } from '../../verify/evm/verify-chain.ts'
import { recordedNode } from '../../verify/recorded-node.ts'
import { type Verified, verifyPrimary } from '../../verify/verify-primary.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import {
  configOf,
  type ConfiguredStore,
  filledStores,
  openConfigured,
} from '../stores/configured-stores.ts'
import { logsAt, printChain } from './verify-chain.ts'
import { printPrimary } from './verify.ts'

const limitMs = 3_600_000
/** More than a recording has of anything: all that was answered is compared. */
const everything = 1_000_000
/** Nobody is called there: what is wanted is looked up in the recording. */
const nowhere = 'http://recording.invalid'

/**
 * Compares every store that was made of a recording with what nodes answered when it was recorded.
 * These answers lie beside the blocks and are used for nothing else. Needs no network.
 *
 * Prints what was compared, how often, and every difference; exit code 1 when there is any.
 */
export async function verifyRecording(flags: Flags): Promise<void> {
  const config = await configOf(flags)
  const stores = await filledStores(config)
  const world = openWorld()
  const outcomes: ('same' | 'differs' | 'not recorded')[] = []
  try {
    for (const made of stores) {
      const database = await openConfigured(config, made)
      try {
        outcomes.push(await outcomeOf(config, made, { database, world }))
      } finally {
        await database.close()
      }
    }
  } finally {
    await world.close()
  }
  if (outcomes.every((outcome) => outcome === 'not recorded'))
    throw new Fault('not-found', 'no store here was made from a recording with answers')
  if (outcomes.includes('differs')) process.exitCode = exitCodes.failed
}

/** Compares one store and prints what was found. */
async function outcomeOf(
  config: Config,
  { kind, name: key, chain }: ConfiguredStore,
  compared: Compared,
): Promise<'same' | 'differs' | 'not recorded'> {
  if (chain?.spec.recording !== undefined) {
    console.log(`${chain.spec.name}, ${key}`)
    const verified = await chainVerified(config, chain, compared)
    if (verified === undefined) {
      console.log('not compared: the recording holds no answers')
      return 'not recorded'
    }
    printChain(verified)
    return verified.report.differences().length > 0 ? 'differs' : 'same'
  }
  const name = key === 'primary-mainnet' ? 'mainnet' : 'fuji'
  const recording = kind === 'primary' ? (config.networks[name]?.recording ?? '') : ''
  if (recording === '') return 'not recorded'
  console.log(`Primary network, ${key}`)
  const verified = await primaryVerified(name, recording, compared)
  printPrimary(verified)
  const { report, interrupted } = verified
  return report.differences().length > 0 || interrupted.length > 0 ? 'differs' : 'same'
}

type Compared = { readonly database: Database; readonly world: World }

async function chainVerified(
  config: Config,
  { spec }: SpecifiedChain,
  { database, world }: Compared,
): Promise<VerifiedChain | undefined> {
  const answers = recordedAnswers(readFileSync(spec.recording ?? ''))
  if (answers.length === 0) return undefined
  const transport = answeringTransport(answers)
  const limits = sourceLimits(config)
  const log = silentLog
  const source = openNodeSource({
    ...limits,
    world: { ...world, transport },
    log,
    urls: [nowhere],
    expected: {},
  })
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await verifyChain({
      store: database,
      source,
      contracts: new Set(
        answers.flatMap(({ params: [target] }) => (isObject(target) ? String(target['to']) : [])),
      ),
      checks: checksOfEvery(source),
      decompress: (bytes) => zstdDecompressSync(bytes),
      logsOf: (height) => logsAt({ ...limits, transport, url: nowhere }, height, signal),
      signal,
      sample: everything,
    })
  } finally {
    await source.close()
  }
}

async function primaryVerified(
  name: Network,
  recording: string,
  { database, world }: Compared,
): Promise<Verified> {
  const answers = openRecordedPrimary(readFileSync(recording)).answers()
  const network = await openNetwork(name, database)
  if (network === undefined)
    throw new Fault('not-found', `nothing is indexed yet of the primary network: ${name}`)
  const moment: unknown = answers.find(({ method }) => method === clockMethod)?.reply
  assert(
    typeof moment === 'object' && moment !== null && 'now' in moment,
    'a recording begins with the moment at which its answers were given',
  )
  const seconds = Number(moment.now)
  return verifyPrimary({
    network,
    node: recordedNode(answers),
    // Locks are judged by the moment of the recording.
    clock: { ...world.clock, now: () => seconds * 1_000 },
    signal: AbortSignal.timeout(limitMs),
    sample: everything,
  })
}
