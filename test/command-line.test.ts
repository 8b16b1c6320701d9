/** Commands of the product, run as people run them. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'

import { listOf, objectOf } from '../src/codec/evm/raw.ts'
import { openRecording, type Recording } from '../src/source/recording.ts'
import {
  entry,
  freshFolder,
  indexedFolder,
  run,
  runFirn,
  startFirn,
  toldChains,
  until,
  untilLive,
} from './firn-process.ts'
import { openReplayNode, serveReplayNode } from './replay-node.ts'

const smallFile = fileURLToPath(new URL('../demo/chain-51002.firnrec', import.meta.url))
const small = await readFile(smallFile)
const { signal } = new AbortController()
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

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
  const text = (await runFirn('--help')).stdout
  for (const name of ['start', 'status', 'verify', 'doctor', 'export', 'record', 'keys', 'config'])
    assert.match(text, new RegExp(`^ {2}${name} .* [a-z]`, 'm'), name)
})

void test('help: every command has examples, and their flags are its own', async () => {
  const commands = [...(await runFirn('--help')).stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(
    ([, name = '']) => name,
  )
  const leaves: string[][] = []
  for (const name of commands.filter((one) => one !== 'help')) {
    const { stdout } = await runFirn(name, '--help')
    const [, inner = ''] = /^Commands:\n([^]*)/m.exec(stdout) ?? []
    const names = [...inner.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, one = '']) => one)
    const below = names.filter((one) => one !== 'help')
    if (below.length === 0) leaves.push([name])
    else leaves.push(...below.map((one) => [name, one]))
  }
  assert.ok(leaves.length >= 20, `${leaves.length} commands`)
  for (const words of leaves) {
    const path = words.join(' ')
    const { stdout } = await runFirn(...words, '--help')
    const [options = '', shown = ''] = stdout.split(/^Examples?:$/m)
    const lines = shown.split('\n').filter((one) => one.includes('firn '))
    assert.ok(lines.length > 0, path)
    for (const line of lines) {
      assert.ok(line.includes(`firn ${path}`), line)
      for (const [flag] of line.matchAll(/--[a-z-]+/g)) assert.ok(options.includes(flag), line)
    }
  }
})

void test('completion: bash completes commands, inner commands and flags', async (t) => {
  const folder = await freshFolder(t)
  const script = join(folder, 'firn.bash')
  await writeFile(script, (await runFirn('completion', 'bash')).stdout)
  const cases: [string[], string[]][] = [
    [['st'], ['start', 'status']],
    [
      ['keys', 'r'],
      ['rotate', 'revoke'],
    ],
    [['start', '--n'], ['--node-port']],
    [
      ['keys', 'create', 'shop', '--per'],
      ['--per-minute', '--per-day'],
    ],
    [['nonsense', '--x'], []],
  ]
  for (const [words, expected] of cases) {
    const line = `COMP_WORDS=(firn ${words.join(' ')}); COMP_CWORD=${words.length}; _firn; echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = await run('bash', ['-c', `source ${script}; ${line}`])
    assert.equal(stderr, '', words.join(' '))
    assert.deepEqual(stdout.trim().split(' ').filter(Boolean), expected, words.join(' '))
  }
  assert.match((await runFirn('completion', 'zsh')).stdout, /^autoload .*bashcompinit/)
  assert.match((await runFirn('completion', 'fish')).stdout, /-a start -d 'index chains/)
  const { code, stderr } = await runFirn('completion', 'tcsh')
  assert.deepEqual([code, stderr], [2, 'firn: completion is for bash, zsh or fish: tcsh\n'])
})

void test('keys list: without keys it says how to make one', async (t) => {
  const { code, stdout, stderr } = await runFirn('keys', 'list', '--data-dir', await freshFolder(t))
  assert.deepEqual(
    [code, stdout, stderr],
    [0, '', 'There are no keys yet: `firn keys create <name>` makes one.\n'],
  )
})

void test('rebuild: a folder without stores stays as it is, and is named', async (t) => {
  const folder = await freshFolder(t)
  const { code, stderr } = await runFirn('rebuild', '--data-dir', folder)
  assert.equal(code, 1)
  assert.equal(stderr, `firn: no chain is indexed here: ${folder}\n`)
  assert.deepEqual(readdirSync(folder), [])
})

void test('a Firn that is not there: commands say what is missing, and where', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  // Nobody listens on the first port of all.
  const url = 'http://127.0.0.1:1'
  const away = `firn: no Firn answers, ECONNREFUSED: ${url}\n`
  const bare = `firn: no primary network is indexed here as primary-fuji: ${folder}\n`
  const out = ['--out', join(folder, 'x.firnrec')]
  const cases: [string[], string][] = [
    [['status', '--url', url], away],
    [['export', 'transactions', '--chain', '1', '--url', url], away],
    [['log', 'level', '--node-url', url], away],
    [['verify', '--node', url, ...places], bare],
    [['rebuild', '--primary', 'fuji', ...places], bare],
    [['record-primary', '--node', url, ...out, ...places], bare],
  ]
  for (const [words, text] of cases) {
    const { code, stderr } = await runFirn(...words)
    assert.equal(code, 1, words.join(' '))
    assert.equal(stderr, text, words.join(' '))
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
warp: { aggregatorUrl: ${url('aggregator.example')} }
`,
  )
  await writeFile(own, '{"name":"Own","tokens":[]}')
  const { code, stdout, stderr } = await runFirn('config', 'show', '--config', config)
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stdout, /hidden/)
  for (const host of ['node', 'rpc', 'prices', 'list', 'gateway', 'aggregator'])
    assert.match(stdout, new RegExp(`https://${host}\\.example`), host)
  assert.ok(stdout.includes(own))
})

void test('record: a chain recorded from a node is served as the node told it', async (t) => {
  const folder = await freshFolder(t)
  const server = await serveReplayNode(await openReplayNode(small))
  t.after(() => server.close())
  const out = join(folder, 'copy.firnrec')
  const common = ['record', '--rpc', server.url, '--out', out, '--name', 'Copy', '--symbol', 'CPY']
  const made = await runFirn(...common)
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /153 blocks with traces, \d+ answers about state/)
  const [copy, original] = [openRecording(await readFile(out)), openRecording(small)]
  const all = original.heights
  assert.deepEqual(copy.heights, all)
  assert.deepEqual(
    await copy.blocks(all, (units) => units, signal),
    await original.blocks(all, (units) => units, signal),
  )
  for (const [key, answer] of original.answers()) assert.deepEqual(copy.answers().get(key), answer)

  // A part of it, replayed from its own first height.
  const part = join(folder, 'part.firnrec')
  const cut = ['--from', '100', '--until', '120', '--no-traces', '--out', part]
  const second = await runFirn(...common, ...cut)
  assert.match(second.stdout, /20 blocks without traces[^]*startHeight: 100/)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `chains: [{ name: Part, symbol: P, recording: ${part}, startHeight: 100 }]`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  await untilLive(firn, ['fuji-part'])
  const expected = await original.blocks(
    { from: 119, until: 120 },
    ([unit]) => unit?.block.hash,
    signal,
  )
  assert.equal((await firn.get('/v1/chains/51002/blocks/119'))['blockHash'], expected)
  assert.equal(await firn.end(), 0)
})

void test('record: what cannot be recorded is one sentence', async (t) => {
  const folder = await freshFolder(t)
  const server = await serveReplayNode(await openReplayNode(small))
  t.after(() => server.close())
  const out = ['--out', join(folder, 'x.firnrec')]
  const cases: readonly [readonly string[], number, RegExp][] = [
    [['--rpc', 'http://127.0.0.1:1', ...out], 1, /^firn: a node does not answer/m],
    [
      ['--rpc', 'ftp://x', ...out],
      2,
      /^firn: --rpc must be an address that begins with http:\/\/ or https:\/\/: ftp:\/\/x$/m,
    ],
    [['--rpc', server.url, ...out, '--from', '999'], 2, /there is nothing to record from 999/],
    [['--rpc', server.url, ...out, '--from', 'x'], 2, /--from must be a height: x/],
    [['--rpc', server.url, '--out', join(folder, 'no/x')], 2, /file cannot be written: /],
    [['--rpc', server.url], 2, /required option '--out <file>' not specified/],
  ]
  for (const [args, code, sentence] of cases) {
    const ended = await runFirn('record', ...args)
    assert.match(ended.stderr, sentence)
    assert.equal(ended.code, code, ended.stderr)
    assert.doesNotMatch(ended.stderr, /\n {4}at /)
  }
})

void test('status: tells how far every stage is, of one without a height only its state; gauges do too', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  const keys = ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji']
  await untilLive(firn, keys)
  const url = ['--url', firn.apiUrl]
  let told = ''
  await until('every stage', async () => {
    told = (await runFirn('status', ...url)).stdout
    return told.match(/live at/g)?.length === 12
  })
  const last = openRecording(small).heights.until - 1
  for (const line of [
    /^Firn \S+, role all$/m,
    new RegExp(`^Demo L1 .*\\n {2}blocks {4}live at ${last}\\n {2}traces {4}live at ${last}$`, 'm'),
    /^ {2}health {4}live$/m,
    /^Interchain messages\n {2}messages {2}live at \d+$/m,
  ])
    assert.match(told, line)
  assert.doesNotMatch(told, /-1|blocks\/s/)
  const whole = objectOf(
    JSON.parse((await runFirn('status', '--url', `${firn.apiUrl}/`, '--json')).stdout),
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
  const away = await runFirn('status', ...url)
  assert.equal(away.code, 1)
  assert.match(away.stderr, /^firn: no Firn answers, ECONNREFUSED: http/)
})

void test('keys: kept where the configuration says, and told to the Firn that runs there', async (t) => {
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
  const keys = (...words: readonly string[]): ReturnType<typeof runFirn> =>
    runFirn('keys', ...words, '--config', config)
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

void test('verify: an argument that makes no sense is told, nothing is compared', async () => {
  for (const [words, sentence] of [
    [['--sample', 'abc'], /^firn: --sample must be a count of at least 1: abc$/m],
    [['--sample', '0'], /^firn: --sample must be a count of at least 1: 0$/m],
    [['--network', 'mainet'], /^firn: --network must be one of mainnet, fuji, testnet: mainet$/m],
  ] as const) {
    const ended = await runFirn('verify', '--node', 'http://127.0.0.1:1', ...words)
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
    const made = await runFirn('alias', 'add', name, '--chain', chain, '--node-url', firn.nodeUrl)
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

void test('rebuild: tells how far each chain is, and where the new store is', async (t) => {
  const folder = await indexedFolder(t)
  const firn = await startFirn(t, ['--data-dir', folder])
  await untilLive(firn, ['primary-fuji'])
  const heights = (await toldChains(firn)).get('primary-fuji')
  assert.equal(await firn.end(), 0)
  const { code, stdout } = await runFirn('rebuild', '--primary', 'fuji', '--data-dir', folder)
  assert.equal(code, 0, stdout)
  const head = heights?.indexedHeight
  assert.match(stdout, new RegExp(`^P-Chain ${head} of ${head}$`, 'm'))
  assert.match(stdout, /^X-Chain before block 0$/m)
  const file = join(folder, 'rebuilt', 'primary-fuji.sqlite')
  assert.ok(stdout.includes(`rebuilt: ${file}; `), stdout)
  assert.doesNotMatch(stdout, / -\d/)
})

/** ERC-20 transfers of `holder` in the recording: hash, log index and raw amount. */
async function recordedTransfers(holder: string): Promise<string[]> {
  const word = `0x${holder.slice(2).toLowerCase().padStart(64, '0')}`
  const recording = openRecording(small)
  return recording.blocks(
    recording.heights,
    (units) =>
      units.flatMap(({ receipts }) =>
        receipts.flatMap((receipt) =>
          listOf(objectOf(receipt, 'receipt')['logs'], 'logs').flatMap((item) => {
            const { topics, data, transactionHash, logIndex } = objectOf(item, 'log')
            const list = listOf(topics, 'topics').map(String)
            const isOurs = list[0] === transferTopic && list.length === 3
            return isOurs && list.slice(1).includes(word)
              ? [`${String(transactionHash)} ${Number(logIndex)} ${BigInt(String(data))}`]
              : []
          }),
        ),
      ),
    signal,
  )
}

