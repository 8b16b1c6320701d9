/**
 * Sends sources that another explorer gave as files to a running Firn, which proves them.
 *
 * Files: `CHAIN/ADDRESS/metadata.json` with sources beside it, as in Sourcify's repository, or `CHAIN/ADDRESS.json`,
 * an answer of Sourcify's or Etherscan's form.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { claimIn, claimOfMetadata } from '../../contracts/claims.ts'
import type { Claim } from '../../contracts/verify.ts'
import { Fault, faultIn } from '../../core/fault.ts'
import { isObject, jsonOf, membersOf } from '../../core/json.ts'
import type { Transport } from '../../core/world.ts'
import { sourceBytes, verifyMs } from '../../shape/operations/evm-contracts.ts'
import { openWorld } from '../../world/world.ts'
import { type Flags, textIn } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'

/** Has every contract of a folder proved, one after another, and prints how each ended. */
export async function importFolder(folder: string, flags: Flags): Promise<void> {
  const url = await addressIn(flags, 'url')
  const key = textIn(flags, 'key')
  await using world = openWorld()
  const counts = { verified: 0, refused: 0 }
  for (const [place, paths] of contractsIn(folder)) {
    const problem = await proved(world.transport, { url, key, place, paths })
    counts[problem === undefined ? 'verified' : 'refused']++
    console.log(`${place} ${problem ?? 'verified'}`)
  }
  console.error(`${counts.verified} contracts are verified, ${counts.refused} are not`)
}

const contractForm = /[/\\](\d{1,20})[/\\](0x[0-9a-fA-F]{40})(?:\.json|[/\\].+)$/

/** Paths of the files of each contract, by `CHAIN/ADDRESS`. Throws `bad-parameter` where there are none. */
function contractsIn(folder: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const path of entries.flatMap((one) =>
    one.isFile() ? [resolve(one.parentPath, one.name)] : [],
  )) {
    const [, chain, address] = contractForm.exec(path) ?? []
    if (chain === undefined || address === undefined) continue
    const place = `${chain}/${address}`
    found.set(place, [...(found.get(place) ?? []), path])
  }
  if (found.size === 0)
    throw new Fault('bad-parameter', `no CHAIN/ADDRESS.json or CHAIN/ADDRESS/ is in ${folder}`)
  return found
}

/** Gives what is wrong; `undefined`: it is verified. */
async function proved(
  transport: Transport,
  of: {
    readonly url: string
    readonly key: string | undefined
    readonly place: string
    readonly paths: readonly string[]
  },
): Promise<string | undefined> {
  const ask = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const keyed = of.key === undefined ? {} : { 'x-service-api-key': of.key }
    const reply = await callFirn(transport, {
      url: `${of.url}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...keyed },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: verifyMs,
      maxBytes: sourceBytes,
    })
    const json = membersOf(jsonOf(reply.body))
    if (reply.status < 400) return json
    throw new Fault('bad-parameter', String(json['message']))
  }
  try {
    const { input, contract, version } = claimOf(of.paths)
    const { path, name } = contract
    const { verificationId: id } = await ask(`/v2/verify/${of.place}`, {
      stdJsonInput: input,
      compilerVersion: version,
      contractIdentifier: path === undefined ? name : `${path}:${name}`,
    })
    const { error } = await ask(`/v2/verify/${encodeURIComponent(String(id))}`)
    return isObject(error) ? String(error['message']) : undefined
  } catch (error) {
    const fault = faultIn(error)
    if (fault.code !== 'bad-parameter') throw error
    return fault.message
  }
}

function claimOf(paths: readonly string[]): Claim {
  const metadata = paths.find((path) => path.endsWith(join('', 'metadata.json')))
  const [first = ''] = paths
  if (metadata === undefined) return claimIn(jsonOf(readFileSync(first)))
  const files = paths.filter((path) => path !== metadata).map((path) => readFileSync(path, 'utf8'))
  return claimOfMetadata(jsonOf(readFileSync(metadata)), files)
}
