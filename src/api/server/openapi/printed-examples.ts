/** Requests and answers that `docs/examples` prints: read from its pages. */

/** Where the pages call the demo. */
const origin = 'http://127.0.0.1:8080'

/** A printed example. */
export type PrintedExample = {
  /** Id of the operation. */
  readonly id: string
  /** A sentence on the request. */
  readonly about: string
  readonly method: string
  /** With its query; `$NAME` stands for what an answer before it gave. */
  readonly path: string
  /** JSON text. */
  readonly body: string | undefined
  readonly withKey: boolean
  /** The variable that its answer is kept in, and the field that is kept. */
  readonly keeps: { readonly variable: string; readonly field: string } | undefined
  /** The answer, shortened; empty where none is printed. */
  readonly answer: string
  /** The answer in its place where only a node could tell; empty elsewhere. */
  readonly refusal: string
}

/** Examples of a page in their order. */
export function printedExamples(page: string): PrintedExample[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const told = groupOf(/```json\n([^]*?)\n```/, part) ?? ''
      const isRefused = told.includes('"statusCode": 503')
      const request = groupOf(/```sh\n([^]*?)\n```/, part) ?? ''
      const body = groupOf(/-d '([^]*?)'/, request)
      const [, variable, field = ''] = /^(\w+)=\$\([^]*"(\w+)":/m.exec(request) ?? []
      return {
        id: groupOf(/^(\S+)/, part) ?? '',
        about: groupOf(/^\S+\n\n([^]*?)\n\n```sh/, part) ?? '',
        method: groupOf(/^curl -X (\w+)/, request) ?? (body === undefined ? 'GET' : 'POST'),
        path: (groupOf(/["'](http:\/\/[^"']+)["']/, request) ?? '').replace(origin, ''),
        body,
        withKey: request.includes('"x-service-api-key: $KEY"'),
        keeps: variable === undefined ? undefined : { variable, field },
        answer: isRefused ? '' : told,
        refusal: isRefused ? told : '',
      }
    })
}

function groupOf(form: RegExp, text: string): string | undefined {
  return form.exec(text)?.[1]
}
