/**
 * Proves the contracts of the demo by their sources and keeps them, as `firn contracts export` prints
 * them, in `demo/contracts.jsonl.zst`:
 *
 *     node scripts/demo/verify-contracts.ts
 *
 * Reads the recordings alone.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { zstdCompressSync } from 'node:zlib'

import { compile } from '../../src/contracts/compiler.ts'
import { type ChainCode, type Verified, verifyClaim } from '../../src/contracts/verify.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { openRecording, type Recording } from '../../src/source/recorded/recording.ts'
import { openWorld } from '../../src/world/world.ts'
import { contractSettings, contractSource } from './compile.ts'

const folder = new URL('../../demo/', import.meta.url)
const chains = ['summit', 'harbor', 'c-chain']
const world = openWorld()
const { signal } = new AbortController()

const input = {
  language: 'Solidity' as const,
  sources: { demo: { content: contractSource() } },
  settings: contractSettings,
}
const compiled = await compile(
  {
    compiler: readFileSync(createRequire(import.meta.url).resolve('solc/soljson.js')),
    input: {
      ...input,
      settings: {
        ...input.settings,
        outputSelection: {
          '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode'] },
        },
      },
    },
  },
  { limits: { memoryBytes: 2 ** 30, seconds: 600 }, signal },
)
const names = Object.keys((compiled.output['contracts'] as Record<string, object>)['demo'] ?? {})

/** Code that created contracts, by their address. */
async function creationsOf(recording: Recording): Promise<ReadonlyMap<string, Uint8Array>> {
  return recording.blocks(
    recording.heights,
    (units) => {
      const all = units.flatMap(({ block, receipts }) => {
        const transactions = block.transactions as readonly { readonly input: string }[]
        return transactions.map(({ input: data }, at) => {
          const { contractAddress } = receipts[at] as { readonly contractAddress: string | null }
          return [contractAddress?.toLowerCase() ?? '', fromHex(data)] as const
        })
      })
      return new Map(all)
    },
    signal,
  )
}

async function provedAs(name: string, chain: ChainCode): Promise<Verified[]> {
  const claim = { input, contract: { path: 'demo', name }, version: compiled.version }
  try {
    return [await verifyClaim(claim, chain, async () => compiled)]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return []
  }
}

const lines: string[] = []
for (const chain of chains) {
  const recording = openRecording(readFileSync(new URL(`${chain}.firnrec`, folder)))
  const creations = await creationsOf(recording)
  const { until } = recording.heights
  const verifiedAt = await recording.blocks(
    { from: until - 1, until },
    // Nothing of the demo is of a time after its end.
    ([last]) => Number(last?.block['timestamp']),
    signal,
  )
  for (const [key, answer] of recording.answers()) {
    const [method, address = ''] = key.split(' ')
    if (method !== 'eth_getCode' || answer.kind !== 'value') continue
    const runtime = fromHex(answer.value)
    const code = { address: fromHex(address), runtime, creation: creations.get(address) }
    const [verified] = (await Promise.all(names.map((name) => provedAs(name, code)))).flat()
    if (verified === undefined) continue
    const { runtimeMatch, creationMatch = 'none', name, version, ...body } = verified
    lines.push(
      JSON.stringify({
        chainId: recording.header.chainId,
        runtimeMatch,
        creationMatch,
        verifiedAt,
        name,
        version,
        body,
        address,
        codeHash: to0x(keccak256(runtime)),
      }),
    )
  }
}
writeFileSync(new URL('contracts.jsonl.zst', folder), zstdCompressSync(lines.join('\n')))
console.log(`${lines.length} contracts`)
await world.close()
