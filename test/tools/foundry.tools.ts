/**
 * Foundry's own programs against Firn: a contract is created on an anvil, verified in the three forms that
 * forge speaks, and read by cast.
 *
 * Two things stand for what the network of a test has not: `solc` is npm's compiler behind the flags of
 * forge, and the address at which forge looks up the commit of a version leads here.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

import { freshFolder, run, until } from '../support/processes/firn-process.ts'
import { account, accountKey, firnOverAnvil, toolPath } from './anvil.ts'

const chainId = 43_998
const version = '0.8.20'
const longVersion = '0.8.20+commit.a1b79de6'
/** Another compiler that takes the source. */
const older = '0.6.12'
const longOlder = '0.6.12+commit.27d51765'
const listAddress = 'https://binaries.soliditylang.org/bin/list.txt'

const source = `// SPDX-License-Identifier: MIT
pragma solidity >=0.6.0;

contract Counter {
    uint256 public immutable most;
    string public name;

    constructor(string memory name_, uint256 most_) public {
        name = name_;
        most = most_;
    }
}
`

const solcShim = (of: string): string => `#!${process.execPath}
const { createRequire } = require('node:module')
const { readFileSync } = require('node:fs')
const solc = createRequire(${JSON.stringify(import.meta.filename)})('solc-${of}')
if (process.argv.includes('--version')) console.log('solc\\nVersion: ' + solc.version())
else process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
`

/** forge with another address in place of {@link listAddress}. */
function forgeAsking(address: string, folder: string): string {
  const path = createRequire(import.meta.url).resolve('@foundry-rs/forge/package.json')
  const bytes = readFileSync(join(path, '../../forge-linux-amd64/bin/forge'))
  const at = bytes.indexOf(listAddress)
  assert.ok(at > 0, 'forge looks the commit of a version up')
  bytes.write(`${address.padEnd(listAddress.length - 8, 'x')}list.txt`, at, 'latin1')
  const copy = join(folder, 'forge')
  writeFileSync(copy, bytes, { mode: 0o755 })
  return copy
}

