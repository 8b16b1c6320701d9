import { openNetwork } from '../../api/primary/network/networks.ts'
import { Fault } from '../../core/fault.ts'
import { openPrimaryReader } from '../../service/stores/open-primary.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { createNodeApi } from '../../source/primary/node-api.ts'
import { createNodeSource } from '../../source/primary/node-source.ts'
import type { PrimarySource } from '../../source/primary/primary-source.ts'
import {
  blockLine,
  cBlockLine,
  clockMethod,
  identityLine,
  primaryPartKinds,
  type RecordedAnswer,
} from '../../source/primary/recorded-source.ts'
import { openingBytes, partBytes } from '../../source/recorded/recording-file.ts'
import { silentLog } from '../../telemetry/log.ts'
import { recordingNode } from '../../verify/recorded-node.ts'
import type { Heights } from '../../verify/subject.ts'
import { type VerifyOptions, verifyPrimary } from '../../verify/verify-primary.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import { type Flags, sampleOf } from '../flags.ts'

const limitMs = 3_600_000
/** A recording is of one moment: when a block came, everything is read again. */
const tries = 5
const heightsPerPart = 512
const level = 19

/**
 * Writes a primary network into one file: its blocks, and what the node says of its state at the
 * last of them.
 *
 * The network must be indexed here, as the questions to the node come from the store. Fits local
 * and test networks; a public one would be gigabytes.
 */
export async function recordPrimary(flags: Flags): Promise<void> {
  const sample = sampleOf(flags)
  const world = openWorld()
  const { config } = loadConfig(flags)
  const url = String(flags['node'])
  const limits = {
    timeoutMs: config['source.timeoutMs'],
    maxReplyBytes: config['source.maxReplyBytes'],
  }
  const api = createNodeApi({ transport: world.transport, url, ...limits })
  const source = createNodeSource(api, silentLog)
  const location = storeLocation(config)
  const store = await openPrimaryReader(location, 'primary-fuji')
  try {
    const network = await openNetwork('fuji', store)
    if (network === undefined) throw new Fault('not-found', 'the network is not indexed here')
    const signal = AbortSignal.timeout(limitMs)
    const { heights, answers } = await standingAnswers({
      network,
      node: api,
      clock: world.clock,
      signal,
      sample,
    })
    const file = await fileOf(source, heights, answers, signal)
    await world.files.write(String(flags['out']), file)
    console.log(`${String(flags['out'])}: ${file.length} bytes, ${answers.length - 1} answers`)
  } finally {
    await store.close()
  }
}

/** All answers at one height; the moment they were read at comes first. */
async function standingAnswers(
  options: VerifyOptions,
): Promise<{ readonly heights: Heights; readonly answers: readonly RecordedAnswer[] }> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const answers = new Map<string, RecordedAnswer>()
    const node = recordingNode(options.node, (answer) => {
      const { path, method, parameters } = answer
      answers.set(JSON.stringify([path, method, parameters]), answer)
    })
    const now = Math.floor(options.clock.now() / 1_000)
    const { from, heights, report } = await verifyPrimary({ ...options, node })
    const [difference] = report.differences()
    if (difference !== undefined)
      throw new Fault('source-mismatch', `store and node differ: ${JSON.stringify(difference)}`)
    const moment = { path: '', method: clockMethod, parameters: {}, reply: { now } }
    if (JSON.stringify(heights) === JSON.stringify(from))
      return { heights, answers: [moment, ...answers.values()] }
  }
  throw new Fault('node-not-yet', 'the node does not stand still long enough to be recorded')
}

async function fileOf(
  source: PrimarySource,
  heights: Heights,
  answers: readonly RecordedAnswer[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const identity = await source.identity(signal)
  const { nodeVersion, networkId } = identity
  const name = `Primary network ${networkId}`
  const parts = [
    openingBytes({ chainId: networkId, name, symbol: 'AVAX', nodeVersion }, level),
    partBytes(
      { kind: primaryPartKinds.identity, from: 0, until: 0 },
      [identityLine(identity)],
      level,
    ),
  ]
  const add = async (
    kind: number,
    range: { from: number; head: number },
    read: (from: number, until: number) => Promise<string[]>,
  ): Promise<void> => {
    for (let { from } = range; from <= range.head; from += heightsPerPart) {
      const until = Math.min(range.head + 1, from + heightsPerPart)
      parts.push(partBytes({ kind, from, until }, await read(from, until), level))
    }
  }
  for (const chain of ['P', 'X'] as const) {
    const first = chain === 'P' ? 1 : 0
    await add(primaryPartKinds[chain], { from: first, head: heights[chain] }, async (from, until) =>
      (await source.blocks(chain, { from, until }, signal)).map(blockLine),
    )
  }
  await add(primaryPartKinds.C, { from: 1, head: heights.C }, async (from, until) =>
    (await source.cBlocks({ from, until }, signal)).map(cBlockLine),
  )
  const lines = answers.map((answer) => JSON.stringify(answer))
  parts.push(partBytes({ kind: primaryPartKinds.answers, from: 0, until: 0 }, lines, level))
  return Buffer.concat(parts)
}
