/**
 * One simulation of a recorded primary network: its node, processes that replay and serve it, and
 * callers who read its blocks. The rows in the end are those of a run without faults; every list of
 * blocks on the way is that of the recording up to the height it names.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { extraDataHash, headerHash } from '../../src/codec/evm/proof/header-hash.ts'
import { encodeRlp } from '../../src/codec/evm/proof/rlp.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { concatBytes, fromHex, to0x } from '../../src/core/bytes.ts'
import { toCb58 } from '../../src/core/cb58.ts'
import { keccak256, sha256 } from '../../src/core/hash.ts'
import { batchesKept, mostNotedHeights } from '../../src/indexing/primary/write/undo.ts'
import type { CBlock } from '../../src/source/primary/primary-source.ts'
import { openRecordedPrimary } from '../../src/source/primary/recorded-source.ts'
import { openStore } from '../../src/store/open.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { drawsOf } from '../support/processes/draws.ts'
import { ask, type AskerParts, Heights } from './caller.ts'
import { Deployment } from './deployment.ts'
import { inflict, type Tally } from './inflict.ts'
import { Wrong } from './oracle.ts'
import { type Plan, troubleMs } from './plan.ts'
import { type PrimaryHistory, PrimarySimNode } from './primary-node.ts'
import type { Outcome } from './simulate.ts'

const chains = ['P', 'X', 'C'] as const
type Chain = (typeof chains)[number]

/**
 * Once no fault is left everything is live within so long: pauses of a stage grow to half a minute.
 */
const recoveryLimitMs = 600_000
const lookEveryMs = 500
/** The chains grow from half of their length to the whole in so long. */
const growsForMs = 25_000
/** The recording is from after what a simulation's clock begins with. */
const wallAheadMs = 400 * 86_400_000

const { signal } = new AbortController()
const zeros = `0x${'0'.repeat(64)}`
const noTransactions = to0x(keccak256(encodeRlp('0x')))
const own = await historyOf('demo/primary-local.firnrec')
const other = await historyOf('vectors/primary/local-evictions.firnrec')
/** Ids of the blocks of each chain by height, as they follow from the recorded bytes. */
const ids: Readonly<Record<Chain, readonly string[]>> = {
  P: own.P.map((bytes) => toCb58(sha256(bytes))),
  X: own.X.map((bytes) => toCb58(sha256(bytes))),
  C: own.C.map((block) => String(Reflect.get(block, 'hash'))),
}
let wanted: Record<string, string[]> | undefined

async function historyOf(file: string): Promise<PrimaryHistory> {
  const recording = openRecordedPrimary(readFileSync(join(import.meta.dirname, '../..', file)))
  const identity = await recording.identity(signal)
  // A source gives a part of what is requested.
  const whole = async <T>(
    top: number,
    read: (range: { readonly from: number; readonly until: number }) => Promise<readonly T[]>,
  ): Promise<T[]> => {
    const found: T[] = []
    for (let isMore = true; isMore && found.length <= top;) {
      const some = await read({ from: found.length, until: top + 1 })
      isMore = some.length > 0
      found.push(...some)
    }
    return found
  }
  const bytesOf = async (chain: 'P' | 'X'): Promise<Uint8Array[]> => {
    const top = await recording.headHeight(chain, signal)
    const blocks = await whole(top, (range) => recording.blocks(chain, range, signal))
    return blocks.map(({ bytes }) => bytes)
  }
  const top = await recording.headHeight('C', signal)
  const c = await whole(top, (range) => recording.cBlocks(range, signal))
  return {
    identity,
    // Block 0 is a bare commit block: version, type id 4, its parent, which is the genesis, height.
    P: [
      concatBytes(fromHex('000000000004'), identity.genesisId, new Uint8Array(8)),
      ...(await bytesOf('P')).slice(1),
    ],
    X: await bytesOf('X'),
    C: blocksAsJson(c),
  }
}

