/**
 * The compilers of an operator: files in a folder, or an address that offers them with a list of their
 * hashes, as the archive of Solidity does. Vyper's are in a folder alone, since they are installed.
 *
 * Source: solc-bin, `emscripten-wasm32/list.json`.
 */

import { resolve } from 'node:path'

import { toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { sha256 } from '../core/hash.ts'
import { isObject, jsonOf } from '../core/json.ts'
import type { HttpRequest, World } from '../core/world.ts'

/** A compiler's `soljson.js`, or the folder of a Vyper. */
type Offered = { readonly version: string; readonly file: string; readonly sha256?: string }

/** A compiler that can be run: the code of Solidity's, the program of Vyper's. */
export type Compiler = Uint8Array | { readonly program: string }

/** Finds compilers. */
export type Compilers = {
  /**
   * Versions in order, newest first: `0.8.20+commit.a1b79de6`, or as much as is known of each; those of Vyper
   * last, `vyper:0.4.3`.
   */
  readonly versions: () => Promise<readonly string[]>
  /** The one that is requested. Throws `bad-parameter` with those that are there. */
  readonly load: (version: string) => Promise<Compiler>
}

const vyperForm = /^vyper-(\d{1,3}(?:\.\d{1,3}){2})$/
const fileForm = /^soljson-v(\d+\.\d+\.\d+(?:\+commit\.[0-9a-f]{8})?)\.js$/

const listBytes = 4_194_304
const listTimeoutMs = 10_000
/** The largest are of some 30 MB. */
const compilerBytes = 67_108_864
const compilerTimeoutMs = 60_000
const mostListed = 10

/**
 * Compilers at `place`, a folder or an address; those of an address are kept in the folder `kept` and
 * their hash is compared whenever they are used. `undefined` where `place` is empty.
 */
export function openCompilers(
  place: string,
  kept: string,
  { files, transport }: Pick<World, 'files' | 'transport'>,
): Compilers | undefined {
  if (place === '') return undefined
  const isAddress = /^https?:/i.test(place)
  const base = place.replace(/\/$/, '')
  const get = async (
    name: string,
    limits: Pick<HttpRequest, 'maxBytes' | 'timeoutMs'>,
  ): Promise<Uint8Array> => {
    const { status, body } = await transport.request({
      url: `${base}/${name}`,
      method: 'GET',
      ...limits,
    })
    if (status !== 200) throw new Fault('not-served', `no compilers can be had now: ${status}`)
    return body
  }
  const list = async (): Promise<Offered[]> => {
    if (!isAddress) return (await files.list(base)).flatMap((file) => inFolder(file) ?? [])
    return inList(await get('list.json', { maxBytes: listBytes, timeoutMs: listTimeoutMs }))
  }
  const bytesOf = async ({ file, sha256: sum }: Offered): Promise<Compiler> => {
    if (vyperForm.test(file)) return { program: resolve(base, file, 'bin/vyper-json') }
    const path = isAddress ? `${kept}/${file}` : `${base}/${file}`
    const there = await files.read(path)
    if (there !== undefined && (sum === undefined || toHex(sha256(there)) === sum)) return there
    if (!isAddress) throw new Fault('not-served', `the compiler is gone: ${file}`)
    const limits = { maxBytes: compilerBytes, timeoutMs: compilerTimeoutMs }
    const bytes = await get(file, limits)
    if (toHex(sha256(bytes)) !== sum)
      throw new Fault('not-served', `the compiler has not the hash of the list: ${file}`)
    await files.write(path, bytes)
    return bytes
  }
  const sorted = async (): Promise<Offered[]> =>
    (await list()).toSorted((a, b) => numberOf(b.version) - numberOf(a.version))
  return {
    versions: async () => (await sorted()).map(({ version }) => version),
    load: async (wanted) => {
      const there = await sorted()
      // Tools put a letter before it, and its platform behind.
      const form = /^v?((?:vyper:)?\d{1,3}(?:\.\d{1,3}){2}(?:\+commit\.[0-9a-f]{7,8})?)/
      const plain = form.exec(wanted)?.[1] ?? ''
      const found = there.find(
        ({ version }) =>
          version === plain || version.startsWith(`${plain}+`) || plain.startsWith(`${version}+`),
      )
      if (found !== undefined) return bytesOf(found)
      const names = there.slice(0, mostListed).map(({ version }) => version)
      const more = there.length > mostListed ? ', …' : ''
      throw new Fault(
        'bad-parameter',
        `this compiler is not here: ${wanted.slice(0, 80)} (here: ${names.join(', ')}${more})`,
      )
    },
  }
}

function numberOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = (version.split('+')[0] ?? '').split('.').map(Number)
  return (major * 1_000 + minor) * 1_000 + patch
}

function inFolder(file: string): Offered | undefined {
  const vyper = vyperForm.exec(file)?.[1]
  const version = vyper === undefined ? fileForm.exec(file)?.[1] : `vyper:${vyper}`
  return version === undefined ? undefined : { version, file }
}

function inList(bytes: Uint8Array): Offered[] {
  const list = jsonOf(bytes)
  const builds = isObject(list) && Array.isArray(list['builds']) ? list['builds'] : []
  return builds.flatMap((build: unknown) => {
    if (!isObject(build) || typeof build['path'] !== 'string') return []
    const named = inFolder(build['path'])
    const sum = /^(?:0x)?([0-9a-f]{64})$/.exec(String(build['sha256']))?.[1]
    return named === undefined || sum === undefined ? [] : [{ ...named, sha256: sum }]
  })
}
