/**
 * Finds declarations that nothing uses, members that nothing reads, modules imported twice in one
 * file, names in comments that no longer exist, and comments that begin with a question word. All by
 * the words of the sources, without types: a name that stands anywhere else counts as used.
 */

/** Text of every source by its path. */
export type Sources = ReadonlyMap<string, string>

/** A line for each violation in the files of `src`. */
export function deadNames(sources: Sources): string[] {
  const words = new Map([...sources].map(([file, text]) => [file, wordsOf(codeOf(text))]))
  const users = new Map<string, Set<string>>()
  for (const [file, counts] of words)
    for (const word of counts.keys()) users.set(word, (users.get(word) ?? new Set()).add(file))
  const problems: string[] = []
  for (const [file, text] of sources) {
    if (!file.startsWith('src/') || file.endsWith('.test.ts')) continue
    for (const [, kind = '', name = ''] of codeOf(text).matchAll(declaration)) {
      if ((users.get(name)?.size ?? 0) > 1) continue
      const isUsedHere = (words.get(file)?.get(name) ?? 0) > 1
      // A type that a signature of this file names may be exported for those who hold the value.
      if (isUsedHere && /^(type|interface|class)$/.test(kind)) continue
      problems.push(
        isUsedHere
          ? `${file}: ${name} is exported, and only this file uses it`
          : `${file}: nothing uses ${name}`,
      )
    }
  }
  return problems
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(const|let|function|class|type|interface)\*? (\w+)/gm

/** A line for each module that a file imports in two statements. */
export function doubledImports(sources: Sources): string[] {
  const problems: string[] = []
  for (const [file, text] of sources) {
    const seen = new Set<string>()
    for (const [, module = ''] of text.matchAll(/^import (?:type )?\{[^}]*\} from '([^']+)'/gm)) {
      if (seen.has(module)) problems.push(`${file}: imports ${module} twice`)
      seen.add(module)
    }
  }
  return problems
}

/** A line for each name in a comment that no code has: links, files, names in camel case. */
export function goneNames(sources: Sources): string[] {
  const known = new Set<string>()
  for (const text of sources.values())
    for (const word of wordsOf(codeOf(text)).keys()) known.add(word)
  const files = [...sources.keys()]
  const problems: string[] = []
  for (const [file, text] of sources) {
    if (!file.startsWith('src/')) continue
    for (const [comment] of text.matchAll(/\/\*\*[^]*?\*\/|\/\/[^\n]*/g)) {
      const names = [
        ...[...comment.matchAll(/\{@link (\w+)/g)].map(([, name = '']) => name),
        ...[...comment.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name = '']) => name),
      ]
      for (const name of names)
        if (!known.has(name))
          problems.push(`${file}: a comment names ${name}, which does not exist`)
      for (const [, path = ''] of comment.matchAll(/`([\w./-]+\.ts)`/g))
        if (!files.some((one) => one === path || one.endsWith(`/${path}`)))
          problems.push(`${file}: a comment names ${path}, which does not exist`)
    }
  }
  return problems
}

function codeOf(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/[^\n]*/g, '$1')
}

function wordsOf(code: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** A line for each member of a type in `src` whose name nothing reads: every use declares or sets it. */
export function unreadMembers(sources: Sources): string[] {
  const read = new Set<string>()
  for (const text of sources.values())
    for (const [, name = '', sets] of codeOf(text).matchAll(/([A-Za-z_$][\w$]*)(\??:)?/g))
      if (sets === undefined) read.add(name)
  const problems: string[] = []
  for (const [file, text] of sources) {
    if (!file.startsWith('src/') || file.endsWith('.test.ts')) continue
    for (const [, name = ''] of codeOf(text).matchAll(/^ +readonly (\w+)\??: /gm))
      if (!read.has(name) && !storedOrShown.has(name))
        problems.push(`${file}: nothing reads the member ${name}`)
  }
  return problems
}

/** Members that are written as a whole and read by their names: JSON of the API, columns of rows. */
const storedOrShown: ReadonlySet<string> = new Set([
  'animationUri',
  'background',
  'createdTxId',
  'externalUrl',
])

/** A line for each doc comment that names its subject by a question word, not by a noun. */
export function questionComments(sources: Sources): string[] {
  const problems: string[] = []
  for (const [file, text] of sources) {
    if (!/^(src|scripts|bench)\//.test(file)) continue
    for (const [comment] of text.matchAll(/\/\*\*[^]*?\*\//g))
      if (/^\/\*\*\s+(\*\s+)?(What|Whether)\b/.test(comment))
        problems.push(`${file}: a comment begins with a question word: ${comment.slice(0, 60)}`)
  }
  return problems
}
