/** A JSON schema as lines that people read: a name, what it is, and what is said of it. */

/** A schema as OpenAPI documents have them. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly default?: string | number | boolean
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** Named schemas of a document. */
export type Schemas = Readonly<Record<string, Schema>>

/** A line; `depth` counts the objects around it. */
export type SchemaLine = {
  readonly depth: number
  readonly name: string
  readonly kind: string
  readonly note: string
}

// Answers are not deeper; a schema that names itself ends here.
const mostDepth = 6

/** The fields of a schema, those inside others below them. */
export function schemaLines(schema: Schema, named: Schemas, depth = 0): SchemaLine[] {
  const whole = found(schema, named)
  if (depth > mostDepth) return []
  if (whole.items !== undefined) return schemaLines(whole.items, named, depth)
  const forms = whole.anyOf ?? whole.allOf
  if (forms !== undefined && whole.properties === undefined)
    return schemaLines(forms[0] ?? {}, named, depth)
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => [
    {
      depth,
      name: whole.required?.includes(name) === false ? `${name}?` : name,
      kind: kindOf(field, named),
      note: field.description ?? '',
    },
    ...schemaLines(field, named, depth + 1),
  ])
}

function found(schema: Schema, named: Schemas): Schema {
  return schema.$ref === undefined ? schema : (named[schema.$ref.split('/').at(-1) ?? ''] ?? {})
}

function kindOf(field: Schema, named: Schemas): string {
  const whole = found(field, named)
  if (whole.items !== undefined) return `list of ${kindOf(whole.items, named)}`
  if (whole.enum !== undefined) return whole.enum.join(' | ')
  const [first] = whole.anyOf ?? whole.allOf ?? []
  return whole.const ?? whole.type ?? (first === undefined ? 'value' : kindOf(first, named))
}
