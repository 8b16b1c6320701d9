/**
 * Signature aggregation with 1,000 validators on this machine's loopback.
 *
 * The validators run in a process of their own, so that the CPU and memory told are those of the
 * aggregator alone; they sign before they are asked. Each answers after its own delay, 20 to
 * 200 ms, and tells when it did: with equal weights the first 670 answers are needed, and the
 * 670th is the `slowest needed answer`.
 *
 * The processor time of a message is divided by that of one sum of as many signatures, which is the
 * least that proving them takes.
 *
 *   node bench/aggregation.ts [validators] [messages]
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'

import native from '@chainsafe/blst'

import { encode } from '../src/codec/cursor.ts'
import { unsignedMessage } from '../src/codec/warp/message.ts'
import { fromHex, toHex } from '../src/core/bytes.ts'
import { parseNodeAddress } from '../src/peer/address-book.ts'
import { defaultPeerLimits } from '../src/peer/limits.ts'
import { PeerPool } from '../src/peer/pool.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { parseRequest } from '../src/warp/aggregation/request.ts'
import { createAggregator } from '../src/warp/aggregator.ts'
import { openBls } from '../src/warp/bls/bls-native.ts'
import { canonicalSet } from '../src/warp/validator-set.ts'
import { memoryIdentity, realWorld, stakerKeys } from '../test/support/nodes/warp-network.ts'
import { startValidator } from '../test/support/nodes/warp-validator.ts'

type Started = { nodeId: string; port: number; publicKey: string }

const networkId = 12_345
const delayOf = (at: number): number => 20 + ((at * 37) % 181)

const answeredAt: number[] = []
const wallNow = (): number => performance.timeOrigin + performance.now()

/** Signatures made before; taking one is the moment of an answer. */
class Presigned extends Map<string, Uint8Array> {
  override get(message: string): Uint8Array | undefined {
    answeredAt.push(wallNow())
    return super.get(message)
  }
}

/** The other process: validators, told to the parent, that sign before they are asked. */
async function serve(count: number): Promise<void> {
  const started: Started[] = []
  const signers: ((message: string) => void)[] = []
  for (let at = 0; at < count; at++) {
    const presigned = new Presigned()
    const keys = stakerKeys(at + 5)
    const delayMs = delayOf(at)
    const options = { ...keys, behaviour: { kind: 'sign' }, delayMs, presigned } as const
    const { nodeId, port, publicKey } = await startValidator(options)
    started.push({ nodeId, port, publicKey: toHex(publicKey) })
    const secretKey = native.SecretKey.fromBytes(keys.secret)
    signers.push((message) =>
      presigned.set(message, secretKey.sign(fromHex(message)).toBytes(true)),
    )
  }
  process.on('message', (message) => {
    if (typeof message !== 'string') return
    if (message === 'times') return void process.send?.(answeredAt.splice(0))
    for (const sign of signers) sign(message)
    process.send?.('signed')
  })
  process.send?.(started)
}

