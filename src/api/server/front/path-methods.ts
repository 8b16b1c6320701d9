/** Methods of a path, for 405, `Allow` and `OPTIONS`. */

/** Routes by their patterns, as the framework names them. */
export type PathMethods = {
  /** Names a route: `/v1/things/:name` or `/v1/things/:name(^[^:/]*)::verb`. */
  readonly add: (pattern: string, methods: readonly string[]) => void
  /** Methods of a path without its query, in order; empty when there is none. */
  readonly of: (path: string) => readonly string[]
  /** Returns whether `path` ends in a verb that only writes: readers take it for a part of a name. */
  readonly endsInWrite: (path: string) => boolean
}

type Entry = { readonly form: RegExp; readonly hasVerb: boolean; readonly methods: Set<string> }

/** Without routes. */
export function createPathMethods(): PathMethods {
  const entries = new Map<string, Entry>()
  const writes = new Set<string>()
  return {
    add: (pattern, methods) => {
      const entry = entries.get(pattern) ?? entryOf(pattern)
      entries.set(pattern, entry)
      for (const method of methods) entry.methods.add(method)
      const verb = /::(\w+)$/.exec(pattern)?.[1]
      const isRead = methods.includes('GET') || methods.includes('HEAD')
      if (verb !== undefined && !isRead) writes.add(verb)
    },
    endsInWrite: (path) => writes.has(path.slice(path.lastIndexOf(':') + 1)),
    of: (path) => {
      const found = [...entries.values()].filter(({ form }) => form.test(path))
      // `/tokens/1:reindex` is the verb's path, though a token could be named so, too.
      const verbs = found.filter(({ hasVerb }) => hasVerb)
      const methods = (verbs.length > 0 ? verbs : found).flatMap((entry) => [...entry.methods])
      return [...new Set(methods)].toSorted()
    },
  }
}

function entryOf(pattern: string): Entry {
  const source = pattern
    .split('::')
    .map((part) =>
      part
        .split(/(:\w+(?:\([^)]*\))?)/)
        .map((piece) =>
          piece.startsWith(':') ? '[^/:]+' : piece.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
        )
        .join(''),
    )
    .join(':')
  const hasVerb = pattern.includes('::')
  const form = new RegExp(`^${hasVerb ? source : source.replaceAll('[^/:]+', '[^/]+')}$`)
  return { form, hasVerb, methods: new Set() }
}
