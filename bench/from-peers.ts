/**
 * `node bench/from-peers.ts [blocks] [peers]`: a P-Chain of so many blocks from peers of this machine over
 * real sockets: blocks a second, bytes, requests and memory of the side that reads. The peers are another
 * process. Blocks are unsigned outer blocks of 2.3 KB around empty inner ones, about as large as those of a
 * network whose nodes have RSA certificates.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { encode } from '../src/codec/cursor.ts'
import { emptyId } from '../src/codec/primary/ids.ts'
import { pBlock } from '../src/codec/primary/p-block.ts'
import { outerBlock } from '../src/codec/proposer/outer-block.ts'
import { equalBytes, keyOf } from '../src/core/bytes.ts'
import { sha256 } from '../src/core/hash.ts'
import { parsePeer } from '../src/peer/address-book.ts'
import { createIdentity } from '../src/peer/identity.ts'
import { defaultPeerLimits } from '../src/peer/limits.ts'
import { PeerPool } from '../src/peer/pool.ts'
import { PeerSource } from '../src/source/peers/peer-source.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { openWorld } from '../src/world/world.ts'
import { stakerKeys } from '../test/warp-network.ts'
import { startValidator } from '../test/warp-validator.ts'

const [blocksText = '1000000', peersText = '8', role] = process.argv.slice(2)
const count = Number(blocksText)
const peers = Number(peersText)
const networkId = 12_345

if (role === 'serve') await serve()
else await read()

/** The block at a height, and the ids of all, which are too many to make for each answer. */
function chain(): { readonly ids: Uint8Array; readonly container: (height: number) => Uint8Array } {
  const ids = new Uint8Array(32 * (count + 1))
  const filler = Uint8Array.from({ length: 1_300 }, (_, at) => (at * 131) & 255)
  const signature = Uint8Array.from({ length: 512 }, (_, at) => (at * 89) & 255)
  const container = (height: number): Uint8Array => {
    const parentId = height === 0 ? emptyId : ids.subarray(32 * (height - 1), 32 * height)
    const time = 1_700_000_000n + BigInt(height)
    const inner = encode(pBlock, { typeId: 31, time, parentId, height: BigInt(height) })
    return encode(outerBlock, {
      typeId: 0,
      parentId,
      timestamp: time,
      pChainHeight: BigInt(Math.max(0, height - 10)),
      certificate: filler,
      inner,
      signature,
    })
  }
  for (let height = 0; height <= count; height++) {
    const bytes = container(height)
    ids.set(sha256(bytes.subarray(0, bytes.length - signature.length - 4)), 32 * height)
  }
  return { ids, container }
}

async function serve(): Promise<void> {
  const { ids, container } = chain()
  const heights = new Map<string, number>()
  for (let at = 0; at <= count; at++) heights.set(keyOf(ids.subarray(32 * at, 32 * at + 32)), at)
  const idAt = (height: number): Uint8Array => ids.subarray(32 * height, 32 * height + 32)
  const ports: string[] = []
  for (let at = 0; at < peers; at++) {
    const { nodeId, port } = await startValidator({
      ...stakerKeys(at),
      networkId,
      behaviour: { kind: 'sign' },
      blocks: ({ kind, chainId, requestId, ids: asked }, { send }) => {
        const place = { chainId, requestId }
        if (kind === 'get-accepted-frontier')
          return send({ kind: 'accepted-frontier', ...place, items: [idAt(count)] })
        if (kind === 'get-accepted')
          return send({
            kind: 'accepted',
            ...place,
            items: asked.filter((id) => heights.has(keyOf(id))),
          })
        const height = asked[0] === undefined ? undefined : heights.get(keyOf(asked[0]))
        if (height === undefined) return
        if (kind === 'get') return send({ kind: 'put', ...place, items: [container(height)] })
        const items: Uint8Array[] = []
        let bytes = 0
        for (let now = height; now >= 0 && items.length < 2_000; now--) {
          const one = container(now)
          bytes += one.length + 5
          if (bytes > 1_677_721) break
          items.push(one)
        }
        send({ kind: 'ancestors', ...place, items })
      },
    })
    ports.push(`${nodeId}@127.0.0.1:${port}`)
  }
  process.send?.(ports)
  // The parent is done with it.
  process.once('disconnect', () => process.exit())
}

async function read(): Promise<void> {
  const args = [blocksText, peersText, 'serve']
  const server = fork(fileURLToPath(import.meta.url), args)
  const [addresses] = (await once(server, 'message')) as [string[]]
  const world = openWorld()
  const folder = mkdtempSync(join(tmpdir(), 'firn-peers-'))
  const configured = addresses.map(parsePeer)
  const pool = new PeerPool({
    world,
    log: silentLog,
    networkId,
    identity: createIdentity(world),
    nodePeers: undefined,
    limits: defaultPeerLimits,
    configured,
    bootstrappers: [],
    allowPrivateIps: true,
  })
  let requests = 0
  const source = new PeerSource({
    peers: {
      session: (nodeId) => pool.session(nodeId),
      want: (ids, subnet) => pool.want(ids, subnet),
      ban: (nodeId, reason) => pool.ban(nodeId, reason),
      close: () => pool.close(),
    },
    networkId,
    bootstrappers: configured.map(({ nodeId }) => nodeId),
    checkpoints: {},
    genesis: async () => {
      throw new Error('only the P-Chain is read, whose id is known')
    },
    upgrades: {},
    newestUpgrade: 1_761_750_000,
    stored: { validators: async () => [], blockId: async () => undefined },
    node: undefined,
    folder,
    world,
    log: silentLog,
  })
  const began = performance.now()
  const { signal } = new AbortController()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 100)
  const head = await source.headHeight('P', signal)
  let firstAt = 0
  let bytes = 0
  let previous: Uint8Array | undefined
  for (let from = 1; from <= head;) {
    const until = Math.min(head + 1, from + 1_024)
    for (const { proposer, bytes: inner } of await source.blocks('P', { from, until }, signal)) {
      bytes += inner.length
      requests++
      if (previous !== undefined && !equalBytes(previous, proposer!.outerParentId))
        throw new Error('blocks do not follow each other')
      previous = proposer!.outerId
    }
    if (firstAt === 0) firstAt = performance.now()
    from = until
  }
  clearInterval(watch)
  const seconds = (performance.now() - began) / 1_000
  const waited = (firstAt - began) / 1_000
  console.log(
    `${head} blocks from ${peers} peers in ${seconds.toFixed(1)} s: ${Math.round(head / seconds)} blocks/s; ` +
      `the first after ${waited.toFixed(1)} s; memory ${Math.round(most / 2 ** 20)} MiB; ${requests} blocks read`,
  )
  await pool.close()
  server.disconnect()
  await world.close()
  rmSync(folder, { recursive: true, force: true })
}
