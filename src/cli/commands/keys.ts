import { createKey as makeKey } from '../../api/api-keys.ts'
import { Fault } from '../../core/fault.ts'
import { readKeys, writeKeys } from '../../service/key-file.ts'
import { rotateTokenKeys } from '../../service/token-keys.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'

/** Makes a key, prints it once. */
export function createKey(name: string, flags: Flags): void {
  const { clock, random } = openWorld()
  const { key, stored } = makeKey(random, name, Math.floor(clock.now() / 1_000))
  writeKeys(folder(flags), [...readKeys(folder(flags)), stored])
  console.log(key)
  console.error('This is the only time the key is shown. Send it as the header x-service-api-key.')
}

/** Lists ids, names and dates. */
export function listKeys(flags: Flags): void {
  for (const key of readKeys(folder(flags))) {
    const state = key.revokedAt === undefined ? 'live' : `revoked ${day(key.revokedAt)}`
    console.log(`${key.id}  ${day(key.createdAt)}  ${state}  ${key.name}`)
  }
}

/** Makes a key invalid for running processes too. */
export function revokeKey(id: string, flags: Flags): void {
  const keys = readKeys(folder(flags))
  if (!keys.some((key) => key.id === id)) throw new Fault('not-found', `no key has this id: ${id}`)
  const now = Math.floor(openWorld().clock.now() / 1_000)
  writeKeys(
    folder(flags),
    keys.map((key) => (key.id === id ? { revokedAt: now, ...key } : key)),
  )
}

/** Makes a new key that seals page tokens; API keys stay as they are. */
export function rotateKeys(flags: Flags): void {
  if (flags['pageTokens'] !== true)
    throw new Fault('bad-parameter', 'say what to rotate: firn keys rotate --page-tokens')
  const { clock, random } = openWorld()
  rotateTokenKeys(folder(flags), random, Math.floor(clock.now() / 1_000))
  console.log(
    'New page tokens have a new key. Those given out before stay valid for their 24 hours.',
  )
}

/** Where the configuration has its data. */
function folder(flags: Flags): string {
  return loadConfig(flags).config.dataDir
}

function day(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}
