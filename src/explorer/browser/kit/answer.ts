/** Calls Firn's own API and keeps what it said. */

import { useEffect, useRef, useState } from 'preact/hooks'

import type { Url } from './contract.ts'
import { withQuery } from './link.ts'
import { isBusy, patientFetch } from './patient-fetch.ts'

/** Why there is no answer; status 0 when the server was not reached. */
export type Failure = {
  readonly status: number
  readonly message: string
  /** The server had too much to do, also when it was called again. */
  readonly busy?: true
}

/** An answer, or the reason why there is none, or neither yet. */
export type Answer<T> = {
  readonly data?: T
  readonly failure?: Failure
  /** Header `x-balances`, where balances are from logs and the node did not confirm them. */
  readonly fromLogs?: string
}

const keyName = 'firn-api-key'

/** The API key people entered for this tab; empty when none is needed. */
export function apiKey(): string {
  return sessionStorage.getItem(keyName) ?? ''
}

/** Keeps an API key until the tab is closed. */
export function keepApiKey(key: string): void {
  sessionStorage.setItem(keyName, key)
}

/** Headers every request carries. */
export function apiHeaders(): Record<string, string> {
  const key = apiKey()
  return key === ''
    ? { 'x-firn-dialect': 'documented' }
    : { 'x-firn-dialect': 'documented', 'x-service-api-key': key }
}

/** One GET. Never throws but for an abort: a failure is a value. */
export function get<T>(path: Url<T>, signal?: AbortSignal): Promise<Answer<T>> {
  return fetched<T>(path, { headers: apiHeaders() }, signal)
}

/** One POST of JSON; as {@link get}. */
export function send<T>(path: string, body: object): Promise<Answer<T>> {
  const headers = { ...apiHeaders(), 'content-type': 'application/json' }
  return fetched<T>(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Calls a chain's node, where the operator offers it; as {@link get}. */
export async function callNode<T>(
  chainId: string,
  method: string,
  params: readonly unknown[],
): Promise<Answer<T>> {
  const call = { jsonrpc: '2.0', id: 1, method, params }
  const { data, failure } = await send<{ result?: T; error?: { message: string } }>(
    `/v1/chains/${chainId}/rpc`,
    call,
  )
  if (failure !== undefined) return { failure }
  if (data?.error !== undefined) return { failure: { status: 0, message: data.error.message } }
  return data?.result === undefined ? {} : { data: data.result }
}

async function fetched<T>(
  path: string,
  how: RequestInit,
  signal?: AbortSignal,
): Promise<Answer<T>> {
  try {
    const response = await patientFetch(path, how, signal)
    const body: unknown = await response.json()
    if (!response.ok) {
      const { status } = response
      const busy = isBusy(response) ? { busy: true as const } : {}
      return { failure: { status, message: messageOf(body), ...busy } }
    }
    const balances = response.headers.get('x-balances') ?? ''
    const note = balances.startsWith('from logs') ? { fromLogs: balances } : {}
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server answers by its shape
    return { data: body as T, ...note }
  } catch (error) {
    if (signal?.aborted === true) throw error
    return { failure: { status: 0, message: 'The server does not answer.' } }
  }
}

/** Requests of this page that were given up because the server is busy. */
const givenUp = new Set<string>()
const again = new EventTarget()

function note(path: string, failure: Failure | undefined): void {
  const before = givenUp.size
  if (failure?.busy === true) givenUp.add(path)
  else givenUp.delete(path)
  if (givenUp.size !== before) again.dispatchEvent(new Event('change'))
}

/** Returns whether the page lacks answers because the server is busy. */
export function useBusy(): boolean {
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    const changed = (): void => setBusy(givenUp.size > 0)
    again.addEventListener('change', changed)
    return () => again.removeEventListener('change', changed)
  }, [])
  return busy
}

/** Requests again all that was given up. */
export function retryAll(): void {
  again.dispatchEvent(new Event('retry'))
}

