/** Flags of a command. */

import { webAddressProblem } from '../config/web-address.ts'
import { Fault } from '../core/fault.ts'
import { type Network, networkNames, networkOf } from '../core/network.ts'
import { ownValue } from '../core/own-value.ts'

/** Options of a command as commander gives them. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** Flags that take an address, of any command. */
const addressFlags = [
  ['url', '--url'],
  ['node', '--node'],
  ['nodeUrl', '--node-url'],
  ['rpc', '--rpc'],
] as const

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

/** The moment of a flag, see {@link momentOf}. Throws `bad-parameter`. */
export function momentIn(flags: Flags, name: string): number | undefined {
  const text = ownValue(flags, name)
  if (typeof text !== 'string') return undefined
  const moment = momentOf(text)
  if (moment === undefined)
    throw new Fault('bad-parameter', `--${name} must be a date like 2025-01-31: ${text}`)
  return moment
}

const momentForm =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * Unix seconds (of ten digits, since 2001) of `2025-01-31`, of an ISO moment, in UTC where it says
 * nothing else, or as they are; `undefined` for other text and for days no calendar has.
 */
export function momentOf(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text)
  const [, day = '', zone] = momentForm.exec(text) ?? []
  if (day === '' || !isDay(day)) return undefined
  const ms = Date.parse(text === day || zone !== undefined ? text : `${text}Z`)
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000)
}

/** Readers of dates take the 31st of February for the third of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}
