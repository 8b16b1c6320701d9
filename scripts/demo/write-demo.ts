/** Writes what stands on the recorded network into the files of the demo. */

import { mkdtempSync, rmSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

import { toChecksumAddress } from '../../src/core/address.ts'
import { toCb58, toNodeId } from '../../src/core/cb58.ts'
import { isObject } from '../../src/core/json.ts'
import type { Transport, World } from '../../src/core/world.ts'
import { indexedMessages } from '../../src/service/warp/indexed-messages.ts'
import { primaryPartKinds } from '../../src/source/primary/recorded-source.ts'
import { partKinds } from '../../src/source/recorded/recording-file.ts'
import { text } from '../../test/network/node-rpc.ts'
import { settled } from '../../test/network/real-network.ts'
import { candidateAt, type Scene } from '../../test/network/scene.ts'
import { liveWorld } from '../../test/support/chains/live-world.ts'
import { comparedChain } from '../../test/support/nodes/compared-chain.ts'
import { type AnsweredCall, questionOf } from '../../test/support/nodes/recorded-rpc.ts'
import { startFirn } from '../../test/support/processes/firn-process.ts'
import { fileWorld, indexPrimary } from '../../test/support/services/primary-service.ts'
import { recordNode } from '../record-chain.ts'
import { recordPrimary } from '../record-primary.ts'
import { partBytes } from '../recording-bytes.ts'
import { getters } from './compile.ts'
import { demoConfig, demoPrices, demoReputations } from './demo-files.ts'
import { keepers } from './l1s.ts'
import type { Sent } from './relay.ts'
import { askedSignatures } from './signatures.ts'
import { type Cast, type Chain, keyOf, roles } from './stage.ts'

/** More than the demo has blocks, addresses and stakers: everything is compared. */
const everything = 4_096

type Written = {
  readonly scene: Scene
  readonly cast: Cast
  readonly chains: readonly Chain[]
  readonly sent: readonly Sent[]
  /** Transactions about which the P-Chain signs something. */
  readonly announced: readonly Uint8Array[]
  /** The folder to write to. */
  readonly out: string
}

/** Writes all files. The network must stand still from now on. */
export async function writeDemo(written: Written): Promise<void> {
  const { scene, cast, chains, out } = written
  const { network, say } = scene
  await mkdir(out, { recursive: true })
  for (const role of roles) cast.note(role, toChecksumAddress(keyOf(role).evm))
  cast.note('node', toNodeId((await candidateAt(network, 1)).nodeId))
  cast.note('owner', scene.wallet.address('P', scene.wallet.keys[0]?.address ?? new Uint8Array()))
  cast.note('avax', toCb58(scene.wallet.ids.avax))
  cast.note('X.blockchain', toCb58(scene.wallet.ids.chains.X))
  cast.note('C.blockchain', toCb58(scene.wallet.ids.chains.C))
  await writeFile(
    join(out, 'genesis.json.gz'),
    gzipSync(await readFile(join(network.folder, 'genesis.json'))),
  )
  await standsStill(scene, chains)
  await recordNetwork(written)
  for (const chain of chains)
    await recordNode(network.url(keepers[0]) + chain.path, fileOf(out, chain), {
      ...chain,
      getters,
    })
  await writeFile(join(out, 'firn.json'), demoConfig(chains, cast))
  await writeFile(join(out, 'prices.csv'), demoPrices(chains, cast))
  await writeFile(join(out, 'reputation.csv'), demoReputations(chains, cast))
  await writeFile(join(out, 'cast.json'), `${JSON.stringify(cast.all(), null, 2)}\n`)
  await keepAnswers(written)
  say('the demo is written')
}

function fileOf(out: string, { name }: Chain): string {
  return join(out, `${name.toLowerCase()}.firnrec`)
}

/** Waits until no chain has had a block for as long as the slowest of them needs for one. */
async function standsStill({ network, say }: Scene, chains: readonly Chain[]): Promise<void> {
  const heights = async (): Promise<string> => {
    const node = network.node(1)
    const p = text(await node.call('/ext/bc/P', 'platform.getHeight'), 'height')
    const x = text(await node.call('/ext/bc/X', 'avm.getHeight'), 'height')
    const evm = await Promise.all(chains.map(({ path }) => node.ask(path, 'eth_blockNumber', [])))
    return [p, x, ...evm].join(' ')
  }
  let [last, since] = ['', 0]
  await settled('the network stands still', async () => {
    const now = await heights()
    if (now !== last) [last, since] = [now, performance.now()]
    return performance.now() - since > 8_000
  })
  say(`the network stands still at ${last}`)
}

async function recordNetwork({ scene, sent, announced, out }: Written): Promise<void> {
  const { network, say } = scene
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-demo-'))
  try {
    const world: World = { ...fileWorld, transport: liveWorld(1).transport }
    const store = await indexPrimary(
      { store: 'embedded', dataDir },
      { world, nodeUrl: network.url(1), genesis: join(network.folder, 'genesis.json') },
    )
    const messages = indexedMessages(store)
    const asked = { sent, transactions: announced, messages }
    const signatures = await askedSignatures(scene, asked).finally(() => store.close())
    say(`${signatures.length} messages are signed by each node`)
    const file = join(out, 'primary.firnrec')
    await recordPrimary(network.url(1), dataDir, { file, sample: everything })
    const kind = primaryPartKinds.signatures
    const lines = signatures.map((one) => JSON.stringify(one))
    await appendFile(file, partBytes({ kind, from: 0, until: 0 }, lines))
    say('P, X and C are recorded')
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Indexes the demo from its files, compares it with the other node, and keeps what that answers. */
async function keepAnswers({ scene, cast, chains, out }: Written): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-demo-'))
  try {
    const config = join(dataDir, 'firn.json')
    await writeFile(config, demoConfig(chains, cast, `${resolve(out)}/`))
    const running = await startFirn({ after: () => undefined }, [
      '--config',
      config,
      '--data-dir',
      dataDir,
    ])
    await settled('the demo is indexed', async () => {
      const { chains: told } = await running.get('/status')
      return (told as { state: string }[]).every(({ state }) => state === 'live')
    })
    await running.end()
    for (const chain of chains) {
      const answers = await answersAbout(scene, chain, dataDir)
      const lines = answers.map((one) => JSON.stringify(one))
      const kind = partKinds.answers
      await appendFile(fileOf(out, chain), partBytes({ kind, from: 0, until: 0 }, lines))
      scene.say(`${chain.name}: compared with a node, ${lines.length} answers kept`)
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function answersAbout(
  { network }: Scene,
  { name, path }: Chain,
  dataDir: string,
): Promise<AnsweredCall[]> {
  const kept = new Map<string, AnsweredCall>()
  const transport = keeping(liveWorld(9).transport, (call) => kept.set(questionOf(call), call))
  // Of the C-Chain only the first node keeps what traces need.
  const url = network.url(name === 'C-Chain' ? keepers[0] : keepers[1]) + path
  const report = await comparedChain(dataDir, `fuji-${name.toLowerCase()}`, { url, transport })
  const [difference] = report.differences()
  if (difference !== undefined) throw new Error(JSON.stringify(difference))
  return [...kept.values()]
}

/** `transport` whose calls and answers `keep` sees one by one. */
function keeping(transport: Transport, keep: (call: AnsweredCall) => void): Transport {
  return {
    request: async (request) => {
      const reply = await transport.request(request)
      const asked: unknown = JSON.parse(String(request.body))
      const said: unknown = JSON.parse(new TextDecoder().decode(reply.body))
      const answers = new Map(listed(said).map((one) => [one['id'], one]))
      for (const call of listed(asked)) {
        const answer = answers.get(call['id'])
        if (answer === undefined) continue
        const { result, error } = answer
        keep({
          method: String(call['method']),
          params: call['params'] as unknown[],
          ...(error === undefined ? { result } : { error }),
        })
      }
      return reply
    },
  }
}

function listed(value: unknown): Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}
