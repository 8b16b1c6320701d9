/**
 * Sources that others have: a server in Sourcify's form is requested when a contract is looked at, folders of its
 * repository and answers of explorers are imported, and everything is proved before it is shown.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'

import { fromHex, to0x } from '../../src/core/bytes.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { freshFolder, runFirn, startFirn, until } from '../support/processes/firn-process.ts'

const version = '0.8.30+commit.73712a01'
const { resolve } = createRequire(import.meta.url)
const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }

/** The contract with this number, compiled; its metadata and its input. */
function compiled(number: number): {
  readonly input: { readonly sources: Readonly<Record<string, { readonly content: string }>> }
  readonly path: string
  readonly code: string
  readonly metadata: string
} {
  const path = `src/C${number}.sol`
  const content = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract C { uint256 public value = ${number}; function add(uint256 by) external { value += by; } }
`
  const input = {
    language: 'Solidity',
    sources: { [path]: { content } },
    settings: { evmVersion: 'paris', optimizer: { enabled: number % 2 === 0, runs: 200 } },
  }
  const outputSelection = { '*': { '*': ['metadata', 'evm.bytecode'] } }
  const settings = { ...input.settings, outputSelection }
  const { contracts } = JSON.parse(solc.compile(JSON.stringify({ ...input, settings }))) as {
    contracts: Record<string, { C: { metadata: string; evm: { bytecode: { object: string } } } }>
  }
  const made = contracts[path]?.C
  return { input, path, code: made?.evm.bytecode.object ?? '', metadata: made?.metadata ?? '' }
}

type Source = { readonly name: string; readonly match: string }

void test('sources of others: ten contracts are proved, from a server and from a folder', async (t) => {
  const all = Array.from({ length: 10 }, (_, number) => compiled(number))
  const chain = await liveChain(t)
  const addresses: string[] = []
  for (const { code } of all) addresses.push(to0x(await chain.deploy(fromHex(code))))

  const requests: string[] = []
  const server = createServer(({ url = '' }, reply) => {
    requests.push(url)
    const number = addresses.findIndex((address) => url.includes(`/31337/${address}`))
    const one = all[number]
    // The last one it has with other sources.
    const source = number === 4 ? all[3] : one
    if (one === undefined || source === undefined || number > 4) reply.writeHead(404).end('{}')
    else
      reply.end(
        JSON.stringify({
          match: 'exact_match',
          stdJsonInput: source.input,
          compilation: {
            language: 'Solidity',
            compilerVersion: version,
            name: 'C',
            fullyQualifiedName: `${source.path}:C`,
          },
        }),
      )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo

  const folder = await freshFolder(t)
  mkdirSync(join(folder, 'compilers'))
  copyFileSync(resolve('solc/soljson.js'), join(folder, `compilers/soljson-v${version}.js`))
  const config = join(folder, 'firn.yaml')
  writeFileSync(
    config,
    `dataDir: ${join(folder, 'data')}
contracts: { compilers: ${join(folder, 'compilers')}, sourcify: 'http://127.0.0.1:${port}' }
chains: [{ name: Live, rpcUrls: ['${chain.url}'] }]
`,
  )
  const firn = await startFirn(t, ['--config', config])
  const sourceOf = async (number: number): Promise<Source | undefined> => {
    const path = `${firn.apiUrl}/v1/chains/31337/contracts/${addresses[number]}`
    const reply = await fetch(path)
    return reply.status === 200 ? ((await reply.json()) as { source?: Source }).source : undefined
  }
  for (const number of [0, 1, 2, 3])
    await until(`${number} is verified`, async () => (await sourceOf(number))?.match === 'full')
  // A source that does not match is not shown, and not requested again.
  assert.equal(await sourceOf(4), undefined)
  await until('a request to the server', () =>
    requests.some((url) => url.includes(addresses[4] ?? '-')),
  )
  const before = requests.length
  assert.equal(await sourceOf(4), undefined)
  assert.equal(requests.length, before)

  const repository = join(folder, 'repository')
  const write = (path: string, text: string): void => {
    mkdirSync(join(repository, path, '..'), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  for (const number of [4, 5, 6, 7]) {
    const { metadata, input, path } = all[number] ?? all[0] ?? compiled(0)
    const place = `contracts/full_match/31337/${addresses[number]}`
    write(`${place}/metadata.json`, metadata)
    write(`${place}/sources/${path}`, input.sources[path]?.content ?? '')
    write(`${place}/creator-tx-hash.txt`, '0x00')
  }
  const { input, path } = all[8] ?? compiled(8)
  const compilation = { compilerVersion: version, fullyQualifiedName: `${path}:C` }
  write(`31337/${addresses[8]}.json`, JSON.stringify({ stdJsonInput: input, compilation }))
  const { sources, path: file } = { ...compiled(9), ...compiled(9).input }
  const etherscan = {
    SourceCode: sources[file]?.content,
    ContractName: 'C',
    ContractFileName: file,
    CompilerVersion: `v${version}`,
    OptimizationUsed: '0',
    Runs: '200',
    EVMVersion: 'paris',
  }
  write(`31337/${addresses[9]}.json`, JSON.stringify({ status: '1', result: [etherscan] }))
  write(`31337/0x${'11'.repeat(20)}.json`, JSON.stringify({ stdJsonInput: input, compilation }))
  const { stdout, stderr } = await runFirn('contracts', 'import', repository, '--url', firn.apiUrl)
  assert.match(stderr, /6 contracts are verified, 1 are not/, stdout)
  assert.match(stdout, /there is no contract at 0x1111/)
  for (const number of [4, 5, 6, 7, 8])
    assert.equal((await sourceOf(number))?.match, 'full', String(number))
  assert.notEqual(await sourceOf(9), undefined)
})
