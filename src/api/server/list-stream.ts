/** A list sent page by page as it is read: memory holds one page. */

import { Readable } from 'node:stream'

import { Fault, faultOf } from '../../core/fault.ts'
import { loopTurn } from '../../core/loop-turn.ts'
import type { Clock } from '../../core/world.ts'
import type { ListColumn, ListShape } from '../operation/list-columns.ts'
import { listFile, type ListFormat } from '../operation/list-format.ts'
import type { Answer } from '../operation/operation.ts'
import { parquetThread } from '../operation/parquet-thread.ts'

/** Reads the page behind a token; the first without one. */
export type ReadPage = (pageToken: string | undefined) => Promise<Pick<Answer, 'body' | 'columns'>>

/** A page to send, and the token of the next one; absent after the last page. */
export type ListBody = {
  readonly body: string | Buffer | Readable
  readonly nextPageToken: string | undefined
}

/** A list as `format`: one page, or all of them from the first on. */
export async function listBody(
  format: ListFormat,
  shape: ListShape,
  { read, isWhole }: { readonly read: ReadPage; readonly isWhole: boolean },
): Promise<ListBody> {
  // A bad request fails with its first page, while a status can still be sent.
  const first = pageOf(await read(undefined), shape)
  if (isWhole && first.next !== undefined) {
    const body = Readable.from(wholeList(format, first, { shape, read }))
    return { body, nextPageToken: undefined }
  }
  const file = await listFile(format, first.columns)
  const parts = [file.begin(), await file.rows(first.items), await file.end()]
  const isText = parts.every((part) => typeof part === 'string')
  const body = isText ? parts.join('') : Buffer.concat(parts.map((part) => Buffer.from(part)))
  return { body, nextPageToken: first.next }
}

async function* wholeList(
  format: ListFormat,
  first: Page,
  { shape, read }: { readonly shape: ListShape; readonly read: ReadPage },
): AsyncGenerator<string | Uint8Array> {
  const { columns } = first
  const file = format === 'parquet' ? parquetThread(columns) : await listFile(format, columns)
  try {
    const head = file.begin()
    if (head.length > 0) yield head
    for (let page = first; ; page = pageOf(await read(page.next), shape)) {
      const part = await file.rows(page.items)
      if (part.length > 0) yield part
      if (page.next === undefined) break
      await loopTurn.rest()
    }
    const rest = await file.end()
    if (rest.length > 0) yield rest
  } finally {
    file.close?.()
  }
}

const longestWaitSeconds = 60

/**
 * Counts a page against the limit of its reader, and waits where that of a minute is reached. Throws
 * `rate-limited` where that of a day is.
 */
export async function pagedAdmission(clock: Clock, admit: () => unknown): Promise<void> {
  for (;;) {
    try {
      // One at a time: that is the limit.
      // oxlint-disable-next-line no-await-in-loop
      await admit()
      return
    } catch (error) {
      const fault = faultOf(error)
      const seconds = Number(fault?.code === 'rate-limited' ? fault.detail['reset'] : Infinity)
      if (!(seconds <= longestWaitSeconds)) throw error
      // oxlint-disable-next-line no-await-in-loop
      await clock.sleep(seconds * 1_000)
    }
  }
}

/** Whole lists, or long answers, sent at once. A reader of whole histories must not slow other callers down. */
export class WholeLists {
  readonly #most: number
  /** Address of the reader of each. */
  readonly #readers: string[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Takes a place until the returned function is called; one address has a quarter at most. Throws `overloaded`. */
  enter(address: string): () => void {
    const own = this.#readers.filter((one) => one === address).length
    if (this.#readers.length >= this.#most || own >= this.#most / 4)
      throw new Fault(
        'overloaded',
        `${this.#most} long answers are being sent, or ${this.#most / 4} to you: come later, or request pages`,
        { detail: { reset: 10 } },
      )
    this.#readers.push(address)
    return () => void this.#readers.splice(this.#readers.indexOf(address), 1)
  }
}

type Page = {
  readonly items: readonly unknown[]
  readonly next: string | undefined
  readonly columns: readonly ListColumn[]
}

function pageOf({ body, columns }: Pick<Answer, 'body' | 'columns'>, shape: ListShape): Page {
  const entries = new Map(typeof body === 'object' && body !== null ? Object.entries(body) : [])
  const items: unknown = entries.get(shape.name)
  const next: unknown = entries.get('nextPageToken')
  return {
    items: Array.isArray(items) ? items : [],
    next: typeof next === 'string' && next !== '' ? next : undefined,
    columns: columns ?? shape.columns,
  }
}
