/** Methods of a path, for 405, `Allow` and `OPTIONS`. */

/** Routes by their patterns, as the framework names them. */
export type PathMethods = {
  /** Names a route: `/v1/things/:name` or `/v1/things/:name(^[^:/]*)::verb`. */
  readonly add: (pattern: string, methods: readonly string[]) => void
  /** Methods of a path without its query, in order; empty when there is none. */
  readonly of: (path: string) => readonly string[]
  /** Returns whether `of(path)` has `method`: every request needs that. */
  readonly has: (path: string, method: string) => boolean
}

type Entry = {
  readonly form: RegExp
  readonly hasVerb: boolean
  /** A verb at the end, `:reindex`; empty without one. */
  readonly ending: string
  readonly methods: Set<string>
}

/** Without routes. */
export function createPathMethods(): PathMethods {
  const entries = new Map<string, Entry>()
  // Patterns have as many slashes as their paths: a few are tried instead of a hundred.
  const bySlashes = new Map<number, Entry[]>()
  return {
    add: (pattern, methods) => {
      const known = entries.get(pattern)
      const entry = known ?? entryOf(pattern)
      for (const method of methods) entry.methods.add(method)
      if (known !== undefined) return
      entries.set(pattern, entry)
      const slashes = slashesOf(pattern.replace(/\([^)]*\)/g, ''))
      bySlashes.set(slashes, [...(bySlashes.get(slashes) ?? []), entry])
    },
    has: (path, method) => {
      let hasVerb = false
      let found = false
      for (const entry of bySlashes.get(slashesOf(path)) ?? []) {
        if ((hasVerb && !entry.hasVerb) || !isPathOf(entry, path)) continue
        // The path of a verb has no other method.
        if (entry.hasVerb && !hasVerb) found = false
        hasVerb ||= entry.hasVerb
        found ||= entry.methods.has(method)
      }
      return found
    },
    of: (path) => {
      const found = (bySlashes.get(slashesOf(path)) ?? []).filter((entry) => isPathOf(entry, path))
      // `/tokens/1:reindex` is the verb's path, though a token could be named so, too.
      const verbs = found.filter(({ hasVerb }) => hasVerb)
      const methods = (verbs.length > 0 ? verbs : found).flatMap((entry) => [...entry.methods])
      return [...new Set(methods)].toSorted()
    },
  }
}

function isPathOf({ form, ending }: Entry, path: string): boolean {
  return path.endsWith(ending) && form.test(path)
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
  const ending = /::(\w+)$/.exec(pattern)
  return { form, hasVerb, ending: ending === null ? '' : `:${ending[1]}`, methods: new Set() }
}

function slashesOf(path: string): number {
  let count = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count++
  return count
}
