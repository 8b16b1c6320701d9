/**
 * Interfaces to the outside: time, randomness, the network and files.
 *
 * Nothing below `service` reads a clock, draws a random number, opens a socket or a file by itself;
 * it is handed one of these. A simulator can therefore own all four.
 */

/** Time. `now` may jump with the machine's clock; `monotonic` never does. */
export type Clock = {
  /** Milliseconds since 1970-01-01 UTC. For stamps and expiry only. */
  readonly now: () => number
  /** Milliseconds since some fixed moment. For limits, rates and timers. */
  readonly monotonic: () => number
  /** Resolves after `ms`, rejects with the signal's reason when that is aborted first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Chance. */
export type Random = {
  /** `size` bytes no outsider can predict. */
  readonly bytes: (size: number) => Uint8Array
  /** A number in [0, 1) for jitter and sampling. */
  readonly number: () => number
}

/** One HTTP exchange. */
export type HttpRequest = {
  /** A user name and a password in it are sent as Basic authorization. */
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'HEAD' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Whole exchange, connect to last byte. */
  readonly timeoutMs: number
  /** A longer reply is a `node-too-large` fault. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** Reply of an {@link HttpRequest}. `headers` have lower-case names. */
export type HttpReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** HTTP to nodes. Throws `node-unreachable` or `node-too-large`; any status is a reply. */
export type Transport = {
  readonly request: (request: HttpRequest) => Promise<HttpReply>
}

/** A file that is fetched by HTTP. */
export type DownloadRequest = {
  /** The places that may have it, the one to try first before the others. */
  readonly urls: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Where it is written. After a failure the file there is incomplete. */
  readonly path: string
  /** A longer file is not taken. */
  readonly maxBytes: number
  /**
   * Throws a fault where the file at `path` is not the one that is meant: another place is tried.
   */
  readonly check?: (path: string) => Promise<void> | void
}

/**
 * Saves a file and returns the place that had it. Packed answers and slow ones are not taken.
 * Throws `not-found` where no place has it, else the fault of a place: `node-unreachable`,
 * `node-too-large`, and those of `check`.
 */
export type Download = (request: DownloadRequest) => Promise<string>

/** Files of the operator and of the data folder. Missing files are `undefined`, not an error. */
export type Files = {
  readonly read: (path: string) => Promise<Uint8Array | undefined>
  /** Whole or not at all: written beside, then renamed. Readable by the owner only. */
  readonly write: (path: string, bytes: Uint8Array) => Promise<void>
  readonly list: (path: string) => Promise<readonly string[]>
  /** Removes a file; one that is not there is removed. */
  readonly remove: (path: string) => Promise<void>
}

/** Facts that a folder has about what is in it. */
export type FileFacts = {
  readonly kind: 'file' | 'folder' | 'other'
  readonly bytes: number
  /** Milliseconds since 1970-01-01 UTC. */
  readonly changedMs: number
}

/** The outside, handed in. */
export type World = {
  readonly clock: Clock
  readonly random: Random
  readonly transport: Transport
  /** Absent where no files are fetched. */
  readonly download?: Download
  /**
   * HTTP to hosts that strangers name: refuses every address that is not public, with
   * `node-refused`. Absent where such hosts may not be contacted.
   */
  readonly publicTransport?: Transport
  /**
   * Why `publicTransport` refuses an address, as far as that shows before its name is looked up.
   */
  readonly publicUrlProblem?: (url: URL) => string | undefined
  readonly files: Files
  /** Facts about a file or folder, `undefined` where there is none. Absent where no folder is watched. */
  readonly fileFacts?: (path: string) => Promise<FileFacts | undefined>
  /** Variables of the process's environment. Absent where none are read. */
  readonly env?: Readonly<Record<string, string | undefined>>
}
