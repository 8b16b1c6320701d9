/** The explorer in the words of its operator. */

/** Of the settings `explorer.*`. */
export type Brand = {
  readonly title: string
  readonly description: string
  /** Paragraphs of the first page. */
  readonly home: readonly string[]
  readonly links: readonly (readonly [label: string, address: string])[]
  /** True where the documentation and the console of the API are served beside the explorer. */
  readonly hasDocs: boolean
  /** Address of the picture in the header. */
  readonly logo: string
}
