/** The documentation of the package as pages: every Markdown file of `docs`, and those beside it. */

import { readdir, readFile } from 'node:fs/promises'

import { Marked } from 'marked'

import { type PrintedExample, printedExamples } from '../../api/server/openapi/printed-examples.ts'
import { installationFolder } from '../../core/installation.ts'
import { escaped } from '../../core/text.ts'
import type { DocsEntry } from '../../explorer/docs-page.ts'

/** A page; `path` is where it is served. */
export type DocsFile = DocsEntry & { readonly html: string }

/** Everything that is served below `/docs`. */
export type Docs = {
  readonly pages: ReadonlyMap<string, DocsFile>
  /** Pictures by path. */
  readonly pictures: ReadonlyMap<string, Uint8Array>
}

/** Files beside `docs` that its pages link to, in order. */
const besides = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/results.md',
]

const groups: readonly (readonly [folder: string, group: string])[] = [
  ['docs/guide/', 'Guide'],
  ['docs/examples/', 'Examples'],
  ['docs/reference/', 'Reference'],
  ['', 'Project'],
  ['docs/decisions/', 'Decisions'],
]

/** The examples of all operations; none where the package lacks their pages. */
export async function readExamples(): Promise<PrintedExample[]> {
  const folder = new URL('docs/examples/', installationFolder)
  const names = await readdir(folder).catch(() => [])
  const pages = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
  return pages.flatMap(printedExamples)
}

/** Reads and renders everything. A file that is missing in the package is left out. */
export async function readDocs(): Promise<Docs> {
  const names = await readdir(new URL('docs/', installationFolder), { recursive: true })
  const files = names.map((name) => `docs/${name.replaceAll('\\', '/')}`).toSorted()
  const markdown = [...besides, ...files.filter((name) => name.endsWith('.md'))]
  const known = new Set(files.filter((name) => /\.(md|png)$/.test(name)))
  for (const name of besides) known.add(name)
  const read = await Promise.all(markdown.map(async (name) => pageOf(name, known)))
  const guides = read.find((page) => page?.path === '/docs/guide/README')?.html ?? ''
  // Guides as their own page lists them; what it does not list comes last.
  const placeOf = ({ path }: DocsFile): number =>
    path.endsWith('README') ? 0 : guides.indexOf(`"${path}"`) >>> 0
  const pages = read
    .filter((page) => page !== undefined)
    .toSorted((a, b) => orderOf(a) - orderOf(b) || placeOf(a) - placeOf(b))
  const pictures = await Promise.all(
    files
      .filter((name) => name.endsWith('.png'))
      .map(
        async (name) => [pathOf(name), await readFile(new URL(name, installationFolder))] as const,
      ),
  )
  return { pages: new Map(pages.map((page) => [page.path, page])), pictures: new Map(pictures) }
}

// Longer texts are no words to look for.
const longestSought = 100
const excerptBefore = 60
const excerptAfter = 140

/** Pages that have all words of `sought`, those with one in the title first, each with a part of its text. */
export function searchDocs({ pages }: Docs, sought: string): DocsFile {
  const words = sought.slice(0, longestSought).toLowerCase().split(/\s+/).filter(Boolean)
  const found = [...pages.values()].flatMap((page) => {
    const text = page.html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    const small = `${page.title} ${text}`.toLowerCase()
    if (words.length === 0 || !words.every((word) => small.includes(escaped(word)))) return []
    const inTitle = words.some((word) => page.title.toLowerCase().includes(word))
    const at = Math.max(0, text.toLowerCase().indexOf(escaped(words[0] ?? '')))
    // A reference to a character is not cut in two.
    const part = text.slice(Math.max(0, at - excerptBefore), at + excerptAfter)
    return { page, inTitle, part: part.replace(/^[^ ]* | [^ ]*$/g, '') }
  })
  const list = found
    .toSorted((a, b) => Number(b.inTitle) - Number(a.inTitle))
    .map(
      ({ page: { path, title }, part }) =>
        `<li><a href="${escaped(path)}">${escaped(title)}</a><br>… ${part} …</li>`,
    )
  const what = `${list.length} ${list.length === 1 ? 'page has' : 'pages have'} “${escaped(sought)}”`
  return {
    path: '/docs/search',
    title: 'Search',
    group: 'Guide',
    html: `<h1>Search</h1>\n<p>${what}.</p>\n<ul>${list.join('')}</ul>`,
  }
}

function orderOf({ group }: DocsFile): number {
  return groups.findIndex(([, name]) => name === group)
}

async function pageOf(name: string, known: ReadonlySet<string>): Promise<DocsFile | undefined> {
  const text = await readFile(new URL(name, installationFolder), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { title, html } = renderMarkdown(text, (target) => resolved(target, name, known))
  const group =
    groups.find(([folder]) => folder !== '' && name.startsWith(folder))?.[1] ?? 'Project'
  return { path: pathOf(name), title: title === '' ? name : title, group, html }
}

/** Where a file is served: `docs/guide/a.md` at `/docs/guide/a`, the README at `/docs`. */
function pathOf(name: string): string {
  if (name === 'README.md') return '/docs'
  return `/docs/${name.replace(/^docs\//, '').replace(/\.md$/, '')}`
}

/** Where a link of the file `from` leads; nowhere for files that are not served. */
function resolved(target: string, from: string, known: ReadonlySet<string>): string | undefined {
  if (target.startsWith('#')) return target
  if (/^https?:/.test(target)) return target
  const url = new URL(target, `file:///${from}`)
  const name = url.pathname.slice(1)
  return known.has(name) ? `${pathOf(name)}${url.hash}` : undefined
}

// Markdown as HTML by `marked`. HTML inside Markdown stays text; headings are named as GitHub names them.

/** Where a link or picture leads; `undefined` makes plain text of it. */
type Resolve = (target: string) => string | undefined

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
