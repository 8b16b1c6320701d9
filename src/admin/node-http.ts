/** Requests and replies of the node listener, as its routes see them. */

/** A request, as a route gets it. */
export type NodeRequest = {
  readonly method: string
  /** The path after the base of the route: empty, or beginning with a slash. Not decoded. */
  readonly extension: string
  readonly query: URLSearchParams
  /** As sent; empty when there was none. */
  readonly contentType: string
  /** True when a web page of another site sent it. */
  readonly isCrossSite: boolean
  readonly body: Uint8Array
  /** Aborted when the caller is gone or the listener closes. */
  readonly signal: AbortSignal
}

/** Answer of a route. Without a content type none is sent. */
export type NodeReply = {
  readonly status: number
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A reply of plain text. */
export function textReply(status: number, body: string): NodeReply {
  return { status, contentType: 'text/plain; charset=utf-8', body }
}

/** Media type of a request without its parameters, in small letters. */
export function mediaTypeOf({ contentType }: NodeRequest): string {
  return (contentType.split(';')[0] ?? '').toLowerCase()
}

/** Answer of AvalancheGo's multiplexer to an unknown path. */
export const notFoundReply: NodeReply = textReply(404, '404 page not found\n')

/** Path and query of a request target; of an absolute one, without scheme and host. */
export function targetOf(url: string): { readonly path: string; readonly search: string } {
  const local = url.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = local.indexOf('?')
  return mark === -1
    ? { path: local, search: '' }
    : { path: local.slice(0, mark), search: local.slice(mark) }
}
