/** Checks of the node of a primary network: its chains, and the APIs that are read. */

import type { NetworkConfig } from '../../config/chain-settings.ts'
import { toHex } from '../../core/bytes.ts'
import { Fault, faultIn } from '../../core/fault.ts'
import type { Transport } from '../../core/world.ts'
import { createNodeApi, isRefusal, nodePaths, type NodeApi } from '../../source/primary/node-api.ts'
import { bytesIn, integerIn, textIn, type Reply } from '../../source/rpc/node-text.ts'
import { meaningOfWords } from '../../source/rpc/node-words.ts'
import { storeFinding } from './chain.ts'
import { fine, problem, warning, type Finding } from './finding.ts'

/** Findings about the node of network `name`. */
export async function checkNetwork(
  name: string,
  network: NetworkConfig,
  options: {
    readonly transport: Transport
    readonly timeoutMs: number
    readonly maxReplyBytes: number
    /** Facts of the store about its network, by name; none where there is no store. */
    readonly stored: ReadonlyMap<string, string>
  },
): Promise<Finding[]> {
  if (network.recording !== '' || network.nodeUrl === '') return []
  const subject = `${name} ${URL.canParse(network.nodeUrl) ? new URL(network.nodeUrl).origin : 'the node'}`
  const api = createNodeApi({ ...options, url: network.nodeUrl })
  const signal = AbortSignal.timeout(options.timeoutMs * 4)
  try {
    const id = integerIn(
      await api.call(nodePaths.info, 'info.getNetworkID', {}, signal),
      'networkID',
    )
    const version = textIn(
      await api.call(nodePaths.info, 'info.getNodeVersion', {}, signal),
      'version',
    )
    const findings = [
      fine(subject, `network ${id}, ${version}`),
      ...networkIdFinding(subject, name, id),
      ...storeFinding(subject, options.stored, {
        networkId: String(id),
        genesisId: await genesisIdOf(api, signal),
      }),
    ]
    for (const chain of ['P', 'X', 'C'] as const)
      findings.push(await bootstrapFinding(subject, api, chain, signal))
    if (network.primary) findings.push(...(await apiFindings(subject, api, signal)))
    return findings
  } catch (error) {
    const fault = faultIn(error)
    const remedy = 'see that AvalancheGo runs there; nodeUrl is its base address, without /ext'
    return [problem(subject, fault.message, remedy)]
  }
}

/** Id of the genesis, hex; absent while the P-Chain is bootstrapping. */
async function genesisIdOf(api: NodeApi, signal: AbortSignal): Promise<string | undefined> {
  const parameters = { height: '0', encoding: 'hexnc' }
  const reply = await refusable(api, nodePaths.P, 'platform.getBlockByHeight', {
    parameters,
    signal,
  })
  // Block 0 is a bare commit block: version 2, type id 4, then the parent, which is the genesis.
  return isRefusal(reply) ? undefined : toHex(bytesIn(reply, 'block').slice(6, 38))
}

function networkIdFinding(subject: string, name: string, id: number): Finding[] {
  const isMainnet = id === 1
  if (isMainnet === (name === 'mainnet')) return []
  const remedy = `name the network ${isMainnet ? 'mainnet' : 'fuji'} in the configuration`
  return [problem(subject, `the node is of network ${id}, not of ${name}`, remedy)]
}

async function bootstrapFinding(
  subject: string,
  api: NodeApi,
  chain: string,
  signal: AbortSignal,
): Promise<Finding> {
  const reply = await api.call(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
  return reply['isBootstrapped'] === true
    ? fine(subject, `${chain}-Chain is bootstrapped`)
    : warning(
        subject,
        `${chain}-Chain is not bootstrapped yet`,
        'wait; Firn goes on by itself when it is',
      )
}

/** The APIs beside the chains' own. */
async function apiFindings(subject: string, api: NodeApi, signal: AbortSignal): Promise<Finding[]> {
  const index = '--index-enabled=true on the node, from its first start'
  const cost = 'blocks have no proposers and are read one by one'
  const checks = [
    [nodePaths.P, 'platform.getHeight', 'P-Chain API', 'see the log of the node'],
    [nodePaths.X, 'avm.getHeight', 'X-Chain API', 'see the log of the node'],
    [nodePaths.indexP, 'index.getLastAccepted', 'index of P', index],
    [nodePaths.indexX, 'index.getLastAccepted', 'index of X', index],
    [nodePaths.indexC, 'index.getLastAccepted', 'index of C', index],
    [
      `${nodePaths.P}/proposervm`,
      'proposervm.getProposedHeight',
      'proposervm API',
      'use AvalancheGo 1.14 or later',
    ],
  ] as const
  const findings: Finding[] = []
  for (const [path, method, what, remedy] of checks) {
    const parameters = method.startsWith('index.') ? { encoding: 'hex' } : {}
    const reply = await refusable(api, path, method, { parameters, signal })
    const height = 'height' in reply ? ` at height ${String(reply['height'])}` : ''
    findings.push(
      isRefusal(reply) && meaningOfWords(reply.refusal) !== 'empty'
        ? warning(subject, `has no ${what}${remedy === index ? `: ${cost}` : ''}`, remedy)
        : fine(subject, `offers the ${what}${height}`),
    )
  }
  return findings
}

/** A refusal by status counts as one by words. */
async function refusable(
  api: NodeApi,
  path: string,
  method: string,
  of: { readonly parameters: Reply; readonly signal: AbortSignal },
): Promise<Reply | { readonly refusal: string }> {
  try {
    return await api.tryCall(path, method, of.parameters, of.signal)
  } catch (error) {
    if (
      error instanceof Fault &&
      (error.code === 'node-refused' || error.code === 'node-unreachable')
    )
      return { refusal: error.message }
    throw error
  }
}
