/** The answer of every list: the items of a page, and how to get the next. */

import { type ObjectSchema, type Properties, Type, Optional } from './type.ts'

/** The `pageToken` of the next page. */
const nextPageToken = Optional.String('Absent on the last page', { examples: ['AQ3gk2…'] })

/** A page with these properties. */
export function pageShape<P extends Properties>(
  properties: P,
): ObjectSchema<{ nextPageToken: typeof nextPageToken } & P> {
  return Type.Object({ nextPageToken, ...properties })
}
