/** Commands of the product, run as people run them. */

import assert from 'node:assert/strict'
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { Avalanche } from '@avalanche-sdk/chainkit'

import { recordChain } from '../../scripts/record-chain.ts'
import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { runCommand } from '../support/processes/firn-command.ts'
import {
  entry,
  freshFolder,
  indexedFolder,
  run,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'

const smallFile = fileURLToPath(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const small = await readFile(smallFile)
const { signal } = new AbortController()

/** Processor time of a run of Node, seconds: user and system. */
async function processorSeconds(...words: readonly string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null'
  const { stderr } = await run('bash', ['-c', script, 'timed', process.execPath, ...words])
  const [user, system] = (stderr.trim().split('\n').at(-1) ?? '').split(' ')
  return Number(user) + Number(system)
}

void test('help, status: few times the processor time of Node itself', async () => {
  const least = { bare: Infinity, help: Infinity, status: Infinity }
  for (let round = 0; round < 4; round++) {
    least.bare = Math.min(least.bare, await processorSeconds('-e', '0'))
    least.help = Math.min(least.help, await processorSeconds(entry, '--help'))
    const status = [entry, 'status', '--url', 'http://127.0.0.1:1']
    least.status = Math.min(least.status, await processorSeconds(...status))
  }
  // Where Node alone takes 0.04 s: 0.2 s and 0.4 s. Busy machines take more for all of them.
  assert.ok(least.help < 5 * least.bare, JSON.stringify(least))
  assert.ok(least.status < 10 * least.bare, JSON.stringify(least))
})

void test('help: every command says what it does', async () => {
  const text = (await runCommand('--help')).stdout
  for (const name of ['start', 'status', 'verify', 'doctor', 'export', 'keys', 'config'])
    assert.match(text, new RegExp(`^ {2}${name} .* [a-z]`, 'm'), name)
})

void test('keys list: without keys it says how to make one', async (t) => {
  const { code, stdout, stderr } = await runCommand(
    'keys',
    'list',
    '--data-dir',
    await freshFolder(t),
  )
  assert.deepEqual(
    [code, stdout, stderr],
    [0, '', 'There are no keys yet: `firn keys create <name>` makes one.\n'],
  )
})

void test('a Firn that is not there: commands say what is missing, and where', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  // Nobody listens on the first port of all.
  const url = 'http://127.0.0.1:1'
  const away = `firn: no Firn answers, ECONNREFUSED: ${url}\n`
  const bare = `firn: no primary network is indexed here as primary-fuji: ${folder}\n`
  const cases: [string[], string][] = [
    [['status', '--url', url], away],
    [['export', '/v1/chains/1/blocks', '--url', url], away],
    [['log', 'level', '--node-url', url], away],
    [['verify', '--node', url, ...places], bare],
  ]
  for (const [words, text] of cases) {
    const { code, stderr } = await runCommand(...words)
    assert.equal(code, 1, words.join(' '))
    assert.equal(stderr, text, words.join(' '))
  }
})

void test('a file where a folder should be: commands say so in a sentence', async (t) => {
  const file = join(await freshFolder(t), 'file')
  await writeFile(file, '')
  const text = `firn: ENOTDIR: not a directory, scandir '${file}'\n`
  for (const words of [
    ['verify', '--store'],
    ['snapshot', 'create', `${file}s`],
  ]) {
    const { code, stderr } = await runCommand(...words, '--data-dir', file)
    assert.equal(stderr, text, words.join(' '))
    assert.equal(code, 1, words.join(' '))
  }
})

void test('config show: whatever names a URL, what may be a key in it is not printed', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const own = join(folder, 'own.json')
  const url = (host: string): string => `'https://user:hidden1@${host}/hidden2?key=hidden3'`
  await writeFile(
    config,
    `store: 'postgres://user:hidden1@store.example/firn'
networks: { fuji: { nodeUrl: ${url('node.example')} } }
chains: [{ network: fuji, rpcUrls: [${url('rpc.example')}] }]
prices: { http: ${url('prices.example')}, shape: defillama }
tokenLists: [${url('list.example')}, ${own}]
nftMetadata: { gateways: [${url('gateway.example')}] }
`,
  )
  await writeFile(own, '{"name":"Own","tokens":[]}')
  const { code, stdout, stderr } = await runCommand('config', 'show', '--config', config)
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stdout, /hidden/)
  for (const host of ['node', 'rpc', 'prices', 'list', 'gateway'])
    assert.match(stdout, new RegExp(`https://${host}\\.example`), host)
  assert.ok(stdout.includes(own))
})

