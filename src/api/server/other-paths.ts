/** Paths beside the operations, as the OpenAPI document has them: streams and files. */

const text = (name: string, place: 'path' | 'query', description: string): object => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema: { type: 'string' },
})

const webhook = [
  text('id', 'path', 'UUID of the webhook'),
  text('from', 'query', 'height to begin at; what is older than the outbox is computed anew'),
  text('lastEventId', 'query', 'go on after this message; a header of that name means the same'),
]

const failures = (...statuses: readonly number[]): object =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  )

/** The usual failures of a request without a body. */
const usual = failures(400, 401, 403, 404, 405, 408, 414, 417, 429, 431, 500, 503)

/** Path items by path. */
export const otherPaths: Readonly<Record<string, object>> = {
  '/v1/webhooks/{id}/events': {
    get: {
      operationId: 'streamEvents',
      summary: 'Messages of a webhook as Server-Sent Events, for as long as the caller listens',
      tags: ['Webhooks'],
      parameters: webhook,
      responses: {
        200: { description: 'One event per message', content: { 'text/event-stream': {} } },
        ...usual,
      },
    },
  },
  '/v1/operations/{operationId}/file': {
    get: {
      operationId: 'getExportFile',
      summary: 'The file of an export; whoever knows the id may fetch it, without a key',
      tags: ['Operations'],
      parameters: [text('operationId', 'path', 'UUID of the export')],
      responses: {
        200: { description: 'Rows, sent as they are read', content: { 'text/csv': {} } },
        ...usual,
      },
    },
  },
}
