/** Calls a busy server again, when it says so and not for ever, and never for much at once. */

// Two tabs together stay within what a busy server takes in.
const mostAtOnce = 4

/** Requests for one answer: the first, and those that follow while the server is busy. */
export const mostAttempts = 4

// A busy server wants a pause of one second. The reader decides about longer ones.
const longestWaitSeconds = 2

const limitMs = 30_000
// What is sent may be sources to compile.
const sendingMs = 610_000

let underWay = 0
const waiting: (() => void)[] = []

/** Returns whether a refusal is about the moment only: the server has too much to do. */
export function isBusy({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const seconds = headers.get('retry-after') ?? ''
  return status === 503 && /^\d+$/.test(seconds) && Number(seconds) <= longestWaitSeconds
}

/** Milliseconds until attempt `next` (the second is 2) after an answer of a busy server. */
export function pauseBefore(next: number, { headers }: Pick<Response, 'headers'>): number {
  // Longer each time: everybody who was refused gets the same second.
  return Number(headers.get('retry-after')) * 1_000 * (next - 1)
}

/** A request that is repeated while the server is busy, {@link mostAttempts} times at most. */
export async function patientFetch(
  path: string,
  how: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  signal?: AbortSignal,
): Promise<Response> {
  let response = await inTurn(path, how, signal)
  for (let next = 2; next <= mostAttempts && isBusy(response); next++) {
    // Each waits for the one before it.
    // oxlint-disable no-await-in-loop
    await pause(pauseBefore(next, response), signal)
    response = await inTurn(path, how, signal)
    // oxlint-enable no-await-in-loop
  }
  return response
}

/** One request once fewer than {@link mostAtOnce} are under way. */
async function inTurn(
  path: string,
  how: Pick<RequestInit, 'method' | 'headers' | 'body'>,
  signal?: AbortSignal,
): Promise<Response> {
  if (underWay >= mostAtOnce) await new Promise<void>((resolve) => void waiting.push(resolve))
  else underWay++
  try {
    signal?.throwIfAborted()
    const limit = AbortSignal.timeout(how.method === undefined ? limitMs : sendingMs)
    return await fetch(path, {
      ...how,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
  } finally {
    // Its turn goes to the next one, if there is any.
    const next = waiting.shift()
    if (next === undefined) underWay--
    else next()
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(new DOMException('no longer wanted', 'AbortError'))
      },
      { once: true },
    )
  })
}