void test('recording: a part of a chain is served from its own first height', async (t) => {
  const folder = await freshFolder(t)
  const original = openRecording(small)
  const part = join(folder, 'part.firnrec')
  const about = { name: 'Part', symbol: 'P', from: 100, until: 120 }
  const write = (bytes: Uint8Array): Promise<void> => appendFile(part, bytes)
  await recordChain({ source: original, ...about, write, signal })
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `chains:
  - { name: Part, symbol: P, recording: ${part}, startHeight: 100, publicWsUrl: 'wss://rpc.example/ws' }`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  await untilLive(firn, ['fuji-part'])
  const expected = await original.blocks(
    { from: 119, until: 120 },
    ([unit]) => unit?.block.hash,
    signal,
  )
  assert.equal((await firn.get('/v1/chains/51002/blocks/119'))['blockHash'], expected)
  // What the operator says of the chain is what a client reads.
  const { data } = new Avalanche({ chainId: '51002', enableTelemetry: false })
  const { wsUrl } = await data.evm.chains.get({}, { serverURL: firn.apiUrl })
  assert.equal(wsUrl, 'wss://rpc.example/ws')
  assert.equal(await firn.end(), 0)
})

void test('status: tells how far every stage is, of one without a height only its state; gauges do too', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  const keys = ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji']
  await untilLive(firn, keys)
  const url = ['--url', firn.apiUrl]
  let status = ''
  await until('every stage', async () => {
    status = (await runCommand('status', ...url)).stdout
    return status.match(/live at/g)?.length === 15
  })
  // Where it listens is in the configuration: nobody has to say it again.
  const config = join(await freshFolder(t), 'firn.yaml')
  const [api, node] = [new URL(firn.apiUrl), new URL(firn.nodeUrl)]
  await writeFile(config, `api: { port: ${api.port} }\nnode: { port: ${node.port}, host: '::' }\n`)
  assert.equal((await runCommand('status', '--config', config)).stdout, status)
  const refused = await runCommand('alias', 'list', '--config', config)
  assert.match(refused.stderr, new RegExp(`http://\\[::1\\]:${node.port}`))
  const last = openRecording(small).heights.until - 1
  for (const line of [
    /^Firn \S+, role all$/m,
    new RegExp(`^Demo L1 .*\\n {2}blocks {4}live at ${last}\\n {2}traces {4}live at ${last}$`, 'm'),
    new RegExp(`^ {2}activity {2}live at ${last}$`, 'm'),
    /^ {2}health {4}live$/m,
    /^Interchain messages\n {2}messages {2}live at \d+$/m,
  ])
    assert.match(status, line)
  assert.doesNotMatch(status, /-1|blocks\/s/)
  const whole = objectOf(
    JSON.parse((await runCommand('status', '--url', `${firn.apiUrl}/`, '--json')).stdout),
    'status',
  )
  assert.deepEqual(
    listOf(whole['chains'], 'chains').map((item) => objectOf(item, 'chain')['chain']),
    keys,
  )
  const body = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}'
  const info = await fetch(`${firn.nodeUrl}/ext/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const { result } = objectOf(await info.json(), 'reply')
  assert.deepEqual(result, { networkID: '12345' }, 'also before the first store was there')
  const gauges = await (await fetch(`${firn.nodeUrl}/ext/metrics`)).text()
  for (const line of [
    `firn_index_height{chain="fuji-demo-l1",stage="traces"} ${last}`,
    `firn_index_head_height{chain="fuji-demo-l1",stage="blocks"} ${last}`,
    'firn_index_head_height{chain="primary-fuji",stage="P"} ',
    'firn_store_size_bytes{database="fuji-demo-l1"} ',
  ])
    assert.ok(gauges.includes(line), line)
  assert.doesNotMatch(gauges, /stage="health"|^firn_index_\S*height\S* -1$/m)
  assert.equal(await firn.end(), 0)
  const away = await runCommand('status', ...url)
  assert.equal(away.code, 1)
  assert.match(away.stderr, /^firn: no Firn answers, ECONNREFUSED: http/)
})

void test('keys: a key is stored where the configuration says, and the Firn that runs there knows it at once', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `
dataDir: ${join(folder, 'data')}
api: { keysRequired: true }
chains: [{ name: Demo L1, recording: ${smallFile} }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  const path = `${firn.apiUrl}/v1/chains`
  const answered = async (key: string): Promise<number> =>
    (await fetch(path, { headers: key === '' ? {} : { 'x-service-api-key': key } })).status
  assert.equal(await answered(''), 401)
  const keys = (...words: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand('keys', ...words, '--config', config)
  const made = await keys('create', 'shop')
  assert.equal(made.code, 0, made.stderr)
  const key = made.stdout.trim()
  assert.equal(await answered(key), 200)
  const listed = await keys('list')
  assert.match(listed.stdout, /^\w{8} .* live {2}general limit {2}(never )?used\b.* {2}shop\n$/)
  assert.equal((await keys('revoke', listed.stdout.slice(0, 8))).code, 0)
  assert.equal(await answered(key), 401)
  assert.equal(await firn.end(), 0)
})

void test('verify: an invalid argument is an error, and nothing is compared', async () => {
  for (const [words, sentence] of [
    [['--sample', 'abc'], /^firn: --sample must be a count of at least 1: abc$/m],
    [['--sample', '0'], /^firn: --sample must be a count of at least 1: 0$/m],
    [['--network', 'mainet'], /^firn: --network must be one of mainnet, fuji, testnet: mainet$/m],
  ] as const) {
    const ended = await runCommand('verify', '--node', 'http://127.0.0.1:1', ...words)
    assert.match(ended.stderr, sentence)
    assert.equal(ended.code, 2)
  }
})

void test('alias: a name given stands for its chain in every path of the API', async (t) => {
  const folder = await indexedFolder(t)
  const firn = await startFirn(t, ['--data-dir', folder, '--api-admin-enabled=true'])
  await untilLive(firn, ['fuji-demo-chain', 'primary-fuji'])
  const names = { 51001: 'shop_v2.main:ü', P: 'stakers+(old)', X: 'x_assets' }
  for (const [chain, name] of Object.entries(names)) {
    const made = await runCommand(
      'alias',
      'add',
      name,
      '--chain',
      chain,
      '--node-url',
      firn.nodeUrl,
    )
    assert.equal(made.code, 0, made.stderr)
  }
  const alike = [
    ...['/v1/chains/@', '/v1/chains/@/blocks', '/v1/chains/@/transactions', '/v2/chains/@'].map(
      (path) => [path, 51001, '51001'] as const,
    ),
    ...['', '/blocks', '/transactions'].flatMap((list) => {
      const path = `/v1/networks/fuji/blockchains/@${list}`
      return [[path, 'P', 'p-chain'] as const, [path, 'X', 'x-chain'] as const]
    }),
  ]
  for (const [path, chain, known] of alike) {
    const { nextPageToken: _one, ...ours } = await firn.get(
      path.replace('@', encodeURIComponent(names[chain])),
    )
    const { nextPageToken: _other, ...theirs } = await firn.get(path.replace('@', known))
    assert.deepEqual(ours, theirs, `${path} ${chain}`)
  }
  assert.equal(await firn.end(), 0)
})

void test('doctor: finds what is wrong and tells what to do', async (t) => {
  const folder = await freshFolder(t)
  const data = join(folder, 'data')
  const healthy = await runCommand('doctor', '--data-dir', data, '--port', '0', '--node-port', '0')
  assert.equal(healthy.code, 0, healthy.stdout)
  assert.match(healthy.stdout, /^ok +node: version \d+/m)
  assert.match(healthy.stdout, /^ok +store fuji-demo-chain: not made yet$/m)
  assert.match(healthy.stdout, /no problems\n$/)

  const node = await openReplayNode(small)
  const server = await serveReplayNode(node)
  t.after(() => server.close())
  const busy = createServer()
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  t.after(() => busy.close())
  const address = busy.address()
  assert.ok(typeof address === 'object' && address !== null)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `
api: { port: ${address.port} }
node: { port: 0 }
networks: { fuji: { nodeUrl: "http://127.0.0.1:1", primary: true } }
chains:
  - { name: Good, symbol: G, rpcUrls: ["${server.url}"] }
  - { name: Away, symbol: A, rpcUrls: ["http://127.0.0.1:1"] }
`,
  )
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'page-token.key'), 'x'.repeat(32))
  await chmod(join(data, 'page-token.key'), 0o644)
  node.script = ({ calls, reply }) => {
    if (calls.some(({ method }) => method.startsWith('debug_')))
      reply.text = '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no such method"}}'
  }
  const sick = await runCommand('doctor', '--config', config, '--data-dir', data)
  assert.equal(sick.code, 1)
  for (const sentence of [
    /^problem +api\.port: 127\.0\.0\.1:\d+ is taken or not allowed\n +-> stop what has it/m,
    /^problem +secrets: others can read page-token\.key\n +-> chmod 600 /m,
    /^ok +Good http:\S+: chain id 51002, height 152$/m,
    /^ok +Good http:\S+: offers eth_getBlockReceipts$/m,
    /^ok +Good http:\S+: takes batches of 1000 calls$/m,
    /^warning +Good http:\S+: gives no traces/m,
    /^problem +Away http:\S+: a node does not answer: ECONNREFUSED\n +-> see that the node runs/m,
    /^problem +fuji http:\S+: a node does not answer: ECONNREFUSED\n +-> see that AvalancheGo runs/m,
    /4 problems\n$/,
  ])
    assert.match(sick.stdout, sentence)
})
