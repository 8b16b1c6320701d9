/** A list sent page by page as it is read: memory holds one page. */

import { Readable } from 'node:stream'

import { headLine, linesOf, type ListFormat, type ListShape } from '../operation/list-format.ts'

/** Reads the page behind a token; the first without one. */
export type ReadPage = (pageToken: string | undefined) => Promise<unknown>

/** A page to send, and the token of the next one; absent after the last page. */
export type ListBody = { readonly body: string | Readable; readonly nextPageToken?: string }

/** A list as `format`: one page, or all of them from the first on. */
export async function listBody(
  format: ListFormat,
  shape: ListShape,
  { read, isWhole }: { readonly read: ReadPage; readonly isWhole: boolean },
): Promise<ListBody> {
  // A bad request fails with its first page, while a status can still be sent.
  const first = pageOf(await read(undefined), shape)
  const head = headLine(format, shape) + linesOf(format, shape, first.items)
  if (!isWhole || first.next === undefined)
    return { body: head, ...(first.next === undefined ? {} : { nextPageToken: first.next }) }
  return { body: Readable.from(following(head, first.next, { format, shape, read })) }
}

async function* following(
  head: string,
  token: string,
  of: { readonly format: ListFormat; readonly shape: ListShape; readonly read: ReadPage },
): AsyncGenerator<string> {
  yield head
  for (let next: string | undefined = token; next !== undefined;) {
    const page = pageOf(await of.read(next), of.shape)
    yield linesOf(of.format, of.shape, page.items)
    next = page.next
  }
}

type Page = { readonly items: readonly unknown[]; readonly next: string | undefined }

function pageOf(body: unknown, { name }: ListShape): Page {
  const entries = new Map(typeof body === 'object' && body !== null ? Object.entries(body) : [])
  const items: unknown = entries.get(name)
  const next: unknown = entries.get('nextPageToken')
  return {
    items: Array.isArray(items) ? items : [],
    next: typeof next === 'string' && next !== '' ? next : undefined,
  }
}
