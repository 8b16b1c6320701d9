/** What admission looks at, and what it adds to an answer. */

/** What admission looks at. */
export type AdmissionRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly query: unknown
  readonly address: string
  readonly weight: number
}

/** Headers admission adds to the answer. */
export type AdmissionHeaders = Readonly<Record<string, string>>
