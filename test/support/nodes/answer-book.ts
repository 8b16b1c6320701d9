/** Holds answers against the OpenAPI document that the service itself prints. */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

import type { Operation } from '../../../src/api/operation/operation.ts'
import { dialectOf, type DialectRules } from '../../../src/api/server/dialect.ts'
import { openApiDocument } from '../../../src/api/server/openapi/openapi.ts'
import type { ApiServer } from '../../../src/api/server/server.ts'
import { ownValue } from '../../../src/core/json.ts'

/** An answer as it was sent. */
export type SentAnswer = {
  readonly method: string
  /** With or without a query. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null | undefined
  readonly body: string
  /** True where a success has the form of an official client, which checks it itself. */
  readonly isRewritten?: boolean
}

/** The answers a document allows. */
export type AnswerBook = {
  /** Returns the mistake in an answer; `undefined` when the document has it, or not its path. */
  readonly problemOf: (answer: SentAnswer) => string | undefined
}

type Response = {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
type Document = {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
    >
  >
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

/** Reads a document. */
export function answerBook(json: unknown): AnswerBook {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document is validated by the test of its own
  const document = json as Document
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'book')
  const paths = Object.keys(document.paths).map((path) => ({ path, form: formOf(path) }))
  // Words before parameters, and `…/{id}:verb` before `…/{id}`: the later matches them, too.
  const parameters = (path: string): number => path.split('{').length
  paths.sort((a, b) => parameters(a.path) - parameters(b.path) || b.path.length - a.path.length)
  // A parameter holds no slash: only paths of as many parts can match.
  const pathsBySize = Map.groupBy(paths, ({ path }) => path.split('/').length)
  const checks = new Map<string, ValidateFunction>()
  const check = (pointer: string, body: unknown): string | undefined => {
    let validate = checks.get(pointer)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `book#${pointer}` })
      checks.set(pointer, validate)
    }
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
  return {
    problemOf: ({ method, path, status, contentType, body, isRewritten = false }) => {
      const bare = (path.split('?')[0] ?? '').replace(/%3a/gi, ':')
      const ownVerb = method === 'HEAD' ? 'get' : method.toLowerCase()
      const alike = pathsBySize.get(bare.split('/').length) ?? []
      const found = alike.filter(({ form }) => form.test(bare))
      const template = (
        found.find((one) => ownVerb in (document.paths[one.path] ?? {})) ?? found[0]
      )?.path
      if (template === undefined) return undefined
      const item = document.paths[template] ?? {}
      // What a path does not have is refused as its first method refuses.
      const verb = ownVerb in item ? ownVerb : (Object.keys(item)[0] ?? ownVerb)
      const operation = item[verb]
      const where = `${method} ${path}: ${status}`
      const documented = operation?.responses[String(status)]
      if (documented === undefined) return `${where} is not in the document`
      const isShared = documented.$ref !== undefined
      const response = isShared ? document.components.responses[String(status)] : documented
      if (response?.content === undefined || method === 'HEAD')
        return body === '' ? undefined : `${where} has a body: ${body.slice(0, 100)}`
      const [type = ''] = contentType?.split(';') ?? []
      if (type !== 'application/json')
        return type in response.content ? undefined : `${where} is ${contentType}`
      if (isRewritten && !isShared) return undefined
      const place = isShared
        ? `/components/responses/${status}`
        : `/paths/${escaped(template)}/${verb}/responses/${status}`
      const problem = check(`${place}/content/application~1json/schema`, JSON.parse(body))
      return problem === undefined ? undefined : `${where}: ${problem}`
    },
  }
}

/** Books by their documents: checks are compiled once for all services of a process. */
const books = new Map<string, AnswerBook>()

/** Lets a server answer only what its own document has; a connection ends at any other answer. */
export function holdToDocument(
  server: ApiServer,
  operations: readonly Operation[],
  rules: DialectRules,
): void {
  const shapes = operations.map(({ contract }) => contract)
  const document = JSON.stringify(openApiDocument(shapes, 'test', rules))
  const book = books.get(document) ?? answerBook(JSON.parse(document))
  books.set(document, book)
  const rewritten = new Set(
    shapes.filter(({ id }) => ownValue(rules, id)?.sdk !== undefined).map(({ path }) => path),
  )
  server.http.addHook('onRequest', async (request, reply) => {
    const { raw } = reply
    const { end } = raw
    // Whoever writes an answer ends it here.
    Reflect.set(raw, 'end', (payload: unknown, ...rest: unknown[]): unknown => {
      // Sent in parts, none of which is kept here.
      if (payload === undefined && raw.headersSent)
        return Reflect.apply(end, raw, [payload, ...rest])
      const problem = book.problemOf({
        method: request.method,
        path: request.url,
        status: reply.statusCode,
        contentType: String(reply.getHeader('content-type') ?? ''),
        body: plainText(payload, reply.getHeader('content-encoding')),
        isRewritten:
          dialectOf('auto', request) !== 'documented' &&
          rewritten.has(templateOf(request.routeOptions.url ?? '')),
      })
      if (problem === undefined || reply.statusCode === 500)
        return Reflect.apply(end, raw, [payload, ...rest])
      console.error(`an answer is not as the document says: ${problem}`)
      return raw.destroy()
    })
  })
}

/** A route of the framework as the document writes it. */
export function templateOf(url: string): string {
  return url
    .split('::')
    .map((part) => part.replace(/:(\w+)(\([^)]*\))?/g, '{$1}'))
    .join(':')
}

function formOf(path: string): RegExp {
  const source = path
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('[^/]+')
  return new RegExp(`^${source}$`)
}

function escaped(pointer: string): string {
  return encodeURIComponent(pointer.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** A body as it was before it was compressed; empty where there is none. */
function plainText(payload: unknown, encoding: unknown): string {
  if (!Buffer.isBuffer(payload)) return typeof payload === 'string' ? payload : ''
  switch (encoding) {
    case 'zstd':
      return zstdDecompressSync(payload).toString()
    case 'br':
      return brotliDecompressSync(payload).toString()
    case 'gzip':
      return gunzipSync(payload).toString()
    default:
      return payload.toString()
  }
}
