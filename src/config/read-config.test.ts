import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../core/fault.ts'
import { readConfig } from './read-config.ts'

function read(
  text: string,
  more: { flags?: Record<string, string>; environment?: Record<string, string> } = {},
) {
  return readConfig({
    flags: more.flags ?? {},
    environment: more.environment ?? {},
    file: { path: 'firn.yaml', text },
  })
}

function refuses(text: string, pattern: RegExp, environment: Record<string, string> = {}): void {
  assert.throws(
    () => read(text, { environment }),
    (error) => error instanceof Fault && error.code === 'bad-config' && pattern.test(error.message),
    text,
  )
}

void test('config: flag beats environment beats file beats default', () => {
  const text = 'api: { port: 1000 }'
  const environment = { FIRN_API_PORT: '2000' }
  const flags = { 'api.port': '3000' }
  const port = (result: ReturnType<typeof read>) => [
    result.config['api.port'],
    result.origins['api.port'],
  ]
  assert.deepEqual(port(read('')), [8080, 'default'])
  assert.deepEqual(port(read(text)), [1000, 'file'])
  assert.deepEqual(port(read(text, { environment })), [2000, 'environment'])
  assert.deepEqual(port(read(text, { environment, flags })), [3000, 'flag'])
})

void test('config: a word that YAML reads as true or false is that word', () => {
  const freeze = (text: string): unknown => read(text).config['index.freeze']
  assert.deepEqual(['', 'index: { freeze: true }', "index: { freeze: 'false' }"].map(freeze), [
    'auto',
    'true',
    'false',
  ])
  refuses('index: { freeze: 1 }', /index\.freeze must be one of auto, true, false/)
})

void test('config: text that YAML takes for the name of a value is a mistake with its place', () => {
  const needsQuotes = /^firn\.yaml:2:18: text that begins with \* needs quotes: \*\.example\.org$/
  refuses('api:\n  allowedHosts: [*.example.org]', needsQuotes)
  refuses('dataDir: *home', /^firn\.yaml:1:10: .*: \*home$/)
  const { config } = read(
    'api: { allowedHosts: &hosts [a.example] }\nnode: { allowedHosts: *hosts }',
  )
  assert.deepEqual(config['node.allowedHosts'], ['a.example'])
  // Each list has the one before nine times.
  const lists = 'bcdefghi'.split('').map((name, at) => {
    const before = `*${'abcdefgh'[at]}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join()}]`
  })
  refuses(`a: &a [x]\n${lists.join('\n')}`, /^firn\.yaml repeats values of its own too often/)
})

void test('config: the example of the design is read whole', () => {
  const { config } = read(`
dataDir: ./firn-data
store: embedded
api: { host: 127.0.0.1, port: 8080, dialect: auto, keysRequired: false, rateLimit: off }
node: { host: 127.0.0.1, port: 8081, apiAdminEnabled: false }
networks:
  fuji:
    nodeUrl: http://127.0.0.1:9650
    primary: true
    genesis: auto
    stakingKeyDir: ./firn-data/staking
chains:
  - { network: fuji, rpcUrls: [http://127.0.0.1:9650/ext/bc/C/rpc], name: C-Chain, symbol: AVAX }
  - { network: fuji, rpcUrls: [http://127.0.0.1:18600], name: Demo L1, symbol: DEMO, blockchainId: "0x00", traces: auto }
prices: none
nftMetadata: off
`)
  assert.equal(config.networks.fuji?.primary, true)
  assert.deepEqual(
    config.chains.map((chain) => [chain.name, chain.traces]),
    [
      ['C-Chain', 'auto'],
      ['Demo L1', 'auto'],
    ],
  )
})

void test('config: every problem is reported, with the nearest known name', () => {
  refuses('api: { prot: 1 }', /unknown setting api\.prot, did you mean api\.port\?/)
  refuses('dataDirr: x', /did you mean dataDir\?/)
  refuses('role: all\nchians: []', /^firn\.yaml:2: unknown setting chians, did you mean chains\?$/)
  refuses('api: { port: 99999 }', /api\.port must be an integer from 0 to 65535: 99999/)
  refuses('role: both', /role must be one of all, index, serve: "both"/)
  refuses('networks: { testnet: {} }', /networks\.testnet/)
  refuses('chains: [{ name: x }]', /chains\[0\] needs rpcUrls/)
  refuses('chains: [{ rpcUrl: x, rpcUrls: [y] }]', /chains\[0\]\.rpcUrl, did you mean rpcUrls\?/)
  refuses('api: { port: x }\nrole: both', /firn\.yaml:2: role must.*; firn\.yaml:1: api\.port must/)
  refuses('api: [', /firn\.yaml:\d+:\d+: /)
  refuses('', /FIRN_API_PROT, did you mean FIRN_API_PORT\?/, { FIRN_API_PROT: '1' })
})

