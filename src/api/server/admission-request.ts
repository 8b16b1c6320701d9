/** The parts of a request and of a reply that admission uses. */

/** The part of a request that admission reads. */
export type AdmissionRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly query: unknown
  readonly address: string
  readonly weight: number
}

/** Headers admission adds to the answer. */
export type AdmissionHeaders = Readonly<Record<string, string>>
