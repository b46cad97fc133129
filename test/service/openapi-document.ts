/**
 * Reads a service's openapi.json as a client does. Lists its operations, builds requests for them, and checks
 * responses.
 */

import { z } from 'zod';

const schemaShape = z.record(z.string(), z.unknown());
type Schema = z.infer<typeof schemaShape>;

const contentShape = z.record(z.string(), z.object({ schema: schemaShape }));

const operationShape = z.object({
  summary: z.string().min(1),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query']),
        required: z.boolean().optional(),
        schema: schemaShape,
      }),
    )
    .default([]),
  requestBody: z.object({ content: contentShape }).optional(),
  responses: z.record(z.string(), z.object({ content: contentShape.optional() })),
});

const documentShape = z.object({
  openapi: z.string(),
  info: z.record(z.string(), z.unknown()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(z.string(), z.record(z.string(), operationShape)),
  components: z.object({
    schemas: z.record(z.string(), schemaShape),
    securitySchemes: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
});

/** An operation of the service's document, with its method in capitals. */
export interface Operation extends z.infer<typeof operationShape> {
  method: string;
  path: string;
}

/** A parsed document. */
export interface OpenApiDocument {
  document: z.infer<typeof documentShape>;
  operations: Operation[];
  /** Fails if a response does not match what the operation declares for its status, or has unknown fields. */
  check(operation: Operation, reply: { status: number; contentType: string; body: unknown }): void;
  /** Returns a body that matches the schema. `known` returns values for names such as `donor_id`. */
  exampleBody(operation: Operation, known: (name: string) => unknown): unknown;
}

/** The maximum depth of a schema. A schema that is deeper than the maximum would be circular. */
const MAX_DEPTH = 12;

export function readDocument(body: unknown): OpenApiDocument {
  const document = documentShape.parse(body);
  const { schemas } = document.components;
  const $defs = toStrict(schemas);

  function resolve(schema: Schema): Schema {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return schemas[$ref.replace('#/components/schemas/', '')] ?? {};
  }

  function check(operation: Operation, { status, contentType, body: reply }: Reply): void {
    const what = `${operation.method} ${operation.path} → ${status}`;
    const response = operation.responses[String(status)];
    if (response === undefined) throw new Error(`${what} is not in the document`);
    if (response.content === undefined) {
      if (reply !== '') throw new Error(`${what} has a body`);
      return;
    }
    const kind = Object.keys(response.content).find((type) => sameType(type, contentType));
    if (kind === undefined) throw new Error(`${what} has the content type ${contentType}`);
    const schema = response.content[kind]?.schema;
    if (kind !== 'application/json' || schema === undefined) return;
    const result = z
      .fromJSONSchema(schemaShape.parse({ ...schemaShape.parse(toStrict(schema)), $defs }))
      .safeParse(reply);
    if (!result.success) {
      throw new Error(
        `${what} breaks its schema\n${z.prettifyError(result.error)}\n${JSON.stringify(reply)}`,
      );
    }
  }

  function exampleOf(given: Schema, name: string, known: Known, depth = 0): unknown {
    const schema = resolve(given);
    const value = known(name);
    if (depth > MAX_DEPTH) throw new Error(`The schema of ${name} goes round in a circle`);
    if (schema['type'] === 'array') {
      const one = known(name.replace(/s$/, ''));
      return one === undefined
        ? (schema['example'] ?? [
            exampleOf(schemaShape.parse(schema['items']), name, known, depth + 1),
          ])
        : [one];
    }
    if (value !== undefined) return value;
    const properties = z.record(z.string(), schemaShape).safeParse(schema['properties']);
    if (schema['type'] === 'object' && properties.success) {
      return exampleObject(schema, properties.data, known, depth);
    }
    return schema['example'] ?? schema['default'] ?? plainExample(schema, name, known, depth);
  }

  /** Returns an object with the fields in the schema's example or, if there is no example, with the required fields. */
  function exampleObject(
    schema: Schema,
    properties: Record<string, Schema>,
    known: Known,
    depth: number,
  ) {
    const shown = schemaShape.safeParse(schema['example']);
    const required = z.array(z.string()).catch([]).parse(schema['required']);
    const names = shown.success ? Object.keys(shown.data) : required;
    return Object.fromEntries(
      names.map((name) => [
        name,
        exampleOf(
          { ...resolve(properties[name] ?? {}), ...exampleIn(shown.data, name) },
          name,
          known,
          depth + 1,
        ),
      ]),
    );
  }

  function plainExample(schema: Schema, name: string, known: Known, depth: number): unknown {
    const branches = z.array(schemaShape).safeParse(schema['anyOf'] ?? schema['oneOf']);
    if (branches.success && branches.data[0]) {
      return exampleOf(branches.data[0], name, known, depth + 1);
    }
    const choices = z.array(z.unknown()).safeParse(schema['enum']);
    if (choices.success) return choices.data[0];
    return schema['type'] === 'string' ? `${name} example` : 1;
  }

  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    ),
    check,
    exampleBody(operation, known) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      return schema === undefined ? undefined : exampleOf(schema, 'body', known);
    },
  };
}

type Reply = Parameters<OpenApiDocument['check']>[1];
type Known = Parameters<OpenApiDocument['exampleBody']>[1];

function exampleIn(shown: Schema | undefined, name: string): Schema {
  return shown === undefined ? {} : { example: shown[name] };
}

function sameType(documented: string, sent: string): boolean {
  const [type = ''] = sent.split(';');
  return documented.split(';')[0] === type.trim();
}

/**
 * Returns the schema with its references in the form that this validator expects. Objects do not allow unknown
 * fields.
 */
function toStrict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStrict);
  if (typeof value === 'string') return value.replace('#/components/schemas/', '#/$defs/');
  const object = schemaShape.safeParse(value);
  if (!object.success || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(object.data)
      .filter(([key]) => key !== 'example' && key !== 'default')
      .map(([key, item]) => [key, toStrict(item)]),
  );
  const isClosed = 'properties' in inner && !('additionalProperties' in inner);
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}
