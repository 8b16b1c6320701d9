import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'

import { fromHex } from '../../core/bytes.ts'
import type { FileFacts } from '../../core/world.ts'
import { openProject, type Project } from './project.ts'

type Files = Readonly<Record<string, string>>

/** Folders of projects as their tools left them, and code as a node had it. */
const recorded = JSON.parse(
  zstdDecompressSync(
    readFileSync(new URL('../../../vectors/contracts/projects.json.zst', import.meta.url)),
  ).toString(),
) as { readonly codes: Files; readonly foundry: Files; readonly hardhat: Files }

const counter = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'
const library = '0xcf6cde8683fe35f16968f0accd96d14f1649a159'
const byFactory = '0xd8058efe0198ae9dd7d563e1b4938dcbc86a1f81'

type Folder = {
  readonly project: Project
  readonly files: Map<string, string>
  readonly warned: string[]
  /** As much time goes by as a folder is not looked at again. */
  readonly wait: () => void
}

function folderOf(files: Files, name: string, sizeOf = (text: string) => text.length): Folder {
  const there = new Map(Object.entries(files).map(([path, text]) => [`/p/${path}`, text]))
  const warned: string[] = []
  let now = 0
  const inside = (path: string): string[] =>
    [...there.keys()].filter((each) => each.startsWith(`${path}/`))
  const facts = (path: string): FileFacts | undefined => {
    const text = there.get(path)
    if (text !== undefined) return { kind: 'file', bytes: sizeOf(text), changedMs: 1 }
    return inside(path).length > 0 ? { kind: 'folder', bytes: 0, changedMs: 1 } : undefined
  }
  const refused = (): Promise<never> => Promise.reject(new Error('nothing is written'))
  const project = openProject(`/p/${name}`, {
    clock: { now: () => now, monotonic: () => now, sleep: refused },
    files: {
      list: async (path) => [
        ...new Set(inside(path).map((each) => each.slice(path.length + 1).replace(/\/.*/, ''))),
      ],
      read: async (path) => {
        const text = there.get(path)
        return text === undefined ? undefined : new TextEncoder().encode(text)
      },
      write: refused,
      remove: refused,
    },
    fileFacts: async (path) => facts(path),
    warn: (event) => warned.push(event),
  })
  return { project, files: there, warned, wait: () => (now += 1_000) }
}

async function nameAt({ project }: Folder, address: string, code = recorded.codes[address]) {
  const found = await project.contractOf(fromHex(address), fromHex(code ?? ''))
  return found && `${found.path}:${found.name}`
}

void test('project: contracts are found by their code, with immutables and libraries in it', async () => {
  const foundry = folderOf(recorded.foundry, 'out')
  assert.equal(await nameAt(foundry, counter), 'src/Counter.sol:Counter')
  assert.equal(await nameAt(foundry, byFactory), 'src/Counter.sol:Counter')
  assert.equal(await nameAt(foundry, library), 'src/Counter.sol:Sums')
  const hardhat = folderOf(recorded.hardhat, 'artifacts')
  const [made = '', factory = ''] = Object.values<string>(
    JSON.parse(recorded.hardhat['ignition/deployments/chain-31337/deployed_addresses.json'] ?? ''),
  ).map((address) => address.toLowerCase())
  assert.equal(await nameAt(hardhat, made), 'contracts/Counter.sol:Counter')
  assert.equal(await nameAt(hardhat, factory), 'contracts/Counter.sol:Factory')
  // The code of one is none of the other, whatever a deployment says of the address.
  assert.equal(await nameAt(hardhat, counter), undefined)
  assert.equal(await nameAt(foundry, counter, recorded.codes[library]), undefined)
  const other = recorded.codes[counter]?.replace('60806040', '60806041')
  assert.equal(await nameAt(foundry, counter, other), undefined)
})

void test('project: one immutable has one value, a hash of sources any', async () => {
  const foundry = folderOf(recorded.foundry, 'out')
  const code = recorded.codes[counter] ?? ''
  const hundred = `${'0'.repeat(62)}64`
  assert.ok(code.includes(hundred))
  assert.equal(await nameAt(foundry, counter, code.replace(hundred, '0'.repeat(64))), undefined)
  const commented = code.replace(/(64697066735822)1220.{64}/, `$11220${'ab'.repeat(32)}`)
  assert.notEqual(commented, code)
  assert.equal(await nameAt(foundry, counter, commented), 'src/Counter.sol:Counter')
})