void test('foundry: contracts are verified in three forms and read by cast; a refusal gives its reason', async (t) => {
  const folder = await freshFolder(t)
  const list = createServer((_request, reply) =>
    reply.end(`soljson-v${longOlder}.js\nsoljson-v${longVersion}.js\n`),
  )
  await once(list.listen(0, '127.0.0.1'), 'listening')
  after(() => list.close())
  const { port } = list.address() as AddressInfo
  const forge = forgeAsking(`http://127.0.0.1:${port}/`, folder)
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  }
  write('src/Counter.sol', source)
  mkdirSync(join(folder, 'compilers'))
  for (const [of, long] of [
    [version, longVersion],
    [older, longOlder],
  ] as const) {
    write(`home/.svm/${of}/solc-${of}`, solcShim(of))
    const compiler = createRequire(import.meta.url).resolve(`solc-${of}/soljson.js`)
    copyFileSync(compiler, join(folder, `compilers/soljson-v${long}.js`))
  }

  const settings = `contracts: { compilers: ${join(folder, 'compilers')} }`
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId, settings })
  const api = `${firn.apiUrl}/v1/chains/${chainId}/api`
  const profileOf = (of: string): string[] => [
    '[profile.default]',
    `solc = "${of}"`,
    'offline = true',
    'optimizer = true',
    'evm_version = "istanbul"',
  ]
  const profile = profileOf(version)
  const etherscan = ['[etherscan]', `firn = { key = "any", chain = ${chainId}, url = "${api}" }`]
  const outputOf = async (program: string, words: readonly string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: join(folder, 'home'), NO_COLOR: '1' }
    const { stdout, stderr } = await promisify(execFile)(program, words, {
      cwd: folder,
      env,
    }).catch((error: { stdout: string; stderr: string }) => error)
    return `${stdout}${stderr}`
  }

  write('foundry.toml', profile.join('\n'))
  // One for each form. The others are known by their code once one is verified.
  const addresses: string[] = []
  for (const most of ['100', '200', '300']) {
    const created = await outputOf(forge, [
      'create',
      'src/Counter.sol:Counter',
      '--rpc-url',
      anvil.url,
      '--private-key',
      accountKey,
      '--broadcast',
      '--constructor-args',
      'my counter',
      most,
    ])
    const [, made = ''] = /Deployed to: (0x[0-9a-fA-F]{40})/.exec(created) ?? []
    assert.notEqual(made, '', created)
    addresses.push(made)
  }
  const [address = '', ofBlockscoutForm = '', ofSourcifyForm = ''] = addresses
  await until('the chain is read', async () => {
    const reply = await fetch(`${api}?module=account&action=txlist&address=${account}`)
    return ((await reply.json()) as { result: unknown[] }).result.length === addresses.length
  })

  const constructorArguments = (most: string): Promise<string> =>
    outputOf(toolPath('cast'), ['abi-encode', 'constructor(string,uint256)', 'my counter', most])
  const verify = (
    words: readonly string[],
    { at = address, by = longVersion }: { readonly at?: string; readonly by?: string } = {},
  ): Promise<string> =>
    outputOf(forge, [
      'verify-contract',
      at,
      'src/Counter.sol:Counter',
      '--chain',
      String(chainId),
      '--compiler-version',
      by,
      '--watch',
      ...words,
    ])

  write('foundry.toml', [...profile, ...etherscan].join('\n'))
  const ofEtherscan = [
    '--verifier',
    'etherscan',
    '--verifier-url',
    api,
    '--etherscan-api-key',
    'firn',
  ]
  const wrong = await verify([
    ...ofEtherscan,
    '--constructor-args',
    (await constructorArguments('101')).trim(),
  ])
  assert.match(wrong, /Fail - Unable to verify: the constructor arguments are others: 0x/)
  write('foundry.toml', [...profileOf(older), ...etherscan].join('\n'))
  await outputOf(forge, ['build', '--force'])
  const wrongCompiler = await verify(ofEtherscan, { by: longOlder })
  assert.match(wrongCompiler, /it was compiled by 0\.8\.20, not 0\.6\.12/)
  write('foundry.toml', [...profile, ...etherscan].join('\n'))
  await outputOf(forge, ['build', '--force'])
  write('src/Counter.sol', source.replace('most = most_;', 'most = most_ + 1;'))
  assert.match(await verify(ofEtherscan), /not what created it; another constructor\?/)
  write('src/Counter.sol', source.replace('string public', 'uint256 public more; string public'))
  assert.match(await verify(ofEtherscan), /the code is not that of the contract: \d+ bytes/)
  write('src/Counter.sol', source)
  const right = (await constructorArguments('100')).trim()
  const verified = await verify([...ofEtherscan, '--constructor-args', right])
  assert.match(verified, /Contract successfully verified/)

  write('foundry.toml', profile.join('\n'))
  const argumentsOf = async (most: string): Promise<string[]> => [
    '--constructor-args',
    (await constructorArguments(most)).trim(),
  ]
  const ofBlockscout = ['--verifier', 'blockscout', '--verifier-url', `${api}/`]
  assert.match(await verify(ofBlockscout), /already verified/)
  const blockscout = { at: ofBlockscoutForm }
  assert.match(
    await verify([...ofBlockscout, ...(await argumentsOf('201'))], blockscout),
    /the constructor arguments are others: 0x/,
  )
  assert.match(
    await verify([...ofBlockscout, ...(await argumentsOf('200'))], blockscout),
    /Contract successfully verified/,
  )
  const ofSourcify = ['--verifier', 'sourcify', '--verifier-url', `${firn.apiUrl}/`]
  assert.match(await verify(ofSourcify), /already verified/)
  const sourcify = { at: ofSourcifyForm }
  write('src/Counter.sol', source.replace('string public', 'uint256 public more; string public'))
  assert.match(await verify(ofSourcify, sourcify), /the code is not that of the contract/)
  write('src/Counter.sol', source)
  assert.match(await verify(ofSourcify, sourcify), /successfully verified[^]*exact_match/)

  // The second is what `etherscan-source` of older versions became an alias of.
  for (const name of ['source', 'et']) {
    const read = await outputOf(toolPath('cast'), [
      name,
      address,
      '--chain',
      String(chainId),
      '-e',
      'any',
      '--explorer-api-url',
      api,
      '--explorer-url',
      firn.apiUrl,
    ])
    assert.ok(read.includes(source.trim()), read)
  }

  const exported = await run(process.execPath, [
    join(import.meta.dirname, '../../bin/firn.js'),
    'contracts',
    'export',
    '--data-dir',
    join(folder, 'data'),
  ])
  const names = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).name)
  assert.deepEqual(
    names,
    addresses.map(() => 'src/Counter.sol:Counter'),
  )
})
