/**
 * A backfill from a real node, against a client that asks the same and throws the answers away.
 *
 *     node bench/real-node.ts [blocks] [rounds]
 *
 * Needs AvalancheGo (`test/network/avalanche-tree.ts`). One node without others makes a C-Chain: blocks come
 * as quickly as it builds them, each of as many token transfers as its gas lasts for. It is an archive
 * with tracers. Then a client that reads by the indexer's own source, blocks with receipts and traces, and
 * decodes nothing, and a Firn with everything on, from an empty folder, take turns. The node has one
 * core and who reads another (Linux), as on two machines. The start of Firn's process is not counted.
 */

import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { concatBytes, fromBigint, fromHex, to0x } from '../src/core/bytes.ts'
import { keccak256 } from '../src/core/hash.ts'
import { itemAt } from '../src/core/item-at.ts'
import { Pipeline } from '../src/indexing/stream/pipeline.ts'
import type { EvmSource, HeightRange } from '../src/source/evm-source.ts'
import { openNodeSource } from '../src/source/evm/node-source.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openWorld } from '../src/world/world.ts'
import { avalancheTree } from '../test/network/avalanche-tree.ts'
import { type Code, creationOf, op, programOf, push } from '../test/network/evm-code.ts'
import { EvmWallet } from '../test/network/evm-wallet.ts'
import { ewoq } from '../test/network/keys.ts'
import { scenarioPlan } from '../test/network/plan.ts'
import { type RealNetwork, startNetwork } from '../test/network/real-network.ts'
import { startOver } from './backfill-run.ts'
import { processorSeconds } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 2_000)
const rounds = Number(process.argv[3] ?? 2)
const rpcPath = '/ext/bc/C/rpc'
/** Transactions that wait for a block; the node holds 5,000. */
const waiting = 500
/** Transactions signed before it is looked how many wait. */
const batch = 100
const gwei = 10n ** 9n
/** A transaction moves the token so many times. */
const transfersPerCall = 4
/** Blocks in one read of traces, as the indexer has it. */
const traceUnit = 4

const tree = avalancheTree()
if (tree === undefined) throw new Error('no Go that builds AvalancheGo, and no FIRN_AVALANCHE_TREE')
runOn(0)
const network = await startNetwork(tree, lonePlan())
runOn(1)
try {
  await fill(network)
  const url = `${network.url(1)}${rpcPath}`
  const head = Number(await network.node(1).ask(rpcPath, 'eth_blockNumber', []))
  console.log(`${head} blocks\n`)
  console.log('round  client blocks/s  firn blocks/s  ratio  firn us a block')
  for (let round = 1; round <= rounds; round++) {
    const client = await readAll(url, head)
    const { rate, micros } = await backfill(url, head)
    const figures = [client.toFixed(1), rate.toFixed(1), (rate / client).toFixed(2)]
    console.log([round, ...figures, micros.toFixed(0)].join('  '))
  }
} finally {
  await network.down()
}

/** This process, and those that it starts from now on, have this core alone. */
function runOn(core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(process.pid)])
}

/**
 * One validator, with the rules of Apricot phase 4: its base fee has an upper bound, so that every block
 * may be full for as long as somebody pays.
 */
function lonePlan(): ReturnType<typeof scenarioPlan> {
  const { genesis, upgrades } = scenarioPlan(Math.floor(Date.now() / 1_000), false)
  const initialStakers = (genesis['initialStakers'] as unknown[]).slice(0, 1)
  const isOld = (name: string): boolean => /^apricotPhase[1-4]/.test(name)
  const later = Object.keys(upgrades).filter((name) => name.endsWith('Time') && !isOld(name))
  const never = Object.fromEntries(later.map((name) => [name, upgrades['heliconTime']]))
  return {
    nodes: 1,
    genesis: { ...genesis, initialStakers },
    upgrades: { ...upgrades, ...never },
    flags: ['--network-health-min-conn-peers=0'],
  }
}

/** A token: moves the amount of the first word to the address of each further one, and logs it. */
function token(): Code {
  const amount = op('CALLDATALOAD', 0)
  const topic = keccak256(new TextEncoder().encode('Transfer(address,address,uint256)'))
  const moves = Array.from({ length: transfersPerCall }, (_, at) => {
    const receiver = op('CALLDATALOAD', 32 * (at + 1))
    return concatBytes(
      op('SSTORE', receiver, op('ADD', op('SLOAD', receiver), amount)),
      op('SSTORE', op('CALLER'), op('SUB', op('SLOAD', op('CALLER')), amount)),
      op('LOG3', 0, 32, push(topic), op('CALLER'), receiver),
    )
  })
  return programOf(op('MSTORE', 0, amount), ...moves, op('STOP'))
}

