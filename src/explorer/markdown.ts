/** Markdown as HTML by `marked`. HTML inside Markdown stays text; headings are named as GitHub names them. */

import { Marked } from 'marked'

import { escaped } from '../core/text.ts'

/** Where a link or picture leads; `undefined` makes plain text of it. */
export type Resolve = (target: string) => string | undefined

/** Renders a page: its title, and the HTML of all of it. */
export function renderMarkdown(
  text: string,
  resolve: Resolve,
): { readonly title: string; readonly html: string } {
  const marked = new Marked()
  marked.use({
    renderer: {
      html: ({ text: html }) => escaped(html),
      heading({ tokens, depth, text: words }) {
        const inside = this.parser.parseInline(tokens)
        return `<h${depth} id="${slugOf(words)}">${inside}</h${depth}>\n`
      },
      code: ({ text: code }) => `<pre tabindex="0"><code>${escaped(code)}</code></pre>\n`,
      link({ href, tokens }) {
        const inside = this.parser.parseInline(tokens)
        const target = resolve(href)
        return target === undefined ? inside : `<a href="${escaped(target)}">${inside}</a>`
      },
      image({ href, text: alt }) {
        const source = resolve(href)
        return source === undefined
          ? escaped(alt)
          : `<img src="${escaped(source)}" alt="${escaped(alt)}">`
      },
    },
    hooks: {
      // Wide tables are scrolled by themselves, also by keys.
      postprocess: (html) =>
        html
          .replaceAll(
            '<table>',
            '<div class="scroll" tabindex="0" role="group" aria-label="table"><table>',
          )
          .replaceAll('</table>', '</table></div>')
          .replaceAll(/<thead>\s*<tr>\s*(?:<th[^>]*><\/th>\s*)+<\/tr>\s*<\/thead>/g, ''),
    },
  })
  const title = /^# (.*)$/m.exec(text)?.[1] ?? ''
  return { title: title.replace(/[`*]/g, ''), html: marked.parse(text, { async: false }) }
}

/** Name of a heading in addresses, as GitHub makes it. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}
