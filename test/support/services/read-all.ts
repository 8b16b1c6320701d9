/** A list of the API, read through all of its pages. */

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of any form: what is wrong in it fails the test
type Json = any

/** Items under `key` of all pages of `path`; `get` gives the body of a path. Throws where a page token comes twice. */
export async function readAll(
  get: (path: string) => Promise<Json>,
  path: string,
  key: string,
): Promise<Json[]> {
  const items: Json[] = []
  const seen = new Set<string>()
  for (let page = path; ;) {
    const body = await get(page)
    items.push(...body[key])
    const token: string | undefined = body.nextPageToken
    if (token === undefined || token === '') return items
    if (seen.has(token)) throw new Error(`${path} gives a token twice`)
    seen.add(token)
    page = `${path}${path.includes('?') ? '&' : '?'}pageToken=${encodeURIComponent(token)}`
  }
}

/** Bodies of `get`, every answer of which must be 200. */
export function bodies(
  get: (path: string) => Promise<{ readonly status: number; readonly body: Json }>,
): (path: string) => Promise<Json> {
  return async (path) => {
    const { status, body } = await get(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
}