/** Sends transfers until there are enough blocks. */
async function fill({ node }: RealNetwork): Promise<void> {
  const wallet = new EvmWallet(() => node(1), rpcPath, ewoq)
  const { contractAddress } = await wallet.send({ data: creationOf(token()) })
  const to = fromHex(String(contractAddress))
  const count = async (block: string): Promise<number> =>
    Number(await wallet.ask('eth_getTransactionCount', to0x(ewoq.evm), block))
  let nonce = await count('latest')
  for (let height = 0; height < blocks; height = Number(await wallet.ask('eth_blockNumber'))) {
    if (nonce - (await count('latest')) > waiting) await pause(100)
    else {
      const calls = Array.from({ length: batch }, (_, at) => ({
        to,
        data: concatBytes(fromBigint(1n, 32), ...holders(nonce + at)),
        gas: 200_000n,
        fees: { most: 1_200n * gwei, tip: 150n * gwei },
      }))
      await wallet.post(calls, nonce)
      nonce += batch
    }
  }
}

/** Receivers of a call: ten thousand holders take turns. */
function holders(call: number): Uint8Array[] {
  return Array.from({ length: transfersPerCall }, (_, at) => {
    const index = (call * transfersPerCall + at) % 10_000
    const hash = keccak256(new TextEncoder().encode(`holder ${index}`))
    return concatBytes(new Uint8Array(12), hash.subarray(0, 20))
  })
}

/** Reads all blocks, receipts and traces, and keeps nothing. Gives blocks a second. */
async function readAll(url: string, head: number): Promise<number> {
  const world = openWorld()
  const source = openNodeSource({
    world,
    log: silentLog,
    urls: [url],
    expected: {},
    timeoutMs: 30_000,
    traceTimeoutMs: 60_000,
    maxInFlight: 64,
    maxReplyBytes: 64 * 2 ** 20,
  })
  const ending = new AbortController()
  await source.identity(ending.signal)
  const startedAt = performance.now()
  const traces = thrownAway(source, 'traces', () => {
    if (traces.committed === head) ending.abort()
  })
  const read = thrownAway(source, 'blocks', () => traces.setHead(read.committed))
  read.setHead(head)
  await Promise.all([read.run(ending.signal), traces.run(ending.signal)])
  const seconds = (performance.now() - startedAt) / 1_000
  await world.close()
  return head / seconds

  function thrownAway(
    { unitBlocks, window, ...reads }: EvmSource,
    need: 'blocks' | 'traces',
    changed: () => void,
  ): Pipeline<HeightRange> {
    const countOf = ({ from }: HeightRange, answers: readonly unknown[]): HeightRange => ({
      from,
      until: from + answers.length,
    })
    return new Pipeline<HeightRange>({
      name: need,
      from: 1,
      unit: () => (need === 'traces' ? traceUnit : unitBlocks()),
      window: () => window(need),
      fetch: (range, signal) => reads[need](range, (all) => countOf(range, all), signal),
      link: () => undefined,
      merge: (pieces) => ({
        from: itemAt(pieces, 0).from,
        until: itemAt(pieces, pieces.length - 1).until,
      }),
      sizeOf: () => 1,
      apply: () => Promise.resolve(),
      changed,
      clock: world.clock,
      log: silentLog,
      limits: { bufferBytes: Number.POSITIVE_INFINITY, batchBytes: 1 },
    })
  }
}

/** Indexes the chain with traces. Gives blocks a second, and Firn's processor time a block. */
async function backfill(
  url: string,
  head: number,
): Promise<{ readonly rate: number; readonly micros: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const children: ChildProcess[] = []
  try {
    const settings = { folder, urls: [url], traces: 'traces: on, startHeight: 1', freezes: true }
    const firn = await startOver(settings, children)
    const startedAt = performance.now()
    const used = processorSeconds(firn.pid)
    await firn.reached(head)
    while ((await firn.height('traces')) < head) await pause(100)
    const seconds = (performance.now() - startedAt) / 1_000
    const micros = ((processorSeconds(firn.pid) - used) / head) * 1e6
    await firn.stop()
    return { rate: head / seconds, micros }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
