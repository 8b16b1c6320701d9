/** How every list says that it goes on. */

import { Type } from './type.ts'

/** The `pageToken` of the next page. */
export const nextPageToken = Type.Optional(Type.String({ description: 'Absent on the last page' }))
