/** Puts the explorer on the API's server: the document at `/`, its files under `/explorer/`. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { FastifyReply } from 'fastify'

import type { ApiServer } from '../../api/server/server.ts'
import { isObject, ownValue } from '../../core/json.ts'
import type { Brand } from '../../explorer/brand.ts'
import { isPage, pages } from '../../explorer/browser/kit/link.ts'
import { bundleExplorer } from '../../explorer/bundle.ts'
import { type DocsEntry, docsPage } from '../../explorer/docs-page.ts'
import { explorerPage } from '../../explorer/page.ts'
import {
  type ExplorerAnswer,
  type ExplorerRequest,
  fileAnswer,
  pageAnswer,
  safetyHeaders,
  type ExplorerFile,
} from '../../explorer/routes.ts'
import type { Status } from '../../shape/status.ts'
import { type Docs, readDocs, searchDocs } from './docs-files.ts'
import { type FindPicture, pictureAnswer, type PictureOf } from './pictures.ts'

/** Name, picture and colours of an operator. */
export type ExplorerBrand = Omit<Brand, 'logo'> & {
  /** `undefined`: that of Firn. */
  readonly logo: { readonly contentType: string; readonly bytes: Uint8Array } | undefined
  /** Accents of both themes, `#rrggbb`; empty: those of Firn. */
  readonly colour: string
  readonly darkColour: string
}

/** As it is where the operator says nothing. */
export const firnBrand: ExplorerBrand = {
  title: 'Firn',
  description: 'An open Avalanche data service',
  home: [],
  links: [],
  logo: undefined,
  colour: '',
  darkColour: '',
}

