/**
 * Paths as a tree of their segments: methods, queue and form of errors of a request before it is routed.
 *
 * A literal segment goes before `{name}:verb`, and that before `{name}`, as in the router. `/tokens/1:reindex`
 * is the verb's path, though a token could be named so, too.
 */

import type { Contract, Lane } from '../../shape/operations/contract.ts'

type Segment<T> = {
  readonly literals: Map<string, Segment<T>>
  /** Of `{name}:verb`, by the verb. */
  readonly verbs: Map<string, Segment<T>>
  /** Of `{name}`. */
  named: Segment<T> | undefined
  value: T | undefined
}

const newSegment = <T>(): Segment<T> => ({
  literals: new Map(),
  verbs: new Map(),
  named: undefined,
  value: undefined,
})

/** Values by path. */
export class PathTree<T> {
  readonly #root = newSegment<T>()

  /** Sets the value of a path, `/v1/things/{name}`, to what `change` makes of the one it had. */
  set(path: string, change: (before: T | undefined) => T): void {
    let segment = this.#root
    for (const text of path.slice(1).split('/')) {
      const [, verb, isNamed] = /^\{\w+\}(?::(\w+))?()$/.exec(text) ?? []
      if (isNamed === undefined) segment = child(segment.literals, text)
      else if (verb === undefined) segment = segment.named ??= newSegment()
      else segment = child(segment.verbs, verb)
    }
    segment.value = change(segment.value)
  }

  /** The value of the path that has the form of `path`, which is without a query. */
  find(path: string): T | undefined {
    return path.startsWith('/') ? valueFrom(this.#root, path, 1) : undefined
  }
}

function child<T>(children: Map<string, Segment<T>>, name: string): Segment<T> {
  const found = children.get(name) ?? newSegment<T>()
  children.set(name, found)
  return found
}

function valueFrom<T>(segment: Segment<T>, path: string, from: number): T | undefined {
  if (from > path.length) return segment.value
  const slash = path.indexOf('/', from)
  const end = slash === -1 ? path.length : slash
  const text = path.slice(from, end)
  const literal = segment.literals.get(text)
  const value = literal === undefined ? undefined : valueFrom(literal, path, end + 1)
  if (value !== undefined) return value
  const colon = text.indexOf(':')
  const verb = colon > 0 ? segment.verbs.get(text.slice(colon + 1)) : undefined
  const ofVerb = verb === undefined ? undefined : valueFrom(verb, path, end + 1)
  if (ofVerb !== undefined) return ofVerb
  return segment.named === undefined || text === ''
    ? undefined
    : valueFrom(segment.named, path, end + 1)
}

/** Facts about a path, served or deliberately not. */
export type ServedPath = {
  /** In order; none where the path is deliberately not served. */
  readonly methods: readonly string[]
  readonly lane: Lane
  /** Errors have a list as their `message`. */
  readonly listMessages: boolean
  /** Why it is not served. */
  readonly why?: string
}

/** Facts that a route has in the framework's `config`, besides its path and methods. */
export type RouteFacts = Partial<Pick<Contract, 'lane' | 'listMessages'>>

// Of two methods of one path, the first of these that any of them has.
const lanesByRank: readonly Lane[] = ['vital', 'item', 'patient', 'list']

/** All paths of a server. */
export class ServedPaths {
  readonly #tree = new PathTree<ServedPath>()

  constructor(absent: Readonly<Record<string, string>> = {}) {
    for (const [path, why] of Object.entries(absent))
      this.#tree.set(path, () => ({ methods: [], lane: 'list', listMessages: false, why }))
  }

  /** Adds a route by the framework's pattern: `/v1/things/:name(^[^:/]*)::verb`. */
  add(pattern: string, methods: readonly string[], facts: RouteFacts): void {
    const path = pattern.replaceAll(/(?<!:):(\w+)(?:\([^)]*\))?/g, '{$1}').replaceAll('::', ':')
    this.#tree.set(path, (before) => ({
      methods: [...new Set([...(before?.methods ?? []), ...methods])].toSorted(),
      lane: lanesByRank.find((lane) => lane === before?.lane || lane === facts.lane) ?? 'list',
      listMessages: before?.listMessages === true || facts.listMessages === true,
    }))
  }

  /** Facts about a path without its query; `undefined` for an unknown one. */
  at(path: string): ServedPath | undefined {
    return this.#tree.find(path)
  }
}

/** The path of a target, in which a colon stands as itself, without a slash at its end. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?')
  const path = withColons(mark === -1 ? target : target.slice(0, mark))
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** `text` with each `%3a` as the colon it means. */
export function withColons(text: string): string {
  // Few have a percent sign, and every request comes here several times.
  return text.includes('%') ? text.replace(/%3a/gi, ':') : text
}