/** Blocks as `eth_getBlockByNumber` gives them, without EVM transactions, under headers made for them. */
function blocksAsJson(blocks: readonly CBlock[]): object[] {
  let parentHash = zeros
  return blocks.map(({ height, time, sizeBytes, extraData }) => {
    const header = {
      parentHash,
      sha3Uncles: zeros,
      miner: '0x0100000000000000000000000000000000000000',
      stateRoot: zeros,
      transactionsRoot: noTransactions,
      receiptsRoot: noTransactions,
      logsBloom: `0x${'0'.repeat(512)}`,
      difficulty: '0x1',
      number: `0x${height.toString(16)}`,
      gasLimit: '0x1',
      gasUsed: '0x0',
      timestamp: `0x${time.toString(16)}`,
      extraData: '0x',
      mixHash: zeros,
      nonce: '0x0000000000000000',
      extDataHash: to0x(extraDataHash(extraData)),
    }
    parentHash = to0x(headerHash(header) ?? new Uint8Array())
    const size = `0x${sizeBytes.toString(16)}`
    return { ...header, hash: parentHash, size, transactions: [], blockExtraData: to0x(extraData) }
  })
}

/** Runs a plan to its end. */
export async function simulatePrimary(plan: Plan): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-sim-'))
  const tally: Tally = new Map()
  const heights = new Heights()
  const deployment = deploymentOf(plan, folder)
  try {
    const recoveryMs = await live(plan, deployment, { tally, heights })
    await deployment.end()
    const rows = await rowsOf(folder)
    if (plan.faults.length === 0) wanted = rows
    else await compare(rows)
    return { tally, answers: heights.answers, recoveryMs }
  } catch (error) {
    await deployment.end()
    const wrong = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { wrong, tally, answers: heights.answers, recoveryMs: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function deploymentOf(plan: Plan, folder: string): Deployment {
  const networks = { fuji: { nodeUrl: 'http://node-0:9650', primary: true } }
  const file = { path: 'firn.yaml', text: JSON.stringify({ networks }) }
  const { config } = readConfig({ flags: {}, environment: {}, file })
  return new Deployment({
    ...plan,
    folder,
    config,
    wallAheadMs,
    // The genesis of local networks is a file of the package.
    files: async (path) => readFileSync(path),
    nodes: (clock, draws) => [
      new PrimarySimNode({
        history: own,
        other,
        clock,
        draws,
        share: () => Math.min(1, 0.5 + clock.monotonic() / growsForMs / 2),
      }),
    ],
  })
}

/** Lets everything happen; gives the time it took to be live once nothing more was wrong. */
async function live(
  plan: Plan,
  deployment: Deployment,
  { tally, heights }: { readonly tally: Tally; readonly heights: Heights },
): Promise<number> {
  const { clock } = deployment
  let isOver = false
  let failure: unknown
  const watched = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => (failure ??= error))
  const parts = (name: string): AskerParts => ({
    draws: drawsOf(plan.seed).part(name),
    clock,
    processes: () => deployment.processes,
    isOver: () => isOver,
    heights,
    proven: () => Number.POSITIVE_INFINITY,
    // No later block proves the newest ones.
    mostTakenBack: batchesKept * mostNotedHeights,
  })
  const callers = Array.from({ length: plan.callers }, (_, at) =>
    watched(callOn(parts(`caller ${at}`))),
  )
  let left = plan.faults.length
  for (const fault of plan.faults)
    void watched(inflict(fault, deployment, tally)).then(() => left--)
  const check = (): void => {
    deployment.checkLive()
    failure ??= deployment.broken
    if (failure !== undefined) throw failure
  }
  try {
    while (left > 0 || clock.monotonic() < troubleMs) {
      check()
      await clock.sleep(lookEveryMs)
    }
    const wellMs = clock.monotonic()
    while (!isLive(deployment)) {
      check()
      if (clock.monotonic() > wellMs + recoveryLimitMs)
        throw new Wrong(
          `not live after ${recoveryLimitMs} ms: ${JSON.stringify(deployment.stages())}`,
        )
      await clock.sleep(lookEveryMs)
    }
    const recoveryMs = clock.monotonic() - wellMs
    for (const chain of chains)
      if (!(await readBlocks(parts('last'), chain))) throw new Wrong('nobody answers any more')
    check()
    isOver = true
    await Promise.all(callers)
    check()
    return recoveryMs
  } finally {
    isOver = true
  }
}

function isLive(deployment: Deployment): boolean {
  const stages = deployment.stages()
  return chains.every((chain) =>
    stages.some(
      ({ stage, state, indexedHeight }) =>
        stage === chain && state === 'live' && indexedHeight === own[chain].length - 1,
    ),
  )
}

async function callOn(parts: AskerParts): Promise<void> {
  while (!parts.isOver()) {
    await parts.clock.sleep(parts.draws.between(50, 3_000))
    await readBlocks(parts, parts.draws.pick(chains))
  }
}

/** Reads all blocks of a chain, page by page, and judges them. Gives up when all is over. */
async function readBlocks(parts: AskerParts, chain: Chain): Promise<boolean> {
  const { draws, clock, isOver } = parts
  const names = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const
  const path = `/v1/networks/fuji/blockchains/${names[chain]}/blocks?pageSize=${draws.between(20, 101)}`
  const listed: string[] = []
  let token: string | undefined
  let first: { readonly height: number; readonly newest: number } | undefined
  for (let tries = 0; tries < 400; tries++) {
    const page = token === undefined ? path : `${path}&pageToken=${encodeURIComponent(token)}`
    const answer = await ask(parts, page, chain)
    if (answer === undefined) {
      if (isOver()) return false
      await clock.sleep(draws.between(100, 2_000))
      continue
    }
    if (answer.status !== 200)
      throw new Wrong(`${page}: ${answer.status} ${JSON.stringify(answer.body)}`)
    for (const { blockNumber, blockHash } of answer.body.blocks)
      listed.push(textOf(chain, Number(blockNumber), blockHash))
    first ??= {
      height: answer.indexedHeight,
      newest: Number(answer.body.blocks[0]?.blockNumber ?? -1),
    }
    token = answer.body.nextPageToken
    if (token === undefined) break
    if (draws.chance(0.2)) await clock.sleep(draws.between(10, 3_000))
  }
  if (first === undefined) return false
  const until = Math.max(first.height, first.newest)
  const right = ids[chain]
    .slice(0, until + 1)
    .flatMap((id, height) => (isKept(chain, height) ? [textOf(chain, height, id)] : []))
    .toReversed()
  const at = right.findIndex((text, place) => text !== listed[place])
  if (at >= 0 || listed.length !== right.length)
    throw new Wrong(
      `${chain}-blocks up to ${until}: ${listed.length} of ${right.length}, ` +
        `${at} is ${listed[Math.max(at, 0)]}, not ${right[Math.max(at, 0)]}`,
    )
  return true
}

/** Block 0 of the C-Chain is its genesis, which the primary network does not know. */
function isKept(chain: Chain, height: number): boolean {
  return chain !== 'C' || height > 0
}

/** The P-Chain's block 0 is none that was accepted: its name follows from no bytes of the node. */
function textOf(chain: Chain, height: number, id: string): string {
  return chain === 'P' && height === 0 ? '0' : `${height} ${id}`
}

/** Contents of the rows, whatever their numbers: these follow from how the chains took turns. */
async function rowsOf(folder: string): Promise<Record<string, string[]>> {
  const location = { store: 'embedded', dataDir: folder }
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
  const facts = await factsOf(store)
  await store.close()
  return facts
}

async function compare(stored: Record<string, string[]>): Promise<void> {
  if (wanted === undefined) {
    const plan: Plan = { seed: 0, history: 0, nodes: 1, roles: ['all'], callers: 1, faults: [] }
    const { wrong } = await simulatePrimary(plan)
    if (wrong !== undefined) throw new Wrong(`undisturbed: ${wrong}`)
  }
  for (const [table, rows] of Object.entries(wanted ?? {})) {
    const at = rows.findIndex((row, place) => row !== stored[table]?.[place])
    if (at >= 0 || rows.length !== stored[table]?.length)
      throw new Wrong(`row ${at} of ${table} is ${stored[table]?.[at]}, undisturbed ${rows[at]}`)
  }
}
