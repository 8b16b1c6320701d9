// The health check of the image: exit code 0 when this process is ready, else 1 with the reason.
// Plain JavaScript, as it runs from the package.
const port = process.env['FIRN_NODE_PORT'] ?? '8081'
try {
  // oxlint-disable-next-line no-restricted-globals -- a script of its own, which has no World
  const reply = await fetch(`http://127.0.0.1:${port}/ext/health/readiness`)
  if (!reply.ok) console.error(await reply.text())
  process.exitCode = reply.ok ? 0 : 1
} catch (error) {
  console.error(String(error))
  process.exitCode = 1
}
