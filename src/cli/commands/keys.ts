import { createKey as makeKey, type StoredKey } from '../../api/server/admission/api-keys.ts'
import { readRateLimit, readTiers } from '../../api/server/admission/rate-limit.ts'
import type { Config } from '../../config/settings.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { dayText } from '../../core/text.ts'
import type { Documents } from '../../service/documents/documents.ts'
import { changeKeys, readKeys } from '../../service/documents/key-file.ts'
import { openDocuments } from '../../service/documents/open-documents.ts'
import { rotateTokenKeys } from '../../service/documents/token-keys.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import { openStore } from '../../store/open.ts'
import { keyUses } from '../../store/query/api-use.ts'
import { apiUseStore, apiUseTables } from '../../store/schema/deployment.ts'
import { silentLog } from '../../telemetry/log.ts'
import { openWorld } from '../../world/world.ts'
import { loadConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/** Makes a key, prints it once. */
export async function createKey(name: string, flags: Flags): Promise<void> {
  const { config } = loadConfig(flags)
  const allowance = allowanceIn(flags, config)
  const { clock, random } = openWorld()
  const { key, stored } = makeKey(random, name, Math.floor(clock.now() / 1_000))
  await withDocuments(config, (documents) =>
    changeKeys(documents, (keys) => [...keys, { ...stored, ...allowance }]),
  )
  console.log(key)
  console.error('This is the only time the key is shown. Send it as the header x-service-api-key.')
}

/** Lists ids, dates, states, limits, last use and names. */
export async function listKeys(flags: Flags): Promise<void> {
  const { config } = loadConfig(flags)
  const uses = await storedUses(config)
  const keys = await withDocuments(config, readKeys)
  if (keys.length === 0)
    console.error('There are no keys yet: `firn keys create <name>` makes one.')
  for (const key of keys) {
    const state = key.revokedAt === undefined ? 'live' : `revoked ${dayText(key.revokedAt)}`
    const used = uses.get(key.id)
    const lastUsed = used === undefined ? 'never used' : `used ${minute(used)}`
    console.log(
      [key.id, dayText(key.createdAt), state, allowanceOf(key), lastUsed, key.name].join('  '),
    )
  }
}

/** Gives a key another limit, or the general limit where no flag is set. */
export async function limitKey(id: string, flags: Flags): Promise<void> {
  const { config } = loadConfig(flags)
  const allowance = allowanceIn(flags, config)
  await changeKey(config, id, ({ tier: _tier, limit: _limit, ...key }) => ({
    ...key,
    ...allowance,
  }))
}

/** Makes a key invalid for running processes too. */
export async function revokeKey(id: string, flags: Flags): Promise<void> {
  const now = Math.floor(openWorld().clock.now() / 1_000)
  await changeKey(loadConfig(flags).config, id, (key) => ({ revokedAt: now, ...key }))
}

/** Makes a new key that seals page tokens; API keys do not change. */
export async function rotateKeys(flags: Flags): Promise<void> {
  if (flags['pageTokens'] !== true)
    throw new Fault('bad-parameter', 'say what to rotate: firn keys rotate --page-tokens')
  const { clock, random } = openWorld()
  const now = Math.floor(clock.now() / 1_000)
  await withDocuments(loadConfig(flags).config, (documents) =>
    rotateTokenKeys(documents, random, now),
  )
  console.log(
    'New page tokens have a new key. Those given out before stay valid for their 24 hours.',
  )
}

function changeKey(
  config: Config,
  id: string,
  change: (key: StoredKey) => StoredKey,
): Promise<void> {
  return withDocuments(config, (documents) =>
    changeKeys(documents, (keys) => {
      if (!keys.some((key) => key.id === id))
        throw new Fault('not-found', `no key has this id: ${id}`)
      return keys.map((key) => (key.id === id ? change(key) : key))
    }),
  )
}

/** Does `work` with the documents of the deployment. */
async function withDocuments<T>(
  config: Config,
  work: (documents: Documents) => Promise<T>,
): Promise<T> {
  const documents = await openDocuments(config, { clock: openWorld().clock, log: silentLog })
  try {
    return await work(documents)
  } finally {
    await documents.close()
  }
}

/**
 * Reads the limit of a key from `--tier`, `--per-minute` and `--per-day`. Throws `bad-parameter`.
 */
function allowanceIn(flags: Flags, config: Config): Pick<StoredKey, 'tier' | 'limit'> {
  const { tier, perMinute, perDay } = flags
  if (tier !== undefined && (perMinute ?? perDay) !== undefined)
    throw new Fault('bad-parameter', 'a key has a tier or a limit of its own, not both')
  if (typeof tier === 'string') {
    const known = [...readTiers(config['api.tiers']).keys()]
    if (!known.includes(tier))
      throw new Fault('bad-parameter', `--tier must be one of api.tiers (${known.join()}): ${tier}`)
    return { tier }
  }
  if (perMinute === undefined && perDay === undefined) return {}
  const units = (text: unknown): number =>
    /^\d{1,15}$/.test(String(text)) ? Number(text) : Number.NaN
  try {
    const limit = readRateLimit({
      perMinute: units(perMinute),
      perDay: perDay === undefined ? undefined : units(perDay),
    })
    return limit === undefined ? {} : { limit }
  } catch (cause) {
    throw new Fault('bad-parameter', '--per-minute and --per-day take units of at least 1', {
      cause,
    })
  }
}

function allowanceOf({ tier, limit }: StoredKey): string {
  if (limit !== undefined) return `${limit.perMinute}/min ${limit.perDay}/day`
  return tier === undefined ? 'general limit' : `tier ${tier}`
}

/** When keys were last used; nothing before the first was. */
async function storedUses(config: Config): Promise<ReadonlyMap<string, number>> {
  const location = storeLocation(config)
  try {
    await using store = await openStore(location, apiUseStore, apiUseTables, 'read')
    return await keyUses(store)
  } catch (error) {
    if (faultOf(error)?.code !== 'store-failed') throw error
    return new Map()
  }
}

function minute(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`
}
