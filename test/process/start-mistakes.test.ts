/** Words of `firn start` when it cannot start. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import {
  entry,
  freshFolder,
  run,
  runFirn,
  startFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'

void test('start: every mistake is one sentence and an exit code, never a stack', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const busy = createServer()
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  t.after(() => busy.close())
  const address = busy.address()
  assert.ok(typeof address === 'object' && address !== null)
  const { port }: AddressInfo = address
  const data = ['--data-dir', join(folder, 'data')]
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const cases: readonly [string, readonly string[], string, number, RegExp][] = [
    [
      'port taken',
      [...data, '--port', String(port), '--node-port', '0'],
      '',
      1,
      /^firn: api\.port is taken or not allowed: 127\.0\.0\.1:\d+; --port chooses another$/m,
    ],
    [
      'node port taken',
      [...data, '--port', '0', '--node-port', String(port)],
      '',
      1,
      /^firn: node\.port is taken or not allowed: .+; --node-port chooses another$/m,
    ],
    [
      'dead database',
      ['--config', config, ...data, '--port', '0', '--node-port', '0'],
      'store: postgres://firn@127.0.0.1:1/firn\npostgres: { waitSeconds: 1 }',
      1,
      /starting waits for the database[^]*^firn: store [\w-]+: connect ECONNREFUSED 127\.0\.0\.1:1; start PostgreSQL, or mend the setting `store`$/m,
    ],
    ['unknown flag', ['--prot', '1'], '', 2, /unknown option '--prot'/],
    [
      'one port for both',
      [...data, '--port', '18080', '--node-port', '18080'],
      '',
      4,
      /^firn: api\.port and node\.port are the same: 18080$/m,
    ],
    [
      'port is no number',
      ['--port', 'x'],
      '',
      4,
      /^firn: api\.port must be an integer from 0 to 65535: "x"$/m,
    ],
    ['unknown role', ['--role', 'idle'], '', 4, /role must be one of all, index, serve/],
    [
      'missing file',
      ['--config', join(folder, 'none.yaml')],
      '',
      4,
      /cannot read the configuration file: /,
    ],
    ['a pipe in place of a file', ['--config', pipe], '', 4, /^firn: no plain file: .*pipe$/m],
    [
      'unknown setting',
      ['--config', config],
      'api: { prot: 1 }',
      4,
      /unknown setting api\.prot, did you mean api\.port\?/,
    ],
    ['bad YAML', ['--config', config], 'api:\n  port: [1\nx: 2', 4, /firn\.yaml:3:1: \w/],
    [
      'missing recording',
      ['--config', config, ...data],
      'chains: [{ recording: none.firnrec }]',
      4,
      /chains\[0\]\.recording does not exist: \/.*\/none\.firnrec/,
    ],
    [
      'two chains of one name',
      ['--config', config, ...data],
      'chains: [{ name: a, rpcUrls: ["http://127.0.0.1:1"] }, { name: A, rpcUrls: ["http://127.0.0.1:2"] }]',
      4,
      /two chains have one name: A/,
    ],
    [
      'data folder is a file',
      ['--data-dir', join(config, 'data')],
      '',
      4,
      /data folder cannot be made or written: /,
    ],
    [
      'store is no address',
      ['--config', config, ...data],
      'store: mysql://x',
      4,
      /setting store is neither embedded nor a postgres/,
    ],
    [
      'node without a scheme',
      ['--config', config, ...data],
      'networks: { fuji: { nodeUrl: "127.0.0.1:9650", primary: true } }',
      4,
      /^firn: .*firn\.yaml:1: networks\.fuji\.nodeUrl must be .*, did you mean http:\/\/127\.0\.0\.1:9650\?: "127\.0\.0\.1:9650"$/m,
    ],
    [
      'limit that is none',
      ['--config', config, ...data],
      'api: { rateLimit: 5 }',
      4,
      /api\.rateLimit/,
    ],
    [
      'page that is none',
      ['--config', config, ...data],
      'api: { cors: [a.example] }',
      4,
      /api\.cors/,
    ],
    [
      'logo that is a file',
      ['--config', config, ...data],
      'chains: [{ rpcUrls: ["http://127.0.0.1:1/rpc"], logoUri: ./logo.png }]',
      4,
      /chains\[0\]\.logoUri must be an address, https: or data:, not a file: \.\/logo\.png/,
    ],
    ['no proxy', ['--config', config, ...data], 'api: { trustProxy: [x] }', 4, /api\.trustProxy/],
    [
      'gateway without a scheme',
      ['--config', config, ...data],
      'nftMetadata: { gateways: [ipfs.example] }\nchains: [{ rpcUrls: ["http://127.0.0.1:1/rpc"] }]',
      4,
      /nftMetadata: must be .*, did you mean https:\/\/ipfs\.example\?/,
    ],
    [
      'prices without a scheme, and no such file',
      ['--config', config, ...data],
      'prices: { http: prices.example }\nevm: { selectorsFile: none.txt }',
      4,
      /none\.txt.*|prices\.example/,
    ],
  ]
  for (const [name, args, text, code, sentence] of cases) {
    await writeFile(config, text)
    const ended = await runFirn('start', ...args)
    assert.match(ended.stderr, sentence, name)
    assert.equal(ended.code, code, `${name}: ${ended.stderr}`)
    assert.doesNotMatch(ended.stderr, /\n {4}at /, name)
    // What the machine has to say is not of the configuration.
    if (code !== 4 || !args.includes('--config') || name === 'data folder is a file') continue
    const shown = await runFirn(
      'config',
      'show',
      '--config',
      args[args.indexOf('--config') + 1] ?? '',
    )
    assert.match(shown.stderr, sentence, `config show: ${name}`)
    assert.equal(shown.code, 4, `config show: ${name}`)
  }
  const unknown = await runFirn('strat')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /^error: unknown command: strat$/m)
})

void test('old Node: one sentence names the missing version', async (t) => {
  const said = 'Firn needs Node 24 or newer, this is 20.1.0'
  // This Node, which says that it is another; an older one that is there says so by itself.
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.1.0' })`
  const asOld = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  const cloned = await run(process.execPath, [...asOld, entry, 'start'])
  assert.equal(cloned.code, 1)
  assert.ok(cloned.stderr.startsWith(`${said}: run it by npm`), cloned.stderr)
  assert.equal(cloned.stderr.trim().split('\n').length, 1)

  // A package brings none.
  const folder = await freshFolder(t)
  await cp(entry, join(folder, 'bin/firn.js'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const installed = await run(process.execPath, [...asOld, join(folder, 'bin/firn.js'), 'start'])
  assert.equal(installed.code, 1)
  assert.equal(installed.stderr, `${said}.\n`)

  for (const program of ['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync)) {
    const { stdout } = await run(program, ['--version'])
    if (Number(/^v(\d+)/.exec(stdout)?.[1]) >= 24) continue
    const { code, stderr } = await run(program, [entry, 'start'])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^Firn needs Node 24 or newer, this is \d+\.\d+\.\d+: run it by npm[^\n]*\n$/,
    )
  }
})

void test('addresses: a flag or setting without a scheme is one sentence, of every command', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, 'networks: { fuji: { nodeUrl: "127.0.0.1:9650", primary: true } }')
  for (const [args, sentence] of [
    [['doctor', '--config', config], /nodeUrl must be .*did you mean http:\/\/127\.0\.0\.1:9650\?/],
    [
      ['status', '--url', 'localhost:8080'],
      /--url must be .*did you mean http:\/\/localhost:8080\?/,
    ],
    [
      ['verify', '--node', 'node.example'],
      /--node must be .*did you mean https:\/\/node\.example\?/,
    ],
    [
      ['doctor', '--rpc', '127.0.0.1:9650/ext/bc/C/rpc'],
      /--rpc must be .*did you mean http:\/\/127\.0\.0\.1:9650\/ext\/bc\/C\/rpc\?/,
    ],
    [['export', '/v1/chains', '--url', '127.0.0.1:8080'], /--url must be .*did you mean http/],
    [['alias', 'list', '--node-url', 'localhost:8081'], /--node-url must be .*did you mean http/],
  ] as const) {
    const ended = await runFirn(...args)
    assert.match(ended.stderr, sentence, args.join(' '))
    assert.match(ended.stderr, /^firn: [^\n]*\n$/, args.join(' '))
    assert.ok(ended.code === 2 || ended.code === 4, `${args[0]}: ${ended.code}`)
  }
})

void test('start: a warning names what a configuration lacks and its remedy, and Firn runs all the same', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  // A node that has no route for the chain, as AvalancheGo for one whose subnet it does not track.
  const node = createHttpServer((_request, reply) =>
    reply.writeHead(404).end('404 page not found\n'),
  )
  await new Promise<void>((resolve) => void node.listen(0, '127.0.0.1', resolve))
  t.after(() => node.close())
  const listening = node.address()
  assert.ok(typeof listening === 'object' && listening !== null)
  await writeFile(config, '')
  const empty = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'a')])
  assert.match(
    empty.errors(),
    /^ {2}nothing is indexed: start with --node, or name a node under `networks` or a chain under `chains`$/m,
  )
  assert.equal(await empty.end(), 0)
  const rpc = `http://127.0.0.1:${listening.port}/ext/bc/2euXiQ9vAnzGbJhbv1AShETASYweS2p1ME7AnN71dhL3d8PQh3/rpc`
  await writeFile(config, `chains: [{ network: fuji, rpcUrls: ['${rpc}'] }]`)
  const bare = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'b')])
  assert.match(
    bare.errors(),
    /^ {2}chains\[0\] has no name and is called by its place: give it one, `name: My L1`\.$/m,
  )
  await until('the reason', async () => {
    const [chain] = (await chainStatuses(bare)).values()
    return /the node does not run this chain: add its subnet to track-subnets and restart the node/.test(
      chain?.reason ?? '',
    )
  })
  assert.equal(await bare.end(), 0)
})
