import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'

import { fromHex, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import type { StandardInput } from './standard-input.ts'
import { type Claim, type Verified, verifyClaim } from './verify.ts'

/** Output of five compilers, and the code that a node had of it (`test/tools/record-compilers.ts`). */
type Sample = {
  readonly version: string
  readonly name: string
  readonly settings: StandardInput['settings']
  readonly isCommented: boolean
  readonly first: Output
  readonly twin: Output
  readonly address: string
  readonly runtime: string
  readonly creation: string
  readonly auxdata: readonly string[]
}
type Holes = Readonly<Record<string, readonly { start: number; length: number }[]>>
type Code = {
  readonly object: string
  readonly linkReferences: Readonly<Record<string, Holes>>
  readonly immutableReferences?: Holes
}
type Output = {
  readonly abi: readonly unknown[]
  readonly evm: { readonly bytecode: Code; readonly deployedBytecode: Code }
}

const file = new URL('../../vectors/contracts/compilers.json.zst', import.meta.url)
const { samples } = JSON.parse(zstdDecompressSync(readFileSync(file)).toString()) as {
  readonly samples: readonly Sample[]
}

type Given = Pick<Sample, 'first' | 'twin' | 'address' | 'runtime' | 'creation'> & {
  readonly given?: Claim['constructorArguments']
  readonly isWithoutCreation?: boolean
}

/** Proof of a sample where some of it is altered; `undefined`: it is refused. */
async function verified(
  sample: Sample,
  altered: Partial<Given> = {},
): Promise<Verified | undefined> {
  const { first, twin, address, runtime, creation, given, isWithoutCreation }: Given = {
    ...sample,
    ...altered,
  }
  const claim: Claim = {
    input: { language: 'Solidity', sources: {}, settings: sample.settings },
    contract: { path: 'compiled.sol', name: sample.name },
    version: sample.version,
    constructorArguments: given,
  }
  const chain = {
    address: fromHex(address),
    runtime: fromHex(runtime),
    creation: isWithoutCreation === true ? undefined : fromHex(creation),
  }
  const literalOf = (settings: StandardInput['settings']): unknown =>
    Reflect.get(Object(settings['metadata']), 'useLiteralContent')
  try {
    return await verifyClaim(claim, chain, async (settings) => ({
      version: sample.version,
      output: {
        contracts: {
          'compiled.sol': { [sample.name]: literalOf(settings) === true ? twin : first },
        },
      },
    }))
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad-parameter') return undefined
    throw error
  }
}

const title = ({ version, name, settings, isCommented }: Sample): string =>
  `${version} ${name} ${JSON.stringify(settings)}${isCommented ? ' commented' : ''}`
const metadataOf = ({ settings }: Sample): unknown => JSON.stringify(settings['metadata']) ?? ''
const isHashed = (sample: Sample): boolean => !/none|append/.test(String(metadataOf(sample)))
const takesOne = ({ name }: Sample): boolean => name === 'Counter' || name === 'Fixed'

void test('verification: what five compilers of ten years made is proved by its sources', async () => {
  assert.ok(samples.length >= 50)
  assert.equal(new Set(samples.map(({ version }) => version)).size, 5)
  for (const sample of samples) {
    const proof = await verified(sample)
    const match = isHashed(sample) && !sample.isCommented ? 'full' : 'partial'
    assert.equal(proof?.runtimeMatch, match, title(sample))
    assert.equal(proof.creationMatch, match, title(sample))
    const argument = takesOne(sample) ? `0x${'0'.repeat(62)}2a` : '0x'
    assert.equal(proof.constructorArguments, argument, title(sample))
  }
})

void test('verification: constructor arguments are told only where creation code proves them', async () => {
  const sample = samples.find(({ name }) => name === 'Counter')
  assert.ok(sample !== undefined)
  const given = fromHex('00'.repeat(31) + '2b')
  assert.equal(await verified(sample, { given }), undefined)
  const proof = await verified(sample, { given, isWithoutCreation: true })
  assert.equal(proof?.creationMatch, undefined)
  assert.equal(proof?.constructorArguments, undefined)
  // Nor are bytes arguments behind the code of a constructor that takes none.
  for (const plain of samples.filter((one) => !takesOne(one))) {
    const longer = await verified(plain, { creation: `${plain.creation}00ff` })
    assert.ok(longer !== undefined, title(plain))
    assert.equal(longer.creationMatch, undefined)
    assert.equal(longer.constructorArguments, undefined)
  }
})

/** A generator of numbers below one, the same in every run. */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Hex with a byte that is another than it was. */
function flipped(hex: string, at: number, by: number): string {
  const bytes = fromHex(hex)
  bytes[at] = (bytes[at] ?? 0) ^ by
  return `0x${toHex(bytes)}`
}

/** Bytes at places of `hex`, which has a prefix, replaced. */
function written(hex: string, at: number, bytes: string): string {
  return hex.slice(0, 2 + 2 * at) + bytes + hex.slice(2 + 2 * at + bytes.length)
}

/** Places whose bytes may differ: hashes where the compiler's own assembly has metadata. */
function freePlaces({ auxdata }: Sample, hex: string): ReadonlySet<number> {
  const places = new Set<number>()
  for (const each of auxdata)
    for (let from = hex.indexOf(each); from >= 0; from = hex.indexOf(each, from + 1)) {
      const mark = /^a[12]64697066735822(1220)|^a[12]65627a7a72[03][01]58(20)/.exec(each)?.[0]
      const start = (from + (mark?.length ?? 0)) / 2 - 1
      if (mark !== undefined) for (let at = 0; at < 32; at++) places.add(start + at)
    }
  return places
}

/** Places that are filled after compiling, of each thing. */
function holesOf({ first }: Sample): readonly (readonly { start: number; length: number }[])[] {
  const { linkReferences, immutableReferences = {} } = first.evm.deployedBytecode
  return [
    ...Object.values(linkReferences).flatMap((libraries) => Object.values(libraries)),
    ...Object.values(immutableReferences),
  ]
}

void test('verification: of more than 500 alterations none is proved, but as a hash that is another', async () => {
  const draw = drawing(7)
  let count = 0
  const refused = async (sample: Sample, what: string, altered: Partial<Given>): Promise<void> => {
    count++
    assert.equal(await verified(sample, altered), undefined, `${title(sample)}: ${what}`)
  }
  for (const sample of samples) {
    const { runtime, creation } = sample
    const size = runtime.length / 2 - 1
    const free = freePlaces(sample, runtime)
    assert.equal(free.size > 0, isHashed(sample), title(sample))
    const holes = holesOf(sample)
    const inHoles = new Set(
      holes.flat().flatMap(({ start, length }) => Array.from({ length }, (_, at) => start + at)),
    )
    for (let times = 0; times < 8; times++) {
      const at = draw(size)
      const altered = { runtime: flipped(runtime, at, 1 + draw(255)), isWithoutCreation: true }
      if (inHoles.has(at)) continue
      if (!free.has(at)) await refused(sample, `byte ${at}`, altered)
      else assert.equal((await verified(sample, altered))?.runtimeMatch, 'partial', title(sample))
    }
    // All of the creation code in front of the arguments, but for hashes, is what was compiled.
    const freeMade = freePlaces(sample, creation)
    const made = sample.first.evm.bytecode.object.length / 2
    for (let times = 0; times < 4; times++) {
      const at = draw(made)
      const isLinked = sample.first.evm.bytecode.object.includes('__')
      if (freeMade.has(at) || isLinked) continue
      await refused(sample, `creation ${at}`, { creation: flipped(creation, at, 1 + draw(255)) })
    }
    // Longer, and with an end that says that the rest is metadata.
    await refused(sample, 'longer', { runtime: `${runtime}00` })
    await refused(sample, 'shorter', { runtime: runtime.slice(0, -2) })
    const end = `a1${'5b'.repeat(1_500)}05dd`
    await refused(sample, '1,500 bytes more', { runtime: runtime + end })
    // What describes the metadata is not its hash: lengths, the version of the compiler.
    if (isHashed(sample)) {
      await refused(sample, 'length', { runtime: flipped(runtime, size - 1, 1) })
      const after = Math.max(...free) + 1
      await refused(sample, 'behind the hash', { runtime: flipped(runtime, after, 1) })
      await refused(sample, 'mark', { runtime: flipped(runtime, after - 33, 1) })
    }
    // One thing has one value in all of its places; a library linked by the claim is no hole.
    for (const places of holes.filter(({ length }) => length > 1)) {
      const { start, length } = places[draw(places.length)] ?? { start: 0, length: 0 }
      const other = written(runtime, start, 'ab'.repeat(length))
      await refused(sample, 'one place of several', { runtime: other })
    }
    if (runtime.startsWith('0x73')) {
      const other = written(runtime, 1, 'ab'.repeat(20))
      await refused(sample, 'a library elsewhere', { runtime: other })
    }
    const library = /"Sums":"0x(.{40})"/.exec(JSON.stringify(sample.settings))?.[1]
    if (library !== undefined) {
      const other = runtime.replaceAll(library.toLowerCase(), 'ab'.repeat(20))
      await refused(sample, 'another library', { runtime: other })
    } else if (runtime !== '' && sample.name === 'Counter') {
      const { start } = holes[0]?.[0] ?? { start: 0 }
      const linked = runtime.slice(2 + 2 * start, 42 + 2 * start)
      const other = runtime.replaceAll(linked, 'ab'.repeat(20))
      await refused(sample, 'another library than at its creation', { runtime: other })
    }
    // A mark in the sources, and other bytes behind it on the chain, or the other way round.
    for (const mark of [
      '64697066735822',
      '646970667358221220',
      '65627a7a72305820',
      '65627a7a72315820',
    ]) {
      const at = 20 + draw(60)
      const put = (hex: string): string => written(`0x${hex}`, at, mark + '00'.repeat(40)).slice(2)
      const marked = (output: Output): Output => {
        const { deployedBytecode } = output.evm
        const object = put(deployedBytecode.object)
        return {
          ...output,
          evm: { ...output.evm, deployedBytecode: { ...deployedBytecode, object } },
        }
      }
      if ([...inHoles].some((place) => place >= at && place < at + 60)) continue
      const other = written(runtime, at, mark + '33ff'.repeat(20))
      const claimed = { first: marked(sample.first), twin: marked(sample.twin) }
      await refused(sample, `mark ${mark}`, { ...claimed, runtime: other, isWithoutCreation: true })
    }
    // The sources of another contract or compiler.
    for (let times = 0; times < 2; times++) {
      const { first, twin, version, name } = samples[draw(samples.length)] ?? sample
      if (name === sample.name) continue
      await refused(sample, `sources of ${version} ${name}`, { first, twin })
    }
  }
  assert.ok(count > 500, `${count} alterations`)
})

type VyperSample = Pick<Sample, 'version' | 'name' | 'address' | 'runtime' | 'creation'> & {
  readonly given: string
  readonly output: Readonly<Record<string, unknown>>
}

void test('verification: what three Vypers made is proved with its immutables, and nothing else', async () => {
  const path = new URL('../../vectors/contracts/vyper.json.zst', import.meta.url)
  const recorded = JSON.parse(zstdDecompressSync(readFileSync(path)).toString()) as {
    readonly samples: readonly VyperSample[]
  }
  assert.equal(recorded.samples.length, 6)
  for (const { version, name, address, given, output, ...code } of recorded.samples) {
    const proved = async (
      runtime: string,
      creation: string | undefined,
    ): Promise<Verified | undefined> => {
      const claim: Claim = {
        input: { language: 'Vyper', sources: {}, settings: {} },
        contract: { path: undefined, name },
        version,
      }
      const chain = {
        address: fromHex(address),
        runtime: fromHex(runtime),
        creation: creation === undefined ? undefined : fromHex(creation),
      }
      try {
        return await verifyClaim(claim, chain, async () => ({ version, output }))
      } catch (error) {
        if (error instanceof Fault && error.code === 'bad-parameter') return undefined
        throw error
      }
    }
    const { runtime, creation } = code
    const proof = await proved(runtime, creation)
    assert.equal(proof?.runtimeMatch, 'partial', `${version} ${name}`)
    assert.equal(proof.constructorArguments, given)
    // Only the creation code says of older ones how many bytes are immutables.
    const isTold = version !== '0.3.9' || name === 'Plain'
    assert.equal((await proved(runtime, undefined)) !== undefined, isTold, `${version} ${name}`)
    for (const other of [`${runtime}00`, runtime.slice(0, -2), flipped(runtime, 20, 1)])
      assert.equal(await proved(other, undefined), undefined, `${version} ${name}`)
    assert.equal(await proved(runtime, flipped(creation, 20, 1)), undefined)
    const size = runtime.length / 2 - 1
    const isFixed = name === 'Fixed'
    assert.equal((await proved(flipped(runtime, size - 1, 1), creation)) !== undefined, isFixed)
    assert.equal(await proved(flipped(runtime, 20, 1), creation), undefined)
  }
})