type HttpRequest = {
  readonly protocol: string
  readonly host: string
  readonly url: string
  readonly params: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

// To refuse a file that lies in memory costs as much as to send it, and a page without its style is no page.
const inMemory = { config: { lane: 'vital' } } as const

/** Adds the routes. Files are read and compressed at the first request, then kept. */
export function mountExplorer(
  http: ApiServer['http'],
  status: () => Promise<Status>,
  {
    brand = firnBrand,
    pictures = () => Promise.resolve(undefined),
    logos = pictures,
  }: {
    readonly brand?: ExplorerBrand
    readonly pictures?: FindPicture
    readonly logos?: FindPicture
  } = {},
): void {
  const show = (path: string, find: FindPicture): void => {
    http.get(path, async (request, reply) => {
      const { status: code, headers, body } = pictureAnswer(await find(partsOf(request.params)))
      return reply.code(code).headers(headers).send(Buffer.from(body))
    })
  }
  show('/explorer/pictures/:chainId/:address/:tokenId', pictures)
  show('/explorer/logos/:chainId', logos)
  show('/explorer/logos/:chainId/:address', logos)
  let reading: Promise<ExplorerFiles> | undefined
  const ready = (): Promise<ExplorerFiles> => (reading ??= readExplorerFiles())

  const { logo, colour: _light, darkColour: _dark, ...texts } = brand
  const shown = ({ version }: ExplorerFiles): Brand => ({
    ...texts,
    logo: logo === undefined ? `/explorer/${version}/logo.svg` : '/explorer/logo',
  })
  mountDocs(http, ready, shown)
  const document = async (request: HttpRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const files = await ready()
    const { protocol, host, url } = request
    const path = url.replace(/[?#].*/, '')
    const page = explorerPage({
      folder: `/explorer/${files.version}`,
      status: await status(),
      brand: shown(files),
      path,
      origin: `${protocol}://${host}`,
    })
    const asked = isPage(path) ? requestOf(request) : unconditional
    const answer = pageAnswer(Buffer.from(page), `"${hashOf(page)}"`, asked)
    return sent(reply, isPage(path) ? answer : { ...answer, status: 404 })
  }
  for (const path of ['/', ...pages.flatMap((page) => [`/${page}`, `/${page}/*`])])
    http.get(path, path === '/' ? inMemory : {}, document)
  http.get('/*', async (request, reply) =>
    isForReader(request) ? document(request, reply) : reply.callNotFound(),
  )
  http.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(robots))
  http.get('/favicon.ico', async (_request, reply) => reply.redirect(shown(await ready()).logo))
  mountFiles(http, ready, brand)
}

/** Adds the routes of the explorer's files, and of its operator's colours and picture. */
function mountFiles(
  http: ApiServer['http'],
  ready: () => Promise<ExplorerFiles>,
  { logo, colour, darkColour }: ExplorerBrand,
): void {
  const kept = { ...safetyHeaders, 'cache-control': 'no-cache' }
  const css = brandStyle(colour, darkColour)
  http.get('/explorer/brand.css', (_request, reply) =>
    reply.headers({ ...kept, 'content-type': 'text/css; charset=utf-8' }).send(css),
  )
  if (logo !== undefined)
    http.get('/explorer/logo', (_request, reply) =>
      reply.headers({ ...kept, 'content-type': logo.contentType }).send(Buffer.from(logo.bytes)),
    )
  http.get('/explorer/:version/:name', inMemory, async (request, reply) => {
    const { version, files } = await ready()
    const path = pathOf(request.params)
    const file = path.version === version ? files.get(path.name) : undefined
    if (file === undefined) return reply.callNotFound()
    return sent(reply, fileAnswer(file, requestOf(request)))
  })
}

/** Pages of things are found, walks through lists and answers of the API are not. */
const robots = `User-agent: *
Disallow: /v1/
Disallow: /v2/
Disallow: /*?
`

/** Returns whether a browser shows the answer to somebody, who has no use for words about routes of the API. */
function isForReader({ url, headers }: HttpRequest): boolean {
  return /\btext\/html\b/.test(String(headers['accept'])) && !/^\/v\d+\//.test(url)
}

/** The accents of an operator over those of the style sheet. */
function brandStyle(colour: string, darkColour: string): string {
  const rule = (value: string): string => `{--accent:${value};--wash:${value}22}`
  const light = colour === '' ? '' : `:root${rule(colour)}`
  if (darkColour === '') return light
  return `${light}
@media (prefers-color-scheme:dark){:root:not([data-theme='light'])${rule(darkColour)}}
:root[data-theme='dark']${rule(darkColour)}`
}

function sent(reply: FastifyReply, answer: ExplorerAnswer): FastifyReply {
  const { status, headers, body } = answer
  return reply
    .code(status)
    .headers(headers)
    .send(status === 304 ? undefined : Buffer.from(body))
}

const unconditional: ExplorerRequest = { acceptEncoding: '', ifNoneMatch: '' }

function requestOf({ headers }: Pick<HttpRequest, 'headers'>): ExplorerRequest {
  const text = (name: string): string => String(ownValue(headers, name) ?? '')
  return { acceptEncoding: text('accept-encoding'), ifNoneMatch: text('if-none-match') }
}

function pathOf(params: unknown): { version: string; name: string } {
  return { version: textIn(params, 'version'), name: textIn(params, 'name') }
}

function partsOf(params: unknown): PictureOf {
  const [chainId, address, tokenId] = ['chainId', 'address', 'tokenId'].map((name) =>
    textIn(params, name),
  )
  return { chainId: chainId ?? '', address: address ?? '', tokenId: tokenId ?? '' }
}

/** A parameter of a path; empty where there is none. */
export function textIn(params: unknown, name: string): string {
  const found = isObject(params) ? ownValue(params, name) : undefined
  return typeof found === 'string' ? found : ''
}

/** Adds the routes. Pages are read and rendered at the first request, then kept. */
function mountDocs(
  http: ApiServer['http'],
  files: () => Promise<ExplorerFiles>,
  brand: (files: ExplorerFiles) => Brand,
): void {
  let reading: Promise<Docs> | undefined
  const ready = (): Promise<Docs> => (reading ??= readDocs())
  const answer = async (
    path: string,
    request: ExplorerRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const docs = await ready()
    const { pages: documents, pictures } = docs
    const sought = new URL(reply.request.url, 'http://docs').searchParams.get('q') ?? ''
    const picture = pictures.get(path)
    if (picture !== undefined)
      return reply
        .headers({ ...safetyHeaders, 'content-type': 'image/png', 'cache-control': 'no-cache' })
        .send(Buffer.from(picture))
    const page = path === '/docs/search' ? searchDocs(docs, sought) : documents.get(path)
    if (page === undefined) {
      reply.callNotFound()
      return undefined
    }
    const read = await files()
    const text = docsPage({
      folder: `/explorer/${read.version}`,
      ...page,
      entries: [...documents.values()],
      sought,
      brand: brand(read),
    })
    const { status, headers, body } = pageAnswer(Buffer.from(text), `"${hashOf(text)}"`, request)
    return reply
      .code(status)
      .headers(headers)
      .send(status === 304 ? undefined : Buffer.from(body))
  }
  http.get('/llms.txt', async (_request, reply) =>
    reply
      .headers({ ...safetyHeaders, 'content-type': 'text/plain; charset=utf-8' })
      .send(listForModels([...(await ready()).pages.values()])),
  )
  http.get('/docs', (request, reply) => answer('/docs', requestOf(request), reply))
  http.get('/docs/*', (request, reply) =>
    answer(request.url.replace(/[?#].*/, '').replace(/\/$/, ''), requestOf(request), reply),
  )
}

/** Where a language model finds what there is. Source: llmstxt.org. */
function listForModels(pages: readonly DocsEntry[]): string {
  const links = pages.map(({ title, path, group }) => `- [${title}](${path}): ${group}`)
  return `# Firn

> Data of Avalanche chains: blocks, transactions, tokens, validators and interchain messages.

- [Every operation](/openapi.json): OpenAPI
- Tools: the Model Context Protocol is spoken at /mcp

## Documentation

${links.join('\n')}
`
}

/** All files, and the name of the folder that stands for this very content. */
export type ExplorerFiles = {
  readonly version: string
  readonly files: ReadonlyMap<string, ExplorerFile>
}

const types = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

/** Reads everything. Throws when a file is missing: the installation is broken then. */
export async function readExplorerFiles(): Promise<ExplorerFiles> {
  const isSource = import.meta.url.endsWith('.ts')
  const contents = isSource ? (await bundleExplorer()).files : await filesBesideProgram()
  const all = [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const version = hashOf(Buffer.concat(all.flatMap(([name, body]) => [Buffer.from(name), body])))
  const files = await Promise.all(all.map(([name, body]) => fileOf(name, body)))
  return { version: version.slice(0, 12), files: new Map(files.map((file) => [file.name, file])) }
}

/** Files that were bundled with the program (`scripts/bundle.ts`). */
async function filesBesideProgram(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = new URL('explorer/', import.meta.url)
  const names = await readdir(folder)
  const read = async (name: string): Promise<readonly [string, Uint8Array]> => [
    name,
    await readFile(new URL(name, folder)),
  ]
  return new Map(await Promise.all(names.map(read)))
}

/** Short hash of a content, safe in addresses and headers. */
function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

async function fileOf(name: string, body: Uint8Array): Promise<ExplorerFile> {
  const [small, smaller] = await Promise.all([
    gzipped(body, { level: 9 }),
    // 9 of 11: a tenth of the time for a hundredth more bytes.
    brotlied(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ])
  const ending = name.split('.').pop() ?? ''
  return {
    name,
    body,
    gzip: small,
    brotli: smaller,
    contentType: types.get(ending) ?? 'application/octet-stream',
    tag: `"${hashOf(body)}"`,
  }
}
