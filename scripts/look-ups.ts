/**
 * Refuses look-ups by text in plain objects: `table[name]`, `name in table`, `Reflect.get`.
 *
 * Every plain object knows `constructor`, `toString` and `__proto__`; where the text is a caller's,
 * such a look-up finds what nobody put there. The types tell text (`string`) from names that are
 * ours (`'a' | 'b'`). Allowed are a `Map` and `ownValue`.
 */

import { relative } from 'node:path'

import { SyntaxKind, type Node } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isCallExpression,
  isElementAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { API, TypeFlags } from 'typescript/unstable/sync'

/**
 * Where text of callers, operators and nodes arrives. Below (`codec`, `source`, `indexing`, most of
 * `store`) names of members are those of our own declarations.
 */
const folders =
  /^src\/(admin|api|cli|config|explorer|rollup|service|shape|store\/query|telemetry|verify|warp|world)\//

/** The file that may, and scripts of the browser, which serve nobody. */
const exempt = /\.test\.ts$|^src\/explorer\/browser\//

/** A line for each violation. */
export function lookUpProblems(): string[] {
  const api = new API({ cwd: process.cwd() })
  const snapshot = api.updateSnapshot({ openProjects: [`${process.cwd()}/tsconfig.json`] })
  const problems = snapshot.getProjects().flatMap(({ program, checker }) =>
    program.getSourceFileNames().flatMap((name) => {
      const path = relative('.', name)
      const file =
        folders.test(path) && !exempt.test(path) ? program.getSourceFile(name) : undefined
      if (file === undefined) return []
      const found = namesIn(file)
      const types = checker.getTypeAtLocation(found.map(({ key }) => key))
      return found
        .filter((_, at) => ((types[at]?.flags ?? 0) & TypeFlags.String) !== 0)
        .map(({ whole }) => {
          const line = file.text.slice(0, whole.getStart()).split('\n').length
          return `${path}:${line}: look-up by text, use a Map or ownValue: ${whole.getText()}`
        })
    }),
  )
  api.close()
  return problems
}

type Found = { readonly whole: Node; readonly key: Node }

/** Every look-up by a computed name below `root`. */
function namesIn(root: Node): Found[] {
  const found: Found[] = []
  const visit = (node: Node): void => {
    const key = keyOf(node)
    if (key !== undefined && !isStringLiteral(key)) found.push({ whole: node, key })
    node.forEachChild(visit)
  }
  visit(root)
  return found
}

function keyOf(node: Node): Node | undefined {
  if (isElementAccessExpression(node)) return node.argumentExpression
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) return node.left
  if (isCallExpression(node) && /^Reflect\.\w+$/.test(node.expression.getText()))
    return node.arguments[1]
  return undefined
}
