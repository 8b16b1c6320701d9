/** Reads a JSON body by the schema of an operation. */

import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'

import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'

/**
 * Checks a parsed body; rejects with `bad-parameter` naming each member that does not fit.
 *
 * The compiler is loaded with the first body: few callers send one, and it takes 100 ms.
 */
export function bodyReader(schema: TSchema): (body: unknown) => Promise<unknown> {
  let compiled: ReturnType<typeof compile> | undefined
  return async (body) => {
    const wantsObject = 'type' in schema && schema.type === 'object'
    if (wantsObject && !isObject(body)) {
      throw new Fault('bad-parameter', 'the body must be a JSON object')
    }
    const check = await (compiled ??= compile(schema))
    if (check.Check(body)) return body
    const problems = new Set<string>()
    for (const error of check.Errors(body)) {
      const name = error.instancePath.slice(1).replaceAll('/', '.')
      problems.add(`${name === '' ? 'the body' : name} ${error.message}`)
    }
    throw new Fault('bad-parameter', [...problems].slice(0, 10).join('; '))
  }
}

async function compile(schema: TSchema): Promise<Validator> {
  const { Compile } = await import('typebox/compile')
  return Compile(schema)
}
