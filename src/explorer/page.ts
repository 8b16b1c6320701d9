/**
 * The one HTML document of the explorer; everything else is drawn in the browser.
 *
 * It comes with the frame of every page and the first numbers, so that something is seen before
 * scripts run; without scripts it still tells how far every chain is.
 */

import { escaped } from '../core/html-text.ts'
import type { ChainStatus, Status } from '../shape/status.ts'
import { day, visible } from './browser/format.ts'

/** Files that the document refers to. */
export type PageParts = {
  /** Folder of the files, without a slash at its end. */
  readonly folder: string
  readonly status: Status
}

/** The document. Holds no script or style of its own: the policy forbids both. */
export function explorerPage({ folder, status }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Firn</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="An open Avalanche data service">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${folder}/logo.svg">
<link rel="stylesheet" href="${folder}/uplot.css">
<link rel="stylesheet" href="${folder}/explorer.css">
<script type="module" src="${folder}/main.js"></script>
</head>
<body>
<div id="app">${frame(folder, status)}</div>
<noscript>${statusTable(status)}</noscript>
</body>
</html>
`
}

/**
 * Content before the first script runs: the frame of every page, and the height of each chain.
 */
function frame(folder: string, { chains, recording }: Status): string {
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
<a href="#/" class="brand"><img src="${folder}/logo.svg" width="28" height="28" alt="">Firn</a>
</header>${note}<div class="stack first"><dl class="numbers card">${heights.join('')}</dl></div></div>`
}

function counted(height: number): string {
  return height.toLocaleString('en-US')
}

function statusTable({ chains, version }: Status): string {
  return `<div class="frame"><main>
<h1>Firn ${escaped(version)}</h1>
<p>The explorer needs JavaScript; <a href="/status">/status</a> and
<a href="/openapi.json">/openapi.json</a> do not.</p>
<table>
<thead><tr><th>Chain</th><th>State</th><th>Indexed</th><th>Head</th><th>Blocks a second</th></tr></thead>
<tbody>
${chains.map(statusRow).join('\n')}
</tbody>
</table>
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