async function measure(): Promise<void> {
  const count = Number(process.argv[2] ?? 1_000)
  const rounds = Number(process.argv[3] ?? 20)
  const child = fork(new URL(import.meta.url), [String(count)])
  const [started] = (await once(child, 'message')) as [Started[]]
  const world = realWorld()
  const identity = await memoryIdentity()
  const pool = new PeerPool({
    world,
    log: silentLog,
    networkId,
    identity,
    // Loopback only: the real limit of 50 connections a second is about other people's nodes.
    limits: { ...defaultPeerLimits, dialsPerSecond: 400, tickMs: 100 },
    configured: started.map(({ nodeId, port }) => parseNodeAddress(nodeId, `127.0.0.1:${port}`)),
    bootstrappers: [],
    allowPrivateIps: true,
    nodePeers: undefined,
  })
  const set = canonicalSet(
    started.map(({ nodeId, publicKey }) => ({
      nodeId,
      publicKey: Uint8Array.from(Buffer.from(publicKey, 'hex')),
      weight: 1_000n,
    })),
  )
  const aggregator = createAggregator({
    world,
    log: silentLog,
    networkId,
    nodeId: identity.nodeId,
    bls: await openBls(silentLog, world.random),
    pool,
    validators: {
      proposedHeight: async () => 1,
      epochHeight: async () => undefined,
      validatorsAt: async () => set,
      subnetOf: async () => new Uint8Array(32),
      subnet: async () => ({ isL1: false, conversionId: undefined, managerChainId: undefined }),
      underfunded: async () => new Set(),
    },
    messages: undefined,
    timeoutMs: 60_000,
    maxLookback: 1_000,
  })
  const prepare = async (at: number): Promise<string> => {
    const payload = new TextEncoder().encode(`message ${at}`)
    const sourceChainId = new Uint8Array(32).fill(9)
    const message = toHex(encode(unsignedMessage, { networkId, sourceChainId, payload }))
    child.send(message)
    await once(child, 'message')
    return message
  }
  const ask = async (message: string): Promise<void> => {
    const request = parseRequest({ message }, networkId)
    await aggregator.aggregate(request, new AbortController().signal)
  }

  const memoryBefore = memory()
  const cpuBefore = process.cpuUsage()
  const connectStart = performance.now()
  pool.want(
    started.map(({ nodeId }) => nodeId),
    new Uint8Array(32),
  )
  while (pool.status().connected < count) await world.clock.sleep(20)
  const connectMs = performance.now() - connectStart
  const connectCpu = process.cpuUsage(cpuBefore)
  const peerBytes = (memory() - memoryBefore) / count
  await ask(await prepare(-1)) // Parses the public keys: once per key and process.

  const elapsed: number[] = []
  const cpu: number[] = []
  const answered: number[] = []
  for (let at = 0; at < rounds; at++) {
    const message = await prepare(at)
    const before = process.cpuUsage()
    const began = wallNow()
    await ask(message)
    elapsed.push(wallNow() - began)
    const used = process.cpuUsage(before)
    cpu.push((used.user + used.system) / 1_000)
    // The answers that were not needed still arrive, and belong to nobody's time.
    await world.clock.sleep(300)
    child.send('times')
    const [times] = (await once(child, 'message')) as [number[]]
    const inOrder = times.toSorted((a, b) => a - b)
    answered.push((inOrder[Math.ceil(count * 0.67) - 1] ?? 0) - began)
  }
  const print = (name: string, value: string): void => console.log(name.padEnd(34), value)
  print('validators', String(count))
  print('connect all', `${connectMs.toFixed(0)} ms`)
  print(
    'CPU per connection',
    `${((connectCpu.user + connectCpu.system) / 1_000 / count).toFixed(2)} ms`,
  )
  print('memory per peer', `${(peerBytes / 1024).toFixed(0)} KiB`)
  print('slowest needed answer, median', `${median(answered).toFixed(0)} ms`)
  print('time to quorum, median', `${median(elapsed).toFixed(0)} ms`)
  print('time to quorum, worst', `${Math.max(...elapsed).toFixed(0)} ms`)
  const floor = await sumMillis(count)
  print('CPU per message, median', `${median(cpu).toFixed(0)} ms`)
  print(
    'CPU of one sum alone, median',
    `${floor.toFixed(0)} ms (message: ${(median(cpu) / floor).toFixed(1)} x)`,
  )
  const over = elapsed.map((time, at) => time - 1.2 * (answered[at] ?? 0))
  print('beyond 1.2 x that answer, median', `${median(over).toFixed(0)} ms (target: at most 100)`)
  await aggregator.close()
  child.kill()
}

/** Processor time of summing `count` signatures over one message and proving the sum. */
async function sumMillis(count: number): Promise<number> {
  const bls = await openBls(silentLog, realWorld().random)
  const message = new TextEncoder().encode('floor')
  const signed = Array.from({ length: count }, (_, at) => {
    const secretKey = native.SecretKey.fromBytes(stakerKeys(at + 5).secret)
    return {
      publicKey: secretKey.toPublicKey().toBytes(true),
      signature: secretKey.sign(message).toBytes(true),
    }
  })
  const spent: number[] = []
  for (let round = 0; round < 6; round++) {
    const before = process.cpuUsage()
    if ((await bls.sumIfItHolds(message, signed)) === undefined) throw new Error('the sum holds')
    const used = process.cpuUsage(before)
    // The first one parses the keys, too, once per key and process.
    if (round > 0) spent.push((used.user + used.system) / 1_000)
  }
  return median(spent)
}

function memory(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

if (process.send === undefined) await measure()
else await serve(Number(process.argv[2]))
