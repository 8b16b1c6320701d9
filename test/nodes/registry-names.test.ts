/**
 * Names of a registry on a real chain, in the way of the Ethereum Name Service: an address is called by its name where the
 * name leads back to it, in lists and in the search; one that lies has no name.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

import { type Abi, encodeFunctionData, namehash, type Hex } from 'viem'

import { concatBytes, fromHex, to0x } from '../../src/core/bytes.ts'
import { isObject } from '../../src/core/json.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { entry, follow, freshFolder, until } from '../support/processes/firn-process.ts'

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Registry {
    mapping(bytes32 => address) public resolver;
    function set(bytes32 node, address to) external { resolver[node] = to; }
}
contract Resolver {
    mapping(bytes32 => string) public name;
    mapping(bytes32 => address) public addr;
    function setName(bytes32 node, string calldata to) external { name[node] = to; }
    function setAddr(bytes32 node, address to) external { addr[node] = to; }
}
contract Failing { fallback() external { revert("no"); } }
`

type Compiled = {
  readonly abi: Abi
  readonly evm: { readonly bytecode: { readonly object: string } }
}

function compiled(): Readonly<Record<string, Compiled>> {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }
  const input = {
    language: 'Solidity',
    sources: { 'Names.sol': { content: source } },
    settings: {
      evmVersion: 'paris',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode'] } },
    },
  }
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: Record<string, Record<string, Compiled>>
  }
  return contracts['Names.sol'] ?? {}
}

void test('names of a registry: a name that resolves back to its address is shown and found, any other is not', async (t) => {
  const chain = await liveChain(t)
  const contracts = compiled()
  const deploy = (name: string): Promise<Uint8Array> =>
    chain.deploy(fromHex(contracts[name]?.evm.bytecode.object ?? ''))
  const registry = await deploy('Registry')
  const resolver = await deploy('Resolver')
  const failing = await deploy('Failing')
  const send = (to: Uint8Array, of: string, functionName: string, args: readonly unknown[]) => {
    const abi = contracts[of]?.abi ?? []
    return chain.send(to, fromHex(encodeFunctionData({ abi, functionName, args })))
  }
  const named = async (address: Uint8Array, name: string, owner: Uint8Array): Promise<void> => {
    const reverse = namehash(`${to0x(address).slice(2)}.addr.reverse`)
    await send(registry, 'Registry', 'set', [reverse, to0x(resolver)])
    await send(resolver, 'Resolver', 'setName', [reverse, name])
    await send(registry, 'Registry', 'set', [namehash(name), to0x(resolver)])
    await send(resolver, 'Resolver', 'setAddr', [namehash(name), to0x(owner)])
  }
  const person = (byte: number): Uint8Array =>
    concatBytes(new Uint8Array(19).fill(byte), Uint8Array.of(1))
  const alice = person(17)
  const liar = person(34)
  const shouting = person(51)
  const nobody = person(68)
  const broken = person(85)
  const zoe = person(102)
  await named(alice, 'alice.summit.eth', alice)
  // It says that it is called like somebody else.
  await named(liar, 'bank.eth', alice)
  await named(shouting, 'ALICE.eth', shouting)
  const reverse = namehash(`${to0x(broken).slice(2)}.addr.reverse`) satisfies Hex
  await send(registry, 'Registry', 'set', [reverse, to0x(failing)])
  await named(zoe, 'zoe.eth', zoe)
  const people = [alice, liar, shouting, nobody, broken, zoe]
  const hashes: string[] = []
  for (const one of people)
    hashes.push(String((await chain.send(one, new Uint8Array(), 1n))['transactionHash']))

  const settings = [{ rpcUrls: [chain.url], nameRegistry: to0x(registry), begin: 'anew' }]
  const words = ['start', '--port', '0', '--node-port', '0', '--data-dir', await freshFolder(t)]
  const file = join(await freshFolder(t), 'firn.yaml')
  writeFileSync(file, JSON.stringify({ chains: settings }))
  const env = { ...process.env, FIRN_CONFIG: file }
  const firn = await follow(t, spawn(process.execPath, [entry, ...words], { env }))
  const path = `/v1/chains/${Number(await chain.ask('eth_chainId'))}`
  const labelOf = async (at: number): Promise<unknown> => {
    const answer = await firn.get(`${path}/transactions/${hashes[at]}`)
    const tx = isObject(answer) ? answer['nativeTransaction'] : undefined
    const to = isObject(tx) ? tx['to'] : undefined
    return isObject(to) ? to['label'] : undefined
  }
  await until('the last transaction', () =>
    firn.get(`${path}/transactions/${hashes.at(-1)}`).then(
      () => true,
      () => false,
    ),
  )
  await until('a name', async () => (await labelOf(0)) === 'alice.summit.eth')
  // They are looked up in the order in which they are shown first: those before the last one were.
  for (const at of people.keys()) await labelOf(at)
  await until('the last name', async () => (await labelOf(5)) === 'zoe.eth')
  for (const at of [1, 2, 3, 4]) assert.equal(await labelOf(at), undefined, String(at))

  const found = async (q: string): Promise<unknown> => (await firn.get(`/v1/search?q=${q}`))['hits']
  const hits = await found('Alice.summit.eth')
  assert.ok(Array.isArray(hits) && hits.length === 1, JSON.stringify(hits))
  assert.deepEqual(
    [hits[0].kind, String(hits[0].id).toLowerCase(), hits[0].label, hits[0].match],
    ['address', to0x(alice), 'alice.summit.eth', 'name'],
  )
  assert.deepEqual(await found('nobody.summit.eth'), [])
})