void test('config: what is never off is not empty, what may be off is', () => {
  refuses('', /dataDir must be text that is not empty: ""/, { FIRN_DATA_DIR: '' })
  refuses('api: { host: "" }', /api\.host must be text that is not empty: ""/)
  assert.equal(read('', { environment: { FIRN_PRICES: '' } }).config.prices, '')
})

void test('config: secrets are not in the message', () => {
  refuses('store: 5', /store must be text: \*\*\*/)
})

void test('config: an address without a scheme is reported with the corrected form', () => {
  for (const [text, words] of [
    [
      'networks: { fuji: { nodeUrl: "127.0.0.1:9650" } }',
      'networks.fuji.nodeUrl must be an address that begins with http:// or https://, did you mean http://127.0.0.1:9650?: "127.0.0.1:9650"',
    ],
    ['networks: { fuji: { nodeUrl: "localhost:9650" } }', 'did you mean http://localhost:9650?'],
    [
      'chains: [{ rpcUrls: ["rpc.example/ext/bc/C/rpc"] }]',
      'chains[0].rpcUrls must be an address that begins with http:// or https://, did you mean https://rpc.example/ext/bc/C/rpc?',
    ],
    ['chains: [{ rpcUrls: ["http://a", "//rpc.example"] }]', 'did you mean https://rpc.example?'],
    [
      'chains: [{ rpcUrls: ["ws://rpc.example"] }]',
      'begins with http:// or https://: "ws://rpc.example"',
    ],
    [
      'chains: [{ rpcUrls: ["not an address"] }]',
      'begins with http:// or https://: "not an address"',
    ],
    ['chains: [{ rpcUrls: ["http://a"], explorerUrl: "scan.example" }]', 'explorerUrl'],
  ] as const)
    assert.throws(
      () => read(text),
      (error) => error instanceof Fault && error.message.includes(words),
      text,
    )
})

void test('config: structured settings come from the environment as JSON', () => {
  const { config, origins } = read('', {
    environment: {
      FIRN_API_RATE_LIMIT: '{"perMinute":120,"perDay":1000}',
      FIRN_PRICES: 'none',
      FIRN_TOKEN_LISTS: '["a.json","b, c.json"]',
      FIRN_NODE_ALLOWED_HOSTS: 'localhost,node.example',
      FIRN_API_CORS: 'https://a.example, https://b.example',
    },
  })
  assert.deepEqual(config['api.rateLimit'], { perMinute: 120, perDay: 1_000 })
  assert.equal(origins['api.rateLimit'], 'environment')
  assert.equal(config.prices, 'none')
  assert.deepEqual(config.tokenLists, ['a.json', 'b, c.json'])
  assert.deepEqual(config['node.allowedHosts'], 'localhost,node.example')
  assert.deepEqual(config['api.cors'], ['https://a.example', 'https://b.example'])
  refuses('', /FIRN_API_RATE_LIMIT must be JSON/, { FIRN_API_RATE_LIMIT: '{perMinute' })
})

void test('config: a setting by its name of before is read with a warning; by both names it is refused', () => {
  const old = read('index: { folder: /history }')
  assert.equal(old.config['index.store'], '/history')
  assert.deepEqual(old.warnings, [
    'index.folder is called index.store now; the next major version does not know the old name',
  ])
  const environment = { FIRN_INDEX_FOLDER: '/elsewhere' }
  assert.equal(readConfig({ flags: {}, environment }).config['index.store'], '/elsewhere')
  refuses('index: { folder: /history, store: /other }', /old name of index\.store: set one of them/)
})

void test('config: paths of a file begin in its folder; words, URLs and paths of other sources stay as they are', () => {
  const text = `
dataDir: data
index: { store: 's3://bucket/history?endpoint=https://host' }
explorer: { logo: ../logo.svg, labels: /etc/labels.csv }
prices: file:prices.csv
tokenLists: [list.json, https://lists.example/a.json]
networks: { fuji: { recording: p.firnrec } }
chains: [{ recording: c.firnrec, contracts: out, logoUri: 'data:image/png;base64,AA' }]`
  const { config } = readConfig({
    flags: {},
    environment: { FIRN_ABIS: 'abis' },
    file: { path: '/etc/firn/firn.yaml', text },
  })
  assert.equal(config.dataDir, '/etc/firn/data')
  assert.equal(config['index.store'], 's3://bucket/history?endpoint=https://host')
  assert.equal(config['explorer.logo'], '/etc/logo.svg')
  assert.equal(config['explorer.labels'], '/etc/labels.csv')
  assert.equal(config.prices, 'file:/etc/firn/prices.csv')
  assert.deepEqual(config.tokenLists, ['/etc/firn/list.json', 'https://lists.example/a.json'])
  assert.equal(config.networks.fuji?.genesis, 'auto')
  assert.equal(config.networks.fuji?.recording, '/etc/firn/p.firnrec')
  assert.equal(config.chains[0]?.contracts, '/etc/firn/out')
  assert.equal(config.abis, 'abis')
})
