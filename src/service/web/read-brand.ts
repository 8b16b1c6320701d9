/** Name, picture and colours that an operator gives the explorer: the settings `explorer.*`. */

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { type ExplorerBrand, firnBrand } from './explorer-mount.ts'

const mostLogoBytes = 262_144

/** Throws `bad-config` for a colour, a link or a picture that is none. */
export async function readBrand(config: Config, { files }: World): Promise<ExplorerBrand> {
  const path = config['explorer.logo']
  return {
    title: config['explorer.title'] || firnBrand.title,
    description: config['explorer.description'] || firnBrand.description,
    home: config['explorer.home'].split(/\n\s*\n/).filter((text) => text.trim() !== ''),
    links: config['explorer.links'].map(linkOf),
    colour: colourOf(config, 'explorer.colour'),
    darkColour: colourOf(config, 'explorer.darkColour'),
    logo: path === '' ? undefined : pictureOf(path, await files.read(path)),
  }
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

function pictureOf(path: string, bytes: Uint8Array | undefined): ExplorerBrand['logo'] {
  if (bytes === undefined) throw new Fault('bad-config', `explorer.logo does not exist: ${path}`)
  if (bytes.length > mostLogoBytes)
    throw new Fault('bad-config', `explorer.logo has more than 256 KiB: ${path}`)
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50
  const isSvg = /<svg[\s>]/.test(new TextDecoder().decode(bytes.subarray(0, 4_096)))
  if (!isPng && !isSvg)
    throw new Fault('bad-config', `explorer.logo is neither PNG nor SVG: ${path}`)
  return { contentType: isPng ? 'image/png' : 'image/svg+xml', bytes }
}
