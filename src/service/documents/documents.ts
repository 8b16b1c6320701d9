/**
 * Keys and aliases of a deployment: small documents that all of its processes share.
 *
 * Processes over one data folder share its files. Where stores lie on PostgreSQL processes have a
 * data folder each, so that the documents lie in a store of their own (`store/schema/deployment.ts`).
 */

/** Every document, by the name of its file in a data folder. */
export const documentNames = ['api-keys.json', 'page-token.key', 'aliases.json'] as const

/** Name of a document. */
export type DocumentName = (typeof documentNames)[number]

/** Reading of a document while other processes change it. */
export type WatchedDocument<T> = {
  readonly name: DocumentName
  /** Reads the bytes; `undefined` when there is none. Throws a fault for a damaged one. */
  readonly parse: (bytes: Uint8Array | undefined) => T
  /** Called once when a change cannot be read; the version read before stays in force. */
  readonly damaged: (error: unknown) => void
}

/** The documents of a deployment. */
export type Documents = {
  /** Where a document lies, for messages. */
  readonly place: (name: DocumentName) => string
  /**
   * Milliseconds until all processes know a change at the latest; 0: at once. A process that cannot
   * reach the store answers nothing meanwhile.
   */
  readonly spreadMs: number
  readonly read: (name: DocumentName) => Promise<Uint8Array | undefined>
  /** A reader that gives the same value until the document changed. Throws what `parse` throws. */
  readonly watch: <T>(document: WatchedDocument<T>) => () => T
  /**
   * Replaces a document by what `change` makes of it, or leaves it where that is `undefined`.
   * `change` may be called again when another process changes it at the same moment.
   */
  readonly change: (
    name: DocumentName,
    change: (bytes: Uint8Array | undefined) => string | undefined,
  ) => Promise<void>
  /** Reads now what other processes changed. */
  readonly refresh: () => Promise<void>
  readonly close: () => Promise<void>
}
