/** The day of a moment in Unix seconds, UTC: `2024-12-31`. */
export function dayText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}
