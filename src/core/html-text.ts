const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Text that can stand in HTML and in its attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities.get(sign) ?? sign)
}
