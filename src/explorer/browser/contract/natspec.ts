/** NatSpec: what the authors of a contract say of its methods, as the compiler gives it. */

import { isObject } from '../../../core/json.ts'
import { visible } from '../kit/format.ts'

/** Words on a method. */
export type MethodWords = {
  readonly text: string
  /** By the name of a parameter. */
  readonly parameters: ReadonlyMap<string, string>
  readonly returns: string
}

/** By signature: `transfer(address,uint256)`. */
export type NatSpec = ReadonlyMap<string, MethodWords>

/** Methods in `userdoc` and `devdoc` of a compiler's output. */
export function natSpecOf(output: unknown): NatSpec {
  const [users, makers] = ['userdoc', 'devdoc'].map((name) =>
    inside(inside(output, name), 'methods'),
  )
  const signatures = new Set([users, makers].flatMap((methods) => Object.keys(methods ?? {})))
  return new Map(
    [...signatures].map((signature) => {
      const user = inside(users, signature)
      const maker = inside(makers, signature)
      const texts = (name: string): [string, string][] =>
        Object.entries(inside(maker, name)).map(([key, text]) => [key, textOf(text)])
      const words = {
        text: [textOf(user['notice']), textOf(maker['details'])].join(' ').trim(),
        parameters: new Map(texts('params')),
        returns: texts('returns')
          .map(([, text]) => text)
          .join('; '),
      }
      return [signature, words] as const
    }),
  )
}

function inside(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const found = isObject(value) ? value[name] : undefined
  return isObject(found) ? found : {}
}

const longest = 1_000

/** Text of strangers, at most so long. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? visible(value.slice(0, longest).replaceAll(/\s+/g, ' ')) : ''
}
