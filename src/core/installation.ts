/** Where the program's own files lie: sources in a clone, a bundle in the published package. */

const isSource = import.meta.url.endsWith('.ts')

/**
 * The folder that holds `package.json`, `data`, `demo` and `docs`. It is two above `src/core` and two
 * above a bundle (`dist/<name>`).
 */
export const installationFolder: URL = new URL('../../', import.meta.url)

/**
 * A module that is loaded by its address, as the first one of a thread is. `path` is its path in
 * `src` without the ending; a bundle holds all of them side by side (`scripts/bundle.ts`).
 */
export function entryFile(path: string): URL {
  if (isSource) return new URL(`src/${path}.ts`, installationFolder)
  return new URL(`${path.slice(path.lastIndexOf('/') + 1)}.js`, import.meta.url)
}
