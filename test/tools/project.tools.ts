/**
 * A project of thirty contracts beside a running Firn: forge compiles and deploys it, and its contracts are
 * shown by their names, decoded and with their sources, without a verification.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { freshFolder, startFirn, until, untilLive } from '../support/processes/firn-process.ts'
import { account, accountKey, startAnvil, toolPath } from './anvil.ts'

const count = 30
/** After the end of `forge script` everything is shown within this time. */
const limitMs = 2_000

const solc = `#!${process.execPath}
const { createRequire } = require('node:module')
const { readFileSync } = require('node:fs')
const solc = createRequire(${JSON.stringify(import.meta.filename)})('solc-0.8.20')
if (process.argv.includes('--version')) console.log('solc\\nVersion: ' + solc.version())
else process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
`

const numbers = Array.from({ length: count }, (_, at) => at)
const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
${numbers
  .map(
    (at) => `contract Part${at} {
    event Moved${at}(address indexed by, uint256 amount);
    uint256 public immutable most;
    constructor(uint256 most_) { most = most_; }
    function move${at}(uint256 amount) external { require(amount < most); emit Moved${at}(msg.sender, amount); }
}`,
  )
  .join('\n')}
`
const script = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "../src/Parts.sol";
interface Vm { function startBroadcast() external; }
contract Deploy {
    function run() external {
        Vm(address(uint160(uint256(keccak256("hevm cheat code"))))).startBroadcast();
${numbers.map((at) => `        new Part${at}(${1_000 + at}).move${at}(${at});`).join('\n')}
    }
}
`

type Json = Readonly<Record<string, never>>
type Named = { readonly project?: { readonly name: string } }
type Listed = {
  readonly nativeTransaction: {
    readonly txHash: string
    readonly createdContract?: string
    readonly method: { readonly methodName: string }
  }
}

/** Returns whether a contract has its name and sources, a call its words, and its event as well. */
function isDecoded(page: string): boolean {
  const part = /"label":"(Part\d+)","project":{"name":"(Part\d+)"/.exec(page)
  if (part !== null) return part[1] === part[2] && page.includes(JSON.stringify(source))
  return /"decodedInput":{"name":"move\d+"|"decoded":{"name":"Moved\d+"/.test(page)
}

void test('project: thirty contracts are shown decoded within two seconds of their deployment', async (t) => {
  const folder = await freshFolder(t)
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  }
  write('solc', solc)
  write('src/Parts.sol', source)
  write('script/Deploy.s.sol', script)
  write(
    'foundry.toml',
    '[profile.default]\nsolc = "./solc"\noffline = true\nevm_version = "paris"\n',
  )
  const anvil = await startAnvil(31_337)
  t.after(anvil.end)
  const out = join(folder, 'out')
  const data = join(folder, 'data')
  const firn = await startFirn(t, ['--rpc', anvil.url, '--contracts', out, '--data-dir', data])
  await untilLive(firn, ['fuji-chain-31337'])

  const forge = toolPath('forge')
  const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' }
  const run = ['script', 'script/Deploy.s.sol', '--broadcast', '--private-key', accountKey]
  await promisify(execFile)(forge, [...run, '--rpc-url', anvil.url], { cwd: folder, env })
  const begun = performance.now()
  const base = '/v1/chains/31337'
  const listed = `${base}/addresses/${account}/transactions?pageSize=100`
  let created: string[] = []
  await until('all are shown', async () => {
    const { transactions } = (await firn.get(listed)) as { transactions: Listed[] }
    const all = transactions.map(({ nativeTransaction }) => nativeTransaction)
    created = all.flatMap(({ createdContract }) => createdContract ?? [])
    const calls = all.flatMap(({ txHash, method: { methodName } }) =>
      methodName.startsWith('move') ? [txHash] : [],
    )
    if (created.length + calls.length < 2 * count) return false
    const pages = [
      ...created.map((address) => `${base}/contracts/${address}`),
      ...calls.map((hash) => `${base}/transactions/${hash}`),
      ...calls.map((hash) => `${base}/transactions/${hash}/logs`),
    ]
    for (const page of pages) {
      const text = JSON.stringify(await firn.get(page))
      if (isDecoded(text)) continue
      assert.ok(performance.now() - begun < limitMs, text)
      return false
    }
    return true
  })
  const tookMs = performance.now() - begun
  assert.equal(created.length, count)
  assert.ok(tookMs < limitMs, `${tookMs} ms`)

  const [address = ''] = created
  assert.equal(Object.hasOwn(await firn.get(`${base}/contracts/${address}`), 'source'), false)
  const api = `${firn.apiUrl}/v1/chains/31337/api?module=contract&address=${address}`
  const abi = (await (await fetch(`${api}&action=getabi`)).json()) as { status: string }
  assert.equal(abi.status, '0', 'no ABI of what is not verified')
  const sourcify = await fetch(`${firn.apiUrl}/v2/contract/31337/${address}`)
  assert.equal(sourcify.status, 404)
  const all = (await firn.get(`${base}/contracts?pageSize=100`)) as { contracts: Named[] }
  const names = numbers.map((at) => `Part${at}`)
  assert.deepEqual(
    all.contracts.flatMap(({ project }) => project?.name ?? []).toSorted(),
    names.toSorted(),
  )
  const { contracts } = (await firn.get(`${base}/contracts?verified=true`)) as { contracts: Json[] }
  assert.deepEqual(contracts, [])
  const { hits } = (await firn.get('/v1/search?q=Part29')) as { hits: { id: string }[] }
  assert.ok(created.includes(hits[0]?.id ?? ''))
})
