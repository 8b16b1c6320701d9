/** Flags of a command. */

import { webAddressProblem } from '../config/web-address.ts'
import { Fault } from '../core/fault.ts'
import { ownValue } from '../core/json.ts'
import { type Network, networkNames, networkOf } from '../core/network.ts'

/** Options of a command as commander gives them. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** Flags that take an address, of any command. */
const addressFlags = [
  ['url', '--url'],
  ['node', '--node'],
  ['nodeUrl', '--node-url'],
  ['rpc', '--rpc'],
] as const

/** The text of a flag; `undefined` where it is not given. */
export function textIn(flags: Flags, name: string): string | undefined {
  const value = ownValue(flags, name)
  return typeof value === 'string' ? value : undefined
}

/** Throws `bad-parameter` for a flag whose value is no web address, with the corrected form. */
export function checkAddresses(flags: Flags): void {
  for (const [name, flag] of addressFlags) {
    const text = flags[name]
    const problem = typeof text === 'string' ? webAddressProblem(text) : undefined
    if (problem !== undefined)
      throw new Fault('bad-parameter', `${flag} ${problem}: ${String(text)}`)
  }
}

/** The count of `--sample`, 64 where it is not given. Throws `bad-parameter`. */
export function sampleOf(flags: Flags): number {
  const text = String(flags['sample'] ?? '64')
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Fault('bad-parameter', `--sample must be a count of at least 1: ${text}`)
  return Number(text)
}

/** The network of `--network`, the test network where it is not given. Throws `bad-parameter`. */
export function networkIn(flags: Flags): Network {
  const text = flags['network'] ?? 'fuji'
  const name = networkNames.find((known) => known === text)
  if (name === undefined) {
    const known = networkNames.join(', ')
    throw new Fault('bad-parameter', `--network must be one of ${known}: ${String(text)}`)
  }
  return networkOf(name)
}
