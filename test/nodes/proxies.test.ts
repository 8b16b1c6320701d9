/**
 * A contract of each kind of proxy on a real chain: Firn names its kind, and reads calls and logs through it by the
 * ABI of what it leads to.
 */

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

import { createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { anvil as development } from 'viem/chains'

import { concatBytes, fromHex, to0x, toHex } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { liveChain } from '../support/chains/live-chain.ts'
import { freshFolder, startFirn, until } from '../support/processes/firn-process.ts'

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Target {
    event Marked(uint256 value);
    function mark(uint256 value) external { emit Marked(value); }
}
contract Beacon {
    address public immutable implementation;
    constructor(address target) { implementation = target; }
}
abstract contract Handing {
    function led() internal view virtual returns (address);
    fallback() external payable {
        (bool done, bytes memory data) = led().delegatecall(msg.data);
        require(done, string(data));
    }
}
contract Slot is Handing {
    bytes32 immutable place;
    constructor(bytes32 place_, address target) { place = place_; assembly { sstore(place_, target) } }
    function led() internal view override returns (address target) {
        bytes32 from = place;
        assembly { target := sload(from) }
    }
}
contract OfBeacon is Handing {
    constructor(bytes32 place, address beacon) { assembly { sstore(place, beacon) } }
    function led() internal view override returns (address) {
        address beacon;
        assembly { beacon := sload(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50) }
        return Beacon(beacon).implementation();
    }
}
contract Diamond is Handing {
    address immutable facet;
    constructor(address target) { facet = target; }
    function led() internal view override returns (address) { return facet; }
    function facetAddresses() external view returns (address[] memory all) {
        all = new address[](1);
        all[0] = facet;
    }
}
`

type Compiled = {
  readonly abi: readonly unknown[]
  readonly evm: Readonly<Record<'bytecode' | 'deployedBytecode', { readonly object: string }>>
}

function compiled(): Readonly<Record<string, Compiled>> {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } }
  const input = {
    language: 'Solidity',
    sources: { 'src/Target.sol': { content: source } },
    settings: { evmVersion: 'paris', outputSelection },
  }
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: Record<string, Record<string, Compiled>>
  }
  return contracts['src/Target.sol'] ?? {}
}

/** Code that makes a contract of `runtime`, with an address at the first place of its storage. */
function making(runtime: string, first?: string): Uint8Array {
  const code = fromHex(runtime)
  const stored = first === undefined ? '' : `73${first}600055`
  const size = code.length.toString(16).padStart(4, '0')
  const from = (stored.length / 2 + 15).toString(16).padStart(4, '0')
  return concatBytes(fromHex(`${stored}61${size}61${from}60003961${size}6000f3`), code)
}

const slotOf = (text: string, less = 0n): Uint8Array =>
  fromHex(
    (BigInt(to0x(keccak256(new TextEncoder().encode(text)))) - less).toString(16).padStart(64, '0'),
  )

// Source: the runtime code of Safe's proxy 1.3.0.
const safe =
  '608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea2646970667358221220d1429297349653a4918076d650332de1a1068c5f3e07c5c82360c277770b955264736f6c63430007060033'

void test('proxies: a contract of each kind is named, and read through', async (t) => {
  const folder = await freshFolder(t)
  const contracts = compiled()
  const codeOf = (name: string): Uint8Array => fromHex(contracts[name]?.evm.bytecode.object ?? '')
  mkdirSync(join(folder, 'artifacts'))
  const artifact = {
    contractName: 'Target',
    sourceName: 'src/Target.sol',
    abi: contracts['Target']?.abi,
    deployedBytecode: contracts['Target']?.evm.deployedBytecode.object,
  }
  writeFileSync(join(folder, 'artifacts/Target.json'), JSON.stringify(artifact))
  const chain = await liveChain(t)
  const words = ['--contracts', join(folder, 'artifacts'), '--data-dir', join(folder, 'data')]
  const firn = await startFirn(t, ['--rpc', chain.url, ...words])

  const target = await chain.deploy(codeOf('Target'))
  const led = toHex(target)
  const word = concatBytes(new Uint8Array(12), target)
  const beacon = await chain.deploy(concatBytes(codeOf('Beacon'), word))
  const inSlot = (slot: Uint8Array, name = 'Slot', address = target): Uint8Array =>
    concatBytes(codeOf(name), slot, new Uint8Array(12), address)
  const kinds: readonly (readonly [string, Uint8Array])[] = [
    ['minimal', making(`363d3d373d3d3d363d73${led}5af43d82803e903d91602b57fd5bf3`)],
    ['minimal', making(`3d3d3d3d363d3d37363d73${led}5af43d3d93803e602a57fd5bf3`)],
    ['minimal', making(`365f5f375f5f365f73${led}5af43d5f5f3e5f3d91602a57fd5bf3`)],
    ['minimal', making(`366000600037611000600036600073${led}5af4602c57600080fd5b6110006000f3`)],
    ['safe', making(safe, led)],
    ['zeppelinos', inSlot(slotOf('org.zeppelinos.proxy.implementation'))],
    ['erc1967', inSlot(slotOf('eip1967.proxy.implementation', 1n))],
    ['beacon', inSlot(slotOf('eip1967.proxy.beacon', 1n), 'OfBeacon', beacon)],
    ['erc1822', inSlot(slotOf('PROXIABLE'))],
    ['diamond', concatBytes(codeOf('Diamond'), word)],
  ]
  const made: (readonly [string, Uint8Array])[] = []
  for (const [kind, code] of kinds) made.push([kind, await chain.deploy(code)])

  // An account delegates by a transaction that another one pays for.
  const account = privateKeyToAccount(generatePrivateKey())
  const [first] = (await chain.ask('eth_accounts')) as `0x${string}`[]
  assert.ok(first !== undefined)
  const wallet = createWalletClient({ chain: development, transport: http(chain.url) })
  const authorization = await account.signAuthorization({
    contractAddress: `0x${led}`,
    chainId: development.id,
    nonce: 0,
  })
  const sender = privateKeyToAccount(
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  )
  assert.equal(sender.address.toLowerCase(), first)
  const delegating = await wallet.sendTransaction({
    account: sender,
    to: sender.address,
    authorizationList: [authorization],
  })
  await until(
    'a receipt',
    async () => (await chain.ask('eth_getTransactionReceipt', delegating)) !== null,
  )
  made.push(['delegation', fromHex(account.address)])

  const selector = keccak256(new TextEncoder().encode('mark(uint256)')).subarray(0, 4)
  const base = '/v1/chains/31337'
  for (const [at, [kind, proxy]] of made.entries()) {
    const value = (7 + at).toString(16).padStart(64, '0')
    const receipt = await chain.send(proxy, concatBytes(selector, fromHex(value)))
    const path = `${base}/transactions/${String(receipt['transactionHash'])}`
    await until(`${kind} is read`, async () => (await fetch(firn.apiUrl + path)).status === 200)
    const { proxy: shown } = (await firn.get(`${base}/contracts/${to0x(proxy)}`)) as {
      proxy?: { kind: string; implementations: { address: string; project?: { name: string } }[] }
    }
    assert.equal(shown?.kind, kind)
    assert.equal(shown.implementations[0]?.address.toLowerCase(), `0x${led}`, kind)
    assert.equal(shown.implementations[0].project?.name, 'Target', kind)
    const call = JSON.stringify(await firn.get(path))
    assert.match(call, new RegExp(`"signature":"mark\\(uint256\\)".*"value":"${7 + at}"`), kind)
    const logs = JSON.stringify(await firn.get(`${path}/logs`))
    assert.match(logs, new RegExp(`"name":"Marked".*"value":"${7 + at}"`), kind)
  }

  const { nativeTransaction: tx } = (await firn.get(`${base}/transactions/${delegating}`)) as {
    nativeTransaction: { txType: number; authorizations: Record<string, string>[] }
  }
  assert.equal(tx.txType, 4)
  assert.deepEqual(
    tx.authorizations.map((one) => [
      one['authority'],
      one['address']?.toLowerCase(),
      one['label'],
      one['chainId'],
      one['nonce'],
    ]),
    [[account.address, `0x${led}`, 'Target', '31337', '0']],
  )
})
