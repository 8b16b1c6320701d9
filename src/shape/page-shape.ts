/** The answer of every list: the items of a page, and how to get the next. */

import type { TObject, TProperties } from 'typebox'

import { Type } from './type.ts'

/** The `pageToken` of the next page. */
const nextPageToken = Type.Optional(Type.String({ description: 'Absent on the last page' }))

/** A page with these properties. */
export function pageShape<Properties extends TProperties>(
  properties: Properties,
): TObject<{ nextPageToken: typeof nextPageToken } & Properties> {
  return Type.Object({ nextPageToken, ...properties })
}
