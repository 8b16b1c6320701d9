/**
 * The one HTML document of the explorer; everything else is drawn in the browser.
 *
 * It comes with the frame of every page and the first numbers, so that something is seen before
 * scripts run; without scripts it says what the thing of the page is, and how far every chain is.
 */

import { escaped } from '../core/text.ts'
import type { ChainStatus, Status } from '../shape/status.ts'
import type { Brand } from './brand.ts'
import { day, ends, visible } from './browser/kit/format.ts'
import { segmentsOf } from './browser/kit/link.ts'

/** Files that the document refers to. */
export type ExplorerPage = {
  /** Folder of the files, without a slash at its end. */
  readonly folder: string
  readonly status: Status
  readonly brand: Brand
  /** The requested path. */
  readonly path: string
  /** `https://explorer.example`, as the caller has it: previews of links need whole addresses. */
  readonly origin: string
  /** The thing that the page shows, in a sentence. */
  readonly description: string
  /** Facts about it by their names; none of lists. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Where the API has it. */
  readonly json?: string | undefined
  /** Address of the picture of previews. */
  readonly picture: string
}

/** The document. Holds no script or style of its own: the policy forbids both. */
export function explorerPage(options: ExplorerPage): string {
  const { folder, status, brand, origin, path } = options
  const description = escaped(options.description)
  const name = escaped(visible(nameOf(options)))
  const title = [name, escaped(brand.title)].filter((part) => part !== '').join(' · ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${escaped(brand.title)}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${escaped(origin + path)}">
<meta property="og:image" content="${escaped(options.picture)}">
<meta name="twitter:card" content="summary">
<meta name="brand" content="${escaped(JSON.stringify(brand))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${escaped(brand.logo)}">
<link rel="stylesheet" href="${folder}/uplot.css">
<link rel="stylesheet" href="${folder}/explorer.css">
<link rel="stylesheet" href="/explorer/brand.css">
<link rel="modulepreload" href="${folder}/chunk.js">
<script type="module" src="${folder}/main.js"></script>
</head>
<body>
<div id="app">${frame(brand, status)}</div>
<noscript>${withoutScripts(options, name)}</noscript>
</body>
</html>
`
}

/**
 * Content before the first script runs: the frame of every page, and the height of each chain.
 */
function frame(brand: Brand, { chains, recording }: Status): string {
  const note =
    recording === undefined
      ? ''
      : `<p class="recording"><strong>Recording of ${day(recording.endTime)}.</strong></p>`
  const heights = chains
    .filter(({ indexedHeight }) => indexedHeight >= 0)
    .slice(0, 6)
    .map(
      ({ name, indexedHeight }) =>
        `<div><dt>${escaped(visible(name))}</dt><dd>${counted(indexedHeight)}</dd></div>`,
    )
  return `<div class="frame"><header class="top">
<a href="/" class="brand"><img src="${escaped(brand.logo)}" width="28" height="28" alt="">${escaped(brand.title)}</a>
</header>${note}<div class="stack first"><dl class="numbers card">${heights.join('')}</dl></div></div>`
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['tx', 'Transaction'],
  ['l1s', 'L1s'],
])

/** Name of a path, also for previews of links: `Transaction 0x5c7fbe…5dae73 on Summit`; empty of the first page. */
function nameOf({ path, status }: ExplorerPage): string {
  const [page = '', first = '', kind = '', ...rest] = segmentsOf(path)
  const chain = status.chains.find(({ evmChainId }) => String(evmChainId) === first)?.name
  const isMessage = page === 'message'
  const where = page === 'chain' ? (chain ?? first) : isMessage ? '' : first
  const id = isMessage ? first : rest.find((part) => part.length > 20 || /^\d+$/.test(part))
  const what = kind === '' ? (page === 'chain' ? '' : page) : kind
  return what === ''
    ? where
    : [kinds.get(what) ?? capital(what), id && ends(id), where && `on ${where}`]
        .filter((part) => part !== '' && part !== undefined)
        .join(' ')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function counted(height: number): string {
  return height.toLocaleString('en-US')
}

/** The thing of the page in a few words, and the table of chains. */
function withoutScripts(
  { status, brand, description, facts, json }: ExplorerPage,
  name: string,
): string {
  const pairs = facts.map(
    ([fact, value]) => `<div><dt>${escaped(fact)}</dt><dd>${escaped(visible(value))}</dd></div>`,
  )
  const own = json === undefined ? '' : `<a href="${escaped(json)}">This page as JSON</a>, `
  return `<div class="frame"><main class="stack">
<h1>${name === '' ? escaped(brand.title) : name}</h1>
<p class="said">${escaped(description)}</p>
${pairs.length === 0 ? '' : `<dl class="facts card">${pairs.join('')}</dl>`}
<p>The explorer needs JavaScript to show more. ${own}<a href="/status">/status</a> and
<a href="/openapi.json">/openapi.json</a> do not${brand.hasDocs ? ', nor does the <a href="/docs">documentation</a>' : ''}.</p>
<section class="card"><div class="scroll"><table>
<thead><tr><th>Chain</th><th>State</th><th>Indexed</th><th>Head</th><th>Blocks/s</th></tr></thead>
<tbody>
${status.chains.map(statusRow).join('\n')}
</tbody>
</table></div></section>
</main></div>`
}

function statusRow(chain: ChainStatus): string {
  const state = chain.reason === undefined ? chain.state : `${chain.state}: ${chain.reason}`
  const cells = [
    chain.name,
    state,
    heightText(chain.indexedHeight),
    heightText(chain.headHeight),
    chain.headHeight < 0 ? '–' : chain.blocksPerSecond.toFixed(1),
  ]
  return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`
}

function heightText(height: number): string {
  return height < 0 ? '–' : String(height)
}
