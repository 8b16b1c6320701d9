/**
 * The one place that knows where the documents and the official clients disagree.
 *
 * Operations build one neutral body: money as decimal strings, `indexStatus` in upper case, true
 * transaction types, success status 200. `documented` and `sdk` are two small rewritings of it.
 * A rewriting is registered by operation id, so that operations without a disagreement pay nothing.
 */

/** Whose reading an answer follows. */
export type Dialect = 'documented' | 'sdk'

/** The setting, also accepted per request in the header `x-firn-dialect`. */
export type DialectSetting = 'auto' | Dialect

/** Header by which a caller forces a dialect. */
const dialectHeader = 'x-firn-dialect'

/** Rewrites a neutral body. May change the object it is given: it is not used again. */
export type Rewriting = (body: unknown) => unknown

/** What the dialects do to the answers of one operation. */
export type DialectRule = {
  readonly documented?: Rewriting
  readonly sdk?: Rewriting
  /** Status the `sdk` dialect answers instead of 200. */
  readonly sdkStatus?: number
}

/** Rules by operation id. */
export type DialectRules = Readonly<Record<string, DialectRule>>

/** Which dialect a request gets. Source: design, section 1; generated clients' User-Agent. */
export function dialectOf(
  setting: DialectSetting,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Dialect {
  const forced = headers[dialectHeader]
  if (forced === 'documented' || forced === 'sdk') return forced
  if (setting !== 'auto') return setting
  const agent = headers['user-agent']
  return typeof agent === 'string' && agent.startsWith('speakeasy-sdk/') ? 'sdk' : 'documented'
}

/** Every `{ currencyCode, value }` with its value as a JSON number, which the clients demand. */
export function moneyAsNumbers(body: unknown): unknown {
  return walk(body, (object) => {
    if (typeof object['currencyCode'] === 'string' && typeof object['value'] === 'string') {
      object['value'] = Number(object['value'])
    }
  })
}

/** Every `indexStatus` in lower case, as document B shows it. */
export function statusInLowerCase(body: unknown): unknown {
  return walk(body, (object) => {
    const status = object['indexStatus']
    if (typeof status === 'string') object['indexStatus'] = status.toLowerCase()
  })
}

/** Calls `visit` on every object of a JSON value, inner ones first, and gives the value back. */
export function walk(value: unknown, visit: (object: Record<string, unknown>) => void): unknown {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) if (typeof item === 'object') walk(item, visit)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object that is not a list
    visit(value as Record<string, unknown>)
  }
  return value
}
