/** Name, pictures, colours and pages that an operator gives the explorer: the settings `explorer.*`. */

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { renderMarkdown } from './docs-files.ts'
import type { OwnPage } from './docs-mount.ts'
import { type BrandPicture, type ExplorerBrand, firnBrand } from './explorer-mount.ts'

const mostFileBytes = 262_144
const mostPages = 100

/** Throws `bad-config` for a colour, a link, a picture or a page that is none. */
export async function readBrand(config: Config, { files }: World): Promise<ExplorerBrand> {
  const picture = async (
    name: 'explorer.logo' | 'explorer.darkLogo' | 'explorer.preview',
  ): Promise<BrandPicture | undefined> => {
    const path = config[name]
    if (path === '') return undefined
    const bytes = await files.read(path)
    if (bytes === undefined) throw new Fault('bad-config', `${name} does not exist: ${path}`)
    if (bytes.length > mostFileBytes)
      throw new Fault('bad-config', `${name} has more than 256 KiB: ${path}`)
    const isPng = bytes[0] === 0x89 && bytes[1] === 0x50
    const isSvg = /<svg[\s>]/.test(new TextDecoder().decode(bytes.subarray(0, 4_096)))
    if (!isPng && !isSvg) throw new Fault('bad-config', `${name} is neither PNG nor SVG: ${path}`)
    const found: BrandPicture = { contentType: isPng ? 'image/png' : 'image/svg+xml', bytes }
    if (name === 'explorer.preview' && found.contentType !== 'image/png')
      throw new Fault(
        'bad-config',
        `${name} is no PNG, and nobody draws previews of others: ${path}`,
      )
    return found
  }
  const [logo, darkLogo, preview] = await Promise.all([
    picture('explorer.logo'),
    picture('explorer.darkLogo'),
    picture('explorer.preview'),
  ])
  return {
    title: config['explorer.title'] || firnBrand.title,
    description: config['explorer.description'] || firnBrand.description,
    home: config['explorer.home'].split(/\n\s*\n/).filter((text) => text.trim() !== ''),
    links: config['explorer.links'].map(linkOf),
    colour: colourOf(config, 'explorer.colour'),
    darkColour: colourOf(config, 'explorer.darkColour'),
    hasDocs: config['explorer.docs'],
    pictures: {
      ...(logo && { logo }),
      ...(darkLogo && { 'dark-logo': darkLogo }),
      ...(preview && { preview }),
    },
    pages: config['explorer.pages'] === '' ? [] : await pagesIn(config['explorer.pages'], files),
  }
}

/** Markdown files of a folder as pages, in the order of their names. */
async function pagesIn(folder: string, files: World['files']): Promise<OwnPage[]> {
  const found = await files.list(folder)
  const names = found.filter((name) => name.endsWith('.md')).toSorted()
  if (names.length === 0 || names.length > mostPages)
    throw new Fault(
      'bad-config',
      `explorer.pages holds no Markdown, or more than 100 files: ${folder}`,
    )
  return Promise.all(
    names.map(async (file) => {
      const path = `${folder}/${file}`
      const bytes = await files.read(path)
      if (!/^[\w-]+\.md$/.test(file) || bytes === undefined || bytes.length > mostFileBytes)
        throw new Fault(
          'bad-config',
          `pages of explorer.pages have names like about-us.md and at most 256 KiB: ${path}`,
        )
      const { title, html } = renderMarkdown(new TextDecoder().decode(bytes), linkInPages)
      const name = file.slice(0, -'.md'.length)
      return { name, title: title === '' ? name : title, html }
    }),
  )
}

/** Where a link of an own page leads: another one, a place of the explorer, or another site. */
function linkInPages(target: string): string | undefined {
  if (/^(?:#|https?:\/\/|mailto:|\/(?!\/))/.test(target)) return target
  const [, name, part = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return name === undefined ? undefined : `/pages/${name}${part}`
}

function colourOf(config: Config, name: 'explorer.colour' | 'explorer.darkColour'): string {
  const value = config[name]
  if (value === '' || /^#[0-9a-f]{6}$/i.test(value)) return value
  throw new Fault('bad-config', `${name} is no colour like #0b6c9e: ${value}`)
}

function linkOf(text: string): readonly [label: string, address: string] {
  const [, label = '', address = ''] = /^(\S.*?)\s+(https?:\/\/\S+|\/\S*)$/.exec(text) ?? []
  if (label === '')
    throw new Fault(
      'bad-config',
      `explorer.links are like "Bridge https://bridge.example": ${text}`,
    )
  return [label, address]
}
