/**
 * Records what five compilers make of `compiled.sol`, and the code that an anvil has of it:
 *
 *     node test/tools/record-compilers.ts
 *
 * writes `vectors/contracts/compilers.json.zst`. Each sample has the compiler's output for its claim twice, the
 * second time with literal sources in the metadata, and says where the compiler itself put metadata (`.auxdata` of
 * its assembly), which nothing in the product reads.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { zstdCompressSync } from 'node:zlib'

import { compile } from '../../src/contracts/compiler.ts'
import { account, startAnvil } from './anvil.ts'

const file = new URL('../../vectors/contracts/compilers.json.zst', import.meta.url)
const whole = readFileSync(new URL('compiled.sol', import.meta.url), 'utf8')
const old = whole.slice(0, whole.indexOf('// From 0.6.5 on:'))
const oneArgument = '0'.repeat(62) + '2a'

type Kind = {
  readonly name: string
  readonly settings?: object
  /** The claim's sources have another comment than those that were deployed. */
  readonly isCommented?: boolean
  /** Libraries are named in the claim's settings. */
  readonly isLinked?: boolean
}
const optimizer = { enabled: true, runs: 200 }
const common: readonly Kind[] = [
  { name: 'Plain' },
  { name: 'Plain', settings: { optimizer }, isCommented: true },
  { name: 'Child', settings: { optimizer } },
  { name: 'Factory' },
  { name: 'Factory', settings: { optimizer }, isCommented: true },
  { name: 'Sums', settings: { optimizer } },
  { name: 'Sums', isCommented: true },
  { name: 'Counter', settings: { optimizer } },
  { name: 'Counter', settings: { optimizer }, isLinked: true },
  { name: 'Marked', settings: { optimizer }, isCommented: true },
]
const later: readonly Kind[] = [
  { name: 'Fixed', settings: { optimizer } },
  { name: 'Fixed', isCommented: true },
  { name: 'Factory', settings: { optimizer, metadata: { bytecodeHash: 'none' } } },
  { name: 'Factory', settings: { optimizer, metadata: { bytecodeHash: 'bzzr1' } } },
]
const newest: readonly Kind[] = [
  { name: 'Marked', settings: { metadata: { appendCBOR: false } } },
  { name: 'Fixed', settings: { optimizer, viaIR: true } },
  { name: 'Factory', settings: { optimizer, viaIR: true }, isCommented: true },
  { name: 'Shelf', settings: { optimizer, viaIR: true } },
  { name: 'Counter', settings: { optimizer, viaIR: true } },
]
const compilers = {
  '0.4.26': [old, common],
  '0.5.17': [old, common],
  '0.6.12': [whole, [...common, ...later]],
  '0.7.6': [whole, [...common, ...later]],
  '0.8.20': [whole, [...common, ...later, ...newest]],
} as const

type Code = { object: string; linkReferences?: object; immutableReferences?: object }
type Contract = {
  readonly abi: readonly unknown[]
  readonly evm: { bytecode: Code; deployedBytecode: Code; legacyAssembly: unknown }
}
type Made = Readonly<Record<string, Contract>>

const known = new Map<string, Promise<Made>>()

/** Contracts by name; the same is compiled once. */
function madeBy(version: string, content: string, settings: object): Promise<Made> {
  const key = JSON.stringify([version, content, settings])
  const made = known.get(key) ?? compiled(version, content, settings)
  known.set(key, made)
  return made
}

async function compiled(version: string, content: string, settings: object): Promise<Made> {
  const compiler = readFileSync(
    createRequire(import.meta.url).resolve(`solc-${version}/soljson.js`),
  )
  const names = ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.legacyAssembly']
  const input = {
    language: 'Solidity',
    sources: { 'compiled.sol': { content } },
    settings: { ...settings, outputSelection: { '*': { '*': names } } },
  }
  const { signal } = new AbortController()
  const compiled = await compile(
    { compiler, input },
    { limits: { seconds: 600, memoryBytes: 2 ** 30 }, signal },
  )
  return (compiled.output['contracts'] as Record<string, Made>)['compiled.sol'] ?? {}
}

function outputOf({ abi, evm }: Contract): object {
  const { object, linkReferences } = evm.bytecode
  const { object: runtime, linkReferences: links, immutableReferences } = evm.deployedBytecode
  return {
    abi,
    evm: {
      bytecode: { object, linkReferences },
      deployedBytecode: { object: runtime, linkReferences: links, immutableReferences },
    },
  }
}

const anvil = await startAnvil(43_998)
const deploy = async (data: string): Promise<string> => {
  const hash = await anvil.call('eth_sendTransaction', { from: account, gas: '0x4c4b40', data })
  let receipt: unknown = null
  while (receipt === null) receipt = await anvil.call('eth_getTransactionReceipt', hash)
  return String((receipt as { contractAddress: string }).contractAddress)
}

const samples: object[] = []
for (const [version, [content, kinds]] of Object.entries(compilers)) {
  const before = await madeBy(version, content, { optimizer })
  const library = await deploy(`0x${before['Sums']?.evm.bytecode.object ?? ''}`)
  for (const { name, settings = {}, isCommented = false, isLinked = false } of kinds) {
    const libraries = { 'compiled.sol': { Sums: library } }
    const claimed = isLinked ? { ...settings, libraries } : settings
    const deployed = (await madeBy(version, content, claimed))[name]
    const claim = isCommented ? `${content}\n// Another end.` : content
    const metadata = { ...Reflect.get(settings, 'metadata'), useLiteralContent: true }
    const [first, twin] = [
      (await madeBy(version, claim, claimed))[name],
      (await madeBy(version, claim, { ...claimed, metadata }))[name],
    ]
    if (deployed === undefined || first === undefined || twin === undefined)
      throw new Error(`${version} made no ${name}`)
    const takesOne = name === 'Counter' || name === 'Fixed'
    const linked = deployed.evm.bytecode.object.replaceAll(/__.{36}__/g, library.slice(2))
    const creation = `0x${linked}${takesOne ? oneArgument : ''}`
    const address = await deploy(creation)
    const assembly = JSON.stringify(deployed.evm.legacyAssembly)
    samples.push({
      version,
      name,
      settings: claimed,
      isCommented,
      first: outputOf(first),
      twin: outputOf(twin),
      address,
      runtime: await anvil.call('eth_getCode', address, 'latest'),
      creation,
      auxdata: [...assembly.matchAll(/"\.auxdata":"([0-9a-f]+)"/g)].map(([, hex]) => hex),
    })
  }
}
await anvil.end()
const source =
  'test/tools/record-compilers.ts: solc 0.4.26, 0.5.17, 0.6.12, 0.7.6 and 0.8.20 of npm, and anvil'
writeFileSync(file, zstdCompressSync(JSON.stringify({ source, samples })))
console.log(`${samples.length} samples`)
