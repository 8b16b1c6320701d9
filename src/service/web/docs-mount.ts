/** Puts the documentation on the API's server, at `/docs`. */

import type { FastifyReply } from 'fastify'

import type { ApiServer } from '../../api/server/server.ts'
import type { Brand } from '../../explorer/brand.ts'
import { docsPage } from '../../explorer/docs-page.ts'
import { pageAnswer, safetyHeaders, type ExplorerRequest } from '../../explorer/routes.ts'
import { readDocs, type Docs } from './docs-files.ts'
import { hashOf, type ExplorerFiles } from './explorer-files.ts'

type Asking = { readonly headers: Readonly<Record<string, string | string[] | undefined>> }

/** Adds the routes. Pages are read and rendered at the first request, then kept. */
export function mountDocs(
  http: ApiServer['http'],
  files: () => Promise<ExplorerFiles>,
  {
    asked,
    brand,
  }: {
    readonly asked: (request: Asking) => ExplorerRequest
    readonly brand: (files: ExplorerFiles) => Brand
  },
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
    const read = await files()
    const { version } = read
    const text = docsPage({
      folder: `/explorer/${version}`,
      ...page,
      entries: [...pages.values()],
      brand: brand(read),
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
