/** A setting: how it is declared, and the type of its value. */

/** Form of a setting's value. */
export type SettingKind = 'text' | 'integer' | 'boolean' | 'word' | 'list' | 'any'

/** One row. `env` is derived: `api.rateLimit` is `FIRN_API_RATE_LIMIT`. */
export type Setting = {
  readonly kind: SettingKind
  readonly default: unknown
  readonly meaning: string
  /** Only these, for `word`. */
  readonly words?: readonly string[]
  readonly min?: number
  readonly max?: number
  /** Command-line flag of `firn start`, where there is one. */
  readonly flag?: string
  /** Never printed. */
  readonly secret?: boolean
  /** True when the value is an http or https address or a list of them; empty means none. */
  readonly isAddress?: boolean
  /** True when the value is a path or a list of them: in a file of settings, one from the folder of that file on. */
  readonly isPath?: boolean
  /** Path that it had before; it is read, with a warning, until the next major version. */
  readonly formerly?: string
}

/** Properties of a row beside its kind and default. */
type More = Pick<Setting, 'flag' | 'secret' | 'isAddress' | 'isPath' | 'formerly'>

/** A setting of each kind: its default, what it may be, and its meaning. */
export const text = (value: string, meaning: string, more: More = {}) =>
  ({ kind: 'text', default: value, meaning, ...more }) as const
export const integer = (
  value: number,
  range: readonly [number, number],
  meaning: string,
  more: More = {},
) => ({ kind: 'integer', default: value, min: range[0], max: range[1], meaning, ...more }) as const
export const flag = (value: boolean, meaning: string, more: More = {}) =>
  ({ kind: 'boolean', default: value, meaning, ...more }) as const
export const word = <const W extends readonly string[]>(
  value: W[number],
  words: W,
  meaning: string,
  more: More = {},
) => ({ kind: 'word', default: value, words, meaning, ...more }) as const
export const list = (meaning: string, value: readonly string[] = [], more: More = {}) =>
  ({ kind: 'list', default: value, meaning, ...more }) as const
export const any = (value: unknown, meaning: string, more: More = {}) =>
  ({ kind: 'any', default: value, meaning, ...more }) as const

/** The type of a value, by the row that declares it. */
type ValueOf<S extends Setting> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'word'; words: readonly (infer W)[] }
      ? W
      : S extends { kind: 'text' }
        ? string
        : S extends { kind: 'list' }
          ? readonly string[]
          : unknown

/** The values of a table of settings, by their paths. */
export type Values<T extends Record<string, Setting>> = { readonly [K in keyof T]: ValueOf<T[K]> }

/** `api.rateLimit` is `FIRN_API_RATE_LIMIT`. */
export function environmentName(path: string): string {
  const snake = path.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/\./g, '_')
  return `FIRN_${snake.toUpperCase()}`
}
