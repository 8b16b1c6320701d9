/** `firn export`: a list of a running Firn as a file, read page by page, so that nothing but the disk bounds it. */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'

import { type ListShape, listShapeIn } from '../../api/operation/list-columns.ts'
import { fileFormats, listFile, type ListFormat } from '../../api/operation/list-format.ts'
import { PathTree } from '../../api/server/path-tree.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { isObject, jsonOf, membersOf, ownValue } from '../../core/json.ts'
import type { World } from '../../core/world.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'

type Json = Readonly<Record<string, unknown>>

/** Where to read. */
type Api = { readonly world: World; readonly base: string; readonly key: string | undefined }

/** Tries of a page: of a service that refuses for load or limits, or is away while it starts again. */
const maxTries = 20
const longestWaitMs = 60_000
const timeoutMs = 60_000
const maxBytes = 67_108_864

/**
 * Writes the list at a path of the API, with the parameters in it, from `--page-token` on where that is given.
 * Columns are those that this Firn's own description declares, so the file is what `?format=` gives, byte for byte.
 */
export async function exportList(path: string, flags: Flags): Promise<void> {
  const format = fileFormats.find((known) => known === (flags['format'] ?? 'csv'))
  if (format === undefined)
    throw new Fault(
      'bad-parameter',
      `--format must be csv, ndjson or parquet: ${String(flags['format'])}`,
    )
  const out = textIn(flags, 'out')
  if (format === 'parquet' && out === undefined)
    throw new Fault('bad-parameter', 'a Parquet file is no stream: give its name with --out')
  await using world = openWorld()
  const base = await addressIn(flags, 'url')
  await writeList({ world, base, key: textIn(flags, 'key') }, path, {
    format,
    out,
    token: textIn(flags, 'pageToken'),
  })
}

type Wanted = {
  readonly format: ListFormat
  readonly out: string | undefined
  readonly token: string | undefined
}

async function writeList(api: Api, path: string, { format, out, token }: Wanted): Promise<void> {
  const url = new URL(path, api.base)
  const shape = shapeAt(await get(api, new URL('/openapi.json', url)), url.pathname)
  if (shape === undefined)
    throw new Fault('bad-parameter', `no list of the API is at this path: ${url.pathname}`)
  if (shape.mostItems !== undefined && !url.searchParams.has('pageSize'))
    url.searchParams.set('pageSize', String(shape.mostItems))
  if (token !== undefined) url.searchParams.set('pageToken', token)
  // The file is made once the first page is there, so that a wrong question leaves none.
  let page = await get(api, url)
  const sink = await openSink(out)
  const file = await listFile(format, shape.columns)
  // A file that is continued has its header line already.
  if (token === undefined) await sink.write(file.begin())
  let count = 0
  for (let next: string | undefined = ''; next !== undefined && !sink.closed();) {
    const items = ownValue(page, shape.name)
    if (!Array.isArray(items))
      throw new Fault('node-answer', `no list of ${shape.name}: ${url.href}`)
    await sink.write(await file.rows(items))
    count += items.length
    const { nextPageToken } = page
    next = typeof nextPageToken === 'string' && nextPageToken !== '' ? nextPageToken : undefined
    if (next === undefined) break
    url.searchParams.set('pageToken', next)
    try {
      page = await get(api, url)
    } catch (error) {
      if (format !== 'parquet')
        console.error(`${count} rows are written; the next begin with --page-token ${next}`)
      throw error
    }
  }
  await sink.write(await file.end())
  await sink.end()
  console.error(`${count} rows${out === undefined ? '' : ` in ${out}`}`)
}

