/** A page of the documentation as an HTML document: the list of pages and the parts of the page beside it. */

import { escaped } from '../core/text.ts'
import type { Brand } from './brand.ts'

/** A page in the list. */
export type DocsEntry = { readonly path: string; readonly title: string; readonly group: string }

/** The document. Holds no script and no style of its own. */
export function docsPage({
  folder,
  title,
  html,
  path,
  entries,
  brand,
  sought,
}: {
  /** Folder of the explorer's files, without a slash at its end. */
  readonly folder: string
  readonly title: string
  readonly html: string
  readonly path: string
  readonly entries: readonly DocsEntry[]
  /** Words that were looked for; absent where pages are not searched. */
  readonly sought?: string
  readonly brand: Pick<Brand, 'title' | 'logo' | 'hasDocs'>
}): string {
  const groups = Map.groupBy(entries, ({ group }) => group)
  const lists = [...groups].map(
    ([group, all]) =>
      `<h2>${escaped(group)}</h2><ul>${all.map((one) => `<li>${entryLink(one, path)}</li>`).join('')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title)} · ${escaped(brand.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${escaped(brand.logo)}">
<link rel="stylesheet" href="${folder}/explorer.css">
<link rel="stylesheet" href="/explorer/brand.css">
</head>
<body>
<div class="frame">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a href="/" class="brand"><img src="${escaped(brand.logo)}" width="28" height="28" alt="">${escaped(brand.title)}</a>
<nav class="menu" aria-label="places"><a href="/">Explorer</a>${brand.hasDocs ? '<a href="/docs">Documentation</a>' : ''}</nav>
</header>
<div class="console docs">
<nav class="card operations" aria-label="pages">
${sought === undefined ? '' : searchForm(sought)}${lists.join('')}</nav>
<main id="main" class="card prose" tabindex="-1">
${html}
${neighbours(entries, path)}</main>
${contents(html)}</div>
</div>
</body>
</html>
`
}

/** Links to the parts of a page; nothing where it has fewer than two. */
function contents(html: string): string {
  const parts = [...html.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)]
  if (parts.length < 2) return ''
  const links = parts.map(([, id = '', title = '']) => {
    return `<li><a href="#${id}">${title.replace(/<[^>]*>/g, '')}</a></li>`
  })
  return `<nav class="operations parts" aria-label="on this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`
}

/** Links to the pages before and after one, in the order of the list. */
function neighbours(entries: readonly DocsEntry[], path: string): string {
  const at = entries.findIndex((one) => one.path === path)
  if (at < 0 || entries.length < 2) return ''
  const [before, after] = [entries[at - 1], entries[at + 1]]
  return `<nav class="steps" aria-label="neighbours">${before === undefined ? '<span></span>' : `<a href="${escaped(before.path)}" rel="prev">← ${escaped(before.title)}</a>`}${after === undefined ? '' : `<a href="${escaped(after.path)}" rel="next">${escaped(after.title)} →</a>`}</nav>
`
}

function searchForm(sought: string): string {
  return `<form action="/docs/search" role="search"><input type="search" name="q" aria-label="search the documentation" placeholder="Search the docs" value="${escaped(sought)}"></form>\n`
}

function entryLink({ path, title }: DocsEntry, here: string): string {
  const current = path === here ? ' aria-current="page"' : ''
  return `<a href="${escaped(path)}"${current}>${escaped(title)}</a>`
}
