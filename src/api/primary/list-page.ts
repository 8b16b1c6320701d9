/** What lists of the primary network share. */

/** The token of the next page, where there is one. */
export function nextToken(page: { readonly nextPageToken?: string }): {
  readonly nextPageToken?: string
} {
  return page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }
}

/** Items of a page when the caller does not say. */
export const defaultPageSize = 10

/** Items of a page of subnets or chains when the caller does not say. */
export const defaultWidePageSize = 100
