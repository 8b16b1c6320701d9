/**
 * A Firn that replays a P-Chain from peers of this machine over real sockets, from nothing to live.
 *
 *     node bench/from-peers.ts [blocks] [peers]
 *
 * The peers are another process. Their chain is that of `primary-chain.ts` with three of ten transactions
 * that stake: most blocks are rewards, as of public networks. Each block is wrapped as proposers do, and
 * about as large as those of nodes with RSA certificates.
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
import { pBlock } from '../src/codec/primary/p-block.ts'
import { outerBlock } from '../src/codec/proposer/outer-block.ts'
import { encodePeerMessage } from '../src/codec/warp/peer-message.ts'
import { itemAt } from '../src/core/item-at.ts'
import { pBlockTypes } from '../src/core/type-ids.ts'
import { linkOf } from '../src/source/primary/containers.ts'
import type { BlockQuestionMessage } from '../test/block-peer.ts'
import { stakerKeys } from '../test/warp-network.ts'
import { type Answering, startValidator } from '../test/warp-validator.ts'
import { localFacts } from './local-genesis.ts'
import { peakMib, processorSeconds } from './process-figures.ts'

const [wanted = '100000', peers = '24', chain] = process.argv.slice(2)
/** A hundred thousand blocks of that chain have so many transactions each. */
const transactionsPerBlock = 2.33
const mostItems = 2_000
const mostBytes = 1_677_721

await (chain === undefined ? measure() : serve(chain))

/** Serves the blocks of a file from every peer. */
async function serve(path: string): Promise<void> {
  const facts = localFacts()
  const file = readFileSync(path)
  const [certificate, signature] = [randomBytes(1_300), randomBytes(512)]
  // The first block is bare, as on every network.
  const first = encode(pBlock, {
    typeId: pBlockTypes.ApricotCommitBlock,
    parentId: facts.genesisId,
    height: 0n,
  })
  const ids: Uint8Array[] = [linkOf('P', first).id]
  const heights = new Map([[numberOf(ids[0]!), 0]])
  const places: number[] = [0]
  const container = (height: number): Uint8Array =>
    height === 0
      ? first
      : encode(outerBlock, {
          typeId: 0,
          parentId: ids[height - 1]!,
          timestamp: facts.genesis.time,
          pChainHeight: 0n,
          certificate,
          inner: file.subarray(places[height - 1]! + 4, places[height]),
          signature,
        })
  for (let height = 1; places[height - 1]! < file.length; height++) {
    places.push(places[height - 1]! + 4 + file.readUInt32BE(places[height - 1]))
    ids.push(linkOf('P', container(height)).id)
    heights.set(numberOf(ids[height]!), height)
  }
  const top = ids.length - 1
  let [requests, bytes, wire] = [0, 0, 0]
  const answer = (
    { kind, chainId, requestId, ids: asked }: BlockQuestionMessage,
    { send }: Answering,
  ): void => {
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
      // Nobody has the other chains.
      blocks: (question, to) =>
        question.chainId.every((byte) => byte === 0) && answer(question, to),
    }),
  )
  const validators = await Promise.all(started)
  const addresses = validators.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`)
  process.send?.({ addresses, top })
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
  const server = fork(fileURLToPath(import.meta.url), [wanted, peers, blocks])
  type Served = { readonly addresses: readonly string[]; readonly top: number }
  const [{ addresses, top }] = (await once(server, 'message')) as [Served]
  const config = join(folder, 'firn.json')
  const { networkId } = localFacts()
  const fuji = { primary: true, source: 'peers', networkId, peers: addresses }
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
      if (url !== undefined) height = await heightAt(url)
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

async function heightAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/status`)
  const { chains } = (await answer.json()) as {
    chains: { stages: { stage: string; indexedHeight: number }[] }[]
  }
  const stages = chains.flatMap(({ stages: of }) => of)
  return stages.find(({ stage }) => stage === 'P')?.indexedHeight ?? -1
}
