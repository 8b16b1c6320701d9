/** Makes the explorer's files of its sources: one script with its libraries, one for charts, styles. */

import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { installationFolder } from '../core/installation.ts'

/** Files by name, and the paths of what they were made of, below the installation. */
export type ExplorerBundle = {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly inputs: readonly string[]
}

/** Builds everything in memory. Only a clone has esbuild: the published package carries the files. */
export async function bundleExplorer(): Promise<ExplorerBundle> {
  const { build } = await import('esbuild')
  const made = await build({
    absWorkingDir: fileURLToPath(installationFolder),
    entryPoints: [
      'src/explorer/browser/main.ts',
      'src/explorer/browser/explorer.css',
      'src/explorer/browser/logo.svg',
      'src/explorer/browser/preview.png',
      { in: 'uplot/dist/uPlot.min.css', out: 'uplot' },
    ].map((entry) => (typeof entry === 'string' ? { in: entry, out: nameOf(entry) } : entry)),
    loader: { '.svg': 'copy', '.png': 'copy' },
    define: { clientCallsText: JSON.stringify(JSON.stringify(await clientCalls())) },
    outdir: 'explorer',
    chunkNames: '[name]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const files = made.outputFiles.map(
    ({ path, contents }) => [path.replace(/^.*[/\\]/, ''), contents] as const,
  )
  return { files: new Map(files), inputs: Object.keys(made.metafile.inputs) }
}

/** Functions of the official client by method and path of what they call, as `GET /v1/chains`. */
export async function clientCalls(): Promise<Readonly<Record<string, string>>> {
  const folder = new URL('funcs/', import.meta.resolve('@avalanche-sdk/chainkit/core.js'))
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const calls = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      const [, method] = /method: "(\w+)"/.exec(text) ?? []
      const [, path] = /pathToFunc\("(\/v[^"]+)"\)/.exec(text) ?? []
      return [`${method} ${path}`, name.slice(0, -3)] as const
    }),
  )
  return Object.fromEntries(calls)
}

function nameOf(path: string): string {
  return path.replace(/^.*\/|\.\w+$/g, '')
}
