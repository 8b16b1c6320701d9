/** `--node`, `--rpc` and `chains: auto`: what a node says of itself becomes the configuration. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { findChains, foundBefore, targetIn } from '../../src/cli/discovery/found-config.ts'
import { surveyNode, surveyRpc } from '../../src/cli/discovery/survey.ts'
import { objectOf } from '../../src/codec/evm/raw.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { Fault } from '../../src/core/fault.ts'
import { membersOf } from '../../src/core/json.ts'
import type { Transport } from '../../src/core/world.ts'
import { answersIn } from '../support/nodes/recorded-node.ts'

const url = 'http://127.0.0.1:9650'
const recorded = answersIn(readFileSync(new URL('../../demo/primary.firnrec', import.meta.url)))
/** The list of AvalancheGo 1.14.2, as it was recorded: Summit, Harbor, C and X. */
const blockchains = recorded.find(({ method }) => method === 'platform.getBlockchains')
const chainIds: Readonly<Record<string, number>> = {
  '/ext/bc/C/rpc': 43_112,
  '/ext/bc/A8JY8kpm5ciJ6HYBGcyvSrgz4j2KBqvGGWz7FoTWTzV3wwLGU/rpc': 51_001,
  '/ext/bc/27S1UXfsWk9CcAk91gE1pPPraKuK5wjxRpMfRMDXivAYSNSUbu/rpc': 51_002,
}

type Node = { readonly without?: readonly string[]; readonly bootstrapping?: readonly string[] }

/** The recorded node at {@link url}, an anvil at port 8545, a web page at 8000; nobody elsewhere. */
function world({ without = [], bootstrapping = [] }: Node = {}): Transport {
  const answer = (path: string, method: string, params: unknown): unknown => {
    const [chain] = Object.values(membersOf(params))
    if (path === '/ext/info' && method === 'info.getNetworkID') return { networkID: '1337' }
    if (path === '/ext/info' && method === 'info.getNodeVersion')
      return { version: 'avalanchego/1.14.2' }
    if (method === 'info.isBootstrapped')
      return { isBootstrapped: !bootstrapping.includes(String(chain)) }
    if (path === '/ext/bc/P' && method === blockchains?.method) return blockchains.reply
    const id = without.includes(path) ? undefined : chainIds[path]
    return method === 'eth_chainId' && id !== undefined ? `0x${id.toString(16)}` : undefined
  }
  return {
    request: async ({ url: to, body }) => {
      const { port, pathname } = new URL(to)
      const call = objectOf(JSON.parse(String(body)), 'call')
      const text = (status: number, said: string) => ({
        status,
        headers: {},
        body: new TextEncoder().encode(said),
      })
      const replyOf = (result: unknown) =>
        text(200, JSON.stringify({ jsonrpc: '2.0', id: call['id'], result }))
      if (port === '8000') return text(200, '<!doctype html><title>Hello</title>')
      if (port === '8545')
        return call['method'] === 'eth_chainId' ? replyOf('0x7a69') : text(404, '')
      if (port !== '9650')
        throw new Fault('node-unreachable', 'a node does not answer: ECONNREFUSED', {
          cause: new Error('connect'),
        })
      const list = Array.isArray(call['params']) ? call['params'] : []
      const result = answer(pathname, String(call['method']), list[0])
      return result === undefined ? text(404, '404 page not found\n') : replyOf(result)
    },
  }
}

function parts(node?: Node) {
  return { transport: world(node), timeoutMs: 1_000, maxReplyBytes: 1_000_000 }
}

void test('a node: its network and every EVM chain it serves, with names and ids', async () => {
  const harbor = '/ext/bc/27S1UXfsWk9CcAk91gE1pPPraKuK5wjxRpMfRMDXivAYSNSUbu/rpc'
  const found = await surveyNode(`${url}/`, parts({ without: [harbor] }))
  assert.equal(found.networkId, 1337)
  assert.deepEqual(found.others, ['Harbor'])
  assert.deepEqual(found.chains, [
    {
      name: 'Summit',
      symbol: '',
      rpcUrls: [`${url}/ext/bc/A8JY8kpm5ciJ6HYBGcyvSrgz4j2KBqvGGWz7FoTWTzV3wwLGU/rpc`],
      network: 'fuji',
      blockchainId: 'A8JY8kpm5ciJ6HYBGcyvSrgz4j2KBqvGGWz7FoTWTzV3wwLGU',
      subnetId: 'KA7H1SLRyQ3QYbVkEuifQuCsZWFawUjV26iN3fPDm5zdQPUtB',
      vmId: 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy',
    },
    {
      name: 'C-Chain',
      symbol: 'AVAX',
      rpcUrls: [`${url}/ext/bc/C/rpc`],
      network: 'fuji',
      blockchainId: 't7JQ8kk2KaX7YhWWHv2fnWNztt81hJ13i2FXDq2ZG1CFyWghx',
      subnetId: '11111111111111111111111111111111LpoYY',
      vmId: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
    },
  ])
})

