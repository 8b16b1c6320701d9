/** Puts pages of text on the API's server: the documentation below `/docs`, an operator's own below `/pages`. */

import type { FastifyReply } from 'fastify'

import type { ApiServer } from '../../api/server/server.ts'
import type { Brand } from '../../explorer/brand.ts'
import { type DocsEntry, docsPage } from '../../explorer/docs-page.ts'
import { type ExplorerRequest, safetyHeaders } from '../../explorer/routes.ts'
import { requestOf, sentPage, textIn } from './answers.ts'
import { type Docs, readDocs, searchDocs } from './docs-files.ts'

/** Files of the explorer, as far as pages of text refer to them. */
type Version = { readonly version: string }

/** A page of an operator. */
export type OwnPage = { readonly name: string; readonly title: string; readonly html: string }

/** Adds the routes. Pages are read and rendered at the first request, then kept. */
export function mountDocs<Files extends Version>(
  http: ApiServer['http'],
  files: () => Promise<Files>,
  brand: (files: Files) => Brand,
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
    return sentPage(reply, text, request)
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

/** Adds the route of an operator's own pages. */
export function mountOwnPages<Files extends Version>(
  http: ApiServer['http'],
  own: readonly OwnPage[],
  {
    ready,
    shown,
  }: { readonly ready: () => Promise<Files>; readonly shown: (files: Files) => Brand },
): void {
  const entries = own.map(({ name, title }) => ({ path: `/pages/${name}`, title, group: 'Pages' }))
  http.get('/pages/:name', async (request, reply) => {
    const page = own.find(({ name }) => name === textIn(request.params, 'name'))
    if (page === undefined) return reply.callNotFound()
    const files = await ready()
    const text = docsPage({
      folder: `/explorer/${files.version}`,
      path: `/pages/${page.name}`,
      title: page.title,
      html: page.html,
      entries,
      brand: shown(files),
    })
    return sentPage(reply, text, requestOf(request))
  })
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
