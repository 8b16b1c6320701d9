/** Addresses of the API by the table of its operations: a wrong path, parameter or field does not compile. */

import type { operations } from '../../../shape/operations/operations.ts'
import type { Static } from '../../../shape/type.ts'
import { withQuery } from './link.ts'

type Table = typeof operations
/** Operations that read, by their paths. */
type Reads = {
  [Id in keyof Table as Table[Id]['method'] extends 'GET' ? Table[Id]['path'] : never]: Table[Id]
}

/** Path of an operation that reads, with `{name}` for each of its parameters. */
export type ReadPath = keyof Reads

/** Body of the answer at a path. */
export type AnswerAt<Path extends ReadPath> = Static<Reads[Path]['response']>

type Text = string | number | boolean | undefined
/**
 * Parameters of a path, and of the query behind it. Values come from the address of the page as text; the server
 * checks them.
 */
export type InputAt<Path extends ReadPath> = {
  readonly [Name in keyof Reads[Path]['parameters']['path']['properties']]: string | number
} & { readonly [Name in keyof Reads[Path]['parameters']['query']['properties']]?: Text }

/** An address that remembers the body of its answer; the member is a type alone. */
export type Url<T> = string & { readonly '~answer': T }

/** The address of an operation; parameters of the query that are absent or empty are left out. */
export function urlOf<Path extends ReadPath>(
  path: Path,
  input: InputAt<Path>,
): Url<AnswerAt<Path>> {
  const query = new Map(Object.entries<Text>(input))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query.get(name)
    query.delete(name)
    return encodeURIComponent(String(value))
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table says what is answered there
  return withQuery(filled, Object.fromEntries(query)) as Url<AnswerAt<Path>>
}
