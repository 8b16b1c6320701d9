/**
 * Records a chain with contracts of every kind that verification tells apart:
 *
 *     node test/tools/record-contracts.ts
 *
 * writes `vectors/contracts/anvil.firnrec`, the answers of an anvil, whose version is in it.
 */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'

import { recordNode } from '../../scripts/record-chain.ts'
import { account, startAnvil } from './anvil.ts'

const file = new URL('../../vectors/contracts/anvil.firnrec', import.meta.url)
const source = readFileSync(new URL('contracts.sol', import.meta.url), 'utf8')
const chainId = 43_999

const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }
const input = {
  language: 'Solidity',
  sources: { 'contracts.sol': { content: source } },
  settings: {
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['evm.bytecode'] } },
  },
}
type Output = {
  readonly contracts: {
    readonly 'contracts.sol': Readonly<Record<string, { evm: { bytecode: { object: string } } }>>
  }
}
const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output

const anvil = await startAnvil(chainId)
const send = async (fields: { to?: string; data: string }): Promise<string> => {
  const tx = { from: account, gas: '0x2dc6c0', ...fields }
  const hash = await anvil.call('eth_sendTransaction', tx)
  const receipt = (await anvil.call('eth_getTransactionReceipt', hash)) as {
    contractAddress: string | null
  }
  return receipt.contractAddress ?? ''
}
const deploy = (name: string, constructorArguments: Hex = '0x', library = ''): Promise<string> => {
  const code = output.contracts['contracts.sol'][name]?.evm.bytecode.object ?? ''
  const linked = code.replaceAll(/__\$.{34}\$__/g, library.slice(2))
  return send({ data: `0x${linked}${constructorArguments.slice(2)}` })
}
const addressArgument = (value: string): Hex =>
  encodeAbiParameters([{ type: 'address' }], [value as Hex])
const abi = parseAbi([
  'function add(uint256)',
  'function fail(uint256)',
  'function make(uint256)',
  'function clone(address)',
])

const counter = await deploy(
  'Counter',
  encodeAbiParameters([{ type: 'string' }, { type: 'uint256' }], ['my counter', 100n]),
)
const doubling = await deploy('Doubling')
await deploy('Doubler', '0x', doubling)
const maker = await deploy('Maker')
await send({ to: maker, data: encodeFunctionData({ abi, functionName: 'make', args: [50n] }) })
await send({
  to: maker,
  data: encodeFunctionData({ abi, functionName: 'clone', args: [counter as Hex] }),
})
const proxy = await deploy('Proxy', addressArgument(counter))
const beacon = await deploy('Beacon', addressArgument(counter))
await deploy('BeaconProxy', addressArgument(beacon))
await deploy(
  'Diamond',
  encodeAbiParameters([{ type: 'address[]' }], [[counter as Hex, maker as Hex]]),
)
const calls = [
  [counter, 'add', 7n],
  [counter, 'add', 1_000n],
  [counter, 'fail', 1n],
  [counter, 'fail', 2n],
  [counter, 'fail', 3n],
  [proxy, 'fail', 1n],
] as const
for (const [to, functionName, amount] of calls)
  await send({ to, data: encodeFunctionData({ abi, functionName, args: [amount] }) })

await recordNode(anvil.url, file, { name: 'Anvil', symbol: 'ETH' })
await anvil.end()
