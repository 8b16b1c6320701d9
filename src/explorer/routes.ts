/**
 * Answers to requests for the explorer's files: encodings, validators, headers.
 *
 * Pure: who serves hands in the files and the request's headers. Files lie in a folder named
 * after their content, so browsers may keep them for ever; the document is requested every time.
 */

/** A file ready to be sent. */
export type ExplorerFile = {
  readonly name: string
  readonly contentType: string
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  readonly brotli: Uint8Array
  /** Strong validator, with its quotes. */
  readonly tag: string
}

/** Headers of a request that matter here. */
export type ExplorerRequest = { readonly acceptEncoding: string; readonly ifNoneMatch: string }

/** An answer to send as it is. */
export type ExplorerAnswer = {
  readonly status: 200 | 304 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Own files and own API only: no inline script, no foreign host, no frame around it. */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of the document and every file. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const nothing = new Uint8Array(0)

/** The answer for a file: 304 to who holds it, else the smallest encoding the caller takes. */
export function fileAnswer(file: ExplorerFile, request: ExplorerRequest): ExplorerAnswer {
  const headers = {
    ...safetyHeaders,
    etag: file.tag,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  }
  if (holds(request.ifNoneMatch, file.tag)) return { status: 304, headers, body: nothing }
  const encoding = encodingFor(request.acceptEncoding)
  const body = encoding === undefined ? file.body : file[encoding.form]
  return {
    status: 200,
    body,
    headers: {
      ...headers,
      'content-type': file.contentType,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding.name }),
    },
  }
}

/** The answer for the document, whose `tag` changes with the status inside it. */
export function pageAnswer(
  body: Uint8Array,
  tag: string,
  request: ExplorerRequest,
): ExplorerAnswer {
  const headers = { ...safetyHeaders, etag: tag, 'cache-control': 'no-cache' }
  return holds(request.ifNoneMatch, tag)
    ? { status: 304, headers, body: nothing }
    : { status: 200, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body }
}

/** Returns whether a list of validators holds `tag`; weak ones compare equal, as a GET may. */
function holds(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
}

const encodings = [
  { name: 'br', form: 'brotli' },
  { name: 'gzip', form: 'gzip' },
] as const

/** The best encoding of an accept-encoding header; `q=0` refuses one. */
function encodingFor(acceptEncoding: string): (typeof encodings)[number] | undefined {
  const taken = acceptEncoding
    .split(',')
    .map((item) => item.trim().split(/\s*;\s*/))
    .filter((parts) => !parts.some((part) => /^q=0(\.0*)?$/.test(part)))
    .map(([name]) => name)
  return encodings.find(({ name }) => taken.includes(name))
}
