/** Checks of an EVM chain's endpoints: what they are, and what they offer. */

import type { ChainConfig } from '../../config/chain-settings.ts'
import { faultIn } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { Clock, Transport } from '../../core/world.ts'
import { endpointName } from '../../source/endpoints/endpoint.ts'
import { traceProbe } from '../../source/evm/node-traces.ts'
import {
  callAll,
  callOne,
  BatchSize,
  type RpcAnswer,
  type RpcTarget,
} from '../../source/rpc/json-rpc.ts'
import { meaningOfError } from '../../source/rpc/node-words.ts'
import { fine, problem, warning, type Finding } from './finding.ts'

type ChainCheckOptions = {
  readonly world: { readonly transport: Transport; readonly clock: Pick<Clock, 'now'> }
  readonly timeoutMs: number
  readonly maxReplyBytes: number
  /** Facts of the store about its chain, by name; none where there is no store. */
  readonly stored: ReadonlyMap<string, string>
}

/** Blocks may carry a time this far ahead: avalanchego allows 10 s, clocks differ. */
const futureSeconds = 30
const oldStateDepth = 256
const batches = [1_000, 100, 40, 10] as const

/** Findings of every endpoint of a chain. */
export async function checkChain(
  chain: ChainConfig,
  options: ChainCheckOptions,
): Promise<Finding[]> {
  if (chain.recording !== '') return []
  const findings: Finding[] = []
  const ids = new Set<number>()
  for (const url of chain.rpcUrls) {
    const subject = `${chain.name || 'chain'} ${endpointName(url)}`
    try {
      findings.push(...(await checkEndpoint(subject, url, options, ids)))
    } catch (error) {
      const fault = faultIn(error)
      const remedy = 'see that the node runs, the address ends in /rpc, and nothing blocks the way'
      findings.push(problem(subject, fault.message, remedy))
    }
  }
  if (ids.size > 1)
    findings.push(
      problem(
        chain.name,
        `endpoints are of different chains: ${[...ids].join(', ')}`,
        'name endpoints of one chain only',
      ),
    )
  return findings
}

async function checkEndpoint(
  subject: string,
  url: string,
  options: ChainCheckOptions,
  ids: Set<number>,
): Promise<Finding[]> {
  const target: RpcTarget = {
    transport: options.world.transport,
    url,
    timeoutMs: options.timeoutMs,
    maxReplyBytes: options.maxReplyBytes,
  }
  const signal = AbortSignal.timeout(options.timeoutMs * 4)
  const call = (method: string, ...params: unknown[]): Promise<RpcAnswer> =>
    callOne(target, { method, params }, signal)
  const chainId = numberIn(await call('eth_chainId'))
  const head = numberIn(await call('eth_blockNumber'))
  if (chainId === undefined || head === undefined)
    return [
      problem(
        subject,
        'answers, but is no EVM chain',
        'the address must end in /ext/bc/<chain>/rpc',
      ),
    ]
  ids.add(chainId)
  const version = await call('web3_clientVersion')
  const old = `0x${Math.max(0, head - oldStateDepth).toString(16)}`
  const zero = `0x${'00'.repeat(20)}`
  const latest = await call('eth_getBlockByNumber', 'latest', false)
  const final = await call('eth_getBlockByNumber', 'finalized', false)
  const hasOldState = has(await call('eth_getBalance', zero, old))
  const traced = await call(traceProbe.method, ...traceProbe.params)
  // The genesis alone cannot be traced; that is another error.
  const hasTraces = traced.kind === 'result' || meaningOfError(traced.error) !== 'not-offered'
  const answer = await call('eth_getBlockByNumber', '0x0', false)
  const block = answer.kind === 'result' ? answer.result : undefined
  return [
    fine(subject, `chain id ${chainId}, height ${head}`),
    ...storeFinding(subject, options.stored, {
      chainId: String(chainId),
      genesisHash: isObject(block) && typeof block['hash'] === 'string' ? block['hash'] : undefined,
    }),
    ...clockFinding(subject, latest, options.world),
    // Of AvalancheGo alone: elsewhere blocks are final some time after they are shown.
    ...(String(version.kind === 'result' && version.result).startsWith('anvil/')
      ? []
      : acceptedFinding(subject, { final, latest, head })),
    await batchFinding(subject, target, signal),
    has(await call('eth_getBlockReceipts', '0x0'))
      ? fine(subject, 'offers eth_getBlockReceipts')
      : warning(
          subject,
          'has no eth_getBlockReceipts: receipts are read one by one',
          'use AvalancheGo of 2024 or later',
        ),
    ...stateFindings(subject, { hasTraces, hasOldState, depth: Math.min(head, oldStateDepth) }),
  ]
}

