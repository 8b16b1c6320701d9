/** Reads a JSON body by the schema of an operation. */

import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'

import { Fault } from '../core/fault.ts'

/** Checks a parsed body; throws `bad-parameter` naming each member that does not fit. */
export function bodyReader(schema: TObject): (body: unknown) => unknown {
  const check = Compile(schema)
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new Fault('bad-parameter', 'the body must be a JSON object')
    }
    if (check.Check(body)) return body
    const problems = new Set<string>()
    for (const error of check.Errors(body)) {
      const name = error.instancePath.slice(1).replaceAll('/', '.')
      problems.add(`${name === '' ? 'the body' : name} ${error.message}`)
    }
    throw new Fault('bad-parameter', [...problems].slice(0, 10).join('; '))
  }
}
