/** The target of a request, `/v1/chains/1?x=y`, as routes are written. */

/** The path of a target, in which a colon stands as itself. */
export function pathOf(target: string): string {
  const mark = target.indexOf('?')
  return withColons(mark === -1 ? target : target.slice(0, mark))
}

/** `text` with each `%3a` as the colon it means. */
export function withColons(text: string): string {
  // Few have a percent sign, and every request comes here several times.
  return text.includes('%') ? text.replace(/%3a/gi, ':') : text
}
