/** Puts the explorer on the API's server: the document at `/`, its files under `/explorer/`. */

import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { FastifyReply } from 'fastify'

import type { ApiServer } from '../../api/server/server.ts'
import type { Brand } from '../../explorer/brand.ts'
import { isPage, pages } from '../../explorer/browser/kit/link.ts'
import { bundleExplorer } from '../../explorer/bundle.ts'
import { explorerPage } from '../../explorer/page.ts'
import {
  type ExplorerFile,
  type ExplorerRequest,
  fileAnswer,
  pageAnswer,
  safetyHeaders,
} from '../../explorer/routes.ts'
import type { Status } from '../../shape/status.ts'
import { hashOf, requestOf, sent, textIn } from './answers.ts'
import { mountDocs, mountOwnPages, type OwnPage } from './docs-mount.ts'
import { type FindPicture, pictureAnswer, type PictureOf } from './pictures.ts'
import type { FindPreview, PreviewRequest } from './previews.ts'

/** A picture of the operator. */
export type BrandPicture = {
  readonly contentType: 'image/png' | 'image/svg+xml'
  readonly bytes: Uint8Array
}

/** Name, pictures, colours and pages of an operator. */
export type ExplorerBrand = Omit<Brand, 'logo'> & {
  /** By their place below `/explorer/`; where one is missing, Firn's own stands there. */
  readonly pictures: Readonly<Partial<Record<'logo' | 'dark-logo' | 'preview', BrandPicture>>>
  /** Accents of both themes, `#rrggbb`; empty: those of Firn. */
  readonly colour: string
  readonly darkColour: string
  /** Served at `/pages/NAME`. */
  readonly pages: readonly OwnPage[]
}

/** As it is where the operator says nothing. */
export const firnBrand: ExplorerBrand = {
  title: 'Firn',
  description: 'An open Avalanche data service',
  home: [],
  links: [],
  hasDocs: true,
  pictures: {},
  colour: '',
  darkColour: '',
  pages: [],
}

type HttpRequest = PreviewRequest & { readonly protocol: string; readonly url: string }

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
    preview = () => Promise.resolve({ isMissing: false }),
  }: {
    readonly brand?: ExplorerBrand
    readonly pictures?: FindPicture
    readonly logos?: FindPicture
    readonly preview?: FindPreview
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

  const shown = ({ version }: ExplorerFiles): Brand => brandIn(version, brand)
  if (brand.hasDocs) mountDocs(http, ready, shown)
  mountOwnPages(http, brand.pages, { ready, shown })
  const known = brand.hasDocs ? pages : pages.filter((page) => page !== 'api')
  const document = async (request: HttpRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.replace(/[?#].*/, '')
    const [files, about] = await Promise.all([ready(), preview(path, request)])
    const origin = `${request.protocol}://${request.host}`
    const isFound = isPage(path, known) && !about.isMissing
    const page = explorerPage({
      folder: `/explorer/${files.version}`,
      status: await status(),
      brand: shown(files),
      path,
      origin,
      description: isFound ? (about.text ?? brand.description) : 'Page not found',
      facts: about.facts ?? [],
      json: about.url,
      picture: `${origin}${previewIn(files.version, brand)}`,
    })
    const asked = isFound ? requestOf(request) : unconditional
    const answer = pageAnswer(Buffer.from(page), `"${hashOf(page)}"`, asked)
    return sent(reply, isFound ? answer : { ...answer, status: 404 })
  }
  for (const path of ['/', ...known.flatMap((page) => [`/${page}`, `/${page}/*`])])
    http.get(path, path === '/' ? inMemory : {}, document)
  http.get('/*', async (request, reply) =>
    isForReader(request) ? document(request, reply) : reply.callNotFound(),
  )
  http.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(robots))
  http.get('/favicon.ico', async (_request, reply) => reply.redirect(shown(await ready()).logo))
  mountFiles(http, ready, brand)
}

/** The brand as the explorer of a version shows it. */
function brandIn(version: string, brand: ExplorerBrand): Brand {
  const { title, description, home, links, hasDocs, pictures } = brand
  return {
    title,
    description,
    home,
    links: [...links, ...brand.pages.map((page) => [page.title, `/pages/${page.name}`] as const)],
    hasDocs,
    logo: pictures.logo === undefined ? `/explorer/${version}/logo.svg` : '/explorer/logo',
  }
}

/** Address of the picture of previews, a PNG. */
function previewIn(version: string, { pictures: { preview, logo } }: ExplorerBrand): string {
  if (preview !== undefined) return '/explorer/preview'
  return logo?.contentType === 'image/png' ? '/explorer/logo' : `/explorer/${version}/preview.png`
}

/** Adds the routes of the explorer's files, and of its operator's colours and picture. */
function mountFiles(
  http: ApiServer['http'],
  ready: () => Promise<ExplorerFiles>,
  brand: ExplorerBrand,
): void {
  const kept = { ...safetyHeaders, 'cache-control': 'no-cache' }
  const css = brandStyle(brand)
  http.get('/explorer/brand.css', (_request, reply) =>
    reply.headers({ ...kept, 'content-type': 'text/css; charset=utf-8' }).send(css),
  )
  for (const [name, { contentType, bytes }] of Object.entries(brand.pictures))
    http.get(`/explorer/${name}`, (_request, reply) =>
      reply.headers({ ...kept, 'content-type': contentType }).send(Buffer.from(bytes)),
    )
  http.get('/explorer/:version/:name', inMemory, async (request, reply) => {
    const { version, files } = await ready()
    const path = {
      version: textIn(request.params, 'version'),
      name: textIn(request.params, 'name'),
    }
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

/** Accents of an operator over those of the style sheet, and the logo of the dark theme over the other one. */
function brandStyle({ colour, darkColour, pictures }: ExplorerBrand): string {
  const accent = (root: string, value: string): string =>
    value === '' ? '' : `${root}{--accent:${value};--wash:${value}22}`
  const logo =
    '{object-position:-99em;background:url(/explorer/dark-logo) center/contain no-repeat}'
  const dark = (root: string): string =>
    accent(root, darkColour) + (pictures['dark-logo'] ? `${root} .brand img${logo}` : '')
  return `${accent(':root', colour)}
@media (prefers-color-scheme:dark){${dark(":root:not([data-theme='light'])")}}
${dark(":root[data-theme='dark']")}`
}

const unconditional: ExplorerRequest = { acceptEncoding: '', ifNoneMatch: '' }

function partsOf(params: unknown): PictureOf {
  const [chainId, address, tokenId] = ['chainId', 'address', 'tokenId'].map((name) =>
    textIn(params, name),
  )
  return { chainId: chainId ?? '', address: address ?? '', tokenId: tokenId ?? '' }
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
  ['png', 'image/png'],
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
