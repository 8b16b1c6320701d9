/** Makes the explorer's files of its sources: one script with its libraries, one for charts, styles. */

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
      { in: 'uplot/dist/uPlot.min.css', out: 'uplot' },
    ].map((entry) => (typeof entry === 'string' ? { in: entry, out: nameOf(entry) } : entry)),
    loader: { '.svg': 'copy' },
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

function nameOf(path: string): string {
  return path.replace(/^.*\/|\.\w+$/g, '')
}