void test('project: sources are the files whose hash the compiler wrote', async () => {
  const foundry = folderOf(recorded.foundry, 'out')
  const artifact = await foundry.project.contractOf(
    fromHex(counter),
    fromHex(recorded.codes[counter] ?? ''),
  )
  assert.ok(artifact)
  const whole = await foundry.project.compilationOf(artifact)
  assert.equal(whole.version, '0.8.30+commit.73712a01')
  assert.equal(whole.language, 'Solidity')
  const content = recorded.foundry['src/Counter.sol']
  assert.deepEqual(whole.sources, { 'src/Counter.sol': { content } })
  foundry.files.set('/p/src/Counter.sol', `${content} `)
  assert.deepEqual((await foundry.project.compilationOf(artifact)).sources, {})

  const hardhat = folderOf(recorded.hardhat, 'artifacts')
  const [address = ''] = Object.values<string>(
    JSON.parse(recorded.hardhat['ignition/deployments/chain-31337/deployed_addresses.json'] ?? ''),
  ).map((each) => each.toLowerCase())
  const built = await hardhat.project.contractOf(
    fromHex(address),
    fromHex(recorded.codes[address] ?? ''),
  )
  assert.ok(built)
  const { version, sources, settings } = await hardhat.project.compilationOf(built)
  assert.equal(version, '0.8.30+commit.73712a01')
  assert.deepEqual(sources, {
    'project/contracts/Counter.sol': { content: recorded.hardhat['contracts/Counter.sol'] },
  })
  assert.deepEqual(settings['optimizer'], { enabled: true, runs: 200 })
})

void test('project: what is compiled or removed meanwhile counts, and what is half written does not', async () => {
  const path = '/p/out/Counter.sol/Counter.json'
  const foundry = folderOf(recorded.foundry, 'out')
  const text = foundry.files.get(path) ?? ''
  foundry.files.delete(path)
  assert.equal(await nameAt(foundry, counter), undefined)
  assert.equal((await foundry.project.methods()).get(0x3b_35_46_c8), undefined)
  foundry.files.set(path, text.slice(0, 1_000))
  foundry.wait()
  assert.equal(await nameAt(foundry, counter), undefined)
  foundry.files.set(path, text)
  foundry.wait()
  assert.equal(await nameAt(foundry, counter), 'src/Counter.sol:Counter')
  assert.equal((await foundry.project.methods()).get(0x3b_35_46_c8), 'count(uint256)')
})

void test('project: of contracts with the same code the one counts that a deployment names', async () => {
  const path = 'out/Counter.sol/Counter.json'
  const twin = (recorded.foundry[path] ?? '').replaceAll(
    'src/Counter.sol":"Counter"',
    'src/A.sol":"Twin"',
  )
  const files = { 'out/A.sol/Twin.json': twin, ...recorded.foundry }
  assert.equal(await nameAt(folderOf(files, 'out'), counter), 'src/Counter.sol:Counter')
  const latest = 'broadcast/Deploy.s.sol/31337/run-latest.json'
  const renamed = (recorded.foundry[latest] ?? '').replaceAll('"Counter"', '"Twin"')
  const folder = folderOf({ ...files, [latest]: renamed }, 'out')
  assert.equal(await nameAt(folder, counter), 'src/A.sol:Twin')
  assert.deepEqual(
    await folder.project.told('twi'),
    [counter, byFactory].map((one) => one.slice(2)),
  )
})

void test('project: what is too large or no artifact is left out, and that is said once', async () => {
  const large = folderOf(recorded.foundry, 'out', () => 9_000_000)
  assert.equal(await nameAt(large, counter), undefined)
  large.wait()
  assert.equal(await nameAt(large, counter), undefined)
  assert.deepEqual(large.warned, ['a project has larger files than are read'])
  for (const text of ['', '[]', '{"abi":[]}', '{"abi":[1],"deployedBytecode":{"object":"0xzz"}}']) {
    const odd = folderOf({ ...recorded.foundry, 'out/a.json': text }, 'out')
    assert.equal(await nameAt(odd, counter), 'src/Counter.sol:Counter', text)
  }
  const absent = folderOf({}, 'out')
  assert.equal(await nameAt(absent, counter), undefined)
})