/** Requests `path` again and again, one request at a time, until it is ended. */
function poller<T>(
  path: string,
  read: (signal: AbortSignal) => Promise<Answer<T>>,
  show: (answer: Answer<T>) => void,
): { readonly load: () => void; readonly end: () => void } {
  const over = new AbortController()
  let running = false
  const load = (): void => {
    if (running) return
    running = true
    read(over.signal)
      .then((answer) => {
        running = false
        note(path, answer.failure)
        show(answer)
      })
      // It is no longer wanted.
      .catch(() => undefined)
  }
  const reload = (): void => {
    if (givenUp.has(path)) load()
  }
  again.addEventListener('retry', reload)
  load()
  const end = (): void => {
    over.abort()
    again.removeEventListener('retry', reload)
    note(path, undefined)
  }
  return { load, end }
}

/**
 * Requests `path` when it changes, and again every `everyMs` while the page is seen and whenever
 * `beat` changes.
 */
export function useAnswer<T>(url: Url<T> | '' | undefined, everyMs = 0, beat = ''): Answer<T> {
  const path = url === '' ? undefined : url
  const [held, hold] = useState<{ path: string | undefined; answer: Answer<T> }>({
    path: undefined,
    answer: {},
  })
  const repeat = useRef<() => void>(() => undefined)
  useEffect(() => {
    if (path === undefined) return undefined
    const { load, end } = poller<T>(
      path,
      (signal) => get(path, signal),
      (answer) => hold((before) => ({ path, answer: merged(before, path, answer) })),
    )
    repeat.current = load
    return end
  }, [path])
  useEffect(() => {
    if (path === undefined || everyMs === 0) return undefined
    const timer = setInterval(() => document.hidden || repeat.current(), everyMs)
    return () => clearInterval(timer)
  }, [path, everyMs])
  const lastBeat = useRef('')
  useEffect(() => {
    // The first is what the answer begins with.
    if (path !== undefined && lastBeat.current !== '') repeat.current()
    lastBeat.current = beat
  }, [beat])
  return held.path === path ? held.answer : {}
}

/** All pages of a list, one after the other, `most` at most; a page that fails ends it. */
export function useWhole<T extends { readonly nextPageToken?: string | undefined }>(
  path: Url<T>,
  most: number,
): Answer<readonly T[]> {
  const [held, hold] = useState<{ path: string; answer: Answer<readonly T[]> }>()
  useEffect(
    () =>
      poller<readonly T[]>(
        path,
        (signal) => getAll<T>(path, most, signal),
        (answer) => hold({ path, answer }),
      ).end,
    [path, most],
  )
  return held?.path === path ? held.answer : {}
}

async function getAll<T extends { readonly nextPageToken?: string | undefined }>(
  path: Url<T>,
  most: number,
  signal: AbortSignal,
): Promise<Answer<readonly T[]>> {
  const pages: T[] = []
  let token: string | undefined = ''
  while (token !== undefined && pages.length < most) {
    const more: Url<T> = withQuery(path, { pageToken: token })
    // One page says what the next is called.
    // oxlint-disable-next-line no-await-in-loop
    const answer: Answer<T> = await get<T>(more, signal)
    if (answer.data === undefined)
      return answer.failure === undefined ? {} : { failure: answer.failure }
    pages.push(answer.data)
    token = answer.data.nextPageToken
  }
  return { data: pages }
}

/** A failed repeat keeps what was known before. */
function merged<T>(
  before: { path: string | undefined; answer: Answer<T> },
  path: string,
  answer: Answer<T>,
): Answer<T> {
  return answer.failure !== undefined && before.path === path && before.answer.data !== undefined
    ? { data: before.answer.data, failure: answer.failure }
    : answer
}

function messageOf(body: unknown): string {
  const message =
    typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined
  if (Array.isArray(message)) return message.join('; ')
  return typeof message === 'string' ? message : 'no reason given'
}
