import { zstdDecompressSync } from 'node:zlib'

import { listOf, objectOf } from '../../codec/evm/raw.ts'
import { Fault } from '../../core/fault.ts'
import { checksOfEvery } from '../../indexing/evm/read/block-checks.ts'
import { openEvmSource } from '../../indexing/evm/read/open-source.ts'
import { type SpecifiedChain, sourceLimits } from '../../service/chain-specs.ts'
import { callOne, type RpcTarget } from '../../source/rpc/json-rpc.ts'
import { silentLog } from '../../telemetry/log.ts'
import { type NodeLog, verifyChain } from '../../verify/evm/verify-chain.ts'
import { openWorld } from '../../world/world.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Flags, sampleOf } from '../flags.ts'
import { configOf, chainStore, openConfigured } from '../stores/configured-stores.ts'
import { printReport } from './verify.ts'

const limitMs = 3_600_000

/**
 * Compares the store of an EVM chain with a node: by default the one it is indexed from, `--node`
 * names another. Prints what was compared, how often, and every difference; exit code 1 when there
 * is any.
 */
export async function verifyEvmChain(flags: Flags): Promise<void> {
  const sample = sampleOf(flags)
  // Here `--node` is whom to compare with.
  const { node: _other, ...own } = flags
  const config = await configOf(own)
  const store = await chainStore(config, String(flags['chain']), '--chain')
  await using world = openWorld()
  await using database = await openConfigured(config, store, world)
  const spec = specWith(store.chain, flags)
  const limits = sourceLimits(config)
  const source = await openEvmSource(spec, limits, { world, log: silentLog })
  const signal = AbortSignal.timeout(limitMs)
  const [url] = spec.recording === undefined ? spec.rpcUrls : []
  const { height, report } = await verifyChain({
    store: database,
    source,
    random: world.random,
    checks: checksOfEvery(source),
    decompress: (bytes) => zstdDecompressSync(bytes),
    logsOf:
      url === undefined
        ? undefined
        : (height) => logsAt({ ...limits, transport: world.transport, url }, height, signal),
    signal,
    sample,
  })
  console.log(`height: ${height}`)
  printReport(report)
  if (report.differences().length > 0) process.exitCode = exitCodes.failed
}

function specWith({ spec }: SpecifiedChain, flags: Flags): SpecifiedChain['spec'] {
  if (typeof flags['node'] !== 'string') return spec
  const { recording: _other, ...rest } = spec
  return { ...rest, rpcUrls: [flags['node']] }
}

/** Logs of a block as `eth_getLogs` of a node gives them. Throws `node-refused`. */
export async function logsAt(
  target: RpcTarget,
  height: number,
  signal: AbortSignal,
): Promise<NodeLog[]> {
  const number = `0x${height.toString(16)}`
  const call = { method: 'eth_getLogs', params: [{ fromBlock: number, toBlock: number }] }
  const answer = await callOne(target, call, signal)
  if (answer.kind === 'error')
    throw new Fault('node-refused', `the node refused eth_getLogs: ${answer.error.message}`)
  return listOf(answer.result, 'logs').map((item) => {
    const log = objectOf(item, 'log')
    return { topics: listOf(log['topics'], 'topics').map(String), data: String(log['data']) }
  })
}
