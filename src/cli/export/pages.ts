/** Lists of a running Firn, page by page. */

import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { ownValue } from '../../core/own-value.ts'
import type { World } from '../../core/world.ts'
import { askFirn } from '../running-firn.ts'

/** Where to ask. */
export type Api = {
  readonly world: World
  /** Address without a slash at the end. */
  readonly url: string
  readonly key: string | undefined
}

/** Tries of a page that the service refuses for load or limits. */
const maxTries = 20
const longestWaitMs = 60_000
const timeoutMs = 60_000
const maxBytes = 67_108_864
const pageSize = '100'

/** The answer to one question. Throws `node-answer` with the service's own words. */
export async function ask(
  api: Api,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const url = `${api.url}${path}?${new URLSearchParams(query).toString()}`
  for (let tries = 1; ; tries++) {
    const reply = await askFirn(api.world.transport, {
      url,
      method: 'GET',
      headers: api.key === undefined ? {} : { 'x-service-api-key': api.key },
      timeoutMs,
      maxBytes,
    })
    const body = parsed(reply.body)
    if (reply.status === 200) return body
    const isBusy = reply.status === 429 || reply.status === 503
    if (!isBusy || tries === maxTries)
      throw new Fault('node-answer', `${api.url}${path}: ${String(body['message'])}`, {
        detail: { status: reply.status },
      })
    const seconds = Number(reply.headers['retry-after'] ?? 1)
    const waitMs = Math.min(longestWaitMs, Number.isFinite(seconds) ? seconds * 1_000 : 1_000)
    await api.world.clock.sleep(waitMs)
  }
}

/**
 * A whole list; one page is held at a time.
 *
 * @yields the elements of its member `list`, in its order
 */
export async function* everyItem(
  api: Api,
  path: string,
  from: { readonly list: string; readonly query: Readonly<Record<string, string>> },
): AsyncGenerator<unknown> {
  let pageToken: string | undefined
  do {
    const token = pageToken === undefined ? {} : { pageToken }
    const page = await ask(api, path, { ...from.query, pageSize, ...token })
    const items = ownValue(page, from.list)
    if (!Array.isArray(items))
      throw new Fault('node-answer', `${path} has no list of ${from.list}: is this a Firn?`)
    yield* items
    const next = page['nextPageToken']
    pageToken = typeof next === 'string' && next !== '' ? next : undefined
  } while (pageToken !== undefined)
}

function parsed(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = jsonOf(body)
  if (isObject(value)) return value
  const what = value === undefined ? 'JSON' : 'a JSON object'
  throw new Fault(
    'node-answer',
    `the server at this address is not Firn: its answer is not ${what}`,
  )
}
