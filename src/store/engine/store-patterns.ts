/** Patterns that say which of several PostgreSQL servers has the store of a chain. */

/** Stores of chains whose names fit `pattern` lie at `url`. */
export type StorePattern = {
  /** Name of a store of a chain, `fuji-c-chain`; `*` stands for any part of it. */
  readonly pattern: string
  /** `postgres://user@host:5432/db`. */
  readonly url: string
}

/** Stores rebuilt beside a store, and the logs of a chain, lie where the chain does. */
const chainStoreName = /^(?:rebuilt-)?((?:fuji|mainnet|primary)-.+)$/
const beginnings = ['fuji-', 'mainnet-', 'primary-']

/**
 * Address of the store of this name, by the first pattern that fits; undefined where none does.
 * Stores of the whole deployment fit no pattern.
 */
export function patternUrl(patterns: readonly StorePattern[], name: string): string | undefined {
  const chain = chainStoreName.exec(name)?.[1]
  if (chain === undefined) return undefined
  const names = [chain, chain.replace(/-logs$/, '')]
  return patterns.find(({ pattern }) => names.some((each) => fits(each, pattern)))?.url
}

/** Returns whether the name of any chain's store can match a pattern. */
export function canFit(pattern: string): boolean {
  const [first = ''] = pattern.split('*')
  return beginnings.some(
    (each) => first.startsWith(each) || (pattern !== first && each.startsWith(first)),
  )
}

/** Returns whether the name of a chain's store matches a pattern. */
export function fits(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