void test('export: transfers and transactions are all there, with exact amounts', async (t) => {
  const firn = await startFirn(t, ['--data-dir', await indexedFolder(t)])
  await untilLive(firn, ['fuji-demo-l1', 'primary-fuji'])
  const url = ['--url', firn.apiUrl]
  const holder = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const chain = ['--chain', '51002', '--address', holder]
  await until('tokens', async () => {
    const { erc20TokenBalances: list } = await firn.get(
      `/v1/chains/51002/addresses/${holder}/balances:listErc20`,
    )
    return listOf(list, 'balances').every((item) => objectOf(item, 'token')['symbol'] !== '')
  })
  const csv = await runFirn('export', 'transfers', ...chain, ...url)
  assert.equal(csv.code, 0, csv.stderr)
  const [head = '', ...lines] = csv.stdout.trim().split('\n')
  const columns = head.split(',')
  assert.ok(columns.includes('amount') && columns.includes('date'), head)

  const json = await runFirn('export', 'transfers', ...chain, ...url, '--format', 'jsonl')
  const rows = json.stdout
    .trim()
    .split('\n')
    .map((text) => objectOf(JSON.parse(text), 'row'))
  assert.equal(rows.length, lines.length)
  assert.deepEqual(Object.keys(rows[0] ?? {}), columns)
  const decimals = new Map<unknown, number>()
  const told = rows
    .filter(({ standard }) => standard === 'ERC-20')
    .map(({ txHash, logIndex, amount, token, date }) => {
      assert.match(String(date), /^2026-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const places = decimals.get(token) ?? decimalsOf(String(token))
      decimals.set(token, places)
      const [whole = '', fraction = ''] = String(amount).split('.')
      return `${String(txHash)} ${String(logIndex)} ${BigInt(whole + fraction.padEnd(places, '0'))}`
    })
  const truth = await recordedTransfers(holder)
  assert.ok(truth.length > 20, 'the recording has transfers')
  assert.deepEqual(told.toSorted(), truth.toSorted())

  // A chain has one number in a file, whatever it was called.
  const { blockchainId } = [...listOf((await firn.get('/status'))['chains'], 'chains')]
    .map((item) => objectOf(item, 'chain'))
    .find(({ evmChainId }) => evmChainId === 51_002) ?? { blockchainId: '' }
  const byId = ['--chain', String(blockchainId), '--address', holder, ...url]
  assert.equal((await runFirn('export', 'transfers', ...byId)).stdout, csv.stdout)
  assert.equal(
    (await runFirn('export', 'internals', ...byId)).stdout,
    (await runFirn('export', 'internals', ...chain, ...url)).stdout,
  )

  const all = await runFirn('export', 'transactions', '--chain', '51002', ...url)
  const recording = openRecording(small)
  const count = await recording.blocks(
    recording.heights,
    (units) => units.reduce((sum, { receipts }) => sum + receipts.length, 0),
    signal,
  )
  assert.equal(all.stdout.trim().split('\n').length, count + 1)
  const folder = await freshFolder(t)
  assert.deepEqual(await parquetOf('blocks', { folder, url }), await recordedBlocks(recording))
  const transactions = await parquetOf('transactions', { folder, url })
  assert.equal(transactions.length, count)
  const withoutFile = ['export', 'blocks', '--chain', '51002', '--format', 'parquet', ...url]
  const refused = await runFirn(...withoutFile)
  assert.equal(refused.stderr, 'firn: a Parquet file is no stream: give its name with --out\n')
  assert.equal(refused.code, 2)
  const late = ['--from', '2999-01-01', ...url]
  for (const [what, ...words] of [
    ['transactions', ...chain],
    ['transfers', ...chain],
    ['internals', ...chain],
    ['primary-transactions', '--chain', 'P'],
    ['rewards', '--address', 'P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'],
  ]) {
    const none = await runFirn('export', String(what), ...words, ...late)
    assert.equal(none.code, 0, none.stderr)
    assert.match(none.stdout, /^date,[A-Za-z,]+\n$/, String(what))
    const bare = await runFirn('export', String(what), ...words, ...late, '--format', 'jsonl')
    assert.deepEqual([bare.code, bare.stdout], [0, ''], String(what))
  }

  const ended = await firn.get('/v1/networks/fuji/delegators?delegationStatus=completed')
  const owners = listOf(ended['delegators'], 'delegators').flatMap((item) =>
    listOf(objectOf(item, 'delegator')['rewardAddresses'], 'addresses').map(String),
  )
  const owner = ['--address', owners.join(','), ...url]
  const rewards = await runFirn('export', 'rewards', ...owner, '--format', 'jsonl')
  const paid = rewards.stdout
    .trim()
    .split('\n')
    .map((line) => objectOf(JSON.parse(line), 'row'))
  assert.ok(paid.length > 0)
  const years = new Set(paid.map(({ date }) => String(date).slice(0, 4)))
  let inYears = 0
  for (const year of years) {
    const own = ['--year', year, '--currency', 'EUR', '--format', 'jsonl']
    const { stdout } = await runFirn('export', 'rewards', ...owner, ...own)
    inYears += stdout.trim().split('\n').length
  }
  assert.equal(inYears, paid.length)
  for (const words of [
    ['--year', '26'],
    ['--year', '2026', '--from', '2026-01-01'],
  ])
    assert.equal((await runFirn('export', 'rewards', ...owner, ...words)).code, 2, words.join(' '))

  // Nothing is made or lost: over all owners, what is spent is received or burned.
  const ofP = ['primary-transactions', '--chain', 'P', ...url, '--format', 'jsonl']
  const primary = await runFirn('export', ...ofP)
  const base = primary.stdout
    .trim()
    .split('\n')
    .map((text) => objectOf(JSON.parse(text), 'row'))
    .filter(({ type }) => type === 'BaseTx')
  assert.ok(base.length > 10)
  const nano = (text: unknown): bigint => {
    const [whole = '', fraction = ''] = String(text).split('.')
    return BigInt(whole + fraction.padEnd(9, '0'))
  }
  for (const { spent, received, burned, txHash } of base)
    assert.equal(nano(spent), nano(received) + nano(burned), String(txHash))

  // Any period of it, without an address.
  const dates = base.map(({ date }) => String(date)).toSorted()
  const [from = '', end = ''] = [dates[3], dates.at(-3)]
  const period = await runFirn('export', ...ofP, '--from', from, '--until', end)
  assert.equal(period.code, 0, period.stderr)
  const within = period.stdout.split('\n').filter((line) => line.includes('"BaseTx"'))
  assert.equal(within.length, dates.filter((date) => from <= date && date < end).length)

  const wrong = await runFirn('export', 'transfers', '--chain', '51002', ...url)
  assert.deepEqual([wrong.code, wrong.stderr.trim()], [2, 'firn: this export needs --address'])
  for (const date of ['20250131', '2025-02-31', '01/02/2025', '2025']) {
    const misread = await runFirn('export', 'transfers', ...chain, ...url, '--from', date)
    assert.equal(misread.code, 2, date)
    assert.match(misread.stderr, /^firn: --from must be a date like 2025-01-31/, date)
  }
  const unknown = await runFirn('export', 'transactions', '--chain', '7', ...url)
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /chain is not served here: 7/)
  await firn.end()
})