/** Traces, and the state of old blocks. */
function stateFindings(
  subject: string,
  found: { readonly hasTraces: boolean; readonly hasOldState: boolean; readonly depth: number },
): Finding[] {
  const { hasTraces, hasOldState, depth } = found
  return [
    hasTraces
      ? fine(subject, 'offers debug_traceBlockByNumber')
      : warning(
          subject,
          'gives no traces: no internal transactions',
          'enable the debug-tracer API of the chain ("eth-apis" with "debug-tracer")',
        ),
    hasOldState
      ? depth === 0
        ? fine(subject, 'has no past yet')
        : fine(subject, `keeps the state of the last ${depth} blocks`)
      : warning(
          subject,
          prunedText(hasTraces),
          'name an endpoint besides that has "pruning-enabled": false from its first block on',
        ),
  ]
}

/** A height whose state a pruned node does not have and does not compute again. */
function prunedText(hasTraces: boolean): string {
  const never = hasTraces ? ', nor are internal transactions before its first traced block' : ''
  return `keeps no past state: balances at past blocks are not available${never}`
}

/** A finding for the first fact in which the node and the store differ. */
export function storeFinding(
  subject: string,
  stored: ReadonlyMap<string, string>,
  marks: Readonly<Record<string, string | undefined>>,
): Finding[] {
  for (const [name, value] of Object.entries(marks)) {
    const kept = stored.get(name)
    if (kept === undefined || value === undefined || kept === value) continue
    const remedy =
      'correct the address, choose another data folder, or delete this one to index anew'
    return [problem(subject, `has ${name} ${value}, the store has ${kept}`, remedy)]
  }
  return []
}

function clockFinding(
  subject: string,
  latest: RpcAnswer,
  world: ChainCheckOptions['world'],
): Finding[] {
  const block = latest.kind === 'result' ? latest.result : undefined
  const stamp = isObject(block) ? Number(block['timestamp']) : Number.NaN
  const ahead = stamp - world.clock.now() / 1_000
  if (Number.isNaN(stamp) || ahead < futureSeconds) return []
  const text = `its newest block is ${Math.round(ahead)} s ahead of this machine's clock`
  return [warning(subject, text, 'synchronise the clock, for instance with chrony')]
}

function acceptedFinding(
  subject: string,
  of: { readonly final: RpcAnswer; readonly latest: RpcAnswer; readonly head: number },
): Finding[] {
  const { final, latest, head } = of
  const block = final.kind === 'result' ? final.result : undefined
  const newest = latest.kind === 'result' ? latest.result : undefined
  if (!isObject(block) || !isObject(newest)) return []
  const height = Number(block['number'])
  if (Number.isNaN(height) || height >= head) return []
  // After Helicon blocks are accepted before they are executed, and `finalized` is the last settled
  // one, which trails. Source: avalanchego vms/saevm/sae/rpc.
  if (newest['settledHeight'] !== undefined)
    return [fine(subject, `has settled all but its newest ${head - height} blocks`)]
  const text = `shows ${head - height} blocks that are not accepted yet`
  return [
    problem(subject, text, 'set "allow-unfinalized-queries": false for the chain on this node'),
  ]
}

/** The largest batch it takes, of cheap calls. */
async function batchFinding(
  subject: string,
  target: RpcTarget,
  signal: AbortSignal,
): Promise<Finding> {
  for (const calls of batches) {
    const size = new BatchSize(calls)
    const batch = Array.from({ length: calls }, () => ({ method: 'eth_chainId', params: [] }))
    await callAll(target, batch, size, signal)
    if (size.calls >= calls) return fine(subject, `takes batches of ${calls} calls`)
  }
  return warning(
    subject,
    'takes no batches: reading is slow',
    'raise "batch-request-limit" of the chain, or call its operator',
  )
}

function has(answer: RpcAnswer): boolean {
  return answer.kind === 'result' && answer.result !== null
}

function numberIn(answer: RpcAnswer): number | undefined {
  if (answer.kind === 'error' || typeof answer.result !== 'string') return undefined
  const value = Number(answer.result)
  return Number.isSafeInteger(value) ? value : undefined
}
