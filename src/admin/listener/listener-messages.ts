/**
 * Messages between the main thread and the listener's thread.
 *
 * The listener's thread owns the sockets. It answers health and metrics itself, from figures the
 * main thread hands it; every other request it passes on and sends back what it gets.
 */

import type { IncomingHttpHeaders } from 'node:http'

import type { ListenerLimits } from '../../http/connection-limits.ts'
import type { Heartbeat } from '../../telemetry/threads/heartbeat.ts'
import type { ThreadLink } from '../../telemetry/threads/thread.ts'
import type { NodeReply } from '../node-http.ts'

/** `workerData` of the listener's thread; the port of `link` must be in the transfer list too. */
export type ListenerData = {
  readonly link: ThreadLink
  readonly host: string
  readonly port: number
  readonly allowedHosts: readonly string[]
  readonly nodeId: string | undefined
  readonly sockets: ListenerLimits
  /** A thread that has been blocked for longer is dead. */
  readonly maxSilenceMs: number
}

/** A request that the listener's thread has read whole. */
export type PassedRequest = {
  readonly id: number
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/** Numbers of the process at one moment. */
export type Figures = {
  /** When they were read, milliseconds since 1970. */
  readonly atMs: number
  /** Checks as `HealthEntry[]`, as JSON: their messages are anything. */
  readonly health: string
  /** Prometheus text and its type; absent where only health was sent. */
  readonly metrics?: { readonly text: string; readonly contentType: string }
}

/** Messages of the listener's thread. */
export type ListenerReport =
  | { readonly listening: { readonly host: string; readonly port: number } }
  | { readonly failed: string }
  | { readonly request: PassedRequest }
  /** The caller of a request passed on has gone. */
  | { readonly gone: number }
  /** Wants figures now. */
  | { readonly refresh: number; readonly unsentBytes: number }
  /** Answered a request itself. */
  | { readonly answered: { readonly base: string; readonly status: number; readonly ms: number } }
  | { readonly dropped: string }

/** Messages of the main thread. */
export type ListenerOrder =
  | { readonly reply: NodeReply; readonly to: number }
  /** Something broke: the connection is ended. */
  | { readonly broke: number }
  /** To a `refresh`, or by itself when checks have changed. */
  | { readonly figures: Figures; readonly to: number | undefined }
  /** Threads that must turn, whenever one comes or goes. */
  | { readonly heartbeats: readonly Heartbeat[] }
  | { readonly close: true }
