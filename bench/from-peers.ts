/**
 * A Firn that replays a P-Chain from peers of this machine over real sockets, from nothing to live.
 *
 *     node bench/from-peers.ts [blocks] [peers] [C-Chain blocks]
 *
 * The peers are another process. Their chain is that of `primary-chain.ts` with three of ten transactions
 * that stake: most blocks are rewards, as of public networks. Each block is wrapped as proposers do, and
 * about as large as those of nodes with RSA certificates. With C-Chain blocks, of 20,000 bytes each, the
 * figures are those of both chains: what `cAtomic: on` costs.
 */

import { execFileSync, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { zstdCompressSync } from 'node:zlib'

import { encode } from '../src/codec/cursor.ts'
import { encodeRlp } from '../src/codec/evm/proof/rlp.ts'
import { emptyId } from '../src/codec/primary/ids.ts'
import { pBlock } from '../src/codec/primary/p-block.ts'
import { outerBlock } from '../src/codec/proposer/outer-block.ts'
import { encodePeerMessage } from '../src/codec/warp/peer-message.ts'
import { toHex } from '../src/core/bytes.ts'
import { itemAt } from '../src/core/item-at.ts'
import { pBlockTypes } from '../src/core/type-ids.ts'
import { linkOf, openCBlock } from '../src/source/primary/containers.ts'
import type { BlockQuestionMessage } from '../test/support/nodes/block-peer.ts'
import { stakerKeys } from '../test/support/nodes/warp-network.ts'
import { type Answering, startValidator } from '../test/support/nodes/warp-validator.ts'
import { localFacts } from './local-genesis.ts'
import { peakMib, processorSeconds } from './process-figures.ts'

const [wanted = '100000', peers = '24', cBlocks = '0', file] = process.argv.slice(2)
/** A hundred thousand blocks of that chain have so many transactions each. */
const transactionsPerBlock = 2.33
const mostItems = 2_000
const mostBytes = 1_677_721
const cBlockBytes = 20_000

await (file === undefined ? measure() : serve(file))

/** A chain that peers have: containers by height, and heights by their ids. */
type Chain = {
  readonly top: number
  readonly container: (height: number) => Uint8Array
  readonly heights: ReadonlyMap<number, number>
  readonly ids: readonly Uint8Array[]
}

/** Wraps inner blocks 1 to `top` as proposers do; the first block is bare, as on every network. */
function chainOf(
  name: 'P' | 'C',
  top: number,
  inner: (height: number, parentId: Uint8Array) => Uint8Array,
): Chain {
  const { genesis } = localFacts()
  const [certificate, signature] = [randomBytes(1_300), randomBytes(512)]
  const ids: Uint8Array[] = []
  const innerIds: Uint8Array[] = [new Uint8Array(32)]
  const container = (height: number): Uint8Array => {
    const bytes = inner(height, innerIds[name === 'C' ? height : 0]!)
    if (height === 0) return bytes
    const parentId = ids[height - 1]!
    const common = { parentId, timestamp: genesis.time, pChainHeight: 0n }
    return encode(outerBlock, { typeId: 0, ...common, certificate, inner: bytes, signature })
  }
  const heights = new Map<number, number>()
  for (let height = 0; height <= top; height++) {
    const bytes = container(height)
    ids.push(linkOf(name, bytes).id)
    heights.set(numberOf(ids[height]!), height)
    if (name === 'C') innerIds.push(openCBlock(bytes).block.blockId)
  }
  return { top, container, heights, ids }
}

/** The P-Chain in a file. */
function pChainIn(path: string): Chain {
  const bytes = readFileSync(path)
  const first = encode(pBlock, {
    typeId: pBlockTypes.ApricotCommitBlock,
    parentId: localFacts().genesisId,
    height: 0n,
  })
  const places: number[] = [0]
  for (let end = 0; end < bytes.length; places.push(end)) end += 4 + bytes.readUInt32BE(end)
  const inner = (height: number): Uint8Array =>
    height === 0 ? first : bytes.subarray(places[height - 1]! + 4, places[height])
  return chainOf('P', places.length - 1, inner)
}

/** A C-Chain of so many blocks, each with one transaction that does not compress. */
function cChainOf(top: number): Chain {
  const noise = randomBytes(2 ** 26)
  const number = (value: number): Uint8Array =>
    Buffer.from(
      value === 0
        ? ''
        : value
            .toString(16)
            .padStart(8, '0')
            .replace(/^(00)+/, ''),
      'hex',
    )
  return chainOf('C', top, (height, parentId) => {
    const at = (height * cBlockBytes) % (noise.length - cBlockBytes)
    const header = Array.from({ length: 16 }, (): Uint8Array => new Uint8Array(32))
    header[0] = parentId
    header[8] = number(height)
    header[11] = number(Number(localFacts().genesis.time))
    const transaction = noise.subarray(at, at + cBlockBytes)
    return encodeRlp([header, [transaction], [], new Uint8Array(), new Uint8Array()])
  })
}

/** Serves the chains from every peer. */
async function serve(path: string): Promise<void> {
  const facts = localFacts()
  const chains = new Map([[toHex(emptyId), pChainIn(path)]])
  if (cBlocks !== '0') chains.set(toHex(facts.cChainId), cChainOf(Number(cBlocks)))
  let [requests, bytes, wire] = [0, 0, 0]
  const answer = (
    { kind, chainId, requestId, ids: asked }: BlockQuestionMessage,
    { send }: Answering,
  ): void => {
    const chain = chains.get(toHex(chainId))
    // Nobody has the other chains.
    if (chain === undefined) return
    const { heights, ids, top, container } = chain
    requests++
    const place = { chainId, requestId }
    const known = asked.filter((id) => heights.has(numberOf(id)))
    const [height] = known.map((id) => heights.get(numberOf(id))!)
    if (kind === 'get-accepted-frontier')
      return send({ kind: 'accepted-frontier', ...place, items: [ids[top]!] })
    if (kind === 'get-accepted') return send({ kind: 'accepted', ...place, items: known })
    if (height === undefined) return
    const items: Uint8Array[] = []
    let left = mostBytes
    for (let at = height; at >= 0 && items.length < mostItems && left > 0; at--) {
      items.push(container(at))
      left -= items.at(-1)!.length
      if (kind === 'get') break
    }
    const answered = kind === 'get' ? 'put' : 'ancestors'
    const plain = encodePeerMessage({ kind: answered, ...place, items })
    const packed = zstdCompressSync(plain)
    bytes += plain.length
    wire += packed.length
    send({ kind: 'compressed', bytes: packed })
  }
  const started = Array.from({ length: Number(peers) }, (_, at) =>
    startValidator({
      ...stakerKeys(at),
      networkId: facts.networkId,
      behaviour: { kind: 'sign' },
      blocks: answer,
    }),
  )
  const validators = await Promise.all(started)
  const addresses = validators.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`)
  process.send?.({ addresses, tops: Array.from(chains.values(), ({ top }) => top) })
  process.on('message', () => process.send?.({ requests, bytes, wire }))
  process.once('disconnect', () => process.exit())
}

/** Ids are told apart by their first bytes. */
function numberOf(id: Uint8Array): number {
  return Buffer.from(id.buffer, id.byteOffset, 6).readUIntBE(0, 6)
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const blocks = join(folder, 'blocks')
  const maker = fileURLToPath(new URL('primary-chain.ts', import.meta.url))
  const transactions = Math.ceil(Number(wanted) * transactionsPerBlock)
  execFileSync(process.execPath, [maker, String(transactions), blocks, '3'])
  const server = fork(fileURLToPath(import.meta.url), [wanted, peers, cBlocks, blocks])
  type Served = { readonly addresses: readonly string[]; readonly tops: readonly number[] }
  const [{ addresses, tops }] = (await once(server, 'message')) as [Served]
  const top = tops.reduce((sum, one) => sum + one, 0)
  const config = join(folder, 'firn.json')
  const { networkId } = localFacts()
  const cAtomic = cBlocks === '0' ? 'off' : 'on'
  const fuji = { primary: true, source: 'peers', networkId, peers: addresses, cAtomic }
  writeFileSync(config, JSON.stringify({ dataDir: join(folder, 'data'), networks: { fuji } }))
  const bin = fileURLToPath(new URL('../bin/firn.js', import.meta.url))
  const words = ['start', '--config', config, '--port', '0', '--node-port', '0']
  const began = performance.now()
  const firn = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    let said = ''
    let url: string | undefined
    firn.stderr.on('data', (part) => {
      said += String(part)
      url ??= /API and explorer +(\S+)/.exec(said)?.[1]
    })
    let firstAt = 0
    for (let height = -1; height < top; await pause(100)) {
      if (firn.exitCode !== null) throw new Error(said)
      if (url !== undefined) height = await blocksAt(url)
      if (height > 0 && firstAt === 0) firstAt = performance.now()
    }
    const seconds = (performance.now() - began) / 1_000
    const fetching = (firstAt - began) / 1_000
    const pid = itemAt([firn.pid ?? 0], 0)
    const figures = [peakMib(pid), processorSeconds(pid)] as const
    server.send('figures')
    type Sent = { readonly requests: number; readonly bytes: number; readonly wire: number }
    const [{ requests, bytes, wire }] = (await once(server, 'message')) as [Sent]
    const mib = (size: number): string => `${Math.round(size / 2 ** 20)} MiB`
    const file = statSync(join(folder, 'data', 'primary-fuji.sqlite')).size
    process.stdout.write(
      `${top} blocks from ${peers} peers: live after ${seconds.toFixed(1)} s, ${Math.round(top / seconds)} blocks/s; ` +
        `the first was replayed after ${fetching.toFixed(1)} s\n` +
        `${requests} requests; ${mib(bytes)} of answers, ${mib(wire)} on the wire; ` +
        `${Math.round(bytes / top)} and ${Math.round(wire / top)} bytes a block\n` +
        `most memory resident ${figures[0]} MiB; ${figures[1].toFixed(0)} s of processors; store ${mib(file)}\n`,
    )
  } finally {
    firn.kill('SIGKILL')
    server.disconnect()
    await once(firn, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Blocks of P and C that are indexed. */
async function blocksAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/status`)
  const { chains } = (await answer.json()) as {
    chains: { stages: { stage: string; indexedHeight: number }[] }[]
  }
  const stages = chains.flatMap(({ stages: of }) => of)
  const heights = stages.flatMap(({ stage, indexedHeight }) =>
    ['P', 'C'].includes(stage) ? Math.max(0, indexedHeight) : [],
  )
  return heights.reduce((sum, one) => sum + one, 0)
}
