/** Puts the explorer on the API's server: the document at `/`, its files under `/explorer/`. */

import type { FastifyReply } from 'fastify'

import type { ApiServer } from '../../api/server/server.ts'
import { isObject } from '../../core/json.ts'
import { ownValue } from '../../core/own-value.ts'
import { docsPage } from '../../explorer/docs-page.ts'
import { explorerPage } from '../../explorer/page.ts'
import {
  type ExplorerAnswer,
  type ExplorerRequest,
  fileAnswer,
  pageAnswer,
  safetyHeaders,
} from '../../explorer/routes.ts'
import type { Status } from '../../shape/status.ts'
import { type Docs, readDocs } from './docs-files.ts'
import { type ExplorerFiles, hashOf, readExplorerFiles } from './explorer-files.ts'
import { type NftPictures, pictureAnswer, type PictureOf } from './nft-pictures.ts'

type HttpRequest = {
  readonly params: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Adds the routes. Files are read and compressed at the first request, then kept. */
export function mountExplorer(
  http: ApiServer['http'],
  status: () => Promise<Status>,
  pictures?: NftPictures,
): void {
  if (pictures !== undefined)
    http.get('/explorer/pictures/:chainId/:address/:tokenId', async (request, reply) => {
      const { status: code, headers, body } = pictureAnswer(await pictures(partsOf(request.params)))
      return reply.code(code).headers(headers).send(Buffer.from(body))
    })
  let reading: Promise<ExplorerFiles> | undefined
  const ready = (): Promise<ExplorerFiles> => (reading ??= readExplorerFiles())

  mountDocs(http, ready, asked)
  http.get('/', async (request, reply) => {
    const page = document(await ready(), await status())
    return sent(reply, pageAnswer(Buffer.from(page), `"${hashOf(page)}"`, asked(request)))
  })
  http.get('/explorer/:version/:name', async (request, reply) => {
    const { version, files } = await ready()
    const path = pathOf(request.params)
    const file = path.version === version ? files.get(path.name) : undefined
    if (file === undefined) return reply.callNotFound()
    return sent(reply, fileAnswer(file, asked(request)))
  })
}

function document({ version }: ExplorerFiles, status: Status): string {
  return explorerPage({ folder: `/explorer/${version}`, status })
}

function sent(reply: FastifyReply, answer: ExplorerAnswer): FastifyReply {
  const { status, headers, body } = answer
  return reply
    .code(status)
    .headers(headers)
    .send(status === 304 ? undefined : Buffer.from(body))
}

function asked({ headers }: Pick<HttpRequest, 'headers'>): ExplorerRequest {
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

function textIn(params: unknown, name: string): string {
  const found = isObject(params) ? ownValue(params, name) : undefined
  return typeof found === 'string' ? found : ''
}

type Asking = { readonly headers: Readonly<Record<string, string | string[] | undefined>> }

/** Adds the routes. Pages are read and rendered at the first request, then kept. */
function mountDocs(
  http: ApiServer['http'],
  files: () => Promise<ExplorerFiles>,
  asked: (request: Asking) => ExplorerRequest,
): void {
  let reading: Promise<Docs> | undefined
  const ready = (): Promise<Docs> => (reading ??= readDocs())
  const answer = async (
    path: string,
    request: ExplorerRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const { pages, pictures } = await ready()
    const picture = pictures.get(path)
    if (picture !== undefined)
      return reply
        .headers({ ...safetyHeaders, 'content-type': 'image/png', 'cache-control': 'no-cache' })
        .send(Buffer.from(picture))
    const page = pages.get(path)
    if (page === undefined) {
      reply.callNotFound()
      return undefined
    }
    const { version } = await files()
    const text = docsPage({
      folder: `/explorer/${version}`,
      ...page,
      entries: [...pages.values()],
    })
    const { status, headers, body } = pageAnswer(Buffer.from(text), `"${hashOf(text)}"`, request)
    return reply
      .code(status)
      .headers(headers)
      .send(status === 304 ? undefined : Buffer.from(body))
  }
  http.get('/docs', (request, reply) => answer('/docs', asked(request), reply))
  http.get('/docs/*', (request, reply) =>
    answer(request.url.replace(/[?#].*/, '').replace(/\/$/, ''), asked(request), reply),
  )
}
