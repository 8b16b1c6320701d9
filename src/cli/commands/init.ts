import { existsSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'

import { readConfig } from '../../config/read-config.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { openWorld } from '../../world/world.ts'
import { surveyNode, surveyRpc, type NodeAccess } from '../discovery/survey.ts'
import { type Flags, textIn } from '../flags.ts'

/**
 * Asks where to read from, where data goes and where to listen; writes `firn.yaml`. Throws
 * `bad-parameter` where that is there already, and as `firn start --node`.
 */
export async function init(flags: Flags): Promise<void> {
  const out = String(flags['out'])
  if (existsSync(out)) throw new Fault('bad-parameter', `there is a file of this name: ${out}`)
  using lines = createInterface({ input: process.stdin })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string, usual: string): Promise<string> => {
    process.stdout.write(`${question} [${usual}] `)
    const { value } = await answers.next()
    if (!process.stdin.isTTY) process.stdout.write('\n')
    return (typeof value === 'string' ? value.trim() : '') || usual
  }
  await using world = openWorld()
  const url = await ask('Address of your node, or of one EVM endpoint?', 'http://127.0.0.1:9650')
  const source = await sourceText(url, {
    transport: world.transport,
    timeoutMs: 5_000,
    maxReplyBytes: 33_554_432,
    flags,
  })
  const dataDir = await ask('Folder for the data?', './firn-data')
  const port = await ask('Port of the API and the explorer?', '8080')
  const text = `# Settings of Firn; all of them: docs/reference/settings.md
${source}
# Stores, keys and logs; or PostgreSQL: store: postgres://user@host:5432/db
dataDir: ${JSON.stringify(dataDir)}

# The API and the explorer. Other machines reach them with host: 0.0.0.0.
api:
  host: 127.0.0.1
  port: ${port}

# Health, metrics and the operator's page.
node:
  port: 8081
`
  readConfig({ flags: {}, environment: {}, file: { path: out, text } })
  writeFileSync(out, text)
  console.log(`${out} is written: firn start --config ${out}`)
}

/** `networks` and `chains` of what answers at `url`. */
async function sourceText(
  url: string,
  { flags, ...options }: NodeAccess & { readonly flags: Flags },
): Promise<string> {
  const isNode = await surveyNode(url, options).catch((error: unknown) => {
    if (faultOf(error)?.code !== 'bad-parameter') throw error
    return undefined
  })
  if (isNode !== undefined) {
    const { networkId, version, chains } = isNode
    const names = chains.map(({ name }) => name).join(', ')
    console.log(`network ${networkId}, ${version}, with ${names}`)
    return `
# Network ${networkId}. The API knows two words: mainnet, and fuji for any other network.
networks:
  ${networkId === 1 ? 'mainnet' : 'fuji'}:
    nodeUrl: ${url}
    primary: true # P, X and C atomic, from genesis on

# Every EVM chain that the node serves, new ones too: ${names}.
# Or a list: - { network: fuji, rpcUrls: [${url}/ext/bc/C/rpc], name: C-Chain, symbol: AVAX }
chains: auto
`
  }
  const found = await surveyRpc(url, options)
  const { network } = found
  const name = textIn(flags, 'chainName') ?? found.name
  const symbol = textIn(flags, 'coin') ?? found.symbol
  const contracts = textIn(flags, 'contracts')
  console.log(name)
  return `
chains:
  - network: ${network}
    rpcUrls: [${JSON.stringify(url)}] # more endpoints of this chain are used side by side
    name: ${JSON.stringify(name)}
    symbol: ${JSON.stringify(symbol)} # of the coin
    traces: auto # internal transactions, where the endpoint offers traces
${contracts === undefined ? '' : `    contracts: ${JSON.stringify(contracts)} # compiled contracts of a project\n`}`
}
