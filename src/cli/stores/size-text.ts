/** Bytes for people: `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let size = bytes
  let unit = 0
  for (; size >= 1_024 && unit < units.length - 1; unit++) size /= 1_024
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