/** What a token says of its decimals, in the recording. */
function decimalsOf(token: string): number {
  const answer = openRecording(small).answers().get(`eth_call ${token.toLowerCase()} 0x313ce567`)
  return answer?.kind === 'value' && answer.value !== '0x' ? Number(answer.value) : 0
}

void test('doctor: finds what is wrong and tells what to do', async (t) => {
  const folder = await freshFolder(t)
  const data = join(folder, 'data')
  const healthy = await runFirn('doctor', '--data-dir', data, '--port', '0', '--node-port', '0')
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
  const sick = await runFirn('doctor', '--config', config, '--data-dir', data)
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

/** An export of chain 51002, read by a Parquet reader; oldest first. */
async function parquetOf(
  what: string,
  of: { readonly folder: string; readonly url: readonly string[] },
): Promise<Record<string, unknown>[]> {
  const path = join(of.folder, `${what}.parquet`)
  const words = ['--chain', '51002', '--format', 'parquet', '--out', path]
  const { code, stderr } = await runFirn('export', what, ...words, ...of.url)
  assert.equal(code, 0, stderr)
  return (await parquetReadObjects({ file: await asyncBufferFromFile(path) })).toReversed()
}

/** The blocks as the node told them, in the types of the file. */
async function recordedBlocks(recording: Recording): Promise<Record<string, unknown>[]> {
  const units = await recording.blocks(recording.heights, (read) => read, signal)
  return units.map(({ block: of, receipts }) => {
    const block = objectOf(of, 'block')
    const number = (name: string): bigint => {
      const value = block[name]
      return BigInt(typeof value === 'string' ? value : 0)
    }
    const fees = receipts.map((one) => {
      const { gasUsed, effectiveGasPrice } = objectOf(one, 'receipt')
      return BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice))
    })
    return {
      date: new Date(Number(number('timestamp')) * 1_000),
      chainId: '51002',
      blockNumber: number('number'),
      blockHash: block['hash'],
      parentHash: block['parentHash'],
      txCount: BigInt(receipts.length),
      gasUsed: number('gasUsed'),
      gasLimit: number('gasLimit'),
      baseFee: String(number('baseFeePerGas')),
      feesSpent: String(fees.reduce((sum, fee) => sum + fee, 0n)),
    }
  })
}
