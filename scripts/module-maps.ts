/**
 * Refuses maps and sets of a module that its code changes: like a variable of the module, such a map
 * belongs to nobody, and everything in the thread shares it. By the words of the sources, without types.
 *
 * A table that is made once says so: it is declared `ReadonlyMap` or `ReadonlySet`, or it is neither
 * exported nor handed to a function.
 */

import type { Sources } from './dead-names.ts'

/** Those that may be changed, with the reason. */
const allowed: ReadonlyMap<string, string> = new Map([
  ['src/store/postgres/server.ts: servers', 'stores of a thread share connections, and leave'],
])

/** A line for each such map in `sources`, and for each that is allowed and no longer there. */
export function moduleMapProblems(sources: Sources): string[] {
  const changed = new Set<string>()
  for (const [file, text] of sources)
    for (const [, exported, name = '', type = ''] of text.matchAll(declaration)) {
      const isConstant = /^Readonly(Map|Set)</.test(type)
      if (!isConstant && (exported !== undefined || changes(name).test(text)))
        changed.add(`${file}: ${name}`)
    }
  const problems = [...changed].filter((place) => !allowed.has(place))
  const gone = [...allowed.keys()].filter((place) => !changed.has(place))
  return [
    ...problems.map((place) => `${place} is a map of the module that may be changed`),
    ...gone.map((place) => `${place} is allowed in scripts/module-maps.ts, and nothing changes it`),
  ]
}

const declaration = /^(export )?const (\w+)(?:: ([^\n]*?))? =\s+new (?:Map|Set|WeakMap|WeakSet)\b/gm

/** A call that changes the map `name`, or a function that it is handed to. */
function changes(name: string): RegExp {
  return new RegExp(
    `\\b${name}\\s*\\.(set|add|delete|clear|getOrInsert\\w*)\\(|[(,]\\s*${name}\\s*[,)]`,
  )
}
