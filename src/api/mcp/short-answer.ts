/** Answers that a language model can hold: few characters, cut by rows and never in the middle of JSON. */

import { isObject } from '../../core/json.ts'

/** Characters of an answer. */
const mostCharacters = 6_000
/** Rows and characters of texts, from the most that is tried to the least. */
const sizes = [
  { rows: 25, text: 200 },
  { rows: 10, text: 200 },
  { rows: 5, text: 120 },
  { rows: 3, text: 80 },
  { rows: 1, text: 66 },
] as const

type Size = { readonly rows: number; readonly text: number }

/** Members that say nothing to a reader of text. */
const passedOver: ReadonlySet<string> = new Set([
  'logoUri',
  'chainLogoUri',
  'imageUri',
  'explorerUrl',
  'rpcUrl',
  'wsUrl',
  'logsBloom',
])

/**
 * The members of `value` and then those of `rest`, which stay as they are, as JSON text of {@link mostCharacters} at
 * most. `undefined` where the least form is longer.
 */
export function shortText(value: object, rest: object): string | undefined {
  for (const size of sizes) {
    const text = JSON.stringify({ ...Object(shortened(value, size)), ...rest })
    if (text.length <= mostCharacters) return text
  }
  return undefined
}

function shortened(value: unknown, size: Size): unknown {
  if (typeof value === 'string') return clipped(value, size.text)
  if (Array.isArray(value)) {
    const rows: unknown[] = value.slice(0, size.rows).map((row) => shortened(row, size))
    return value.length > rows.length ? [...rows, `and ${value.length - rows.length} more`] : rows
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !passedOver.has(name) && !isEmpty(member))
      .map(([name, member]) => [name, shortened(member, size)]),
  )
}

/** Names of tokens and contracts are the words of strangers: without characters that control a reader. */
function clipped(text: string, most: number): string {
  const plain = text.replace(/\p{C}+/gu, ' ')
  return plain.length <= most ? plain : `${plain.slice(0, most)}… (${text.length} characters)`
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  )
}