/** The list that an OpenAPI document describes at a path. */
function shapeAt(document: Json, pathname: string): ListShape | undefined {
  const paths = new PathTree<unknown>()
  for (const [path, item] of Object.entries(membersOf(document['paths'])))
    paths.set(path, () => item)
  const get = membersOf(membersOf(paths.find(pathname))['get'])
  const answer = membersOf(membersOf(membersOf(get['responses'])['200'])['content'])
  const { schema } = membersOf(answer['application/json'])
  const parameters = Array.isArray(get['parameters']) ? get['parameters'].map(membersOf) : []
  const pageSize = parameters.find(({ name }) => name === 'pageSize')
  const { schemas } = membersOf(document['components'])
  return listShapeIn(resolved(schema, membersOf(schemas)), membersOf(pageSize?.['schema']))
}

/** A schema with what its references name in their places. */
function resolved(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, schemas))
  if (!isObject(schema)) return schema
  const { $ref } = schema
  if (typeof $ref === 'string')
    return resolved(ownValue(schemas, $ref.split('/').at(-1) ?? ''), schemas)
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, resolved(value, schemas)]),
  )
}

/** The answer to one question. Throws `node-answer` with the service's own words. */
async function get(api: Api, url: URL): Promise<Json> {
  for (let tries = 1; ; tries++) {
    const reply = await callFirn(api.world.transport, {
      url: url.href,
      method: 'GET',
      headers: api.key === undefined ? {} : { 'x-service-api-key': api.key },
      timeoutMs,
      maxBytes,
    }).catch((error: unknown) => {
      // That it was there before, and will be again, is known of later pages only.
      const isAway = faultOf(error)?.code === 'node-unreachable'
      if (!isAway || tries === maxTries || !url.searchParams.has('pageToken')) throw error
      return undefined
    })
    if (reply?.status === 200) return parsed(reply.body)
    const isBusy = reply === undefined || reply.status === 429 || reply.status === 503
    if (reply !== undefined && (!isBusy || tries === maxTries))
      throw new Fault('node-answer', `${url.href}: ${String(parsed(reply.body)['message'])}`, {
        detail: { status: reply.status },
      })
    const seconds = Number(reply?.headers['retry-after'] ?? 1)
    const waitMs = Math.min(longestWaitMs, Number.isFinite(seconds) ? seconds * 1_000 : 1_000)
    await api.world.clock.sleep(waitMs)
  }
}

function parsed(body: Uint8Array): Json {
  const value = jsonOf(body)
  if (isObject(value)) return value
  const what = value === undefined ? 'JSON' : 'a JSON object'
  throw new Fault(
    'node-answer',
    `the server at this address is not Firn: its answer is not ${what}`,
  )
}

/** Where an export goes. */
type Sink = {
  /** Waits while the reader is slower. Throws `store-failed`. */
  readonly write: (part: string | Uint8Array) => Promise<void>
  /** The reader has closed the pipe (`| head`). */
  readonly closed: () => boolean
  readonly end: () => Promise<void>
}

/** The file `path`, or standard output. Throws `bad-parameter` where the file cannot be made. */
async function openSink(path: string | undefined): Promise<Sink> {
  if (path === undefined) return sinkOver(process.stdout, false)
  const stream = createWriteStream(path, { flags: 'w' })
  try {
    await once(stream, 'open')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
  return sinkOver(stream, true)
}

function sinkOver(stream: Writable, isFile: boolean): Sink {
  let failure: Error | undefined
  let isClosed = false
  let goOn = (): void => undefined
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isClosed = true
    if (error.code !== 'EPIPE') failure = error
    goOn()
  })
  stream.on('drain', () => goOn())
  const check = (): void => {
    if (failure !== undefined)
      throw new Fault('store-failed', 'the export cannot be written', { cause: failure })
  }
  return {
    closed: () => isClosed,
    write: async (part) => {
      check()
      if (part.length === 0 || isClosed || stream.write(part)) return
      await new Promise<void>((resolve) => (goOn = resolve))
      check()
    },
    end: async () => {
      if (isFile) await new Promise<void>((resolve) => stream.end(resolve))
      check()
    },
  }
}

function textIn(flags: Flags, name: string): string | undefined {
  const value = ownValue(flags, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
