/**
 * Markdown as HTML, as far as the pages of `docs` use it: headings, paragraphs, lists, tables, code,
 * quotes, links, pictures, emphasis. All text is escaped; HTML inside Markdown stays text.
 */

import { escaped } from '../core/html-text.ts'

/** Where a link or picture leads; `undefined` makes plain text of it. */
export type Resolve = (target: string) => string | undefined

/** A page: its title, and the HTML of all of it. */
export type Rendered = { readonly title: string; readonly html: string }

/** Renders a page. */
export function renderMarkdown(text: string, resolve: Resolve): Rendered {
  const lines = text.replace(/\r\n/g, '\n').split('\n')
  const blocks: string[] = []
  for (let at = 0; at < lines.length;) {
    const { html, next } = blockAt(lines, at, resolve)
    if (html !== '') blocks.push(html)
    at = next
  }
  const title = lines.find((line) => line.startsWith('# '))?.slice(2) ?? ''
  return { title: title.replace(/[`*]/g, ''), html: blocks.join('\n') }
}

type Block = { readonly html: string; readonly next: number }

function blockAt(lines: readonly string[], at: number, resolve: Resolve): Block {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { html: '', next: at + 1 }
  if (line.startsWith('```')) return fenced(lines, at)
  if (/^ {4}\S/.test(line)) return indented(lines, at)
  if (/^#{1,6} /.test(line)) return { html: headingOf(line, resolve), next: at + 1 }
  if (line.startsWith('|')) return tableAt(lines, at, resolve)
  if (itemForm.test(line)) return listAt(lines, at, resolve)
  const end = endOf(lines, at, (one) => one.trim() === '' || isBlockStart(one))
  const text = lines.slice(at, Math.max(end, at + 1)).map((one) => one.replace(/^> ?/, ''))
  const inside = inline(text.join('\n'), resolve)
  const html = line.startsWith('>')
    ? `<blockquote><p>${inside}</p></blockquote>`
    : `<p>${inside}</p>`
  return { html, next: Math.max(end, at + 1) }
}

const itemForm = /^( *)([-*]|\d+\.) +(.*)$/

function isBlockStart(line: string): boolean {
  return /^(```|#{1,6} |\|)/.test(line) || itemForm.test(line)
}

function endOf(lines: readonly string[], from: number, ends: (line: string) => boolean): number {
  const found = lines.findIndex((line, index) => index > from && ends(line))
  return found < 0 ? lines.length : found
}

function fenced(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => line.startsWith('```'))
  return { html: codeBlock(lines.slice(at + 1, end)), next: end + 1 }
}

function indented(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => !line.startsWith('    '))
  return { html: codeBlock(lines.slice(at, end).map((line) => line.slice(4))), next: end }
}

function codeBlock(lines: readonly string[]): string {
  return `<pre tabindex="0"><code>${escaped(lines.join('\n'))}</code></pre>`
}

function headingOf(line: string, resolve: Resolve): string {
  const [, marks = '', text = ''] = /^(#{1,6}) +(.*)$/.exec(line) ?? []
  const level = marks.length
  return `<h${level} id="${slugOf(text)}">${inline(text, resolve)}</h${level}>`
}

/** Name of a heading in addresses, as GitHub makes it. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function tableAt(lines: readonly string[], at: number, resolve: Resolve): Block {
  const end = endOf(lines, at, (line) => !line.startsWith('|'))
  const [head = [], , ...rows] = lines.slice(at, end).map(cellsOf)
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell, resolve)}</${tag}>`).join('')}</tr>`
  const top = head.every((cell) => cell === '') ? '' : `<thead>${row(head, 'th')}</thead>`
  const body = rows.map((cells) => row(cells, 'td')).join('')
  const table = `<table>${top}<tbody>${body}</tbody></table>`
  return {
    html: `<div class="scroll" tabindex="0" role="group" aria-label="table">${table}</div>`,
    next: end,
  }
}

/** Cells of a row; a bar inside code or behind a backslash is none of its borders. */
function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  const cells = inner.match(/(?:\\.|`[^`]*`|[^|`\\])+|(?<=\|)(?=\|)/g) ?? []
  return cells.map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

/** A list with its lines that go on below an item, and blocks inside it. */
function listAt(lines: readonly string[], at: number, resolve: Resolve): Block {
  const [, indent = '', mark = ''] = itemForm.exec(lines[at] ?? '') ?? []
  const tag = /\d/.test(mark) ? 'ol' : 'ul'
  const { items, next } = itemsAt(lines, at, indent)
  const html = items.map((item) => `<li>${itemOf(item, resolve)}</li>`).join('')
  return { html: `<${tag}>${html}</${tag}>`, next }
}

type Items = {
  /** Lines of each item, without its mark and indent. */
  readonly items: readonly (readonly string[])[]
  readonly next: number
}

/** Items of the list at a line, whose marks have this indent. */
function itemsAt(lines: readonly string[], at: number, indent: string): Items {
  const inside = new RegExp(`^ {${indent.length + 2},}\\S`)
  const items: string[][] = []
  let width = 0
  let next = at
  for (; next < lines.length; next++) {
    const line = lines[next] ?? ''
    const item = itemForm.exec(line)
    if (item !== null && item[1] === indent) {
      const text = item[3] ?? ''
      width = line.length - text.length
      items.push([text])
    } else if (inside.test(line)) items.at(-1)?.push(withoutIndent(line, width))
    else if (line.trim() === '' && goesOn(lines[next + 1] ?? '')) items.at(-1)?.push('')
    else break
  }
  function goesOn(line: string): boolean {
    return inside.test(line) || itemForm.exec(line)?.[1] === indent
  }
  return { items, next }
}

function withoutIndent(line: string, width: number): string {
  return line.slice(Math.min(width, line.length - line.trimStart().length))
}

function itemOf(lines: readonly string[], resolve: Resolve): string {
  const inner = lines.findIndex((line) => line.trim() === '' || isBlockStart(line))
  const own = inline((inner < 0 ? lines : lines.slice(0, inner)).join('\n'), resolve)
  return inner < 0 ? own : own + renderMarkdown(lines.slice(inner).join('\n'), resolve).html
}

// Code first: nothing in it is a sign.
const inlineForm =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[([^\]]+)\]\(([^)\s]+)\)|<(https?:\/\/[^>\s]+)>|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g

function inline(text: string, resolve: Resolve): string {
  let html = ''
  let done = 0
  for (const found of text.matchAll(inlineForm)) {
    html += escaped(text.slice(done, found.index)) + spanOf(found, resolve)
    done = found.index + found[0].length
  }
  return html + escaped(text.slice(done))
}

function spanOf(found: RegExpMatchArray, resolve: Resolve): string {
  const [, code, alt, picture, label, target, url, strong, soft] = found
  if (code !== undefined) return `<code>${escaped(code)}</code>`
  if (strong !== undefined) return `<strong>${inline(strong, resolve)}</strong>`
  if (soft !== undefined) return `<em>${inline(soft, resolve)}</em>`
  if (url !== undefined) return linkTo(url, escaped(url), resolve)
  if (picture === undefined) return linkTo(target ?? '', inline(label ?? '', resolve), resolve)
  const source = resolve(picture)
  return source === undefined
    ? escaped(alt ?? '')
    : `<img src="${escaped(source)}" alt="${escaped(alt ?? '')}">`
}

function linkTo(target: string, inside: string, resolve: Resolve): string {
  const href = resolve(target)
  return href === undefined ? inside : `<a href="${escaped(href)}">${inside}</a>`
}
