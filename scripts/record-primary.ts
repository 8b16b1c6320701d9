/**
 * Records a primary network that is indexed: its blocks, and what its node says of its state at the last of
 * them. The network must stand still. Fits local and test networks; a public one would be gigabytes.
 *
 *     node scripts/record-primary.ts <address of the node> <data folder> <file to write> [sample]
 */

import { writeFile } from 'node:fs/promises'

import { openNetwork } from '../src/api/primary/network/networks.ts'
import { toBase64, toHex } from '../src/core/bytes.ts'
import { createNodeApi } from '../src/source/primary/node-api.ts'
import { createNodeSource } from '../src/source/primary/node-source.ts'
import type {
  BlockBytes,
  CBlock,
  PrimaryIdentity,
  PrimarySource,
  Proposer,
} from '../src/source/primary/primary-source.ts'
import { primaryPartKinds } from '../src/source/primary/recorded-source.ts'
import { openStore } from '../src/store/open.ts'
import { primaryStoreTables } from '../src/store/schema/stores.ts'
import { silentLog } from '../src/telemetry/log.ts'
import type { Heights } from '../src/verify/subject.ts'
import { type VerifyOptions, verifyPrimary } from '../src/verify/verify-primary.ts'
import { openWorld } from '../src/world/world.ts'
import {
  clockMethod,
  type RecordedAnswer,
  recordingNode,
} from '../test/support/nodes/recorded-node.ts'
import { openingBytes, partBytes } from './recording-bytes.ts'

/** A recording is of one moment: when a block came, everything is read again. */
const tries = 5
const heightsPerPart = 512

/** Records the network of the node at `url`, which the store in `dataDir` has indexed, into `file`. */
export async function recordPrimary(
  url: string,
  dataDir: string,
  { file, sample }: { readonly file: string; readonly sample: number },
): Promise<void> {
  const world = openWorld()
  const limits = { timeoutMs: 30_000, maxReplyBytes: 67_108_864 }
  const node = createNodeApi({ transport: world.transport, url, ...limits })
  const store = await openStore(
    { store: 'embedded', dataDir },
    'primary-fuji',
    primaryStoreTables,
    'read',
  )
  try {
    const network = await openNetwork('fuji', store)
    if (network === undefined) throw new Error('the network is not indexed')
    const signal = AbortSignal.timeout(3_600_000)
    const { clock } = world
    const { heights, answers } = await standingAnswers({ network, node, clock, signal, sample })
    const source = createNodeSource(node, silentLog)
    const bytes = await fileOf(source, heights, answers, signal)
    await writeFile(file, bytes)
    console.log(`${file}: ${bytes.length} bytes, ${answers.length - 1} answers`)
  } finally {
    await store.close()
    await world.close()
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
      throw new Error(`store and node differ: ${JSON.stringify(difference)}`)
    const moment = { path: '', method: clockMethod, parameters: {}, reply: { now } }
    if (JSON.stringify(heights) === JSON.stringify(from))
      return { heights, answers: [moment, ...answers.values()] }
  }
  throw new Error('the node does not stand still long enough to be recorded')
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
  const nowhere = { from: 0, until: 0 }
  const parts = [
    openingBytes({ chainId: networkId, name, symbol: 'AVAX', nodeVersion }),
    partBytes({ kind: primaryPartKinds.identity, ...nowhere }, [identityLine(identity)]),
  ]
  const add = async (
    kind: number,
    range: { from: number; head: number },
    read: (from: number, until: number) => Promise<string[]>,
  ): Promise<void> => {
    for (let { from } = range; from <= range.head; from += heightsPerPart) {
      const until = Math.min(range.head + 1, from + heightsPerPart)
      parts.push(partBytes({ kind, from, until }, await read(from, until)))
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
  parts.push(partBytes({ kind: primaryPartKinds.answers, ...nowhere }, lines))
  return Buffer.concat(parts)
}

function identityLine(identity: PrimaryIdentity): string {
  const { networkId, nodeVersion, genesisId, chainIds, upgrades } = identity
  const ids = { genesisId: toHex(genesisId), x: toHex(chainIds.X), c: toHex(chainIds.C) }
  return JSON.stringify({ networkId, nodeVersion, upgrades, ...ids })
}

function blockLine({ bytes, proposer }: BlockBytes): string {
  return JSON.stringify([toBase64(bytes), ...proposerList(proposer)])
}

function cBlockLine(block: CBlock): string {
  const { time, sizeBytes, transactionCount, proposer } = block
  return JSON.stringify([
    toBase64(block.blockId),
    toBase64(block.parentId),
    time,
    sizeBytes,
    transactionCount,
    toBase64(block.extraData),
    ...proposerList(proposer),
  ])
}

function proposerList(proposer: Proposer | undefined): unknown[] {
  if (proposer === undefined) return []
  const { outerId, outerParentId, nodeId, pChainHeight, timestamp } = proposer
  const known = nodeId === undefined ? '' : toBase64(nodeId)
  return [toBase64(outerId), toBase64(outerParentId), known, pChainHeight ?? -1, timestamp ?? -1]
}

if (import.meta.main) {
  const [url = '', dataDir = '', file = '', sample = '64'] = process.argv.slice(2)
  await recordPrimary(url, dataDir, { file, sample: Number(sample) })
}
