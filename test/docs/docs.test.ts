/** The documentation as the process serves it: every page, every link, nothing left of Markdown. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import Fastify from 'fastify'

import { contentPolicy } from '../../src/explorer/routes.ts'
import { renderMarkdown } from '../../src/service/web/docs-files.ts'
import { mountExplorer } from '../../src/service/web/explorer-mount.ts'

const http = Fastify()
mountExplorer(http, () => Promise.resolve({ version: '1', role: 'all', chains: [] }))

void test('documentation: every page is served, and every link leads to something', async () => {
  const queue = ['/docs']
  const seen = new Map<string, string>()
  const anchors: [string, string][] = []
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(path)) continue
    const reply = await http.inject(path)
    assert.equal(reply.statusCode, 200, path)
    seen.set(path, reply.body)
    if (!String(reply.headers['content-type']).startsWith('text/html')) continue
    assert.equal(reply.headers['content-security-policy'], contentPolicy, path)
    for (const [, target = ''] of reply.body.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const [page = '', anchor] = target.split('#')
      if (anchor !== undefined) anchors.push([page === '' ? path : page, anchor])
      if (page.startsWith('/docs') && path.startsWith('/docs')) queue.push(page)
      else if (page !== '' && page !== '/')
        assert.match(page, /^https?:\/\/|^\/explorer\//, `${path}: ${target}`)
    }
  }
  assert.ok(seen.size >= 30, `${seen.size} pages`)
  for (const name of ['guide/explorer', 'reference/settings', 'decisions/0001-runtime-by-npm'])
    assert.ok(seen.has(`/docs/${name}`), name)
  assert.ok(seen.has('/docs/images/explorer.png'))
  for (const [page, anchor] of anchors)
    assert.ok(seen.get(page)?.includes(`id="${anchor}"`), `${page}#${anchor}`)
  const bodies = [...seen].filter(([, body]) => body.startsWith('<!doctype'))
  for (const [path, body] of bodies) {
    const main = body.slice(body.indexOf('<main'))
    assert.match(main, /<h1 id=/, path)
    const plain = main.replace(/<pre[^]*?<\/pre>|<code>[^]*?<\/code>/g, '')
    assert.doesNotMatch(plain, /\]\(|^#{1,6} |^\||```|\*\*/m, path)
  }
})

void test('documentation: pages lead to the next one, in the order of the list, and to their parts', async () => {
  const read = async (path: string): Promise<string> => (await http.inject(path)).body
  const list = (await read('/docs')).split('<main')[0] ?? ''
  const paths = [...list.matchAll(/<li><a href="([^"]+)"/g)].map(([, path = '']) => path)
  const [first = ''] = paths
  const walked: string[] = []
  for (let path: string | undefined = first; path !== undefined;) {
    const body = await read(path)
    const before = /href="([^"]+)" rel="prev"/.exec(body)?.[1]
    assert.equal(before, walked.at(-1), path)
    walked.push(path)
    path = /href="([^"]+)" rel="next"/.exec(body)?.[1]
  }
  assert.deepEqual(walked, paths)
  const page = await read('/docs/guide/explorer')
  const main = page.slice(page.indexOf('<main'), page.indexOf('</main'))
  const parts = [...main.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => `#${id}`)
  const links = page.slice(page.indexOf('On this page')).matchAll(/href="(#[^"]+)"/g)
  assert.deepEqual(
    [...links].map(([, link]) => link),
    parts,
  )
})

void test('documentation: pages that have all words are found, those in whose title one is come first', async () => {
  const search = async (words: string): Promise<string> =>
    (await http.inject(`/docs/search?q=${encodeURIComponent(words)}`)).body.split('<main')[1] ?? ''
  const found = await search('Sizing memory')
  const [first] = /href="[^"]*"/.exec(found) ?? []
  assert.equal(first, 'href="/docs/guide/sizing"')
  assert.match(await search('quetzalcoatl'), /0 pages have “quetzalcoatl”/)
  assert.match(await search('<script>alert(1)</script>'), /“&lt;script&gt;/)
  assert.doesNotMatch(await search('<script>'), /<script>/)
})

void test('documentation: other paths are not found', async () => {
  for (const path of ['/docs/none', '/docs/guide', '/docs/../package.json', '/docs/%2e%2e/README'])
    assert.equal((await http.inject(path)).statusCode, 404, path)
})

void test('Markdown: the forms that pages use become HTML, everything else stays text', () => {
  const cases: [string, string][] = [
    ['# A `b` & <c>', '<h1 id="a-b--c">A <code>b</code> &amp; &lt;c&gt;</h1>'],
    ['a\nb **c** *d*', '<p>a\nb <strong>c</strong> <em>d</em></p>'],
    ['`a*b*` 2 * 3 * 4', '<p><code>a*b*</code> 2 * 3 * 4</p>'],
    ['[x](y.md) [z](none)', '<p><a href="/y">x</a> z</p>'],
    ['![p](y.md)', '<p><img src="/y" alt="p"></p>'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['- a\n  b\n- c\n  - d', '<ul><li>a\nb</li><li>c<ul><li>d</li></ul></li></ul>'],
    ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
    [
      '1. a:\n\n   ```\n   - x: 1\n   ```\n\n2. b',
      '<ol><li><p>a:</p><pre tabindex="0"><code>- x: 1</code></pre></li><li><p>b</p></li></ol>',
    ],
    ['```sh\n<a>\n```', '<pre tabindex="0"><code>&lt;a&gt;</code></pre>'],
    ['    npm start', '<pre tabindex="0"><code>npm start</code></pre>'],
    [
      '| a | b |\n| - | - |\n| `x\\|y` |  |\n| c\\|d | e |',
      '<div class="scroll" tabindex="0" role="group" aria-label="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td></td></tr><tr><td>c|d</td><td>e</td></tr></tbody></table></div>',
    ],
  ]
  const resolve = (target: string): string | undefined => (target === 'y.md' ? '/y' : undefined)
  // Line ends between elements mean nothing.
  const flat = (html: string): string => html.replace(/(^|>)\n+(?=<|$)/g, '$1').trim()
  for (const [text, html] of cases)
    assert.equal(flat(renderMarkdown(text, resolve).html), html, text)
})
