/** Examples of the guides: for every operation a request of the demo that has something to show. */

/** Words that a request may be made of: names of the demo, and answers of its API. */
export type Demo = {
  /** An id by its name in `demo/cast.json`. Throws for a name that is not there. */
  readonly of: (name: string) => string
  /** An answer of the API; `field` leads into it: `transactions.0.txHash`. */
  readonly told: (path: string, field: string) => Promise<string>
}

/** The request of one operation. */
export type Example = {
  /** The operation's id. */
  readonly id: string
  /** A sentence on what is asked and what the answer says, where its summary does not. */
  readonly about?: string
  readonly path: string | ((demo: Demo) => string | Promise<string>)
  readonly body?: object | ((demo: Demo) => object | Promise<object>)
  /** A field of the answer that later requests of the page need, as a variable of the shell. */
  readonly keeps?: { readonly variable: string; readonly field: string }
  /** True where the demo answers that only a node could tell. */
  readonly needsNode?: boolean
  /** True when it is asked with the API key `$KEY`. */
  readonly withKey?: boolean
}

/** A page: a group of operations. */
export type ExamplePage = {
  /** Name of the file below `docs/examples`. */
  readonly name: string
  readonly title: string
  readonly introduction: string
  readonly examples: readonly Example[]
}