void test('a node: while it is bootstrapping its network is known, its chains follow', async () => {
  const found = await surveyNode(url, parts({ bootstrapping: ['P', 'X', 'C'] }))
  assert.deepEqual([found.bootstrapping, found.chains], [['P', 'X', 'C'], []])
})

void test('a mistaken address is one sentence that says what to do', async () => {
  for (const [ask, at, code, sentence] of [
    [
      surveyNode,
      'http://127.0.0.1:1',
      'node-unreachable',
      /no node answers at .*ECONNREFUSED.*start AvalancheGo/,
    ],
    [
      surveyNode,
      'http://127.0.0.1:8000',
      'bad-parameter',
      /is no AvalancheGo node: give its base address/,
    ],
    [
      surveyNode,
      'http://127.0.0.1:8545',
      'bad-parameter',
      /EVM endpoint \(chain 31337\).*start with --rpc http:\/\/127\.0\.0\.1:8545/,
    ],
    [
      surveyNode,
      `${url}/ext/bc/C/rpc`,
      'bad-parameter',
      /base address of a node, http:\/\/127\.0\.0\.1:9650;/,
    ],
    [surveyRpc, 'http://127.0.0.1:1', 'node-unreachable', /no endpoint answers at .*start it/],
    [
      surveyRpc,
      'http://127.0.0.1:8000',
      'bad-parameter',
      /is no EVM endpoint: .*\/ext\/bc\/<chain>\/rpc/,
    ],
    [
      surveyRpc,
      url,
      'bad-parameter',
      /is an AvalancheGo node: start with --node http:\/\/127\.0\.0\.1:9650,/,
    ],
    [
      surveyRpc,
      `${url}/ext/bc/none/rpc`,
      'node-unreachable',
      /does not serve \/ext\/bc\/none\/rpc: .*track-subnets/,
    ],
  ] as const) {
    await assert.rejects(ask(at, parts()), (error: Fault) => {
      assert.equal(error.code, code, error.message)
      assert.match(error.message, sentence)
      return true
    })
  }
})

void test('found chains are kept: while the node is away Firn knows its chains', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-found-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const base = readConfig({ flags: { dataDir: join(folder, 'data') }, environment: {} }).config
  const target = { kind: 'node', url } as const
  const found = await findChains(base, target, parts())
  assert.deepEqual(
    found.config.chains.map(({ name }) => name),
    ['Harbor', 'Summit', 'C-Chain'],
  )
  assert.deepEqual(found.config.networks.fuji?.primary, true)
  assert.deepEqual(foundBefore(base, target), found.config)
  assert.deepEqual(targetIn(base), target)
  const gone: Transport = {
    request: async () => {
      throw new Fault('node-unreachable', 'a node does not answer: ECONNREFUSED', {
        cause: new Error('connect'),
      })
    },
  }
  const later = await findChains(base, target, { ...parts(), transport: gone })
  assert.deepEqual(later.config, found.config)
  assert.match(later.found.join(), /no node answers .*what was found before/)
  const other = { kind: 'node', url: 'http://127.0.0.1:9750' } as const
  await assert.rejects(findChains(base, other, { ...parts(), transport: gone }), /no node answers/)
})

void test('chains: auto takes the chains of the nodes that are configured', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-found-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const text = `dataDir: ${folder}\nnetworks: { fuji: { nodeUrl: ${url} } }\nchains: auto`
  const { config } = readConfig({
    flags: {},
    environment: {},
    file: { path: 'firn.yaml', text },
  })
  assert.equal(config.autoChains, true)
  const found = await findChains(config, { kind: 'auto' }, parts())
  assert.equal(found.config.chains.length, 3)
  assert.equal(found.config.networks.fuji?.primary, false)
})

void test('one endpoint: its chain and coin are called as the flags say, also after a later start', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-found-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const base = readConfig({ flags: { dataDir: folder }, environment: {} }).config
  const rpc = { kind: 'rpc', url: 'http://127.0.0.1:8545' } as const
  const namesOf = async (words: object): Promise<unknown> => {
    const { config } = await findChains(base, { ...rpc, ...words }, parts())
    return config.chains.map(({ name, symbol, contracts }) => [name, symbol, contracts])
  }
  assert.deepEqual(await namesOf({}), [['Chain 31337', '', '']])
  const words = { name: 'Glacier', symbol: 'GLC', contracts: '/project/out' }
  assert.deepEqual(await namesOf(words), [['Glacier', 'GLC', '/project/out']])
  assert.deepEqual(targetIn(base), { ...rpc, ...words })
  assert.equal(foundBefore(base, { ...rpc, ...words })?.chains[0]?.symbol, 'GLC')
})
